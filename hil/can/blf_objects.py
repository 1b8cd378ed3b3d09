"""Counts the objects of a BLF log, which python-can does not tell: those that it has no messages for count too.

In: the bytes of a file. Out: how many whole objects it holds, by the sizes that they state. Objects lie one after the
other in containers, which may be compressed, and may go on in the next container.
"""

import struct
import zlib
from collections.abc import Iterator

OBJECT = struct.Struct("<4sHHLL")  # signature, size of the header, its version, size, type
CONTAINER = struct.Struct("<HxxxxxxLxxxx")  # method, size after decompression
MARK, CONTAINER_TYPE, DEFLATED = b"LOBJ", 10, 2
FILE_HEAD = struct.Struct("<4sL")  # signature, size
WORD = 4
"""Objects begin at multiples of this many bytes, after up to as many of padding."""


def count_objects(content: bytes) -> int:
    """How many whole objects a file holds.

    Raises `ValueError` or `zlib.error` where an object is none, or smaller than its own head.
    """
    return sum(1 for _ in _objects(b"".join(_containers(content)), 0))


def _containers(content: bytes) -> Iterator[bytes]:
    """What containers hold, one after the other, and the objects beside them."""
    _, start = FILE_HEAD.unpack_from(content)
    for at, size, kind in _objects(content, start):
        body = content[at + OBJECT.size : at + size]
        if kind != CONTAINER_TYPE:
            yield content[at : at + size] + bytes(-size % WORD)
            continue
        method, _ = CONTAINER.unpack_from(body)
        held = body[CONTAINER.size :]
        yield zlib.decompressobj().decompress(held) if method == DEFLATED else held


def _objects(data: bytes, start: int) -> Iterator[tuple[int, int, int]]:
    """Place, size and type of each whole object."""
    at = start
    while len(data) - at >= OBJECT.size:
        at = data.find(MARK, at, at + 2 * WORD)
        if at < 0:
            raise ValueError("what should be an object of the log is none")
        if len(data) - at < OBJECT.size:
            return
        _, _, _, size, kind = OBJECT.unpack_from(data, at)
        if size < OBJECT.size:
            raise ValueError(f"an object of the log has {size} bytes, and its head alone {OBJECT.size}")
        if at + size > len(data):
            return
        yield at, size, kind
        at += size
