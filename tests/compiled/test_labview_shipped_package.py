"""The LabVIEW package as it is shipped: files, sums, the same bytes everywhere, and those who call what is in it."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from targets.commands import build
from targets.labview.package import build_package
from targets.python.host import build_host

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def crank(load_data_module: Callable[[str], ModuleType], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The slider-crank of the library, in double."""
    return load_data_module("labview_case").library_case("slider_crank", tmp_path_factory.getbasetemp())


@pytest.fixture(scope="module")
def packed(require_profile: Callable[[str], None], crank: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package for 64 bits, unpacked."""
    for profile in ("win64", "linux-x64"):
        require_profile(profile)
    folder = tmp_path_factory.mktemp("packed")
    package = build_package(crank.export, ["win64", "linux-x64"], folder, crank.program)
    with zipfile.ZipFile(package.path) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


def test_a_package_holds_what_was_named_and_no_other_library(packed):
    libraries = sorted(path.relative_to(packed).as_posix() for path in (packed / "bin").rglob("*.*"))
    assert libraries == ["bin/linux-x64/libslider_crank.so", "bin/slider_crank64.dll"]
    expected = "README.md clfn.csv manifest.json package.json SHA256SUMS LICENSE include/slider_crank.h "
    expected += "include/slider_crank_lv.h lib/slider_crank.def lib/slider_crank64.lib src/slider_crank.c "
    expected += "src/slider_crank_lv.c vectors/dynamics.csv python/slider_crank_lv.py"
    assert [name for name in expected.split() if not (packed / name).is_file()] == []


def test_sums_of_a_package_are_right_and_complete(packed, require_tool):
    """Oracle: sha256sum."""
    command = [require_tool("sha256sum"), "--check", "--strict", "--quiet", "SHA256SUMS"]
    assert subprocess.run(command, cwd=packed, check=False).returncode == 0
    listed = {line.split("  ")[1] for line in (packed / "SHA256SUMS").read_text().splitlines()}
    held = {path.relative_to(packed).as_posix() for path in packed.rglob("*") if path.is_file()}
    assert listed == held - {"SHA256SUMS"}


def test_package_json_says_what_was_compared_and_counted(packed):
    facts = json.loads((packed / "package.json").read_text())
    for library in facts["libraries"]:
        assert library["headers"]["bytes"] == (packed / library["file"]).stat().st_size
        dynamics = next(each for each in library["agreement"] if each["function"] == "dynamics")
        assert dynamics["rows"] == 256
        assert dynamics["instructions"] > 100


@pytest.mark.parametrize(
    "systems", [("linux-x64",), pytest.param(("win32", "win64", "linux-x64", "linux-armv7"), marks=pytest.mark.slow)]
)
def test_a_second_package_in_another_folder_has_the_same_bytes(require_profile, crank, tmp_path, systems):
    for system in systems:
        require_profile(system)
    first, second = (
        build_package(crank.export, systems, tmp_path / folder, crank.program).path.read_bytes()
        for folder in ("a", "a_much_longer/folder/name")
    )
    assert first == second


def test_the_command_makes_a_package_and_says_what_is_in_it(require_profile, crank, tmp_path):
    require_profile("linux-x64")
    arguments = [str(crank.export.folder), "--target", "labview", "--with", "linux-x64", "--out", str(tmp_path / "p")]
    result = CliRunner().invoke(build, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    facts = json.loads(result.stdout)
    assert list(facts["products"]) == ["slider_crank-labview.zip"]
    assert [library["system"] for library in facts["libraries"]] == ["linux-x64"]
    assert CliRunner().invoke(build, arguments, catch_exceptions=False).exit_code == 0, "an earlier build is replaced"


def test_the_command_refuses_systems_for_another_target(crank):
    result = CliRunner().invoke(build, [str(crank.export.folder), "--with", "win32"])
    assert result.exit_code == 2
    assert "it is for --target labview, not for host" in result.output


def test_a_c_program_links_with_the_import_library(require_tool, packed, tmp_path):
    """The functions of <m>.h, called from a program for Windows."""
    (tmp_path / "user.c").write_text(
        '#include "slider_crank.h"\nint main(void)\n{\n    slider_crank_position_in_t in = { 0.5 };\n'
        "    slider_crank_position_out_t out;\n    return (int)slider_crank_position(&in, &out);\n}\n"
    )
    command = [require_tool("x86_64-w64-mingw32-gcc"), "user.c", f"-I{packed / 'include'}"]
    command += [str(packed / "lib" / "slider_crank64.lib"), "-o", "user.exe"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    import pefile

    with pefile.PE(str(tmp_path / "user.exe")) as image:
        needed = {entry.dll.decode(): [each.name for each in entry.imports] for entry in image.DIRECTORY_ENTRY_IMPORT}
    assert needed["slider_crank64.dll"] == [b"slider_crank_position"]


def test_the_python_module_shows_what_the_host_library_computes(crank, packed, tmp_path):
    """Another door (the flat interface), the same numbers; names and units in the docstrings."""
    code = (
        "import json, numpy as np, slider_crank_lv as m\n"
        "t = np.linspace(-3, 3, 50)\n"
        "p = m.position(t)\n"
        "d = m.dostep(t, 0.1 * t, 2.0)\n"
        "s = m.startup()\n"
        "print(json.dumps([p.piston_position_m.tolist(), d.theta_rate_rad_s.tolist(), d.status.tolist(),\n"
        "                  float(s.theta_rad), m.position.__doc__, m.conditions(m.position(float('nan')).status)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=packed / "python", capture_output=True, text=True, check=True
    )
    slide, rate, status, start, about, conditions = json.loads(done.stdout)
    host = build_host(crank.export, tmp_path / "host")
    theta = np.linspace(-3, 3, 50)
    assert slide == host.call("position", theta[:, None]).outputs[:, 2].tolist()
    stepped = host.call("dostep", np.stack([theta, 0.1 * theta, np.full(50, 2.0)], axis=1))
    assert rate == stepped.outputs[:, 1].tolist()
    assert status == stepped.status.tolist()
    assert start == host.call("startup", np.empty((1, 0))).outputs[0, 0]
    assert "theta_rad: coordinate theta (rad, [-10000, 10000])" in about
    assert conditions == ["ARG_REJECTED"]
