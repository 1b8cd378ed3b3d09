"""Reads a shared object: does it stand on its own, whatever C library the target has?

In: a shared object and the names it must export. Out: an `ElfFacts`, or CheckFailed with the first thing that is wrong.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exporter.errors import CheckFailed

MACHINES = {"EM_X86_64": "x86-64", "EM_ARM": "arm"}
HARD_FLOAT_ABI = 1
"""Tag_ABI_VFP_args of the ARM ABI addenda: reals are passed in VFP registers (gnueabihf)."""


@dataclass(frozen=True, slots=True)
class ElfFacts:
    """What the headers say."""

    machine: str
    bytes: int
    exports: tuple[str, ...]
    needed: tuple[str, ...]
    undefined: tuple[str, ...]
    versions: tuple[str, ...]  # of other libraries, "GLIBC_2.4"
    soname: str
    relocations: int
    float_abi: str  # of ARM: "softfp", "hard" or "soft"; "" elsewhere


def audit_elf(path: Path, machine: str, exports: tuple[str, ...]) -> ElfFacts:
    """Hold a shared object against what it must be.

    Raises:
        CheckFailed: machine, exports, needs, SONAME or the ABI of reals are not as they must be.
    """
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - not for --help

    with path.open("rb") as stream:
        facts = _facts(ELFFile(stream), path.stat().st_size)
    _require(facts, path.name, machine, exports)
    return facts


def _facts(image: Any, size: int) -> ElfFacts:
    dynamic = image.get_section_by_name(".dynamic")
    symbols = [symbol for symbol in image.get_section_by_name(".dynsym").iter_symbols() if symbol.name]
    tags = list(dynamic.iter_tags())
    return ElfFacts(
        machine=MACHINES.get(image["e_machine"], image["e_machine"]),
        bytes=size,
        exports=tuple(sorted(each.name for each in symbols if each["st_shndx"] != "SHN_UNDEF")),
        needed=tuple(tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"),
        undefined=tuple(sorted(each.name for each in symbols if each["st_shndx"] == "SHN_UNDEF")),
        versions=_versions(image),
        soname=next((tag.soname for tag in tags if tag.entry.d_tag == "DT_SONAME"), ""),
        relocations=sum(
            section.num_relocations()
            for section in image.iter_sections()
            if section["sh_type"] in {"SHT_REL", "SHT_RELA"}
        ),
        float_abi=_float_abi(image) if image["e_machine"] == "EM_ARM" else "",
    )


def _versions(image: Any) -> tuple[str, ...]:
    section = image.get_section_by_name(".gnu.version_r")
    if section is None:
        return ()
    return tuple(sorted(each.name for _, needs in section.iter_versions() for each in needs))


def _float_abi(image: Any) -> str:
    """From the build attributes: whether there is an FPU to compute with, and how reals are passed."""
    section = image.get_section_by_name(".ARM.attributes")
    values: dict[str, int] = {}
    for sub in section.iter_subsections() if section else ():
        for part in sub.iter_subsubsections():
            values |= {each.tag: each.value for each in part.iter_attributes() if isinstance(each.value, int)}
    if not values.get("TAG_FP_ARCH"):
        return "soft"
    return "hard" if values.get("TAG_ABI_VFP_ARGS") == HARD_FLOAT_ABI else "softfp"


def _require(facts: ElfFacts, name: str, machine: str, exports: tuple[str, ...]) -> None:
    differing = sorted(set(exports) ^ set(facts.exports))
    outside = [*facts.needed, *facts.undefined, *facts.versions]
    checks = (
        (facts.machine == machine, f"it is for {facts.machine} and should be for {machine}"),
        (not differing, f"'{differing[0] if differing else ''}' is exported or declared, and not both"),
        (not outside, f"it needs {outside[0] if outside else ''} and should need nothing"),
        (facts.soname == name, f"its SONAME is '{facts.soname}'"),
        (facts.float_abi in {"", "softfp"}, f"its reals are '{facts.float_abi}', NI's systems for ARM need softfp"),
    )
    for holds, wrong in checks:
        if not holds:
            raise CheckFailed(f"{name}: {wrong}; nothing was packed, please report this")
