"""A report folder holds one campaign, whole: its verdicts never stand beside vectors that are missing or another's."""

import errno
import json
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from exporter.cli import main
from exporter.export import Export, export_source
from exporter.interruption import Interrupted
from sil.campaign import Campaign, run
from sil.options import Options
from sil.report import files
from sil.report.files import remove_report, write_report

QUICK = Options(count=20, runner="interpreter")
VERDICTS = {"report.html", "report.json", "report.xml"}


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Export:
    return export_source("slider_crank", tmp_path_factory.mktemp("report_files") / "export", "float64")


@pytest.fixture
def campaign(export: Export) -> Callable[..., Campaign]:
    """A campaign on the slider-crank's functions of these names."""
    return lambda *names: run(export, replace(QUICK, functions=names))


@pytest.fixture
def told_to_end() -> Iterator[None]:
    """Ctrl-C raises, as where nobody has another handler for it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def vectors_of(*functions: str) -> set[str]:
    return {f"vectors/{function}.{end}" for function in functions for end in ("npy", "csv")}


def test_a_report_that_is_interrupted_while_vectors_are_written_has_no_verdict(
    campaign: Callable[..., Campaign], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in a new folder nor over an earlier report, which stands as it was."""
    write_report(campaign("position"), tmp_path / "earlier")
    before = contents(tmp_path / "earlier")

    def interrupted(*_: object) -> Iterator[tuple[str, bytes]]:
        yield "half.npy", b""
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "vector_files", interrupted)
    for name in ("earlier", "new"):
        with pytest.raises(KeyboardInterrupt):
            write_report(campaign("velocity"), tmp_path / name)
    assert contents(tmp_path / "earlier") == before
    assert contents(tmp_path / "new") == {}
    assert not list((tmp_path / "new").iterdir())


@pytest.mark.usefixtures("told_to_end")
def test_a_report_is_whole_once_its_first_file_is_in_place(
    campaign: Callable[..., Campaign], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C at the first renaming acts after the last one, and it is told that the report is complete."""
    real, placed = Path.replace, []

    def told(path: Path, target: Path) -> Path:
        if not placed:
            signal.raise_signal(signal.SIGINT)
        placed.append(target.relative_to(tmp_path).as_posix())
        return real(path, target)

    monkeypatch.setattr(Path, "replace", told)
    with pytest.raises(Interrupted, match=f"what was written to '{tmp_path}' is complete"):
        write_report(campaign("position"), tmp_path)
    assert set(contents(tmp_path)) == VERDICTS | vectors_of("position")
    assert set(placed[:2]) == vectors_of("position")


def test_a_full_disk_leaves_the_earlier_report_and_is_named(
    campaign: Callable[..., Campaign], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_report(campaign("position"), tmp_path)
    before = contents(tmp_path)
    following = campaign("velocity")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left") as raised:
        write_report(following, tmp_path)
    assert raised.value.filename == str(tmp_path)
    assert contents(tmp_path) == before


def test_an_earlier_report_goes_with_its_vectors_and_nothing_else(
    campaign: Callable[..., Campaign], tmp_path: Path
) -> None:
    """Files of the user beside them stay, and so do vectors of a report that is not ours."""
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "mine.npy").write_bytes(b"mine")
    write_report(campaign("position", "velocity"), tmp_path)
    write_report(campaign("velocity"), tmp_path)
    assert set(contents(tmp_path)) == VERDICTS | vectors_of("velocity") | {"vectors/mine.npy"}
    remove_report(tmp_path)
    assert contents(tmp_path) == {"vectors/mine.npy": b"mine"}
    strange = {"report": "another", "vectors": [{"function": "mine"}, {"function": "../../notes"}]}
    (tmp_path / "report.json").write_text(json.dumps(strange))
    remove_report(tmp_path)
    assert contents(tmp_path) == {"vectors/mine.npy": b"mine"}


def test_names_of_vectors_that_lead_out_of_the_folder_are_left(tmp_path: Path) -> None:
    """Whatever a report.json says, nothing outside of vectors/ is removed."""
    (tmp_path / "notes.csv").write_text("mine")
    (tmp_path / "report.json").write_text(
        json.dumps(
            {"report": "kinefix-sil", "vectors": [{"function": "../notes"}, {"function": str(tmp_path / "notes")}]}
        )
    )
    remove_report(tmp_path)
    assert contents(tmp_path) == {"notes.csv": b"mine"}


def test_a_run_that_does_not_end_leaves_no_vectors_of_an_earlier_one(
    export: Export, campaign: Callable[..., Campaign], tmp_path: Path
) -> None:
    write_report(campaign("position"), tmp_path / "report")
    with pytest.raises(SystemExit, match="2"):
        main(["sil", str(export.folder), "--function", "none", "--report", str(tmp_path / "report")])
    assert not list((tmp_path / "report").iterdir())
