"""The package: deterministic, complete or refused; and what bad input says."""

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from exporter.errors import KinefixError, MissingTool, ModelError
from exporter.export import export_source, program_of_export
from targets import flags
from targets.build import build_labview
from targets.claim import LOCK_NAME
from targets.labview import package, tdms
from targets.labview.archive import sums, zip_files
from targets.labview.package import LICENSE, build_package
from targets.labview.tdms import tdms_bytes
from targets.labview.vectors import Vectors, csv_text, input_rows, vectors
from targets.profile import load_profile, profile_names, systems
from targets.toolchain import find_any

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def crank(tmp_path_factory: pytest.TempPathFactory):
    """The slider-crank of the library."""
    return export_source("slider_crank", tmp_path_factory.mktemp("crank") / "export", "float64")


@pytest.fixture
def no_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A computer without any compiler, zig included."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("targets.toolchain.find_spec", lambda _name: None)


def test_a_zip_does_not_depend_on_order_time_or_umask():
    """Same files in another order, twice: same bytes; every entry stored, of 1980, mode 644."""
    files = {"b/two": b"2", "a": b"1", "b/one": b"1"}
    assert zip_files(files) == zip_files(dict(reversed(files.items())))


def test_entries_of_a_zip_are_stored_with_one_date_and_mode(tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(zip_files({"b": b"2", "a": b"1"}))
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
    assert [each.filename for each in entries] == ["a", "b"]
    assert {(each.compress_type, each.date_time, each.external_attr >> 16) for each in entries} == {
        (zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0), 0o644)
    }


def test_sums_are_those_of_sha256sum():
    """Oracle: the digest of "abc" in FIPS 180-2."""
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sums({"x": b"abc"}) == f"{digest}  x\n".encode()
    assert hashlib.sha256(b"abc").hexdigest() == digest


def test_the_licence_of_a_package_is_the_projects():
    assert LICENSE.read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.usefixtures("no_tools")
