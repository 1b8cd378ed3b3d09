"""Handles: what stands for an operation of a builder in Python's arithmetic.

`Value` stands for a real, `Flag` for 0 or 1, `Bits` for an unsigned integer as wide as the real. Arithmetic on handles
appends operations to their builder; writing the same operation twice gives the same handle.
"""

from fractions import Fraction
from typing import TYPE_CHECKING

from exporter.records import dataclass
from exporter.sequence.operations import Kind

if TYPE_CHECKING:
    from exporter.sequence.builder import Builder

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class Flag:
    """A handle to a 0-or-1 operation."""

    builder: "Builder"
    index: int

    def __and__(self, other: "Flag") -> "Flag":
        return self.builder.flag_and(self, other)

    def __or__(self, other: "Flag") -> "Flag":
        return self.builder.flag_or(self, other)

    def __invert__(self) -> "Flag":
        return self.builder.flag_not(self)


@dataclass(frozen=True, slots=True)
class Bits:
    """A handle to an unsigned integer as wide as the real."""

    builder: "Builder"
    index: int

    def __and__(self, other: "Bits | int") -> "Bits":
        return self.builder.bits_operation(Kind.BITS_AND, self, other)

    def __or__(self, other: "Bits | int") -> "Bits":
        return self.builder.bits_operation(Kind.BITS_OR, self, other)

    def __xor__(self, other: "Bits | int") -> "Bits":
        return self.builder.bits_operation(Kind.BITS_XOR, self, other)

    def __lshift__(self, distance: int) -> "Bits":
        return Bits(self.builder, self.builder.append(Kind.SHIFT_LEFT, (self.index,), distance))

    def __rshift__(self, distance: int) -> "Bits":
        return Bits(self.builder, self.builder.append(Kind.SHIFT_RIGHT, (self.index,), distance))

    def bit(self, number: int) -> Flag:
        """Bit `number` as a flag."""
        return Flag(self.builder, self.builder.append(Kind.BIT, (self.index,), number))

    def as_real(self) -> "Value":
        """The real that these bits spell."""
        return Value(self.builder, self.builder.append(Kind.REAL_OF, (self.index,)))


@dataclass(frozen=True, slots=True)
class Value:
    """A handle to a real operation. Arithmetic builds; `==` asks for the same operation."""

    builder: "Builder"
    index: int

    def __add__(self, other: "Value | Number") -> "Value":
        return self.builder.add(self, other if isinstance(other, Value) else self.builder.real(other))

    __radd__ = __add__

    def __sub__(self, other: "Value | Number") -> "Value":
        return self.builder.sub(self, other if isinstance(other, Value) else self.builder.real(other))

    def __rsub__(self, other: "Value | Number") -> "Value":
        return self.builder.sub(self.builder.real(other), self)

    def __mul__(self, other: "Value | Number") -> "Value":
        return self.builder.mul(self, other if isinstance(other, Value) else self.builder.real(other))

    __rmul__ = __mul__

    def __truediv__(self, other: "Value | Number") -> "Value":
        return self.builder.div(self, other if isinstance(other, Value) else self.builder.real(other))

    def __rtruediv__(self, other: "Value | Number") -> "Value":
        return self.builder.div(self.builder.real(other), self)

    def __neg__(self) -> "Value":
        return self.builder.neg(self)

    def __abs__(self) -> "Value":
        return self.builder.abs(self)

    def __lt__(self, other: "Value | Number") -> Flag:
        return self.builder.compare(Kind.LESS, self, self.builder.real(other))

    def __le__(self, other: "Value | Number") -> Flag:
        return self.builder.compare(Kind.LESS_EQUAL, self, self.builder.real(other))

    def __gt__(self, other: "Value | Number") -> Flag:
        return self.builder.compare(Kind.LESS, self.builder.real(other), self)

    def __ge__(self, other: "Value | Number") -> Flag:
        return self.builder.compare(Kind.LESS_EQUAL, self.builder.real(other), self)

    def bits(self) -> Bits:
        """The bits that spell this real."""
        return Bits(self.builder, self.builder.append(Kind.BITS_OF, (self.index,)))

    @property
    def constant(self) -> Fraction | None:
        """The exact value if this is a constant."""
        return self.builder.constant_of(self.index)
