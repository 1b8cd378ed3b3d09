"""An earlier build stands until the next one has succeeded."""

import signal
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from exporter.errors import CheckFailed
from exporter.export import Export, write_export
from exporter.interruption import Interrupted
from targets import build as building
from targets.build import BuildResult
from targets.claim import FRESH_NAME


@pytest.fixture
def export(load_data_module: Callable[[str], ModuleType], tmp_path: Path) -> Export:
    program = load_data_module("sample_program").slider_crank_program("float32")
    return write_export(program, tmp_path / "export", {})


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A build, with a file beside it, and what a build that was killed left behind."""
    folder = tmp_path / "build"
    for name in ("build.json", "obj/a.o", "mine.txt", f"{FRESH_NAME}/half.o"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("earlier", encoding="utf-8")
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def build_as(monkeypatch: pytest.MonkeyPatch, end: BaseException | None) -> None:
    """Builds write two files, then end in this way."""

    def make(_: Export, target: str, folder: Path, function: str | None, kind: str) -> BuildResult:
        (folder / "obj").mkdir()
        for name in ("build.json", "obj/a.o"):
            (folder / name).write_text("fresh", encoding="utf-8")
        if end is not None:
            raise end
        return BuildResult(target, "title", function, kind, "gcc", folder, {})

    monkeypatch.setattr(building, "_build", make)


@pytest.mark.parametrize("end", [KeyboardInterrupt(), CheckFailed("refused"), OSError(28, "No space left on device")])
def test_a_build_that_does_not_end_leaves_the_earlier_one(
    export: Export, earlier: Path, monkeypatch: pytest.MonkeyPatch, end: BaseException
) -> None:
    build_as(monkeypatch, end)
    with pytest.raises(type(end)) as raised:
        building.build(export, "host", earlier)
    assert getattr(raised.value, "filename", str(earlier)) == str(earlier)  # of the full disk
    assert contents(earlier) == {"build.json": "earlier", "obj/a.o": "earlier", "mine.txt": "earlier"}


def test_a_build_that_ends_replaces_its_files(export: Export, earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_as(monkeypatch, None)
    assert building.build(export, "host", earlier).folder == earlier
    assert contents(earlier) == {"build.json": "fresh", "obj/a.o": "fresh", "mine.txt": "earlier"}


def test_a_signal_waits_until_a_build_is_in_its_place(
    export: Export, earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_as(monkeypatch, None)
    real = Path.replace

    def told(path: Path, target: Path) -> Path:
        signal.raise_signal(signal.SIGINT)
        return real(path, target)

    monkeypatch.setattr(Path, "replace", told)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(Interrupted, match=f"the build in '{earlier}' is complete"):
            building.build(export, "host", earlier)
    finally:
        signal.signal(signal.SIGINT, before)
    assert contents(earlier) == {"build.json": "fresh", "obj/a.o": "fresh", "mine.txt": "earlier"}
