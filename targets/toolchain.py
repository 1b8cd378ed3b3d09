"""Finds the programs that a target needs and runs them.

In: a profile's name. Out: a Toolchain with paths and the compiler's version, or MissingTool naming program and package.
"""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from exporter.errors import CheckFailed, MissingTool
from exporter.full_disk import FULL
from exporter.programs import run
from exporter.time_limits import COMPILE, VERSION, Limit
from targets.profile import Profile, load_profile


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler that is there."""

    profile: Profile
    compiler: Path
    version: str  # first line of --version


def find(profile: str) -> Toolchain:
    """The toolchain of a profile (see `targets.profile.profile_names`).

    Raises:
        KinefixError: no such profile.
        MissingTool: the compiler is not installed.
    """
    known = load_profile(profile)
    why = f"it compiles for {known.title}"
    if known.distribution:
        compiler = find_carried(known.compiler, known.distribution, why, known.get_it)
        return Toolchain(known, compiler, f"{known.compiler} {_said_by(compiler, 'version')}")
    compiler = find_program(known.compiler, known.package, why)
    return Toolchain(known, compiler, version_of(compiler))


def find_any(profiles: Sequence[str]) -> Toolchain:
    """The first toolchain of these profiles that is there.

    Raises:
        MissingTool: none is; the sentence names all of them and how to get each.
    """
    for name in profiles:
        with suppress(MissingTool):
            return find(name)
    known = [load_profile(name) for name in profiles]
    programs = " nor ".join(each.compiler for each in known)
    ways = "; or ".join(each.get_it for each in known)
    neither = "neither " if len(known) > 1 else "no "
    raise MissingTool(f"{neither}{programs} is installed (it compiles for {known[0].title}); get it with: {ways}")


def find_carried(program: str, distribution: str, why: str, get_it: str) -> Path:
    """The path of a program that comes inside a Python distribution.

    Raises:
        MissingTool: the distribution is not installed.
    """
    found = find_spec(distribution)
    for folder in (found.submodule_search_locations or ()) if found else ():
        for name in (program, f"{program}.exe"):
            if (path := Path(folder) / name).is_file():
                return path
    raise MissingTool(f"{program} is not installed ({why}); get it with: {get_it}")


def find_program(program: str, package: str, why: str) -> Path:
    """The path of a program.

    Raises:
        MissingTool: it is not on PATH; the sentence names the package and the command that gets it.
    """
    path = shutil.which(program)
    if path is None:
        raise MissingTool(f"{program} is not installed ({why}); get it with: sudo apt-get install {package}")
    return Path(path)


@cache
def version_of(program: Path) -> str:
    """The first line that the program says about its version; empty if it says nothing."""
    return _said_by(program, "--version")


def _said_by(program: Path, argument: str) -> str:
    done = run([program, argument], VERSION)
    lines = (done.out or done.err).splitlines()
    return lines[0].strip() if lines else ""


def run_compiler(toolchain: Toolchain, arguments: Sequence[str], folder: Path) -> None:
    """Run the compiler in `folder`, with relative paths so that no path of this machine gets into its output.

    Raises:
        CheckFailed: it refused; the sentence carries what it said.
    """
    driver = toolchain.profile.driver
    run_step(toolchain.compiler, [*driver, f"-ffile-prefix-map={folder}=.", *arguments], folder)


def run_step(program: Path, arguments: Sequence[str], folder: Path, limit: Limit = COMPILE) -> None:
    """Run one program of a build in `folder`.

    Raises:
        OSError: the disk is full.
        CheckFailed: it refused; the sentence carries what it said. Or it was stopped at its limit (`TookTooLong`).
    """
    done = run([program, *arguments], limit, folder)
    if done.code != 0:
        said = (done.err or done.out).strip()
        full = next((number for number in FULL if os.strerror(number) in said), 0)
        if full:
            raise OSError(full, os.strerror(full), str(folder))
        shown = " ".join(arguments)
        raise CheckFailed(f"{program.name} failed with exit code {done.code}: {shown}\n{said}")