def test_a_missing_tool_names_both_ways_and_leaves_no_package(crank, tmp_path):
    """No mingw and no zig: one sentence, nothing smaller."""
    with pytest.raises(MissingTool, match=r"neither i686-w64-mingw32-gcc nor zig is installed .*apt-get.*; or pip "):
        build_package(crank, ["win32"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_one_missing_tool_among_several_is_an_error(crank, monkeypatch, tmp_path):
    """What was named goes in, or nothing does."""
    monkeypatch.setattr("targets.toolchain.find_spec", lambda _name: None)
    with pytest.raises(MissingTool, match="no zig is installed"):
        build_package(crank, ["linux-x64", "linux-armv7"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_tdms_without_its_extra_is_an_error(monkeypatch):
    monkeypatch.setattr(tdms, "find_spec", lambda _name: None)
    with pytest.raises(MissingTool, match="pip install npTDMS"):
        tdms.require_tdms()


@pytest.mark.parametrize(
    ("named", "sentence"),
    [([], "name the systems"), (["tdms"], "name the systems"), (["win16"], "cannot hold 'win16'")],
)
def test_nothing_or_something_unknown_named_lists_the_systems(crank, tmp_path, named, sentence):
    with pytest.raises(KinefixError, match=rf"{sentence}.*linux-armv7, linux-x64, win32, win64, tdms"):
        build_package(crank, named, tmp_path)


def test_a_folder_in_use_is_refused(crank, monkeypatch, tmp_path):
    """While another build holds its lock; one that was killed leaves the file, and the system lets go of the lock."""
    monkeypatch.setattr(package, "_toolchain", lambda *_: None)
    with FileLock(tmp_path / LOCK_NAME), pytest.raises(KinefixError, match=r"in use by another build; wait for it"):
        build_package(crank, ["linux-x64"], tmp_path)
    (tmp_path / LOCK_NAME).touch()
    with pytest.raises(AttributeError, match="NoneType"):  # it goes on to the toolchain that is none
        build_package(crank, ["linux-x64"], tmp_path)
    assert not (tmp_path / LOCK_NAME).exists()


def test_a_build_that_was_killed_blocks_no_other(crank, tmp_path):
    """The lock that it left beside what it had made so far is no content of the user's."""
    (tmp_path / LOCK_NAME).touch()
    (tmp_path / "src").mkdir()
    with pytest.raises(KinefixError, match="name the systems"):
        build_labview(crank, tmp_path, [])


def test_a_folder_with_something_else_is_refused(crank, tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(KinefixError, match="holds something that is no build"):
        build_labview(crank, tmp_path, ["linux-x64"])


@pytest.mark.parametrize(
    "core", [(), ("-msse2",), ("-msse2", "-mfpmath=sse", "-mfpmath=387"), ("-mfpmath=sse", "-mno-sse2", "-msse2")]
)
def test_a_32_bit_build_on_the_x87_stack_is_refused(core):
    """T05: such a build rounds to 64 bits."""
    with pytest.raises(KinefixError, match=r"x87 stack.*-msse2 -mfpmath=sse"):
        flags.check_core_flags("x86", core)


def test_every_profile_of_a_library_keeps_the_numbers():
    """x87 nowhere, softfp on ARM, and two ways for each system that is not ARM."""
    made = {name: load_profile(name) for name in profile_names() if load_profile(name).library}
    assert systems() == ("linux-armv7", "linux-x64", "win32", "win64")
    for profile in made.values():
        flags.check_core_flags(profile.library.machine, profile.core_flags)
        assert ("-mfloat-abi=softfp" in profile.core_flags) == (profile.library.machine == "arm")
    assert {profile.library.system for profile in made.values() if profile.compiler == "zig"} == set(systems())


def test_a_compiler_that_is_there_is_taken_before_zig(require_tool):
    require_tool("x86_64-linux-gnu-gcc")
    assert find_any(("linux-x64", "linux-x64-zig")).profile.name == "linux-x64"


def test_vectors_begin_with_the_nominal_row_and_hold_what_is_no_number(crank):
    function = next(each for each in crank.manifest.functions if each.name == "dynamics")
    rows = input_rows(crank.manifest, function, 256)
    assert rows.shape == (256, 3)
    assert rows[0].tolist() == [field.nominal for field in function.row_inputs]
    assert np.isnan(rows).any()
    assert np.isinf(rows).any()
    assert np.array_equal(rows, input_rows(crank.manifest, function, 256), equal_nan=True)


def test_csv_of_vectors_loses_no_bit(crank):
    function = next(each for each in crank.manifest.functions if each.name == "position")
    made = vectors(crank.manifest, program_of_export(crank), function)
    header, *lines = csv_text(made).splitlines()
    assert header.split(",")[0] == "in theta (rad)"
    read = np.array([[float.fromhex(text) for text in line.split(",")[:-1]] for line in lines])
    assert np.array_equal(read[:, :1].view(np.uint64), made.inputs.view(np.uint64))
    assert np.array_equal(read[:, 1:].view(np.uint64), made.outputs.view(np.uint64))
    assert [int(line.split(",")[-1]) for line in lines] == made.status.tolist()


def test_tdms_holds_the_vectors_and_no_time(crank, tmp_path):
    nptdms = pytest.importorskip("nptdms", reason="npTDMS is an extra")
    function = crank.manifest.functions[0]
    inputs, outputs = np.array([[0.1], [0.2]]), np.array([[1.0], [-0.0]])
    made = Vectors(function, ("theta (rad)",), ("s (m)",), inputs, outputs, np.array([0, 1 << 22], np.uint32))
    assert tdms_bytes([made]) == tdms_bytes([made])
    (tmp_path / "x.tdms").write_bytes(tdms_bytes([made]))
    group = nptdms.TdmsFile.read(tmp_path / "x.tdms")[function.name]
    assert group["in theta (rad)"][:].tolist() == [0.1, 0.2]
    assert group["out s (m)"][:].tolist() == [1.0, 0.0]
    assert group["status"][:].tolist() == [0, 1 << 22]


def test_an_export_of_another_version_is_refused(crank, monkeypatch, tmp_path):
    """A model in another order of operations: its vectors would not be those of its C."""
    monkeypatch.setattr(package, "_toolchain", lambda *_: None)
    files = {**crank.manifest.files, "slider_crank.c": "0" * 64}
    other = replace(crank, manifest=replace(crank.manifest, files=files))
    with pytest.raises(ModelError, match=r"another version of kinefix \(it says .*export the model again"):
        build_package(other, ["linux-x64"], tmp_path)
