"""`kinefix build` and `kinefix doctor` as a user meets them."""

import json
import re
import shlex

import pytest
from click.testing import CliRunner
from filelock import FileLock

from exporter.cli import kinefix
from exporter.errors import KinefixError
from targets.build import profile_of
from targets.claim import LOCK_NAME
from targets.commands import build, doctor
from targets.doctor import examine, purposes


def test_doctor_names_what_is_missing_and_exits_2(monkeypatch, tmp_path):
    """An empty PATH: no compiler for software in the loop."""
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(doctor, ["--for", "sil"])
    assert result.exit_code == 2
    assert "missing for sil: gcc; get it with: sudo apt-get install gcc libc6-dev" in result.output


def test_doctor_names_the_compilers_for_labview(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(doctor, ["--for", "labview"])
    assert result.exit_code == 2
    for program, package in (("i686", "i686"), ("x86_64", "x86-64")):
        compiler = f"{program}-w64-mingw32-gcc"
        assert (
            f"missing for labview: {compiler}; get it with: sudo apt-get install gcc-mingw-w64-{package}"
            in result.output
        )


def test_doctor_without_a_purpose_only_informs(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(doctor, ["--json"])
    assert result.exit_code == 0
    found = {tool["name"]: tool["version"] for tool in json.loads(result.output)["tools"]}
    assert found["qemu-system-arm"] is None
    assert found["capstone"] is not None


def test_doctor_refuses_an_unknown_purpose_and_lists_the_known():
    result = CliRunner().invoke(doctor, ["--for", "nothing"])
    assert result.exit_code == 2
    assert "host, m4f, m7, audit, labview, labview-zig, sil, hil, can, test" in result.output


def test_every_tool_is_needed_by_known_purposes():
    """A misspelt purpose in the table would never be asked for."""
    assert {purpose for finding in examine() for purpose in finding.needed_by} == set(purposes())


def test_build_refuses_a_folder_that_holds_something_else(load_data_module, tmp_path):
    export = tmp_path / "counted"
    load_data_module("counted_export").write_complete(export)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("", encoding="utf-8")
    result = CliRunner().invoke(build, [str(export), "--out", str(tmp_path / "mine")])
    assert isinstance(result.exception, KinefixError)
    assert "holds something that is no build" in str(result.exception)


def test_build_refuses_a_folder_in_which_another_one_builds(load_data_module, tmp_path):
    """Two compilers that write one file leave a library that is too short to load."""
    export = tmp_path / "counted"
    load_data_module("counted_export").write_complete(export)
    (tmp_path / "out").mkdir()
    with FileLock(tmp_path / "out" / LOCK_NAME):
        result = CliRunner().invoke(build, [str(export), "--out", str(tmp_path / "out")])
    assert isinstance(result.exception, KinefixError)
    assert "is in use by another build; wait for it" in str(result.exception)


def test_build_lists_the_targets_when_one_is_unknown(tmp_path):
    result = CliRunner().invoke(build, [str(tmp_path), "--target", "m9"])
    assert result.exit_code == 2
    assert "m3, m4f, m7, host, labview" in result.output


@pytest.mark.parametrize("command", ["build", "doctor"])
def test_help_shows_an_example_of_the_command(command):
    result = CliRunner().invoke(kinefix, [command, "--help"])
    example = re.search(r"Example:\n\s+(kinefix .+)\n", result.output)
    assert example is not None
    assert shlex.split(example[1])[:2] == ["kinefix", command]


def test_a_target_is_named_short_or_as_its_profile() -> None:
    """A profile of another architecture has no short name."""
    assert [profile_of(name) for name in ("m4f", "arm-m4f", "linux-x64", "host")] == [
        *("arm-m4f", "arm-m4f", "linux-x64", "host-gcc"),
    ]
