"""Libraries as bytes at addresses, for emulators and for mapping into this process.

In: a DLL or a shared object. Out: a `LoadedImage` with its segments at the preferred base and the addresses of its
exports. Relocations are applied where a base other than the preferred one is asked for.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exporter.errors import CheckFailed

ELF_BASE = 0x400000
"""Where a shared object goes in an emulator."""
RELATIVE_RELOCATIONS = {8, 23}
"""R_X86_64_RELATIVE, R_ARM_RELATIVE."""
DIR64, HIGHLOW = 10, 3  # IMAGE_REL_BASED_DIR64, _HIGHLOW


@dataclass(frozen=True, slots=True)
class LoadedImage:
    """A library as a loader leaves it."""

    base: int
    size: int  # bytes, whole pages
    segments: tuple[tuple[int, bytes], ...]  # address, content
    exports: dict[str, int]  # name -> address; bit 0 set for Thumb code
    entry: int  # of a DLL; 0 for none


def load_pe(path: Path, base: int | None = None) -> LoadedImage:
    """A DLL at its preferred base, or moved to another."""
    import pefile  # noqa: PLC0415 - not for --help

    library: Any = pefile  # it is untyped
    image = library.PE(str(path))
    try:
        preferred = image.OPTIONAL_HEADER.ImageBase
        at = preferred if base is None else base
        content = bytearray(image.get_memory_mapped_image())
        content.extend(bytes(image.OPTIONAL_HEADER.SizeOfImage - len(content)))
        if at != preferred:
            _move(image, content, at - preferred)
        exports = {each.name.decode(): at + each.address for each in image.DIRECTORY_ENTRY_EXPORT.symbols}
        entry = at + image.OPTIONAL_HEADER.AddressOfEntryPoint
    finally:
        image.close()
    return LoadedImage(at, len(content), ((at, bytes(content)),), exports, entry)


def _move(image: Any, content: bytearray, distance: int) -> None:
    for block in getattr(image, "DIRECTORY_ENTRY_BASERELOC", ()):
        for entry in block.entries:
            width = {DIR64: 8, HIGHLOW: 4}.get(entry.type, 0)
            value = int.from_bytes(content[entry.rva : entry.rva + width], "little") + distance
            content[entry.rva : entry.rva + width] = (value % (1 << (8 * width))).to_bytes(width, "little")


def load_elf(path: Path, base: int = ELF_BASE) -> LoadedImage:
    """A shared object at a base.

    Raises:
        CheckFailed: it has a relocation that needs another library.
    """
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - not for --help

    with path.open("rb") as stream:
        image: Any = ELFFile(stream)
        loads = [(each["p_vaddr"], each["p_memsz"], each.data()) for each in image.iter_segments("PT_LOAD")]
        size = -(-max(address + length for address, length, _ in loads) // 0x1000) * 0x1000
        content = bytearray(size)
        for address, _, data in loads:
            content[address : address + len(data)] = data
        _relocate(image, content, base, path.name)
        symbols = image.get_section_by_name(".dynsym").iter_symbols()
        exports = {each.name: base + each["st_value"] for each in symbols if each["st_shndx"] != "SHN_UNDEF"}
    return LoadedImage(base, size, ((base, bytes(content)),), exports, 0)


def _relocate(image: Any, content: bytearray, base: int, name: str) -> None:
    width = image.elfclass // 8
    for section in image.iter_sections():
        if section["sh_type"] not in {"SHT_REL", "SHT_RELA"}:
            continue
        for each in section.iter_relocations():
            if each["r_info_type"] not in RELATIVE_RELOCATIONS:
                raise CheckFailed(f"{name}: it has a relocation of type {each['r_info_type']}; please report this")
            at = each["r_offset"]
            addend = each["r_addend"] if each.is_RELA() else int.from_bytes(content[at : at + width], "little")
            content[at : at + width] = (base + addend).to_bytes(width, "little")
