"""Compilers and boards as data: `profiles/*.toml` as dataclasses.

Used by: toolchain, firmware, batch, audit. A profile says how to compile for a core and what emulates its board; the
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
class Library:
    """How a shared library for other people's programs is made: commands as data, `{name}` is the model's name.

    Commands run in the build folder; `{program}` at their head is the compiler, any other head a program on PATH. The
    file names in them are those that `targets.labview.libraries` writes.
    """

    system: str  # what it is for, "win32"
    machine: str  # x86 | x86-64 | arm
    format: str  # pe | elf
    product: str  # place in a package, "bin/{name}32.dll"
    import_library: str  # place in a package, "" where a linker needs none
    compile_flags: tuple[str, ...]  # beyond the numeric ones: no calls into a run-time library, nothing to unwind
    shim_flags: tuple[str, ...]  # for the flat interface, which computes nothing
    resource: tuple[str, ...]  # compiles the version resource
    link: tuple[str, ...]
    objects: tuple[str, ...]  # linked besides the units, "{name}_rc.o"


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
    driver: tuple[str, ...] = ()  # what makes a C compiler of the program, "cc" of zig
    distribution: str = ""  # the Python distribution that carries the compiler; "" where it is on PATH
    library: Library | None = None

    @property
    def get_it(self) -> str:
        """The command that gets the compiler."""
        if self.distribution:
            return f"pip install {self.distribution} (or kinefix[zig])"
        return f"sudo apt-get install {self.package}"


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
        driver=tuple(table.get("driver", ())),
        distribution=table.get("distribution", ""),
        library=_library(table["library"]) if "library" in table else None,
    )


def emulated_profiles() -> dict[str, Emulator]:
    """The profiles whose board can be emulated, by name, sorted."""
    boards = {name: load_profile(name).board for name in profile_names()}
    return {name: board.emulator for name, board in boards.items() if board is not None and board.emulator is not None}


def library_profiles(system: str) -> tuple[str, ...]:
    """The profiles that make libraries for a system, the preferred one first: the system's own name, then zig.

    Raises:
        KinefixError: there is none; the sentence lists the systems.
    """
    found = sorted(name for name in profile_names() if (made := load_profile(name).library) and made.system == system)
    if not found:
        raise KinefixError(f"there is no library for '{system}'; choose from {', '.join(systems())}")
    return tuple(found)


def systems() -> tuple[str, ...]:
    """The systems that libraries can be made for, sorted."""
    return tuple(sorted({made.system for name in profile_names() if (made := load_profile(name).library)}))


def _library(table: dict[str, Any]) -> Library:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return Library(**fields)


def _board(table: dict[str, Any]) -> Board:
    emulator = Emulator(**table["emulator"]) if "emulator" in table else None
    return Board(table["name"], table["linker_script"], emulator)
