"""An ELF file as the audit needs it: functions by name, code bytes, where data sits in code, symbolic call targets.

In: an object file, an executable or a shared library (ARM Thumb or x86-64). Used by: thumb, x86, path, symbols.
In an object file every section starts at zero; here sections follow each other, so that an address names one byte.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Section, SymbolTableSection

from exporter.errors import ModelError

EXECUTABLE_FLAG = 0x4  # SHF_EXECINSTR
ALLOCATED_FLAG = 0x2  # SHF_ALLOC
OBJECT_BASE = 0x10000  # where the first section of an object file is put: never address zero
OBJECT_ALIGNMENT = 0x100  # sections of an object file are laid out so
UNNAMED_FUNCTION = "(no symbol)"


@dataclass(frozen=True, slots=True)
class FunctionSymbol:
    """A function: `names` share one start; `end` is exclusive."""

    names: tuple[str, ...]
    start: int
    end: int

    @property
    def name(self) -> str:
        """The first of its names in alphabetical order."""
        return self.names[0]


@dataclass(frozen=True, slots=True)
class CodeSection:
    """The bytes of one executable section."""

    start: int
    data: bytes

    @property
    def end(self) -> int:
        """First address behind the section."""
        return self.start + len(self.data)


@dataclass(frozen=True, slots=True)
class Relocation:
    """A place whose value the linker fills in: it refers to `symbol` (`address` where it is defined) + `addend`."""

    symbol: str
    address: int | None
    addend: int


@dataclass(frozen=True, eq=False)
class Image:
    """A parsed ELF file, compared by identity. `marks` are ARM mapping symbols: (address, True where code starts)."""

    machine: str  # "arm" | "x86-64"
    relocatable: bool
    code: tuple[CodeSection, ...]
    functions: tuple[FunctionSymbol, ...]
    relocations: dict[int, Relocation]
    marks: tuple[tuple[int, bool], ...]
    section_bases: dict[int, int]  # section index -> address

    @cached_property
    def by_name(self) -> dict[str, FunctionSymbol]:
        """Functions by each of their names."""
        return {name: function for function in self.functions for name in function.names}

    @cached_property
    def by_start(self) -> dict[int, FunctionSymbol]:
        """Functions by start address."""
        return {function.start: function for function in self.functions}

    @cached_property
    def _starts(self) -> list[int]:
        return [function.start for function in self.functions]

    @cached_property
    def _mark_addresses(self) -> list[int]:
        return [address for address, _ in self.marks]

    def function_at(self, address: int) -> FunctionSymbol | None:
        """The function that holds this address."""
        index = bisect_right(self._starts, address) - 1
        if index >= 0 and address < self.functions[index].end:
            return self.functions[index]
        return None

    def section_at(self, address: int) -> CodeSection | None:
        """The code section that holds this address."""
        return next((section for section in self.code if section.start <= address < section.end), None)

    def is_data(self, address: int) -> bool:
        """Whether a `$d` mapping symbol covers this address: a literal pool or a table."""
        index = bisect_right(self._mark_addresses, address) - 1
        return index >= 0 and not self.marks[index][1]

    def where(self, address: int) -> str:
        """An address as `symbol+0x1c`, which does not depend on where the code lies."""
        function = self.function_at(address)
        return f"{function.name}+{address - function.start:#x}" if function else f"{UNNAMED_FUNCTION} {address:#x}"


def load_image(path: Path) -> Image:
    """Read an ELF file.

    Raises:
        ModelError: not an ELF file, or for a processor other than ARM and x86-64.
    """
    try:
        with path.open("rb") as stream:
            return _image(ELFFile(stream), path)
    except ELFError as error:
        raise ModelError(f"{path.name} is not an ELF file ({error}); give an object file or an executable") from error


def _image(elf: ELFFile, path: Path) -> Image:
    machine = {"EM_ARM": "arm", "EM_X86_64": "x86-64"}.get(elf["e_machine"])
    if machine is None:
        raise ModelError(f"{path.name} is for {elf['e_machine']}; the audit reads ARM and x86-64 code")
    relocatable = elf["e_type"] == "ET_REL"
    bases = _section_bases(elf, relocatable=relocatable)
    code = tuple(
        CodeSection(bases[index], section.data())
        for index, section in enumerate(elf.iter_sections())
        if index in bases and section["sh_flags"] & EXECUTABLE_FLAG and section["sh_type"] == "SHT_PROGBITS"
    )
    table = elf.get_section_by_name(".symtab") or elf.get_section_by_name(".dynsym")
    symbols = list(table.iter_symbols()) if isinstance(table, SymbolTableSection) else []
    place = _placer(bases, relocatable=relocatable)
    thumb_bit = 1 if machine == "arm" else 0
    return Image(
        machine=machine,
        relocatable=relocatable,
        code=code,
        functions=_functions(symbols, place, code, thumb_bit),
        relocations=_relocations(elf, bases, place, thumb_bit) if relocatable else {},
        marks=_marks(symbols, place) if machine == "arm" else (),
        section_bases=bases,
    )


def _section_bases(elf: ELFFile, *, relocatable: bool) -> dict[int, int]:
    bases: dict[int, int] = {}
    address = OBJECT_BASE
    for index, section in enumerate(elf.iter_sections()):
        if not section["sh_flags"] & ALLOCATED_FLAG:
            continue
        bases[index] = address if relocatable else section["sh_addr"]
        address += -(-section["sh_size"] // OBJECT_ALIGNMENT) * OBJECT_ALIGNMENT
    return bases


def _placer(bases: dict[int, int], *, relocatable: bool) -> Callable[[Any], int | None]:
    """A function from a symbol to its address, or None where it has none here (undefined, absolute, debug)."""

    def place(symbol: Any) -> int | None:
        index = symbol["st_shndx"]
        if not isinstance(index, int) or index not in bases:
            return None
        return int(symbol["st_value"]) + (bases[index] if relocatable else 0)

    return place


def _functions(
    symbols: Iterable[Any], place: Callable[[Any], int | None], code: tuple[CodeSection, ...], thumb_bit: int
) -> tuple[FunctionSymbol, ...]:
    """Function symbols; one without a size (assembler) reaches to the next function or the end of its section."""
    names: dict[int, set[str]] = {}
    sizes: dict[int, int] = {}
    for symbol in symbols:
        address = place(symbol)
        if address is None or symbol["st_info"]["type"] != "STT_FUNC" or not symbol.name:
            continue
        start = address & ~thumb_bit
        names.setdefault(start, set()).add(symbol.name)
        sizes[start] = max(sizes.get(start, 0), symbol["st_size"])
    starts = sorted(names)
    found = []
    for position, start in enumerate(starts):
        section_end = next((section.end for section in code if section.start <= start < section.end), start)
        following = starts[position + 1] if position + 1 < len(starts) else section_end
        end = start + sizes[start] if sizes[start] else min(following, section_end)
        found.append(FunctionSymbol(tuple(sorted(names[start])), start, end))
    return tuple(found)


def _marks(symbols: Iterable[Any], place: Callable[[Any], int | None]) -> tuple[tuple[int, bool], ...]:
    """Mapping symbols of the ARM ELF supplement: `$t` and `$a` start code, `$d` starts data."""
    found: dict[int, bool] = {}
    for symbol in symbols:
        kind = symbol.name[:2]
        address = place(symbol)
        if address is not None and kind in ("$t", "$a", "$d") and symbol.name[2:3] in ("", "."):
            found[address] = kind != "$d" or found.get(address, False)
    return tuple(sorted(found.items()))


def _relocations(
    elf: ELFFile, bases: dict[int, int], place: Callable[[Any], int | None], thumb_bit: int
) -> dict[int, Relocation]:
    found: dict[int, Relocation] = {}
    for section in elf.iter_sections():
        if not isinstance(section, RelocationSection) or section["sh_info"] not in bases:
            continue
        table = elf.get_section(section["sh_link"])
        if not isinstance(table, SymbolTableSection):
            continue
        for relocation in section.iter_relocations():
            symbol = table.get_symbol(relocation["r_info_sym"])
            address = place(symbol)
            target = None if address is None else address & ~thumb_bit
            addend = relocation["r_addend"] if relocation.is_RELA() else 0
            place_at = bases[section["sh_info"]] + relocation["r_offset"]
            found[place_at] = Relocation(_symbol_name(elf, symbol), target, addend)
    return found


def _symbol_name(elf: ELFFile, symbol: Any) -> str:
    if symbol.name:
        return str(symbol.name)
    index = symbol["st_shndx"]
    section: Section | None = elf.get_section(index) if isinstance(index, int) else None
    return str(section.name) if section is not None else UNNAMED_FUNCTION
