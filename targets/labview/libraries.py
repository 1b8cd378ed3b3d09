"""Compiles an export and its flat interface into one shared library by a profile's commands.

In: a toolchain, an export, the printed interface, an empty folder. Out: a BuiltLibrary with the file, its import
library, and what made them. The same inputs give the same bytes in any folder.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from exporter.errors import KinefixError
from targets import flags, toolchain
from targets.labview.shim import WINDOWS_SOURCE, Texts, version_resource
from targets.profile import Library

if TYPE_CHECKING:
    from exporter.export import Export


@dataclass(frozen=True, slots=True)
class BuiltLibrary:
    """A library on the disk."""

    profile: str
    library: Library
    file: Path
    import_library: Path | None
    compiler: str  # its version line
    flags: tuple[str, ...]  # that computed numbers

    @property
    def system(self) -> str:
        """The system that the library is for."""
        return self.library.system


def build_library(tools: toolchain.Toolchain, export: "Export", printed: Texts, folder: Path) -> BuiltLibrary:
    """Build for the system of a toolchain.

    Raises:
        KinefixError: the profile makes no libraries, or flags would change the numbers.
        MissingTool: the resource compiler is not installed.
        CheckFailed: compiler or linker refused; an undefined symbol means a call into a run-time library.
    """
    made = tools.profile.library
    if made is None:
        raise KinefixError(f"profile '{tools.profile.name}' makes no libraries for LabVIEW")
    manifest = export.manifest
    numeric = (*flags.check_flags(manifest.flags), *flags.check_core_flags(made.machine, tools.profile.core_flags))
    name, file = manifest.name, Path(made.product.format(name=manifest.name)).name
    _write_sources(export, printed, folder, file)
    units = [(name, ()), (f"{name}_lv", made.shim_flags)]
    if made.format == "pe":
        units.append(("windows", made.shim_flags))
    for unit, extra in units:
        arguments = [*numeric, *made.compile_flags, *extra, "-c", f"{unit}.c", "-o", f"{unit}.o"]
        toolchain.run_compiler(tools, arguments, folder)
    objects = [*(f"{unit}.o" for unit, _ in units), *(each.format(name=name) for each in made.objects)]
    for command in (made.resource, made.link):
        _run(tools, command, {"name": name, "file": file}, objects, folder)
    import_library = folder / f"{name}.lib" if made.import_library else None
    return BuiltLibrary(tools.profile.name, made, folder / file, import_library, tools.version, numeric)


def _run(
    tools: toolchain.Toolchain, command: tuple[str, ...], names: dict[str, str], objects: list[str], folder: Path
) -> None:
    if not command:
        return
    head, *rest = command
    why = f"it compiles for {tools.profile.title}"
    program = tools.compiler if head == "{program}" else toolchain.find_program(head, tools.profile.package, why)
    arguments: list[str] = []
    for each in rest:
        arguments += objects if each == "{objects}" else [each.format(**names)]
    toolchain.run_step(program, arguments, folder)


def _write_sources(export: "Export", printed: Texts, folder: Path, file: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    name = export.manifest.name
    for source in source_names(export):
        shutil.copyfile(export.folder / source, folder / source)
    shutil.copyfile(WINDOWS_SOURCE, folder / WINDOWS_SOURCE.name)
    texts = {
        f"{name}_lv.h": printed.header,
        f"{name}_lv.c": printed.source,
        f"{name}.def": printed.definition,
        f"{name}.map": printed.version_map,
        f"{name}.rc": version_resource(export.manifest, file),
    }
    for place, text in texts.items():
        (folder / place).write_bytes(text.encode())


def source_names(export: "Export") -> list[str]:
    """C files and headers of an export, sorted."""
    return sorted(name for name in export.manifest.files if "/" not in name and name.endswith((".c", ".h")))
