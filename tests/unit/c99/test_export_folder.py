"""Export folders: the same bytes everywhere, never half-written, never over somebody's files."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from exporter.c99 import files as c_files
from exporter.errors import CheckFailed, ModelError
from exporter.export import load_export, write_export
from exporter.interruption import Interrupted
from exporter.manifest import from_json, to_json

Loader = Callable[[str], ModuleType]
ROOT = Path(__file__).resolve().parents[3]
WRITE = """
import runpy, sys
from pathlib import Path
from exporter.export import write_export
sample = runpy.run_path(sys.argv[1])
write_export(sample["slider_crank_program"]("float32", tunable=True), Path(sys.argv[2]), {"b": 1, "a": [2]})
"""


def contents(folder: Path) -> dict[str, bytes]:
    """Relative path -> bytes of every file."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_hash_seeds_and_two_folders_give_the_same_bytes(tmp_path: Path) -> None:
    """No set order, date, host or path reaches a file."""
    exports = []
    for seed, place in (("0", "one"), ("4711", "another/deep")):
        folder = tmp_path / place
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        script = [sys.executable, "-c", WRITE, str(ROOT / "tests/data/sample_program.py"), str(folder)]
        subprocess.run(script, check=True, env=environment, cwd=tmp_path)
        exports.append(contents(folder))
    assert exports[0] == exports[1]
    assert not [name for name, data in exports[0].items() if str(tmp_path).encode() in data or b"\r" in data]


def test_the_manifest_has_the_hash_of_every_other_file(load_data_module: Loader, tmp_path: Path) -> None:
    """What is delivered can be checked with sha256sum alone."""
    write_export(load_data_module("sample_program").slider_crank_program("float32"), tmp_path / "x", {})
    present = contents(tmp_path / "x")
    listed = json.loads(present.pop("manifest.json"))["files"]
    assert listed == {name: hashlib.sha256(data).hexdigest() for name, data in present.items()}
    assert {"slider_crank.h", "slider_crank.c", "slider_crank_selftest.c", "report/export.md"} <= set(listed)


def test_a_manifest_survives_its_text(load_data_module: Loader, tmp_path: Path) -> None:
    """What load_export gives is what write_export gave."""
    program = load_data_module("sample_program").slider_crank_program("float64", tunable=True)
    written = write_export(program, tmp_path / "x", {"parts": [{"deep": "1/3"}]}, "symbolic")
    assert load_export(tmp_path / "x") == written
    assert from_json(to_json(written.manifest)) == written.manifest


def test_the_manifest_describes_the_interface(load_data_module: Loader, tmp_path: Path) -> None:
    """Arguments in C order, rows of state then in, state then out, parameters tunable and frozen."""
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    manifest = write_export(program, tmp_path / "x", {}).manifest
    dostep = next(function for function in manifest.functions if function.name == "dostep")
    assert [(argument.name, argument.const) for argument in dostep.arguments] == [
        ("state", False), ("derived", True), ("in", True), ("out", False)
    ]  # fmt: skip
    assert [field.field for field in dostep.row_inputs] == ["theta_rad", "theta_rate_rad_s", "F_N"]
    assert [field.field for field in dostep.row_outputs] == [
        "theta_rad", "theta_rate_rad_s", "s_m", "theta_acceleration_rad_s2"
    ]  # fmt: skip
    assert [(each.c_name, each.tunable) for each in manifest.parameters] == [
        ("l1_m", True), ("l2_m", False), ("J_kgm2", False), ("m3_kg", False)
    ]  # fmt: skip
    assert manifest.recalibrate is not None
    assert manifest.recalibrate.symbol == "slider_crank_recalibrate"
    assert manifest.mangling["theta.rate"] == "theta_rate_rad_s"


