"""A folder for one build at a time, which a build that fails leaves as it was before.

In: a folder. Out: a context in which no other process builds there, and one whose products come there at its end.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from exporter.errors import KinefixError
from exporter.full_disk import named_when_full
from exporter.interruption import unbroken

FRESH_NAME = ".new"
"""Where a build is made that shall replace what is in the folder; one that was killed leaves it behind."""
LOCK_NAME = ".building"
"""Held in a folder while something is built there; a build that was killed leaves it behind, unlocked."""


@contextmanager
def claim_folder(folder: Path) -> Iterator[None]:
    """The folder, made if need be, for one build at a time; what was made for a build that fails is taken away.

    Raises:
        KinefixError: another build has it.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - not for --help

    new = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK_NAME)  # the system lets go of it when its holder ends, however that one ends
    try:
        lock.acquire(timeout=0)
    except Timeout as taken:
        raise KinefixError(f"'{folder}' is in use by another build; wait for it, or name another folder") from taken
    done = False
    try:
        with named_when_full(folder):
            yield
        done = True
    finally:
        lock.release()
        (folder / LOCK_NAME).unlink(missing_ok=True)
        if not done:
            _take_away(new)


@contextmanager
def made_apart(folder: Path) -> Iterator[Path]:
    """A new folder in a claimed one: its files replace those of the claimed one once the build has succeeded."""
    fresh = folder / FRESH_NAME
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    try:
        yield fresh
        with unbroken(f"the build in '{folder}' is complete"):
            _bring(fresh, folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _bring(fresh: Path, folder: Path) -> None:
    for path in sorted(fresh.rglob("*")):
        place = folder / path.relative_to(fresh)
        if path.is_dir():
            place.mkdir(exist_ok=True)
        else:
            path.replace(place)


def _take_away(folders: list[Path]) -> None:
    """Delete folders that were not there before a build, the innermost first and with what the build left in it."""
    if folders:
        shutil.rmtree(folders[0], ignore_errors=True)
    for folder in folders[1:]:
        with suppress(OSError):  # another build put something there
            folder.rmdir()
