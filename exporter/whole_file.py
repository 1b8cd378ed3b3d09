"""Writes files whole or not at all: beside their place first, then renamed into it.

In: a path and bytes. Out: the file, its folders made where they are missing. Ctrl-C or a full disk on the way leaves
what was there before.
"""

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from exporter.full_disk import named_when_full
from exporter.interruption import unbroken


def write_whole(path: Path, content: bytes) -> None:
    """Write or replace a file.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with named_when_full(path):
            fresh.write_bytes(content)
        fresh.replace(path)
    except OSError as error:
        if error.filename == str(fresh):
            error.filename = str(path)
        raise
    finally:
        fresh.unlink(missing_ok=True)


def write_together(
    folder: Path, files: Iterable[tuple[str, bytes]], replaced: Callable[[], object] = lambda: None
) -> None:
    """Write or replace several files of a folder: none comes to its place before all of them are complete.

    Args:
        folder: made where it is missing.
        files: paths in the folder, with "/", and what they hold; they come to their places in this order.
        replaced: takes away what they replace, once they are complete.

    Raises:
        OSError: they cannot be written, and what was there is as it was; or one cannot come to its place.
        Interrupted: a signal came while they came to their places, which they then did.
    """
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{os.getpid()}.new"
    try:
        with named_when_full(folder):
            names = [write_below(fresh, name, content) for name, content in files]
        with unbroken(f"what was written to '{folder}' is complete"):
            replaced()
            for name in names:
                _bring(fresh / name, folder / name)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def write_below(folder: Path, name: str, content: bytes) -> str:
    """Write a file of a folder that is not in its place yet; gives its path in the folder, with "/"."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return name


def _bring(fresh: Path, path: Path) -> None:
    """Rename a file into its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_printed(path)
    fresh.replace(path)


def _remove_printed(path: Path) -> None:
    """Remove the PDF that was printed of an earlier page, where this is one."""
    if path.suffix == ".html":
        path.with_suffix(".pdf").unlink(missing_ok=True)


def write_page(path: Path, text: str) -> None:
    """Write or replace an HTML page; a PDF that was printed of the one before goes first.

    Raises:
        OSError: it cannot be written; the page is as it was.
    """
    _remove_printed(path)
    write_whole(path, text.encode("utf-8"))