def test_a_previous_export_is_replaced(load_data_module: Loader, tmp_path: Path) -> None:
    """Exporting again is the everyday case; nothing of the old one stays."""
    sample = load_data_module("sample_program")
    write_export(replace(sample.slider_crank_program("float32"), name="old"), tmp_path / "x", {})
    write_export(sample.slider_crank_program("float64"), tmp_path / "x", {})
    assert load_export(tmp_path / "x").manifest.real == "float64"
    assert not list(tmp_path.rglob("old*"))
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("method", ["write_bytes", "rename"])
@pytest.mark.parametrize("number", [1, 2])
def test_an_earlier_export_outlives_one_that_is_interrupted(
    load_data_module: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, number: int
) -> None:
    """Ctrl-C while files are written, or between the two renamings; nothing is left beside it."""
    sample = load_data_module("sample_program")
    write_export(sample.slider_crank_program("float32"), tmp_path / "x", {})
    before, calls, real = contents(tmp_path / "x"), [], getattr(Path, method)

    def interrupted(path: Path, *words: object) -> object:
        calls.append(path)
        if len(calls) == number:
            raise KeyboardInterrupt
        return real(path, *words)

    with monkeypatch.context() as patch:
        patch.setattr(Path, method, interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_export(sample.slider_crank_program("float64"), tmp_path / "x", {})
    assert contents(tmp_path / "x") == before
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("number", [1, 2])
def test_a_signal_between_renamings_waits_until_the_new_export_is_whole(
    load_data_module: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Nothing is left of the old one, and what is told says that the new one is there."""
    sample = load_data_module("sample_program")
    write_export(sample.slider_crank_program("float32"), tmp_path / "x", {})
    calls, real = [], Path.rename

    def told(path: Path, target: Path) -> Path:
        calls.append(path)
        if len(calls) == number:
            signal.raise_signal(signal.SIGINT)
        return real(path, target)

    monkeypatch.setattr(Path, "rename", told)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(Interrupted) as ended:
            write_export(sample.slider_crank_program("float64"), tmp_path / "x", {})
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.value.sentence == f"interrupted; the new export in '{tmp_path / 'x'}' is complete"
    assert load_export(tmp_path / "x").manifest.real == "float64"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("name", ["notes.txt", "src/main.c"])
def test_a_folder_with_other_content_is_refused_and_kept(load_data_module: Loader, tmp_path: Path, name: str) -> None:
    """A previous export that stands beside the other content changes nothing."""
    program = load_data_module("sample_program").slider_crank_program("float32")
    folder = tmp_path / "x"
    write_export(program, folder, {})
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("mine")
    before = contents(folder)
    with pytest.raises(ModelError, match=rf"holds '{name}', which is not part of an export"):
        write_export(program, folder, {})
    assert contents(folder) == before


def test_a_strangers_manifest_does_not_make_a_folder_ours(load_data_module: Loader, tmp_path: Path) -> None:
    """Other tools write manifest.json too."""
    (tmp_path / "manifest.json").write_text('{"name": "web app"}')
    with pytest.raises(ModelError, match=r"holds 'manifest.json', which is not part of an export"):
        write_export(load_data_module("sample_program").slider_crank_program("float32"), tmp_path, {})


def test_a_file_in_the_place_of_the_folder_is_refused(load_data_module: Loader, tmp_path: Path) -> None:
    """Nothing is overwritten by accident."""
    (tmp_path / "x").write_text("mine")
    with pytest.raises(ModelError, match="is no folder"):
        write_export(load_data_module("sample_program").slider_crank_program("float32"), tmp_path / "x", {})


def test_a_program_that_cannot_be_printed_leaves_nothing_behind(load_data_module: Loader, tmp_path: Path) -> None:
    """Nothing half-written."""
    program = replace(
        load_data_module("sample_program").slider_crank_program("float32"), name="a_name_that_is_too_long"
    )
    with pytest.raises(ModelError, match="23 characters"):
        write_export(program, tmp_path / "x", {})
    assert not list(tmp_path.iterdir())


def test_text_that_breaks_the_contract_is_not_written(
    load_data_module: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The count is checked in the text that is about to be written."""
    render = c_files.render
    monkeypatch.setattr(
        c_files, "render", lambda name, **words: render(name, **words).replace("t13 * t13", "t13 + t13")
    )
    program = load_data_module("sample_program").slider_crank_program("float32")
    with pytest.raises(CheckFailed, match="the printed C breaks its contract"):
        write_export(program, tmp_path / "x", {})
    assert not list(tmp_path.iterdir())


def test_a_changed_or_missing_file_is_noticed_when_an_export_is_read(load_data_module: Loader, tmp_path: Path) -> None:
    """A bench must not test what was edited by hand."""
    folder = tmp_path / "x"
    write_export(load_data_module("sample_program").slider_crank_program("float32"), folder, {})
    (folder / "slider_crank.c").write_text("/* edited */\n")
    with pytest.raises(ModelError, match=r"'slider_crank.c' in .* was changed after the export"):
        load_export(folder)
    (folder / "slider_crank.c").unlink()
    with pytest.raises(ModelError, match=r"'slider_crank.c' is missing"):
        load_export(folder)


def test_a_manifest_of_a_later_version_is_refused(load_data_module: Loader, tmp_path: Path) -> None:
    """An older kinefix says that it is older, rather than misread."""
    folder = tmp_path / "x"
    manifest = write_export(load_data_module("sample_program").slider_crank_program("float32"), folder, {}).manifest
    (folder / "manifest.json").write_text(to_json(replace(manifest, manifest_version=99)))
    with pytest.raises(ModelError, match="version 99 and this kinefix reads up to 4; update kinefix"):
        load_export(folder)
    with pytest.raises(ModelError, match=r"holds no manifest.json"):
        load_export(tmp_path)
