"""Profiles, flags and missing tools: what a user reads when something is not there."""

from pathlib import Path

import pytest

from exporter.c99.flags import NUMERIC_FLAGS
from exporter.errors import KinefixError, MissingTool
from targets import flags, toolchain
from targets.profile import load_profile, profile_names


def test_every_profile_reads():
    firmware = ["arm-m3", "arm-m4f", "arm-m7", "host-gcc"]
    libraries = ["linux-armv7", "linux-x64", "linux-x64-zig", "win32", "win32-zig", "win64", "win64-zig"]
    assert [load_profile(name).name for name in profile_names()] == [*firmware, *libraries]


def test_an_unknown_profile_lists_those_that_exist():
    with pytest.raises(KinefixError, match="'arm-m9'; choose one of arm-m3, arm-m4f, arm-m7, host-gcc"):
        load_profile("arm-m9")


@pytest.mark.parametrize(
    ("profile", "program", "package"),
    [("host-gcc", "gcc", "gcc"), ("arm-m4f", "arm-none-eabi-gcc", "gcc-arm-none-eabi libnewlib-arm-none-eabi")],
)
def test_a_missing_compiler_is_named_with_its_package(monkeypatch, tmp_path, profile, program, package):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingTool, match=rf"^{program} is not installed .*sudo apt-get install {package}$"):
        toolchain.find(profile)


def test_an_export_is_built_with_the_flags_that_it_was_verified_with():
    """Contraction off, no errno, and none of the flags that would undo it."""
    assert flags.EXPORT_FLAGS == NUMERIC_FLAGS
    assert {"-ffp-contract=off", "-fno-math-errno"} <= set(flags.EXPORT_FLAGS) & set(flags.FIRMWARE_FLAGS)
    every = {
        *flags.EXPORT_FLAGS,
        *flags.FIRMWARE_FLAGS,
        *(flag for name in profile_names() for flag in load_profile(name).core_flags),
    }
    assert not every & set(flags.FORBIDDEN_FLAGS)


@pytest.mark.parametrize("recorded", [(*NUMERIC_FLAGS, "-ffreestanding"), NUMERIC_FLAGS[:-1]])
def test_flags_that_would_change_the_numbers_are_refused(recorded):
    """A manifest that was edited: a square root would become a call."""
    with pytest.raises(KinefixError, match=r"it (has -ffreestanding|lacks -fno-math-errno)"):
        flags.check_flags(recorded)


def test_double_precision_is_fixed_time_only_where_the_core_has_it():
    cores = {name for name in profile_names() if load_profile(name).library is None}
    assert {name for name in cores if "float64" in load_profile(name).fixed_time} == {"arm-m7", "host-gcc"}


def test_a_full_disk_is_no_failed_check(tmp_path: Path) -> None:
    """The linker says it in words, and ends as if the code were wrong."""
    program = tmp_path / "ld"
    program.write_text("#!/bin/sh\necho 'ld: final link failed: No space left on device' >&2; exit 1\n")
    program.chmod(0o755)
    with pytest.raises(OSError, match="No space left on device") as full:
        toolchain.run_step(program, (), tmp_path)
    assert full.value.filename == str(tmp_path)
