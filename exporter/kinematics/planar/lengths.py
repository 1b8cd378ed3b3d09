"""Squared lengths of sums of unit-turned vectors, by the law of cosines where that is cheaper.

|z1 + E z2|^2 = |z1|^2 + |z2|^2 + 2 Re(conj(z1) z2 E): one multiplication where conj(z1) z2 is real or imaginary.
"""

from exporter.kinematics.planar.complex_value import Complex
from exporter.records import dataclass
from exporter.sequence.builder import Value


@dataclass(frozen=True, slots=True)
class Affine:
    """offset + slope * variable, kept apart so that scaling and shifting fold into the constants."""

    offset: Value
    slope: Value
    variable: Value

    def times(self, factor: Value) -> "Affine":
        """Scaled by a constant."""
        return Affine(self.offset * factor, self.slope * factor, self.variable)

    def plus(self, number: Value) -> "Affine":
        """Shifted by a constant."""
        return Affine(self.offset + number, self.slope, self.variable)

    def minus(self, other: "Affine") -> "Affine | None":
        """The difference where it is affine again, else None."""
        if other.slope.constant == 0:
            return Affine(self.offset - other.offset, self.slope, self.variable)
        if self.slope.constant == 0:
            return Affine(self.offset - other.offset, -other.slope, other.variable)
        return None

    def value(self) -> Value:
        """Written out."""
        return self.offset + self.slope * self.variable

    @property
    def is_fixed(self) -> bool:
        """Nothing moves in it (its offset may be tunable)."""
        return self.slope.constant == 0

    @property
    def is_positive(self) -> bool:
        """Certainly above zero, the variable being a sine or cosine."""
        offset, slope = self.offset.constant, self.slope.constant
        return offset is not None and slope is not None and offset > abs(slope)


def squared_length(parts: list[tuple[Complex, Complex]], total: Complex) -> Affine:
    """|sum of unit * vector|^2; `total` is that sum. `parts` are (unit, constant vector); order does not matter."""
    zero = total.re.builder.real(0)
    if len(parts) == 1:
        return Affine(parts[0][1].squared(), zero, zero)
    if len(parts) == 2:
        affine = _law_of_cosines(parts)
        if affine is not None:
            return affine
    return plain(total.squared())


def plain(square: Value) -> Affine:
    """A value that is not known to be an affine function of a sine or cosine."""
    zero = square.builder.real(0)
    if square.constant is not None:
        return Affine(square, zero, zero)
    return Affine(zero, square.builder.real(1), square)


def _law_of_cosines(parts: list[tuple[Complex, Complex]]) -> Affine | None:
    (unit_a, a), (unit_b, b) = parts
    if not unit_a.is_constant:
        (unit_a, a), (unit_b, b) = (unit_b, b), (unit_a, a)
    if not unit_a.is_constant:
        return None
    factor = (unit_a * a).conjugate() * b
    lengths = a.squared() + b.squared()
    if factor.im.constant == 0:
        return Affine(lengths, 2 * factor.re, unit_b.re)
    if factor.re.constant == 0:
        return Affine(lengths, -2 * factor.im, unit_b.im)
    return None
