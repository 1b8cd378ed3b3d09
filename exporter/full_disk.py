"""Names the place in the error of a full disk, for the system does not say which one is full.

In: a place. Out: a context, in which such an error gets its name; or a temporary folder, in which it does.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system says where a disk, a quota or a file takes no more."""


@contextmanager
def named_when_full(place: Path) -> Iterator[None]:
    """Name the place in the error of a full disk that is raised inside."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL and error.filename is None:
            error.filename = str(place)
        raise


@contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """A folder until the context ends; where the disk is full, the folder for temporary ones is named."""
    import tempfile  # noqa: PLC0415 - not for --help

    with tempfile.TemporaryDirectory(prefix=prefix) as made, named_when_full(Path(made).parent):
        yield Path(made)
