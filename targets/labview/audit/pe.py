"""Reads a DLL: is it what a LabVIEW on a bare Windows can load, and nothing else?

In: a DLL and the names it must export. Out: a `PeFacts`, or CheckFailed with the first thing that is wrong.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exporter.errors import CheckFailed

MACHINES = {"x86": 0x014C, "x86-64": 0x8664}
IMAGE_BASES = {"x86": 0x10000000, "x86-64": 0x180000000}
DLL = 0x2000  # IMAGE_FILE_DLL


@dataclass(frozen=True, slots=True)
class PeFacts:
    """What the headers say."""

    machine: str
    bytes: int
    exports: tuple[str, ...]
    imports: int
    timestamp: int
    image_base: int
    file_version: str


def audit_pe(path: Path, machine: str, exports: tuple[str, ...]) -> PeFacts:
    """Hold a DLL against what it must be.

    Raises:
        CheckFailed: machine, exports, imports, time stamps, image base or version resource are not as they must be.
    """
    import pefile  # noqa: PLC0415 - not for --help

    library: Any = pefile  # it is untyped
    image = library.PE(str(path))
    try:
        facts = _facts(image, machine, path.stat().st_size)
    finally:
        image.close()
    _require(facts, path.name, machine, exports)
    return facts


def _facts(image: Any, machine: str, size: int) -> PeFacts:
    export = getattr(image, "DIRECTORY_ENTRY_EXPORT", None)
    symbols = () if export is None else export.symbols
    stamps = [image.FILE_HEADER.TimeDateStamp]
    stamps += [] if export is None else [export.struct.TimeDateStamp]
    stamps += [entry.struct.TimeDateStamp for entry in getattr(image, "DIRECTORY_ENTRY_DEBUG", ())]
    found = image.FILE_HEADER.Machine
    names = {code: name for name, code in MACHINES.items()}
    is_dll = bool(image.FILE_HEADER.Characteristics & DLL)
    return PeFacts(
        machine=names.get(found, hex(found)) if is_dll else f"no DLL, {machine}",
        bytes=size,
        exports=tuple(sorted(_name(symbol) for symbol in symbols)),
        imports=sum(len(getattr(image, f"DIRECTORY_ENTRY_{kind}", ())) for kind in ("IMPORT", "DELAY_IMPORT")),
        timestamp=max(stamps),
        image_base=image.OPTIONAL_HEADER.ImageBase,
        file_version=_version(image),
    )


def _name(symbol: Any) -> str:
    forwarded = "" if symbol.forwarder is None else f" forwarded to {symbol.forwarder.decode()}"
    return (f"number {symbol.ordinal}" if symbol.name is None else symbol.name.decode("ascii")) + forwarded


def _version(image: Any) -> str:
    """FileVersion of the first string table, empty where there is none."""
    for block in getattr(image, "FileInfo", ()):
        for entry in block:
            for table in getattr(entry, "StringTable", ()):
                if b"FileVersion" in table.entries:
                    return str(table.entries[b"FileVersion"].decode("utf-8"))
    return ""


def _require(facts: PeFacts, name: str, machine: str, exports: tuple[str, ...]) -> None:
    differing = sorted(set(exports) ^ set(facts.exports))
    checks = (
        (facts.machine == machine, f"it is for {facts.machine} and should be for {machine}"),
        (not differing, f"'{differing[0] if differing else ''}' is exported or declared, and not both"),
        (facts.imports == 0, f"it imports from {facts.imports} libraries and should need none"),
        (facts.timestamp == 0, f"it holds the time {facts.timestamp} and should hold none"),
        (facts.image_base == IMAGE_BASES[machine], f"its image base is {facts.image_base:#x}"),
        (bool(facts.file_version), "it has no version resource"),
    )
    for holds, wrong in checks:
        if not holds:
            raise CheckFailed(f"{name}: {wrong}; nothing was packed, please report this")
