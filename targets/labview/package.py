"""Makes the LabVIEW package: libraries for the systems that were named, everything that describes them, in one zip.

In: an export, systems, a folder. Out: `<m>-labview.zip` and a `Package` that says what is in it. A tool that is missing
is an error before anything is built; a library that fails its audit is not packed.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from exporter.errors import KinefixError, ModelError
from exporter.full_disk import temporary_folder
from exporter.progress import counted
from targets import toolchain
from targets.claim import claim_folder
from targets.labview.archive import sums, zip_files
from targets.labview.audit.agreement import Agreement, agree
from targets.labview.audit.elf import ElfFacts, audit_elf
from targets.labview.audit.guest import guest
from targets.labview.audit.pe import PeFacts, audit_pe
from targets.labview.call_table import call_table
from targets.labview.interface import VERSION, exported_names
from targets.labview.libraries import BuiltLibrary, build_library, source_names
from targets.labview.oracle import nominal_derived, required_program
from targets.labview.readme import readme_text
from targets.labview.shim import WINDOWS_SOURCE, Texts, texts
from targets.labview.tdms import require_tdms, tdms_bytes
from targets.labview.vectors import Vectors, csv_text, vectors
from targets.profile import library_profiles, load_profile, systems
from targets.python.wrapper import labview_wrapper_text

if TYPE_CHECKING:
    from exporter.export import Export
    from exporter.sequence.program import Program

Compiler = Literal["auto", "gcc", "zig"]
TDMS_SYSTEM = "tdms"
"""May stand among the systems: vectors as TDMS too."""
LICENSE = Path(__file__).parent / "LICENSE.txt"


@dataclass(frozen=True, slots=True)
class PackagedLibrary:
    """One library of a package, with what was found out about its bytes."""

    system: str
    file: str  # place in the package
    bytes: int
    profile: str
    compiler: str
    flags: tuple[str, ...]
    headers: PeFacts | ElfFacts
    agreement: tuple[Agreement, ...]


@dataclass(frozen=True, slots=True)
class Package:
    """A package on the disk."""

    path: Path
    model: str
    libraries: tuple[PackagedLibrary, ...]
    places: tuple[str, ...]  # of the files in it, sorted


def build_package(
    export: "Export",
    wanted: Sequence[str],
    folder: Path,
    program: "Program | None" = None,
    compiler: Compiler = "auto",
) -> Package:
    """Make `<m>-labview.zip` in a folder.

    Args:
        export: what to pack.
        wanted: systems ("win32", "win64", "linux-x64", "linux-armv7"), and "tdms" for vectors in that format.
        folder: where to; it is made if need be.
        program: what the export prints; rebuilt from its manifest without it.
        compiler: gcc and mingw, zig, or the first of them that is there.

    Raises:
        ModelError: the model's name cannot be a prefix, the manifest holds no model, or functions iterate.
        KinefixError: nothing or something unknown was named, or the folder is in use.
        MissingTool: a tool for one of them is missing.
        CheckFailed: compiler, linker or audit refuse.
    """
    chosen = _check_systems(wanted)
    _require_one_count(export)
    tools = [_toolchain(system, compiler) for system in chosen if system != TDMS_SYSTEM]
    if TDMS_SYSTEM in chosen:
        require_tdms()
    found = required_program(export, program)
    printed = texts(export.manifest, nominal_derived(found))
    made = [vectors(export.manifest, found, function) for function in export.manifest.functions]
    with claim_folder(folder), temporary_folder("kinefix-labview-") as temporary:
        built = [
            build_library(each, export, printed, temporary / each.profile.name)
            for each in counted("compiling", tools, lambda each: each.profile.name)
        ]
        shipped = tuple(
            _audit_library(export, each, made) for each in counted("running", built, lambda each: each.profile)
        )
        files = _package_files(export, printed, made, tdms=TDMS_SYSTEM in chosen)
        for library in built:
            files |= _library_files(export, library)
        files["package.json"] = _facts(export, shipped)
        files["SHA256SUMS"] = sums(files)
        path = folder / f"{export.manifest.name}-labview.zip"
        _write(path, zip_files(files))
    return Package(path, export.manifest.name, shipped, tuple(sorted(files)))


def _check_systems(wanted: Sequence[str]) -> tuple[str, ...]:
    known = (*systems(), TDMS_SYSTEM)
    for name in wanted:
        if name not in known:
            raise KinefixError(f"a LabVIEW package cannot hold '{name}'; choose from {', '.join(known)}")
    chosen = tuple(dict.fromkeys(wanted))
    if not set(chosen) - {TDMS_SYSTEM}:
        raise KinefixError(f"name the systems of the package, --with win32,win64 for example, of {', '.join(known)}")
    return chosen


def _require_one_count(export: "Export") -> None:
    """Nodes may run in a timed loop: a function that iterates has no place there."""
    loop = export.manifest.loop
    if loop is not None:
        raise ModelError(
            f"{export.manifest.name}: {', '.join(loop.functions)} repeat {loop.body} up to {loop.most} times and are "
            "not fixed-time, and a LabVIEW package promises one count; export with --steps instead of --tolerance"
        )


def _toolchain(system: str, compiler: Compiler) -> toolchain.Toolchain:
    profiles = library_profiles(system)
    if compiler != "auto":
        zig = [name for name in profiles if load_profile(name).compiler == "zig"]
        chosen = zig if compiler == "zig" else [name for name in profiles if name not in zig]
        if not chosen:
            raise KinefixError(f"there is no {compiler} for '{system}' here; name another compiler or leave it to auto")
        profiles = tuple(chosen)
    return toolchain.find_any(profiles)


def _write(path: Path, content: bytes) -> None:
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    except PermissionError as taken:
        raise KinefixError(f"'{path}' cannot be replaced; close what has it open, or name another folder") from taken
    finally:
        fresh.unlink(missing_ok=True)


def _audit_library(export: "Export", built: BuiltLibrary, made: Sequence[Vectors]) -> PackagedLibrary:
    names, machine = exported_names(export.manifest), built.library.machine
    headers = (audit_pe if built.library.format == "pe" else audit_elf)(built.file, machine, names)
    running = guest(built.file, machine)
    return PackagedLibrary(
        system=built.system,
        file=built.library.product.format(name=export.manifest.name),
        bytes=headers.bytes,
        profile=built.profile,
        compiler=built.compiler,
        flags=built.flags,
        headers=headers,
        agreement=tuple(agree(running, export.manifest, each) for each in made),
    )


def _package_files(export: "Export", printed: Texts, made: Sequence[Vectors], *, tdms: bool) -> dict[str, bytes]:
    """Everything that is no library."""
    name = export.manifest.name
    here: Mapping[str, str] = {
        f"include/{name}_lv.h": printed.header,
        f"lib/{name}.def": printed.definition,
        f"src/{name}_lv.h": printed.header,
        f"src/{name}_lv.c": printed.source,
        f"src/{name}.map": printed.version_map,
        f"python/{name}_lv.py": labview_wrapper_text(export.manifest),
        "README.md": readme_text(export.manifest),
        "clfn.csv": call_table(export.manifest),
        **{f"vectors/{each.function.name}.csv": csv_text(each) for each in made},
    }
    files = {place: text.encode() for place, text in here.items()}
    for source in source_names(export):
        files[f"src/{source}"] = (export.folder / source).read_bytes()
        if source == f"{name}.h":
            files[f"include/{source}"] = files[f"src/{source}"]
    files["src/windows.c"] = WINDOWS_SOURCE.read_bytes()
    files["manifest.json"] = (export.folder / "manifest.json").read_bytes()
    files["LICENSE"] = LICENSE.read_bytes()
    return files | ({f"vectors/{name}.tdms": tdms_bytes(made)} if tdms else {})


def _library_files(export: "Export", built: BuiltLibrary) -> dict[str, bytes]:
    name = export.manifest.name
    files = {built.library.product.format(name=name): built.file.read_bytes()}
    if built.import_library is not None:
        files[built.library.import_library.format(name=name)] = built.import_library.read_bytes()
        files[f"src/{built.file.stem}.rc"] = (built.file.parent / f"{name}.rc").read_bytes()
    return files


def _facts(export: "Export", shipped: Sequence[PackagedLibrary]) -> bytes:
    manifest = export.manifest
    facts = {
        "interface": VERSION,
        "model": manifest.name,
        "kinefix": manifest.kinefix,
        "model_hash": manifest.model_hash,
        "export_id": f"0x{manifest.export_id:08X}",
        "real_inside": manifest.real,
        "libraries": [asdict(each) for each in shipped],
    }
    return (json.dumps(facts, indent=2) + "\n").encode()
