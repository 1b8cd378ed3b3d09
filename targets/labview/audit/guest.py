"""Runs the code of a library in unicorn, as its caller would call it: arguments by the ABI, results, what is preserved.

In: a library of x86, x86-64 or ARM. Out: a `Guest` to call its functions, with memory to put arrays in. Loops over rows
run inside the emulated code. Counting goes block by block: every instruction of a block that is entered is run.
"""

import struct
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from exporter.errors import CheckFailed
from exporter.time_limits import UNICORN_S
from targets.labview.audit.abi import Abi, Argument, abis
from targets.labview.audit.image import LoadedImage, load_elf, load_pe
from targets.unicorn_limit import stop_after

PAGE = 0x1000
STACK_TOP, STACK_BYTES = 0x7000_0000, 0x10_0000
RETURN_ADDRESS = 0x6800_0000
ARENA_START = 0x2000_0000  # of the memory for arguments
INT32_SIGN = 1 << 31


@dataclass(slots=True)
class Guest:
    """A library in an emulator."""

    name: str
    abi: Abi
    image: LoadedImage
    _engine: Any
    limit_s: float = UNICORN_S  # CPU seconds of a first call
    _free: int = ARENA_START
    _lengths: dict[tuple[int, int], int] = field(default_factory=dict)
    _returned: set[str] = field(default_factory=set)

    def place(self, content: bytes) -> int:
        """Put bytes into fresh memory; their address."""
        size = max(1, -(-len(content) // PAGE)) * PAGE
        address, self._free = self._free, self._free + size + PAGE  # a page between, which nobody may touch
        self._engine.mem_map(address, size)
        self._engine.mem_write(address, content)
        return address

    def read(self, address: int, size: int) -> bytes:
        """Bytes from memory."""
        return bytes(self._engine.mem_read(address, size))

    def call(self, symbol: str, arguments: Sequence[Argument], misalignment: int = 0) -> int:
        """Call an exported function; its int32 result.

        `misalignment`: bytes by which the caller's stack is off the best alignment, within what the ABI allows.

        Raises:
            CheckFailed: it faulted, did not return, or did not preserve what the ABI says.
        """
        pointer = STACK_TOP - PAGE - misalignment
        before = self.abi.prepare(self._engine, arguments, pointer, RETURN_ADDRESS)
        self._run(symbol)
        wrong = self.abi.first_change(self._engine, before)
        if wrong:
            raise CheckFailed(f"{self.name}: {symbol} does not preserve {wrong}; please report this")
        word = int(self._engine.reg_read(self.abi.result)) & 0xFFFFFFFF
        return word - 2 * INT32_SIGN if word & INT32_SIGN else word

    def count(self, symbol: str, arguments: Sequence[Argument]) -> tuple[int, int]:
        """(result, instructions) of one call, the return included; those that are predicated off count."""
        from unicorn import UC_HOOK_BLOCK  # noqa: PLC0415 - not for --help

        blocks: Counter[tuple[int, int]] = Counter()

        def entered(_engine: Any, address: int, size: int, _data: Any) -> None:
            blocks[address, size] += 1

        hook = self._engine.hook_add(UC_HOOK_BLOCK, entered)
        self._engine.ctl_flush_tb()  # what was translated before has no hook in it
        try:
            result = self.call(symbol, arguments)
        finally:
            self._engine.hook_del(hook)
            self._engine.ctl_flush_tb()
        return result, sum(times * self._instructions(*block) for block, times in blocks.items())

    def _instructions(self, address: int, size: int) -> int:
        """How many instructions these bytes are."""
        if (address, size) not in self._lengths:
            code = self.read(address, size)
            decoded = list(self.abi.disassembler()(code, address))
            if sum(each.size for each in decoded) != size:
                raise CheckFailed(f"{self.name}: bytes at {address:#x} were run and are no instructions that are known")
            self._lengths[address, size] = len(decoded)
        return self._lengths[address, size]

    def _run(self, symbol: str) -> None:
        import unicorn  # noqa: PLC0415 - not for --help

        engine: Any = unicorn
        start = self.image.exports[symbol]
        known = symbol in self._returned  # a watcher costs more than a short call
        try:
            with nullcontext() if known else stop_after(self._engine, self.limit_s):
                self._engine.emu_start(start, RETURN_ADDRESS)
        except engine.UcError as error:
            at = self._engine.reg_read(self.abi.program_counter) - self.image.base
            raise CheckFailed(f"{self.name}: {symbol} faulted in unicorn at offset {at:#x}: {error}") from error
        if self._engine.reg_read(self.abi.program_counter) != RETURN_ADDRESS:
            raise CheckFailed(
                f"{self.name}: {symbol} did not return within {self.limit_s:g} s of CPU; please report this"
            )
        self._returned.add(symbol)


def guest(path: Path, machine: str) -> Guest:
    """Load a library for its machine, "x86", "x86-64" or "arm"."""
    image = load_pe(path) if path.suffix == ".dll" else load_elf(path)
    abi = abis()["win64" if machine == "x86-64" and path.suffix == ".dll" else machine]
    engine = abi.engine()
    engine.mem_map(image.base, image.size)
    for address, content in image.segments:
        engine.mem_write(address, content)
    engine.mem_map(STACK_TOP - STACK_BYTES, STACK_BYTES)
    engine.mem_map(RETURN_ADDRESS, PAGE)
    return Guest(path.name, abi, image, engine)


def doubles(values: Sequence[float]) -> bytes:
    """Reals as they lie in memory."""
    return struct.pack(f"<{len(values)}d", *values)
