"""What an object or firmware takes in memory.

In: an ELF file. Used by: the audit's report. Sections that are loaded count as `size` counts them: code and
constants are text, initialised variables are data, zeroed ones are bss.
"""

from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from exporter.errors import ModelError
from targets.audit.result import Sizes

WRITABLE_FLAG = 0x1  # SHF_WRITE
ALLOCATED_FLAG = 0x2  # SHF_ALLOC


def sizes(elf: Path) -> Sizes:
    """Bytes of text, data and bss.

    Raises:
        ModelError: not an ELF file.
    """
    totals = {"text": 0, "data": 0, "bss": 0}
    try:
        with elf.open("rb") as stream:
            for section in ELFFile(stream).iter_sections():
                if section["sh_flags"] & ALLOCATED_FLAG:
                    totals[_class(section["sh_type"], section["sh_flags"])] += section["sh_size"]
    except ELFError as error:
        raise ModelError(f"{elf.name} is not an ELF file ({error}); give an object file or an executable") from error
    return Sizes(**totals)


def _class(kind: str, flags: int) -> str:
    if kind == "SHT_NOBITS":
        return "bss"
    return "data" if flags & WRITABLE_FLAG else "text"
