"""Writes files whole or not at all: beside their place first, then renamed into it.

In: a path and bytes. Out: the file, its folders made where they are missing. Ctrl-C or a full disk on the way leaves
what was there before.
"""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write or replace a file.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    except OSError as error:
        if error.filename == str(fresh):
            error.filename = str(path)
        raise
    finally:
        fresh.unlink(missing_ok=True)


def write_page(path: Path, text: str) -> None:
    """Write or replace an HTML page; a PDF that was printed of the one before goes first.

    Raises:
        OSError: it cannot be written; the page is as it was.
    """
    path.with_suffix(".pdf").unlink(missing_ok=True)
    write_whole(path, text.encode("utf-8"))
