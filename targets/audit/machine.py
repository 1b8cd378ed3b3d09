"""What the path proof knows of one processor: instructions with their flow, and how they change known registers.

Made by: `thumb.thumb_machine`, `x86.x86_machine`. Used by: path. Values are tracked only to decide branches with an
immediate trip count and to follow the stack pointer; whatever is not understood becomes unknown, never wrong.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple


class Flow(StrEnum):
    """Where control goes after an instruction."""

    NEXT = "next"
    JUMP = "jump"  # to `target`, always or under `condition`
    CALL = "call"  # to `target`, and back
    RETURN = "return"
    REFUSED = "refused"  # cannot be followed; `reason` says why


@dataclass(frozen=True, slots=True)
class Instruction:
    """One machine instruction. `target` is None where `callee` names an undefined symbol."""

    address: int
    size: int
    text: str
    code: Any  # the capstone instruction
    flow: Flow = Flow.NEXT
    target: int | None = None
    callee: str = ""
    condition: str = ""  # "" runs always; else a condition code of the machine
    predicated: bool = False  # inside an IT block: counts one also where it does not act
    reason: str = ""  # for REFUSED; for a predicated instruction: why it may not be predicated

    @property
    def next(self) -> int:
        """Address of the instruction behind it."""
        return self.address + self.size


class Value(NamedTuple):
    """A known number (base "") or a known distance from what a register held at function entry (base: its name)."""

    base: str
    offset: int


class Flags(NamedTuple):
    """Condition flags: True, False or unknown."""

    negative: bool | None = None
    zero: bool | None = None
    carry: bool | None = None  # ARM sense: no borrow
    overflow: bool | None = None


UNKNOWN_FLAGS = Flags()


@dataclass(frozen=True)
class State:
    """What is known at one point: an absent register is unknown."""

    registers: Mapping[str, Value]
    flags: Flags = UNKNOWN_FLAGS

    def get(self, register: str) -> Value | None:
        """The value, or None where it is unknown."""
        return self.registers.get(register)

    def with_values(self, changes: Mapping[str, Value | None]) -> "State":
        """A state with some registers set, or forgotten where the value is None."""
        merged = {name: value for name, value in self.registers.items() if name not in changes}
        merged.update((name, value) for name, value in changes.items() if value is not None)
        return replace(self, registers=merged)

    def without(self, registers: Iterable[str]) -> "State":
        """A state that has forgotten these registers."""
        return self.with_values(dict.fromkeys(registers))

    def with_flags(self, flags: Flags) -> "State":
        """A state with other flags."""
        return replace(self, flags=flags)

    def key(self) -> tuple[object, ...]:
        """A hashable form."""
        return (frozenset(self.registers.items()), self.flags)


def add_offset(value: Value | None, distance: int, bits: int) -> Value | None:
    """A value plus a constant, modulo 2^bits (kept signed for distances from a base)."""
    if value is None:
        return None
    total = (value.offset + distance) % (1 << bits)
    if value.base and total >> (bits - 1):
        total -= 1 << bits
    return Value(value.base, total)


def difference_flags(left: Value | None, right: Value | None, bits: int) -> Flags:
    """Flags after `left - right`. Distances from one base decide equality only: addresses may wrap."""
    if left is None or right is None or left.base != right.base:
        return UNKNOWN_FLAGS
    modulus = 1 << bits
    first, second = left.offset % modulus, right.offset % modulus
    if left.base:
        return Flags(zero=first == second)
    result = (first - second) % modulus
    sign = bits - 1
    return Flags(
        negative=bool(result >> sign),
        zero=result == 0,
        carry=first >= second,
        overflow=bool(((first ^ second) & (first ^ result)) >> sign),
    )


def result_flags(result: Value | None, bits: int) -> Flags:
    """Negative and zero flags of a known number; carry and overflow unknown."""
    if result is None or result.base:
        return UNKNOWN_FLAGS
    return Flags(negative=bool(result.offset >> (bits - 1)), zero=result.offset == 0)


@dataclass(frozen=True)
class Machine:
    """The processor's part of the proof."""

    name: str
    stack_register: str
    call_bytes: int  # what a call pushes by itself
    preserved: frozenset[str]  # callee-saved registers of the calling convention
    decode: Callable[[int], Instruction]
    apply: Callable[[Instruction, State], State]
    decide: Callable[[Instruction, State], bool | None]  # does the condition hold?
    writes: Callable[[Instruction], frozenset[str]]
    saves: Callable[[Instruction], frozenset[str]]  # registers that it pushes
    entry: State
