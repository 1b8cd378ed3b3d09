"""What a core must have to run a firmware: architecture and floating-point unit, by build attributes of its ELF file.

In: an ELF file, or the compiler flags of a profile. Out: words that are the same where both fit. `Tag_CPU_name` is
free text, in which compilers and assemblers write what they like, so the numbers are read (Arm, ABI addenda).
"""

from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

ARCHITECTURES = {"cortex-m3": "7-M", "cortex-m4": "7E-M", "cortex-m7": "7E-M"}
"""Of cores."""
ARCHITECTURE_WORDS = {10: "7", 11: "6-M", 12: "6S-M", 13: "7E-M", 16: "8-M.BASE", 17: "8-M.MAIN", 21: "8.1-M.MAIN"}
"""By the value of `Tag_CPU_arch`; version 7 has a profile, whose letter `Tag_CPU_arch_profile` is."""
VERSION_7 = 10
FPU_OPTIONS = {"fpv4-sp-d16": 6, "fpv5-sp-d16": 8, "fpv5-d16": 8}
FPU_WORDS = {0: "no FPU", 6: "an FPU of version 4", 8: "an FPU of version 5"}
"""By the value of `Tag_FP_arch`."""


def core_of_elf(path: Path) -> str:
    """What the file asks for; empty where it is no ELF file of an ARM core, or does not say."""
    try:
        with path.open("rb") as file:
            section: Any = ELFFile(file).get_section_by_name(".ARM.attributes")
            if section is None:
                return ""
            values = {
                each.tag: each.value
                for part in section.iter_subsections()
                for sub in part.iter_subsubsections()
                for each in sub.iter_attributes()
            }
    except (OSError, ELFError):
        return ""
    architecture, profile = (int(values.get(name, 0)) for name in ("TAG_CPU_ARCH", "TAG_CPU_ARCH_PROFILE"))
    letter = f"-{chr(profile)}" if architecture == VERSION_7 and profile else ""
    known = ARCHITECTURE_WORDS.get(architecture, "")
    return _words(f"{known}{letter}" if known else "", int(values.get("TAG_FP_ARCH", 0)))


def core_of_flags(flags: tuple[str, ...]) -> str:
    """What the flags make; empty where that is not known here."""
    core, unit = (_option(flags, name) for name in ("-mcpu=", "-mfpu="))
    if unit and unit not in FPU_OPTIONS:
        return ""
    return _words(ARCHITECTURES.get(core, ""), FPU_OPTIONS.get(unit, 0))


def _words(architecture: str, unit: int) -> str:
    return f"Armv{architecture} with {FPU_WORDS[unit]}" if architecture and unit in FPU_WORDS else ""


def _option(flags: tuple[str, ...], name: str) -> str:
    return next((flag.removeprefix(name) for flag in flags if flag.startswith(name)), "")
