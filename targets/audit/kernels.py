"""Which instructions belong to the fixed-time kernels, inlined or not.

In: the functions of an ELF file and, for inlined calls, its DWARF (`-g`, which leaves the code as it is).
Used by: the count outside the kernels. gcc gives every instruction the block that it was written in, also behind
scheduling, so the ranges of an inlined call are exact.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.dwarf.ranges import BaseAddressEntry
from elftools.elf.elffile import ELFFile

from exporter.sequence.operations import KERNELS
from targets.audit.image import Image

KERNEL = re.compile(rf"^(kfx_(?:{'|'.join(sorted(KERNELS))})\w*)")  # not the selects and bit casts around them


@dataclass(frozen=True, slots=True)
class KernelRange:
    """Instructions of one kernel; `end` is exclusive."""

    start: int
    end: int
    kernel: str


def kernel_ranges(elf: Path, image: Image) -> tuple[KernelRange, ...]:
    """Where kernels lie, outermost ones first; a kernel inside another belongs to that."""
    own = [
        KernelRange(function.start, function.end, found.group(1))
        for function in image.functions
        if (found := KERNEL.match(function.name))
    ]
    return tuple(own + _inlined_ranges(elf, image))


def count_kernels(trace: Iterable[int], ranges: tuple[KernelRange, ...]) -> dict[str, int]:
    """Instructions of a trace by kernel."""
    lookup = _Lookup(ranges)
    counts = Counter(name for address in trace if (name := lookup.kernel_at(address)))
    return dict(sorted(counts.items()))


class _Lookup:
    """Ranges flattened to boundaries, so that a trace is looked up fast."""

    def __init__(self, ranges: tuple[KernelRange, ...]) -> None:
        edges = sorted({edge for item in ranges for edge in (item.start, item.end)})
        self._edges = edges
        self._names = [next((item.kernel for item in ranges if item.start <= edge < item.end), "") for edge in edges]

    def kernel_at(self, address: int) -> str:
        index = bisect_right(self._edges, address) - 1
        return self._names[index] if index >= 0 else ""


def _inlined_ranges(elf: Path, image: Image) -> list[KernelRange]:
    with elf.open("rb") as stream:
        file = ELFFile(stream)
        if not file.has_dwarf_info():
            return []
        dwarf = file.get_dwarf_info(relocate_dwarf_sections=True)
        return [item for unit in dwarf.iter_CUs() for item in _of_unit(dwarf, unit, file, image)]


def _of_unit(dwarf: Any, unit: Any, file: ELFFile, image: Image) -> list[KernelRange]:
    found: list[KernelRange] = []
    pending = [unit.get_top_DIE()]
    shift = _object_shift(file, image)
    while pending:
        entry = pending.pop(0)
        name = _kernel_name(entry)
        if name:
            found += [KernelRange(start + shift, end + shift, name) for start, end in _ranges(dwarf, unit, entry)]
        else:
            pending.extend(entry.iter_children())
    return found


def _kernel_name(entry: Any) -> str:
    if entry.tag != "DW_TAG_inlined_subroutine":
        return ""
    origin = entry.get_DIE_from_attribute("DW_AT_abstract_origin")
    name = origin.attributes.get("DW_AT_name")
    found = KERNEL.match(name.value.decode()) if name else None
    return found.group(1) if found else ""


def _object_shift(file: ELFFile, image: Image) -> int:
    """From DWARF addresses of an object, which start at zero, to those of the image."""
    if not image.relocatable:
        return 0
    index = next((number for number, item in enumerate(file.iter_sections()) if item.name == ".text"), None)
    return image.section_bases.get(index, 0) if index is not None else 0


def _ranges(dwarf: Any, unit: Any, entry: Any) -> list[tuple[int, int]]:
    attributes = entry.attributes
    if "DW_AT_low_pc" in attributes and "DW_AT_high_pc" in attributes:
        low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
        return [(low, high.value if high.form == "DW_FORM_addr" else low + high.value)]
    if "DW_AT_ranges" not in attributes:
        return []
    lists = dwarf.range_lists()
    top = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
    base = top.value if top else 0
    found = []
    for item in lists.get_range_list_at_offset(attributes["DW_AT_ranges"].value, unit):
        if isinstance(item, BaseAddressEntry):
            base = item.base_address
        else:
            start = 0 if item.is_absolute else base
            found.append((start + item.begin_offset, start + item.end_offset))
    return found
