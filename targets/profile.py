"""Compilers and boards as data: `profiles/*.toml` as dataclasses.

Goes to: toolchain, firmware, batch, audit. A profile says how to compile for a core and what emulates its board; the
flags that change numbers are not here but in `targets.flags`.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from exporter.errors import KinefixError

FOLDER = Path(__file__).parent / "profiles"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Emulator:
    """What runs a board's firmware without the board."""

    program: str  # "qemu-system-arm"
    package: str  # Debian package
    machine: str  # "mps2-an386"


@dataclass(frozen=True, slots=True)
class Board:
    """Where a firmware lives."""

    name: str
    linker_script: str  # in targets/ecu
    emulator: Emulator | None


@dataclass(frozen=True, slots=True)
class Profile:
    """A compiler for a core."""

    name: str  # "arm-m4f"
    title: str
    compiler: str  # program
    package: str  # Debian packages, separated by spaces
    core_flags: tuple[str, ...]
    library_flags: tuple[str, ...]  # for linking a firmware
    fixed_time: tuple[str, ...]  # real types that the core computes in hardware
    board: Board | None


def profile_names() -> tuple[str, ...]:
    """All profiles, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@cache
def load_profile(name: str) -> Profile:
    """The profile of this name.

    Raises:
        KinefixError: there is none, or its schema is another.
    """
    if name not in profile_names():
        raise KinefixError(f"there is no target profile '{name}'; choose one of {', '.join(profile_names())}")
    table = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    if table["schema"] != SCHEMA:
        raise KinefixError(f"profile '{name}' has schema {table['schema']}; this version reads schema {SCHEMA}")
    return Profile(
        name=name,
        title=table["title"],
        compiler=table["compiler"],
        package=table["package"],
        core_flags=tuple(table["core_flags"]),
        library_flags=tuple(table["library_flags"]),
        fixed_time=tuple(table["fixed_time"]),
        board=_board(table["board"]) if "board" in table else None,
    )


def _board(table: dict[str, Any]) -> Board:
    emulator = Emulator(**table["emulator"]) if "emulator" in table else None
    return Board(table["name"], table["linker_script"], emulator)
