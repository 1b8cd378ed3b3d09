"""`kinefix report --pdf` with browsers that are shell scripts: found or not, quiet, and never half a PDF."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from exporter.cli import main
from exporter.time_limits import Limit
from hil.errors import BenchError
from hil.report.pdf import NAMES, browser_command, print_pages

PRINTS = """for word in "$@"; do case "$word" in
    --print-to-pdf=*) pdf=${word#*=} ;;
    file://*) page=$word ;;
esac; done
printf '%%PDF-1.7 of %s' "$page" >"$pdf"
"""
LITTLE_CPU = Limit(0.05, 100_000.0, "print it by hand")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the browsers of this test are shell scripts")


@pytest.fixture
def browser(tmp_path: Path) -> Callable[[str], str]:
    """A browser with this shell text."""
    path = tmp_path / "bin" / "chromium"
    path.parent.mkdir()

    def write(text: str) -> str:
        path.write_text(f"#!{shutil.which('sh')}\n{text}", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    return write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one report, whose name needs care in a link."""
    folder = tmp_path / "out"
    (folder / "50 % #1").mkdir(parents=True)
    verdict = {"function": "f", "check": "c", "outcome": "passed", "passed": True, "reason": ""}
    document = {"report": "kinefix-hil", "version": 2, "title": "t", "headline": "h", "passed": True}
    (folder / "50 % #1" / "report.json").write_text(json.dumps(document | {"verdicts": [verdict]}), encoding="utf-8")
    (folder / "50 % #1" / "report.html").write_text("<!DOCTYPE html>", encoding="utf-8")
    return folder


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_every_page_is_printed_beside_itself(
    browser: Callable[[str], str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The index and each report; the browser is given the page as a URI."""
    with pytest.raises(SystemExit, match="0"):
        main(["report", str(folder), "--pdf", "--browser", browser(PRINTS)])
    assert f"pdf: {folder / 'index.pdf'}\npdf: {folder / '50 % #1' / 'report.pdf'}\n" in capsys.readouterr().out
    printed = (folder / "50 % #1" / "report.pdf").read_text(encoding="utf-8")
    assert printed == f"%PDF-1.7 of {folder.as_uri()}/50%20%25%20%231/report.html"
    assert files(folder) == {"index.html", "index.pdf", *(f"50 % #1/report.{kind}" for kind in ("html", "json", "pdf"))}


def test_a_browser_is_found_on_the_path(
    browser: Callable[[str], str], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --browser."""
    monkeypatch.setenv("PATH", str(Path(browser(PRINTS)).parent))
    with pytest.raises(SystemExit, match="0"):
        main(["report", str(folder), "--pdf", "--json"])
    assert json.loads(capsys.readouterr().out)["pdfs"] == [
        str(folder / "index.pdf"),
        str(folder / "50 % #1" / "report.pdf"),
    ]
    assert {"chromium", "google-chrome", "msedge"} <= set(NAMES)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--pdf"], "no browser was found that prints to PDF"),
        (["--pdf", "--browser", "nothing"], "--browser: there is no program 'nothing'"),
        (["--browser", "chromium"], "--browser prints to PDF; add --pdf"),
    ],
)
def test_without_a_browser_there_is_one_sentence(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    sentence: str,
) -> None:
    """Exit code 2, before anything is written."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("hil.report.pdf.PLACES", ())
    with pytest.raises(SystemExit, match="2"):
        main(["report", str(folder), *options])
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert "index.html" not in files(folder)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("echo no display >&2; exit 1", "did not print .*no display"),
        ("exit 3", "did not print .*exit code 3"),
        (PRINTS.replace("%%PDF-1.7", "half"), "did not print"),
        ("while :; do :; done", "was not printed: .* the limit is 0.05 s of CPU; print it by hand"),
    ],
)
def test_what_a_browser_does_not_print_is_one_sentence(
    browser: Callable[[str], str], folder: Path, text: str, words: str
) -> None:
    """The PDF of the last time stays as it is, and nothing lies beside it."""
    page = folder / "50 % #1" / "report.html"
    page.with_suffix(".pdf").write_text("of the last time", encoding="utf-8")
    before = files(folder)
    with pytest.raises(BenchError, match=words):
        print_pages(browser(text), [page], LITTLE_CPU)
    assert page.with_suffix(".pdf").read_text(encoding="utf-8") == "of the last time"
    assert files(folder) == before


def test_a_pdf_whose_place_is_taken_is_one_sentence(browser: Callable[[str], str], folder: Path) -> None:
    """A folder stands there."""
    page = folder / "50 % #1" / "report.html"
    page.with_suffix(".pdf").mkdir()
    with pytest.raises(BenchError, match=r"report\.pdf cannot be written \(Is a directory\)"):
        print_pages(browser(PRINTS), [page])


def test_a_browser_asks_no_network_and_keeps_nothing(tmp_path: Path) -> None:
    """No name is looked up, and the profile is one of its own."""
    command = browser_command("chromium", tmp_path)
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in command
    assert f"--user-data-dir={tmp_path}" in command
