"""What a core must have to run a firmware: architecture and floating-point unit, by build attributes of its ELF file.

In: an ELF file, or the compiler flags of a profile. Out: words that are the same where both fit.
"""

from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

ARCHITECTURES = {"cortex-m3": "7-M", "cortex-m4": "7E-M", "cortex-m7": "7E-M"}
"""Of cores, as compilers write it into `Tag_CPU_name`."""
FPU_OPTIONS = {"fpv4-sp-d16": 6, "fpv5-sp-d16": 8, "fpv5-d16": 8}
FPU_WORDS = {0: "no FPU", 6: "an FPU of version 4", 8: "an FPU of version 5"}
"""By the value of `Tag_FP_arch` (Arm, ABI addenda, build attributes)."""


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
    return _words(str(values.get("TAG_CPU_NAME", "")).upper(), int(values.get("TAG_FP_ARCH", 0)))


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
