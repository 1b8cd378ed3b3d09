"""The core that an ELF file asks for. Oracle: files of the assembler and the compiler for a core that is known."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from targets.elf_core import core_of_elf, core_of_flags

pytestmark = pytest.mark.emulated

CORES = {
    "cortex-m3": ("", "Armv7-M with no FPU"),
    "cortex-m4": ("fpv4-sp-d16", "Armv7E-M with an FPU of version 4"),
    "cortex-m7": ("fpv5-d16", "Armv7E-M with an FPU of version 5"),
    "cortex-m0": ("", "Armv6S-M with no FPU"),
    "cortex-m33": ("fpv5-sp-d16", "Armv8-M.MAIN with an FPU of version 5"),
    "cortex-a9": ("", "Armv7-A with no FPU"),
}
NAME = '.eabi_attribute Tag_CPU_name, "{name}"'


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", ["", "Cortex-M4", "my own core"])
def test_the_numbers_count_and_the_name_of_a_core_does_not(
    require_tool: Callable[[str], str], tmp_path: Path, core: str, name: str
) -> None:
    """The assembler writes "Cortex-M4" where the compiler writes "7E-M"; a source may write anything."""
    unit, words = CORES[core]
    given = [f".cpu {core}", *([f".fpu {unit}"] if unit else []), *([NAME.format(name=name)] if name else [])]
    (tmp_path / "a.s").write_text("\n".join((".syntax unified", *given, "f: bx lr", "")), encoding="utf-8")
    command = [require_tool("arm-none-eabi-gcc"), "-c", "-mthumb", f"-mcpu={core}", "-o", "a.o", "a.s"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert core_of_elf(tmp_path / "a.o") == words


@pytest.mark.parametrize("core", ["cortex-m3", "cortex-m4", "cortex-m7"])
def test_the_flags_of_a_profile_and_what_is_compiled_with_them_are_told_alike(
    require_tool: Callable[[str], str], tmp_path: Path, core: str
) -> None:
    unit, words = CORES[core]
    flags = (f"-mcpu={core}", "-mthumb", *((f"-mfpu={unit}", "-mfloat-abi=hard") if unit else ("-mfloat-abi=soft",)))
    (tmp_path / "a.c").write_text("float twice(float a) { return a + a; }\n", encoding="utf-8")
    command = [require_tool("arm-none-eabi-gcc"), *flags, "-c", "-o", "a.o", "a.c"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert core_of_elf(tmp_path / "a.o") == core_of_flags(flags) == words


def test_what_is_no_file_of_an_arm_core_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "a.elf").write_text("no ELF", encoding="utf-8")
    assert (core_of_elf(tmp_path / "a.elf"), core_of_elf(tmp_path / "none")) == ("", "")
    assert core_of_flags(("-mcpu=cortex-m4", "-mfpu=neon")) == core_of_flags(("-mcpu=cortex-x",)) == ""
