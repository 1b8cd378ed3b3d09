"""Writes files into a zip whose bytes depend on the files alone.

In: place -> bytes. Out: the zip's bytes: sorted, stored (a compressor's output depends on its version), one date, one
mode.
"""

import hashlib
import io
import zipfile
from collections.abc import Mapping

EARLIEST_TIME = (1980, 1, 1, 0, 0, 0)
"""What a zip can say of time at the least; it stands for none."""
UNIX_SYSTEM = 3  # the entry's mode is one of Unix
FILE_MODE = 0o644 << 16  # in the upper half of a zip's attributes


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """The zip."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for place in sorted(files):
            entry = zipfile.ZipInfo(place, EARLIEST_TIME)
            entry.create_system = UNIX_SYSTEM
            entry.external_attr = FILE_MODE
            archive.writestr(entry, files[place])
    return stream.getvalue()


def sums(files: Mapping[str, bytes]) -> bytes:
    """SHA256SUMS as sha256sum -c reads it."""
    lines = [f"{hashlib.sha256(files[place]).hexdigest()}  {place}\n" for place in sorted(files)]
    return "".join(lines).encode()
