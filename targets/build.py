"""Builds an export for a target into a folder that holds nothing else: what `kinefix build` does.

In: an export, a target, a folder. Out: a `BuildResult` with the products and their hashes.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from exporter.errors import KinefixError
from exporter.manifest import Manifest
from exporter.writable import require_no_export
from targets.claim import LOCK_NAME, claim_folder, made_apart
from targets.ecu.firmware import BUILD_NAME, Kind, build_firmware
from targets.profile import load_profile, profile_names
from targets.python.host import build_host

if TYPE_CHECKING:
    from exporter.export import Export
    from targets.labview.package import Compiler, Package

HOST = "host"
LABVIEW = "labview"


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build left behind."""

    target: str
    title: str  # of the profile
    function: str | None  # None where the product carries all functions
    kind: str | None  # of a firmware
    compiler: str
    folder: Path
    products: dict[str, str]  # file name -> SHA-256


def target_names() -> tuple[str, ...]:
    """What `--target` takes: the cores by their short names, "host" and "labview"."""
    found = [name for name in profile_names() if load_profile(name).library is None]
    return (*(name.removeprefix("arm-") if name != "host-gcc" else HOST for name in found), LABVIEW)


def profile_of(target: str) -> str:
    """The profile behind a target's short name."""
    if target == HOST:
        return "host-gcc"
    return target if target in profile_names() else f"arm-{target}"


def default_function(manifest: Manifest) -> str:
    """The step where there is one, else the last function: each stage includes the ones before."""
    names = [function.name for function in manifest.functions]
    return "dostep" if "dostep" in names else names[-1]


def build_labview(
    export: "Export", folder: Path, systems: Sequence[str], compiler: "Compiler" = "auto"
) -> "tuple[BuildResult, Package]":
    """Make a LabVIEW package, see `targets.labview.package.build_package`; the arguments and errors are its own.

    Raises:
        KinefixError: the folder has other content or is in an export, or a system is unknown.
    """
    from targets.labview.package import build_package  # noqa: PLC0415 - emulators, not for other targets

    _require_replaceable(folder)
    package = build_package(export, systems, folder, compiler=compiler)
    products = _hashes(folder, (package.path.name,))
    compilers = ", ".join(dict.fromkeys(each.compiler for each in package.libraries))
    held = [each.system for each in package.libraries]
    _record(folder, {"model": package.model, "target": LABVIEW, "compiler": compilers, "products": products})
    return BuildResult(LABVIEW, f"LabVIEW on {', '.join(held)}", None, None, compilers, folder, products), package


def build(
    export: "Export", target: str, folder: Path, function: str | None = None, kind: Kind = "batch"
) -> BuildResult:
    """Build for a target.

    Args:
        export: what to build.
        target: one of `target_names()`.
        folder: empty, absent, or the product of an earlier build.
        function: which function a firmware carries; without it, `default_function`.
        kind: of a firmware.

    Raises:
        KinefixError: the folder has other content, is in an export or in use by another build, or a name is unknown.
        MissingTool: no compiler.
        CheckFailed: the compiler refused, or the self-test failed.
    """
    if target == LABVIEW:
        raise KinefixError("a LabVIEW package is for systems: name them, --with win32,win64 for example")
    _require_replaceable(folder)
    with claim_folder(folder):
        with made_apart(folder) as fresh:
            built = _build(export, target, fresh, function, kind)
        return replace(built, folder=folder)


def _build(export: "Export", target: str, folder: Path, function: str | None, kind: Kind) -> BuildResult:
    title = load_profile(profile_of(target)).title
    name = export.manifest.name
    if target == HOST:
        library = build_host(export, folder)
        products = _hashes(folder, (f"lib{name}.so", f"{name}.py"))
        _record(folder, {"model": name, "target": target, "compiler": library.compiler, "products": products})
        return BuildResult(target, title, None, None, library.compiler, folder, products)
    chosen = function or default_function(export.manifest)
    firmware = build_firmware(export, chosen, folder, kind, profile_of(target))
    return BuildResult(target, title, chosen, kind, firmware.compiler, folder, _hashes(folder, (firmware.elf.name,)))


def _require_replaceable(folder: Path) -> None:
    require_no_export("--out", folder)
    if folder.exists() and not folder.is_dir():
        raise KinefixError(f"'{folder}' is no folder; name another place for the build")
    present = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if present and not present & {BUILD_NAME, LOCK_NAME}:
        raise KinefixError(f"'{folder}' holds something that is no build; empty it or name another with --out")


def _hashes(folder: Path, names: tuple[str, ...]) -> dict[str, str]:
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}


def _record(folder: Path, facts: dict[str, object]) -> None:
    (folder / BUILD_NAME).write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n", encoding="utf-8")
