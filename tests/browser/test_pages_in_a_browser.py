"""Pages of reports as a browser shows and prints them: light, dark, on paper; and pages made wrong on purpose."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from browser import Browser
from printed import missing_words, paper_of, sheets_of, sheets_with

from exporter.cli import main
from exporter.errors import MissingTool
from hil.report.pdf import find_browser

ROOT = Path(__file__).resolve().parents[2]
CHECKS = (ROOT / "tests" / "tools" / "page_checks.js").read_text(encoding="utf-8")
KINDS = ("hil", "sil", "requirements", "index")
KEYWORDS = "keywords"  # a page of Robot Framework's libdoc: its look is not ours
PAPER = 680
"""Width of what is printed on A4 with margins of 15 mm, in CSS pixels."""
SCHEMES = ("light", "dark")
SOUND = "<!DOCTYPE html><html lang='en'><title>t</title><body style='background: #fff; color: #111'>"

BENCH = """
schema = 1
[bench]
name = "a run"
target = "emulated"
model = "slider_crank"
[target.emulated]
kind = "emulated"
[timing]
period = "1 ms"
deadline = "400 us"
[timeouts]
retries = 10
"""
FAULTS = """
schema = 1
steps = 100
[[fault]]
rate = 0.05
"""

pytestmark = pytest.mark.browser


@pytest.fixture(scope="session")
def browser(require_browser: str) -> Iterator[Browser]:
    opened = Browser(require_browser)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def pages(load_data_module: Callable[[str], ModuleType], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    written: dict[str, Path] = load_data_module("report_pages").write_pages(tmp_path_factory.mktemp("pages"))
    assert set(written) == {*KINDS, KEYWORDS}
    return written


@pytest.fixture
def made(tmp_path: Path) -> Callable[[str], Path]:
    """A page with this body."""

    def write(body: str) -> Path:
        page = tmp_path / "made.html"
        page.write_text(SOUND + body, encoding="utf-8")
        return page

    return write


def said(browser: Browser, check: str) -> list[str]:
    """What a function of page_checks.js says of the page that is open."""
    return list(browser.evaluate(f"{CHECKS}.{check}()"))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", [*KINDS, KEYWORDS])
def test_a_page_opens_alone(browser: Browser, pages: dict[str, Path], kind: str, scheme: str) -> None:
    """Without an error, and without asking for anything but itself."""
    visit = browser.open(pages[kind], scheme=scheme)
    assert visit.errors == []
    assert [url for url in visit.requests if not url.startswith("data:")] == [pages[kind].as_uri()]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("<script>console.error('ouch')</script>", "console: "),
        ("<script>none()</script>", "exception: "),
        ("<img src='none.png' alt=''>", "loading failed: "),
        ("<img src='http://kinefix.invalid/a.png' alt=''>", "loading failed: "),
    ],
)
def test_a_page_that_opens_with_an_error_is_seen(
    browser: Browser, made: Callable[[str], Path], body: str, error: str
) -> None:
    """Whatever the error; the sound twin has none."""
    assert browser.open(made("<p>sound</p>")).errors == []
    visit = browser.open(made(body))
    assert any(each.startswith(error) for each in visit.errors), visit
    assert len(visit.requests) == (2 if "src" in body else 1)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_text_can_be_read(browser: Browser, pages: dict[str, Path], kind: str, scheme: str) -> None:
    """Contrast of 4.5 or more, in drawings too; and the dark page is dark."""
    browser.open(pages[kind], scheme=scheme)
    assert len(said(browser, "words")) > 20
    assert said(browser, "hard") == []
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


@pytest.mark.parametrize(
    "body",
    [
        "<p style='color: #888'>pale</p>",
        "<p style='opacity: 0.4'>pale</p>",
        "<div style='background: #555'><p>dark on dark</p></div>",
        "<svg viewBox='0 0 90 30'><text x='5' y='20' fill='#999'>pale</text></svg>",
        "<svg viewBox='0 0 90 30'><rect width='90' height='30' fill='#333'/><text x='5' y='20'>on dark</text></svg>",
    ],
)
def test_a_text_that_is_hard_to_read_is_seen(browser: Browser, made: Callable[[str], Path], body: str) -> None:
    """One that is not, and a drawing with a light shape under dark text, are left alone."""
    browser.open(
        made("<p>dark</p><svg viewBox='0 0 90 30'><rect width='90' height='30' fill='#eee'/><text>a</text></svg>")
    )
    assert said(browser, "hard") == []
    browser.open(made(body))
    assert len(said(browser, "hard")) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_cut_off(browser: Browser, pages: dict[str, Path], kind: str) -> None:
    """On a screen, and on paper as wide as A4 less its margins."""
    browser.open(pages[kind])
    assert said(browser, "cut") == []
    browser.open(pages[kind], media="print", width=PAPER)
    assert said(browser, "cut") == []


@pytest.mark.parametrize(
    "body",
    [
        "<div style='width: 2000px'>wide</div>",
        "<div style='overflow: hidden'><p style='width: 2000px'>hidden</p></div>",
        "<p style='position: absolute; left: -90px'>off</p>",
    ],
)
def test_what_is_cut_off_is_seen(browser: Browser, made: Callable[[str], Path], body: str) -> None:
    """Beyond either edge, or hidden by what it is in; a sound page has none."""
    browser.open(made("<p>sound</p>"))
    assert said(browser, "cut") == []
    browser.open(made(body))
    assert said(browser, "cut") != []


@pytest.mark.parametrize("kind", KINDS)
def test_paper_has_every_word(
    browser: Browser, pages: dict[str, Path], tmp_path: Path, require_tool: Callable[[str], str], kind: str
) -> None:
    """Whole, and on a sheet of A4; the last row of a table too."""
    require_tool("pdftotext")
    browser.open(pages[kind], media="print", width=PAPER)
    (tmp_path / "page.pdf").write_bytes(browser.pdf())
    sheets = sheets_of(tmp_path / "page.pdf")
    assert sheets
    assert missing_words(said(browser, "words"), sheets) == []
    assert paper_of(tmp_path / "page.pdf") == "A4"


def test_a_word_that_paper_has_not_whole_is_seen(
    browser: Browser, made: Callable[[str], Path], tmp_path: Path, require_tool: Callable[[str], str]
) -> None:
    """One that is broken, and one that is outside of the sheet."""
    require_tool("pdftotext")
    body = (
        "<p style='width: 1em; overflow-wrap: anywhere'>broken</p><p style='position: absolute; left: -500px'>off</p>"
    )
    browser.open(made(f"<p>sound</p>{body}"), media="print", width=PAPER)
    (tmp_path / "page.pdf").write_bytes(browser.pdf())
    assert missing_words(said(browser, "words"), sheets_of(tmp_path / "page.pdf")) == ["broken", "off"]


def test_the_signature_is_on_one_sheet(
    browser: Browser, pages: dict[str, Path], tmp_path: Path, require_tool: Callable[[str], str]
) -> None:
    """All of its lines together."""
    require_tool("pdftotext")
    browser.open(pages["hil"], media="print", width=PAPER)
    (tmp_path / "page.pdf").write_bytes(browser.pdf())
    signature = browser.evaluate(f"{CHECKS}.signature()")
    assert len(signature.split()) > 5
    assert len(sheets_with(signature, sheets_of(tmp_path / "page.pdf"))) == 1


def test_a_signature_on_two_sheets_is_seen(
    browser: Browser, made: Callable[[str], Path], tmp_path: Path, require_tool: Callable[[str], str]
) -> None:
    """One whose second line begins a new sheet."""
    require_tool("pdftotext")
    lines = "<p>tested by</p><p style='break-before: page'>released by</p>"
    browser.open(made(f"<div class='signature'>{lines}</div>"), media="print", width=PAPER)
    (tmp_path / "page.pdf").write_bytes(browser.pdf())
    signature = browser.evaluate(f"{CHECKS}.signature()")
    assert signature.split() == ["tested", "by", "released", "by"]
    assert sheets_with(signature, sheets_of(tmp_path / "page.pdf")) == []


@pytest.mark.emulated
def test_the_report_of_a_run_is_as_good(
    browser: Browser, tmp_path: Path, require_tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An emulated run under faults, against a baseline, beside another run: everything that a report can hold."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm", "pdftotext"):
        require_tool(tool)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.toml").write_text(BENCH, encoding="utf-8")
    (tmp_path / "faults.toml").write_text(FAULTS, encoding="utf-8")
    for number, more in enumerate(([], ["--faults", "faults.toml", "--baseline", "out/0/report.json"])):
        with pytest.raises(SystemExit, match="0"):
            main(["hil", "bench.toml", "--lockstep", "20", "--free-run", "200", "--report", f"out/{number}", *more])
    page = tmp_path / "out" / "1" / "report.html"
    for scheme in SCHEMES:
        assert browser.open(page, scheme=scheme).errors == []
        assert (said(browser, "hard"), said(browser, "cut")) == ([], [])
    browser.open(page, media="print", width=PAPER)
    assert {"Under", "Against", "Side"} <= {text.split()[0] for text in said(browser, "words")}
    assert said(browser, "cut") == []
    (tmp_path / "page.pdf").write_bytes(browser.pdf())
    sheets = sheets_of(tmp_path / "page.pdf")
    assert missing_words(said(browser, "words"), sheets) == []
    assert len(sheets_with(browser.evaluate(f"{CHECKS}.signature()"), sheets)) == 1


def test_the_command_prints_every_page(
    require_browser: str, pages: dict[str, Path], require_tool: Callable[[str], str]
) -> None:
    """`kinefix report --pdf` with a real browser: each sheet has a foot, no path, and the verdict is first."""
    require_tool("pdftotext")
    with pytest.raises(SystemExit, match="1"):
        main(["report", str(pages["index"].parent), "--pdf", "--browser", require_browser])
    for kind in KINDS:
        sheets = sheets_of(pages[kind].with_suffix(".pdf"))
        words = sheets[0].splitlines()[2]
        assert words in ("PASSED", "FAILED")
        for number, sheet in enumerate(sheets, start=1):
            foot = sheet.splitlines()[:2]  # painted first
            assert foot[0] == f"{number} / {len(sheets)}"
            assert foot[1].startswith(f"{words}: ")
        assert not any("file://" in sheet for sheet in sheets)


def test_a_missing_browser_would_be_named() -> None:
    """What the fixture of these tests says on a laptop."""
    with pytest.raises(MissingTool, match="there is no program 'no browser'"):
        find_browser("no browser")
