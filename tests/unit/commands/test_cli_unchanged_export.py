"""`kinefix export` into a folder that holds the same export writes nothing and says so; whatever differs is noticed."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from exporter import made_with as made_with_module
from exporter.cli import kinefix
from exporter.export import load_export
from exporter.made_with import made_with
from exporter.model.library import model_path

SOURCE = "mine.toml"
SYMBOLIC = """
import sympy as sp
from exporter.symbolic import SymbolicModel, given, output

def model():
    x = sp.Symbol("x")
    return SymbolicModel(name="square", inputs=(given("x", -2, 2),), outputs=(output("y", x * x),))
"""
LIGHT = """
import sys
from exporter.cli import main
try:
    main(["export", "slider_crank", "--out", "x", "--functions", "position"])
except SystemExit as end:
    assert end.code == 0, end.code
print("LOADED:", *sorted({"sympy", "numpy", "mpmath", "flint", "networkx", "jinja2"} & set(sys.modules)))
"""


@pytest.fixture(autouse=True)
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder with a copy of the slider-crank, and the export of its positions in x."""
    monkeypatch.chdir(tmp_path)
    Path(SOURCE).write_text(model_path("slider_crank").read_text(encoding="utf-8"), encoding="utf-8")
    assert export()


def export(*options: str, source: str = SOURCE) -> bool:
    """Export the positions into x; whether anything was written, by what the command says."""
    chosen = () if source.endswith(":model") else ("--functions", "position")
    words = ["export", source, "--out", "x", *chosen, *options]
    result = CliRunner().invoke(kinefix, [*words, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    told: dict[str, Any] = json.loads(result.stdout)
    return bool(told["written"])


def inodes() -> dict[str, tuple[int, int]]:
    """A file that is written anew is another one, or has another time."""
    return {str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in sorted(Path("x").rglob("*"))}


def test_an_unchanged_export_is_left_as_it_is() -> None:
    before = inodes()
    assert not export()
    assert inodes() == before


def test_it_says_so_and_tells_what_stands_there() -> None:
    words = ["export", SOURCE, "--out", "x", "--functions", "position"]
    standing = CliRunner().invoke(kinefix, words, catch_exceptions=False).stdout
    written = CliRunner().invoke(kinefix, [*words, "--force"], catch_exceptions=False).stdout
    assert "x is up to date: nothing was written (see --force)\n" in standing
    assert standing.replace("x is up to date: nothing was written (see --force)", "files in x") == written


def test_the_answer_needs_no_mathematics() -> None:
    """In a fresh interpreter nothing is imported that solves, counts or writes C."""
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
    assert "up to date" in done.stdout
    assert done.stdout.splitlines()[-1] == "LOADED:"


@pytest.mark.parametrize(
    "options",
    [
        ("--precision", "float64"),
        ("--functions", "velocity"),
        ("--tunable", "l1"),
        ("--set", "l1=21 cm"),
        ("--period", "2 ms"),
        ("--pose", "theta=31 deg"),
        ("--independent", "s"),
        ("--method", "newton"),
        ("--force",),
    ],
    ids=" ".join,
)
def test_another_option_writes_anew(options: tuple[str, ...]) -> None:
    assert export(*options)
    if options != ("--force",):
        assert not export(*options)


def change_title() -> None:
    path = Path(SOURCE)
    path.write_text(path.read_text(encoding="utf-8").replace('title = "', 'title = "My '), encoding="utf-8")


def change_byte(name: str) -> Callable[[], None]:
    def change() -> None:
        path = Path("x", name)
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(bytes(data))

    return change


CHANGES: dict[str, Callable[[], None]] = {
    "the model": change_title,
    "a byte of the C": change_byte("slider_crank.c"),
    "a byte of the report": change_byte("report/export.md"),
    "a byte of the stamp": change_byte(".made_with"),
    "a line of the manifest": lambda: Path("x/manifest.json").write_text(
        Path("x/manifest.json").read_text(encoding="utf-8").replace('"title": "', '"title": "My ', 1), encoding="utf-8"
    ),
    "a file that is missing": Path("x/slider_crank.h").unlink,
    "a stamp that is missing": Path("x/.made_with").unlink,
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_noticed_and_mended(what: str) -> None:
    CHANGES[what]()
    assert export()
    load_export(Path("x"))  # every file has the hash that the manifest says
    assert not export()


def test_a_file_of_the_users_is_refused_as_ever() -> None:
    Path("x/notes.txt").write_text("mine", encoding="utf-8")
    result = CliRunner().invoke(kinefix, ["export", SOURCE, "--out", "x"])
    assert "holds 'notes.txt', which is not part of an export" in str(result.exception)


def test_another_exporter_writes_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exporter.up_to_date.made_with", lambda: "another")
    assert export()


@pytest.mark.parametrize("what", ["a source", "a library"])
def test_sources_and_libraries_are_in_the_digest(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "one.py").write_text("1", encoding="utf-8")
    monkeypatch.setattr(made_with_module, "SOURCES", tmp_path / "sources")
    first = made_with.__wrapped__()
    assert made_with.__wrapped__() == first
    if what == "a source":
        (tmp_path / "sources" / "one.py").write_text("2", encoding="utf-8")
    else:
        monkeypatch.setattr(made_with_module, "version", lambda name: f"{name} 99")
    assert made_with.__wrapped__() != first


def test_a_symbolic_model_is_compared_by_what_its_function_gives() -> None:
    Path("code.py").write_text(SYMBOLIC, encoding="utf-8")
    assert export(source="code.py:model")
    assert not export(source="code.py:model")
    Path("code.py").write_text(SYMBOLIC.replace("x * x", "x * x + 1"), encoding="utf-8")
    assert export(source="code.py:model")


def test_the_stamp_is_no_part_of_the_export() -> None:
    """Without it the export is as good: the manifest has the hashes of all other files, and not this one."""
    assert ".made_with" not in load_export(Path("x")).manifest.files


def test_what_is_kept_compiled_counts_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another command may compile a template that this one did not need; a source that differs counts."""
    tree = tmp_path / "sources"
    (tree / "room" / "__pycache__").mkdir(parents=True)
    (tree / "room" / "a.py").write_text("1", encoding="utf-8")
    monkeypatch.setattr(made_with_module, "SOURCES", tree)
    digest = made_with.__wrapped__
    before = digest()
    (tree / "room" / "__pycache__" / "jinja2_1.cache").write_text("kept", encoding="utf-8")
    assert digest() == before
    (tree / "room" / "a.py").write_text("2", encoding="utf-8")
    assert digest() != before


def test_an_unchanged_export_needs_no_place_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder above may be one that cannot be written."""

    def refuse(_: Path) -> None:
        raise AssertionError("asked for a place")

    monkeypatch.setattr("exporter.export_folder.require_place", refuse)
    assert not export()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """The export that it points to is replaced."""
    Path("link").symlink_to("x")
    words = ["export", SOURCE, "--out", "link", "--functions", "velocity"]
    assert CliRunner().invoke(kinefix, words, catch_exceptions=False).exit_code == 0
    assert Path("link").is_symlink()
    assert [each.name for each in load_export(Path("x")).manifest.functions] == ["velocity"]
    assert {path.name for path in tmp_path.iterdir()} == {SOURCE, "x", "link"}
