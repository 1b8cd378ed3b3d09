"""Complex numbers whose parts are values of a sequence: vectors in the plane of motion."""

from exporter.records import dataclass
from exporter.sequence.builder import Builder, Number, Value


@dataclass(frozen=True, slots=True)
class Complex:
    """re + i im. Products with constant zeros, ones and quarter turns cost nothing."""

    re: Value
    im: Value

    def __add__(self, other: "Complex") -> "Complex":
        return Complex(self.re + other.re, self.im + other.im)

    def __sub__(self, other: "Complex") -> "Complex":
        return Complex(self.re - other.re, self.im - other.im)

    def __neg__(self) -> "Complex":
        return Complex(-self.re, -self.im)

    def __mul__(self, other: "Complex") -> "Complex":
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def scaled(self, factor: Value | Number) -> "Complex":
        """Times a real."""
        return Complex(self.re * factor, self.im * factor)

    def conjugate(self) -> "Complex":
        """re - i im."""
        return Complex(self.re, -self.im)

    def times_i(self) -> "Complex":
        """Turned by a quarter turn."""
        return Complex(-self.im, self.re)

    def dot(self, other: "Complex") -> Value:
        """Scalar product of the two vectors."""
        return self.re * other.re + self.im * other.im

    def cross(self, other: "Complex") -> Value:
        """The normal component of the vector product."""
        return self.re * other.im - self.im * other.re

    def squared(self) -> Value:
        """re^2 + im^2."""
        return self.re * self.re + self.im * self.im

    @property
    def is_constant(self) -> bool:
        """Whether real and imaginary part are constants."""
        return self.re.constant is not None and self.im.constant is not None

    @property
    def is_zero(self) -> bool:
        """Whether real and imaginary part are the constant 0."""
        return self.re.constant == 0 and self.im.constant == 0


def real(builder: Builder, number: Value | Number) -> Complex:
    """A real as a complex."""
    return Complex(builder.real(number), builder.real(0))


def unit_of(vector: Complex, length: Value) -> Complex:
    """vector / length."""
    return Complex(vector.re / length, vector.im / length)
