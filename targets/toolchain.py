"""Finds the programs that a target needs and runs them.

In: a profile's name. Out: a Toolchain with paths and the compiler's version, or MissingTool naming program and package.
"""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from exporter.errors import CheckFailed, MissingTool
from targets.profile import Profile, load_profile

COMPILE_TIMEOUT_S = 120.0
VERSION_TIMEOUT_S = 20.0


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
    compiler = find_program(known.compiler, known.package, f"it compiles for {known.title}")
    return Toolchain(known, compiler, version_of(compiler))


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
    done = subprocess.run(
        [str(program), "--version"], capture_output=True, text=True, timeout=VERSION_TIMEOUT_S, check=False
    )
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0].strip() if lines else ""


def run_compiler(toolchain: Toolchain, arguments: Sequence[str], folder: Path) -> None:
    """Run the compiler in `folder`, with relative paths so that no path of this machine gets into its output.

    Raises:
        CheckFailed: it refused; the sentence carries what it said.
    """
    command = [str(toolchain.compiler), f"-ffile-prefix-map={folder}=.", *arguments]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=COMPILE_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise CheckFailed(
            f"{toolchain.profile.compiler} took longer than {COMPILE_TIMEOUT_S:g} s in {folder}"
        ) from late
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()
        shown = " ".join(arguments)
        raise CheckFailed(f"{toolchain.profile.compiler} failed with exit code {done.returncode}: {shown}\n{said}")
