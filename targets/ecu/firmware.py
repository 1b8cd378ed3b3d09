"""Builds a firmware: an exported function, the glue around it, our drivers, one ELF for a board.

In: an export, a function, a kind. Out: a self-contained build folder (`src/`, objects, `firmware.elf`, `build.json`)
that is byte for byte the same wherever it is built with the same compiler.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from exporter.errors import KinefixError
from exporter.manifest import Function, Manifest
from exporter.progress import counted, say
from targets import flags, toolchain
from targets.build_cache import cached_entry, key_of
from targets.ecu.glue import GLUE_SOURCE, glue_files
from targets.profile import Board, Profile
from targets.rows import function_of, stepped_function
from targets.toolchain import Toolchain

if TYPE_CHECKING:
    from exporter.export import Export

Kind = Literal["batch", "bench", "memory"]

ECU = Path(__file__).parent
COMMON_SOURCES = ("startup.c", "counter.c", "empty.S")
KIND_SOURCES: dict[str, tuple[str, ...]] = {
    "batch": ("semihost.c", "rows.c", "batch.c"),
    "memory": ("rows.c", "memory.c"),
    "bench": ("uart.c", "slcan.c", "timer.c"),
}
MODEL_FOLDER = "model"
Objects = dict[str, dict[str, bytes]]
"""Object files that were compiled: a hash over compiler, flags and sources -> path below the build folder -> bytes."""
ELF_NAME = "firmware.elf"
BUILD_NAME = "build.json"


@dataclass(frozen=True, slots=True)
class Firmware:
    """A firmware that was built."""

    elf: Path
    folder: Path
    kind: str
    manifest: Manifest
    function: Function
    profile: Profile
    compiler: str  # its version line
    build_id: int  # 32 bits; of sources, flags and compiler
    sources: tuple[str, ...]  # relative to folder


def build_firmware(
    export: "Export",
    function: str,
    folder: Path,
    kind: Kind = "batch",
    profile: str = "arm-m4f",
    defines: Mapping[str, str] | None = None,
    extra_sources: Sequence[Path] = (),
) -> Firmware:
    """Compile and link a firmware that carries one function of an export.

    Args:
        export: sources and manifest.
        function: its name in the manifest, "position".
        folder: where to build; made if it is not there, files of the same name are replaced.
        kind: "batch" (rows from files, by semihosting), "memory" (rows in memory), "bench" (serial protocol and timer).
        profile: the core, see `targets.profile`.
        defines: macros for our sources (never for the export's), for example a fault to be injected.
        extra_sources: C files compiled with ours.

    Raises:
        MissingTool: no compiler.
        CheckFailed: the compiler or the linker refused.
        KinefixError: no such function or profile, or the profile has no board.
    """
    order = _order(export, function, kind, profile, defines or {}, extra_sources)
    _build(order, folder, {})
    return _firmware_of(order, folder)


def build_one_of_several(
    export: "Export", function: str, folder: Path, objects: Objects, kind: Kind = "batch", profile: str = "arm-m4f"
) -> Firmware:
    """A firmware byte for byte as `build_firmware` makes it, in less time where several are built of one export.

    Args:
        export: sources and manifest.
        function: its name in the manifest.
        folder: where to build; made if it is not there, files of the same name are replaced.
        objects: object files of the export's sources that earlier calls compiled; used where compiler, flags and
            sources are the same, and new ones are added.
        kind: see `build_firmware`.
        profile: the core, see `targets.profile`.

    Raises:
        MissingTool: no compiler.
        CheckFailed: the compiler or the linker refused.
        KinefixError: no such function or profile, or the profile has no board.
    """
    order = _order(export, function, kind, profile, {}, ())
    _build(order, folder, objects)
    return _firmware_of(order, folder)


def cached_firmware(
    export: "Export",
    function: str,
    cache: Path,
    kind: Kind = "batch",
    profile: str = "arm-m4f",
    defines: Mapping[str, str] | None = None,
) -> Firmware:
    """A firmware out of a cache, see `targets.build_cache`; built there where it is not.

    Args:
        export: sources and manifest.
        function: its name in the manifest, "position".
        cache: the folder of all entries.
        kind: see `build_firmware`.
        profile: the core, see `targets.profile`.
        defines: macros for our sources.

    Raises:
        MissingTool: no compiler.
        CheckFailed: the compiler or the linker refused.
        KinefixError: no such function or profile, the profile has no board, or the cache cannot be written.
    """
    order = _order(export, function, kind, profile, defines or {}, ())
    return _firmware_of(order, cached_entry(cache, _key(order), lambda folder: _build(order, folder, {})))


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is compiled: file name -> bytes, and which of them are translation units."""

    files: dict[str, bytes]
    exported: tuple[str, ...]  # compiled with the export's flags; in a folder of their own, whatever their names
    own: tuple[str, ...]  # compiled with ours


@dataclass(frozen=True, slots=True)
class _Order:
    """All that decides the bytes of a firmware."""

    kind: str
    manifest: Manifest
    function: Function
    tools: Toolchain
    board: Board
    plan: _Plan
    defines: Mapping[str, str]
    build_id: int
    glue: Mapping[str, str]  # file name -> text


def _order(
    export: "Export", function: str, kind: Kind, profile: str, defines: Mapping[str, str], extra: Sequence[Path]
) -> _Order:
    tools = toolchain.find(profile)
    chosen = (stepped_function if kind == "bench" else function_of)(export.manifest, function)
    board = _board(tools.profile)
    plan = _plan(export, kind, extra)
    build_id = _build_id(export.manifest, chosen, tools, plan, defines)
    glue = glue_files(export.manifest, chosen, build_id)
    return _Order(kind, export.manifest, chosen, tools, board, plan, defines, build_id, glue)


def _key(order: _Order) -> str:
    """The key in the cache: a hash over everything that decides the bytes of the firmware.

    That is what the build id hashes too, and beyond it the kind, the linker's options and script, and the glue.
    """
    facts: list[str | bytes] = [
        order.kind,
        *_facts(order.manifest, order.function, order.tools, order.plan, order.defines),
    ]
    facts += [*flags.SECTION_FLAGS, *flags.BARE_LINK, *order.tools.profile.library_flags, order.board.linker_script]
    return key_of([*facts, *(f"{name}:{text}" for name, text in sorted(order.glue.items()))])


def _build(order: _Order, folder: Path, objects: Objects) -> None:
    _write_sources(folder / "src", order.plan, order.glue)
    _link(order.tools, order.board, folder, _compile(order, folder, objects))
    _write_record(_firmware_of(order, folder), order.defines)


def _firmware_of(order: _Order, folder: Path) -> Firmware:
    return Firmware(
        folder / ELF_NAME, folder, order.kind, order.manifest, order.function, order.tools.profile,
        order.tools.version, order.build_id, tuple(f"src/{name}" for name in (*order.plan.exported, *order.plan.own)),
    )  # fmt: skip


def _board(profile: Profile) -> Board:
    if profile.board is None:
        raise KinefixError(f"profile '{profile.name}' has no board; a firmware needs one, for example arm-m4f")
    return profile.board


def _plan(export: "Export", kind: Kind, extra_sources: Sequence[Path]) -> _Plan:
    exported = [name for name in sorted(export.manifest.files) if name.endswith((".c", ".h"))]
    compiled = [name for name in exported if name.endswith(".c")]
    own = [*COMMON_SOURCES, *KIND_SOURCES[kind]]
    if kind == "bench":
        own += sorted(path.name for path in ECU.glob("bench*.c"))
    files = {f"{MODEL_FOLDER}/{name}": (export.folder / name).read_bytes() for name in exported}
    files |= {path.name: path.read_bytes() for path in sorted([*ECU.glob("*.h"), *ECU.glob("*.ld")])}
    files |= {name: (ECU / name).read_bytes() for name in own}
    files |= {path.name: path.read_bytes() for path in extra_sources}
    units = tuple(f"{MODEL_FOLDER}/{name}" for name in compiled)
    return _Plan(files, units, (*own, GLUE_SOURCE, *(path.name for path in extra_sources)))


def _build_id(manifest: Manifest, function: Function, tools: Toolchain, plan: _Plan, defines: Mapping[str, str]) -> int:
    """The first 32 bits of a hash over all that decides the bytes of the firmware."""
    digest = hashlib.sha256()
    for fact in _facts(manifest, function, tools, plan, defines):
        digest.update(fact.encode() + b"\0")
    return int.from_bytes(digest.digest()[:4], "big")


def _facts(
    manifest: Manifest, function: Function, tools: Toolchain, plan: _Plan, defines: Mapping[str, str]
) -> list[str]:
    facts = [tools.version, *tools.profile.core_flags, *manifest.flags, *flags.FIRMWARE_FLAGS, function.symbol]
    facts += [f"{name}={value}" for name, value in sorted(defines.items())]
    return facts + [f"{name}:{hashlib.sha256(content).hexdigest()}" for name, content in sorted(plan.files.items())]


def _write_sources(folder: Path, plan: _Plan, glue: Mapping[str, str]) -> None:
    (folder / MODEL_FOLDER).mkdir(parents=True, exist_ok=True)
    for name, content in plan.files.items():
        (folder / name).write_bytes(content)
    for name, text in glue.items():
        (folder / name).write_bytes(text.encode())


def _compile(order: _Order, folder: Path, objects: Objects) -> list[str]:
    """The objects of all units, relative to the folder; those of the export do not depend on the function."""
    (folder / "obj" / MODEL_FOLDER).mkdir(parents=True, exist_ok=True)
    plan, macros = order.plan, [f"-D{name}={value}" for name, value in sorted(order.defines.items())]
    of_export, of_ours = flags.check_flags(order.manifest.flags), (*flags.FIRMWARE_FLAGS, *macros)
    same: list[str | bytes] = [order.tools.version]
    same += [content for name, content in sorted(plan.files.items()) if name.startswith(f"{MODEL_FOLDER}/")]
    made = []
    for name in counted("compiling", (*plan.exported, *plan.own)):
        arguments = _arguments(order.tools, of_ours if name in plan.own else of_export, name)
        key = key_of([*same, *arguments])
        if key in objects:
            _put(objects[key], folder)
        else:
            toolchain.run_compiler(order.tools, arguments, folder)
            if name in plan.exported:
                objects[key] = {path: (folder / path).read_bytes() for path in (_object(name), _stack_usage(name))}
        made.append(_object(name))
    return made


def _arguments(tools: Toolchain, options: Sequence[str], name: str) -> list[str]:
    common = [*options, *tools.profile.core_flags, *flags.SECTION_FLAGS, "-fstack-usage", "-Isrc"]
    return [*common, "-c", f"src/{name}", "-o", _object(name)]


def _object(name: str) -> str:
    return f"obj/{name.rpartition('.')[0]}.o"


def _stack_usage(name: str) -> str:
    return f"obj/{name.rpartition('.')[0]}.su"


def _put(files: Mapping[str, bytes], folder: Path) -> None:
    for path, content in files.items():
        (folder / path).write_bytes(content)


def _link(tools: Toolchain, board: Board, folder: Path, objects: Sequence[str]) -> None:
    arguments = [*tools.profile.core_flags, *flags.BARE_LINK, "-Lsrc", "-T", board.linker_script, *objects]
    arguments += ["-Wl,--start-group", *tools.profile.library_flags, "-Wl,--end-group", f"-Wl,-Map={ELF_NAME}.map"]
    say(f"linking {ELF_NAME}")
    toolchain.run_compiler(tools, [*arguments, "-o", ELF_NAME], folder)


def _write_record(firmware: Firmware, defines: Mapping[str, str]) -> None:
    record = {
        "kind": firmware.kind,
        "model": firmware.manifest.name,
        "model_hash": firmware.manifest.model_hash,
        "function": firmware.function.name,
        "profile": firmware.profile.name,
        "compiler": firmware.compiler,
        "export_flags": list(firmware.manifest.flags),
        "firmware_flags": list(flags.FIRMWARE_FLAGS),
        "core_flags": list(firmware.profile.core_flags),
        "defines": dict(sorted(defines.items())),
        "build_id": firmware.build_id,
        "elf_sha256": hashlib.sha256(firmware.elf.read_bytes()).hexdigest(),
        "sources": list(firmware.sources),
    }
    (firmware.folder / BUILD_NAME).write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", encoding="utf-8")
