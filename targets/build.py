"""Builds an export for a target into a folder that holds nothing else: what `kinefix build` does.

In: an export, a target, a folder. Out: a `Built` with the products and their hashes.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from exporter.errors import KinefixError
from exporter.manifest import Manifest
from targets.ecu.firmware import BUILD_NAME, Kind, build_firmware
from targets.profile import load_profile, profile_names
from targets.python.host import build_host

if TYPE_CHECKING:
    from exporter.export import Export

HOST = "host"


@dataclass(frozen=True, slots=True)
class Built:
    """What a build left behind."""

    target: str
    title: str  # of the profile
    function: str | None  # None where the product carries all functions
    kind: str | None  # of a firmware
    compiler: str
    folder: Path
    products: dict[str, str]  # file name -> SHA-256


def target_names() -> tuple[str, ...]:
    """What `--target` takes: "host", and the cores by their short names."""
    return tuple(name.removeprefix("arm-") if name != "host-gcc" else HOST for name in profile_names())


def profile_of(target: str) -> str:
    """The profile behind a target's short name."""
    return "host-gcc" if target == HOST else f"arm-{target}"


def default_function(manifest: Manifest) -> str:
    """The step where there is one, else the last function: each stage includes the ones before."""
    names = [function.name for function in manifest.functions]
    return "dostep" if "dostep" in names else names[-1]


def build(export: "Export", target: str, folder: Path, function: str | None = None, kind: Kind = "batch") -> Built:
    """Build for a target.

    Args:
        export: what to build.
        target: one of `target_names()`.
        folder: empty, absent, or the product of an earlier build.
        function: which function a firmware carries; without it, `default_function`.
        kind: of a firmware.

    Raises:
        KinefixError: the folder has other content, or a name is unknown.
        MissingTool: no compiler.
        CheckFailed: the compiler refused, or the self-test failed.
    """
    _require_replaceable(folder)
    title = load_profile(profile_of(target)).title
    name = export.manifest.name
    if target == HOST:
        library = build_host(export, folder)
        products = _hashes(folder, (f"lib{name}.so", f"{name}.py"))
        _record(folder, {"model": name, "target": target, "compiler": library.compiler, "products": products})
        return Built(target, title, None, None, library.compiler, folder, products)
    chosen = function or default_function(export.manifest)
    firmware = build_firmware(export, chosen, folder, kind, profile_of(target))
    return Built(target, title, chosen, kind, firmware.compiler, folder, _hashes(folder, (firmware.elf.name,)))


def _require_replaceable(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise KinefixError(f"'{folder}' is no folder; name another place for the build")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / BUILD_NAME).is_file():
        raise KinefixError(f"'{folder}' holds something that is no build; empty it or name another with --out")


def _hashes(folder: Path, names: tuple[str, ...]) -> dict[str, str]:
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}


def _record(folder: Path, facts: dict[str, object]) -> None:
    (folder / BUILD_NAME).write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n", encoding="utf-8")
