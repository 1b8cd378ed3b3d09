"""The one typed door to capstone, which is untyped: bytes and an address in, its instructions out."""

from collections.abc import Callable, Iterator
from typing import Any

from capstone import Cs

Disassembler = Callable[[bytes, int], Iterator[Any]]


def disassembler(architecture: int, mode: int) -> Disassembler:
    """A function that decodes bytes at an address with details, until the first unknown instruction."""
    engine = Cs(architecture, mode)  # type: ignore[no-untyped-call]
    engine.detail = True

    def decode(data: bytes, address: int) -> Iterator[Any]:
        yield from engine.disasm(data, address)  # type: ignore[no-untyped-call]

    return decode
