"""Roots and angles with their derivatives: what every spatial block is made of.

A root is clamped, its derivative divides by a guarded pivot. An angle is a pair (cosine, sine) whose rate is known
by a formula of its block, so that everything behind it is differentiated by the chain rule through that rate alone.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

from exporter.kinematics.protocol.derivatives import Derivatives, Rule, Rules
from exporter.kinematics.protocol.frames import square_root
from exporter.kinematics.protocol.limits import FOLD_THRESHOLD, PIVOT_THRESHOLD, RATE_LIMIT
from exporter.kinematics.protocol.vectors import Vector
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import clamped_radicand, limitable, positive_pivot, warn_below
from exporter.sequence.operations import Precision

LARGEST_PART = Fraction(2)  # of a cosine or sine: more than rounding leaves of any that is regular
LARGEST_QUOTIENT = 8  # of two factors of an equation, one constant: three bits are lost where it is divided by that one
PAIR_BEYOND_LIMIT = "the cosine or sine of an angle is beyond its limit"
RATE_BEYOND_LIMIT = "a rate is beyond its limit"
Sign = int | Value
"""Of a root: 1, -1, or a value of the sequence that is one of them."""


@dataclass(frozen=True, slots=True)
class Angle:
    """Cosine and sine of an angle, and its rate."""

    cosine: Value
    sine: Value
    rate: Rule
    value: Value | None = None  # the angle itself within [-pi, pi], where it was solved as an angle


@dataclass(frozen=True, slots=True)
class Root:
    """A root of a clamped radicand, and the same guarded for dividing by it."""

    radicand: Value
    value: Value
    guarded: Callable[[], Value]


@dataclass(frozen=True, slots=True)
class RootWriter:
    """What blocks write with."""

    builder: Builder
    rules: Rules
    length: Fraction  # m, the mechanism's size

    @property
    def threshold(self) -> Fraction:
        """Smallest dimensionless pivot."""
        return PIVOT_THRESHOLD[self.builder.precision]

    @property
    def fold(self) -> Fraction:
        """Smallest pivot that is the root of a difference, over the root of the minuend."""
        return FOLD_THRESHOLD[self.builder.precision]

    def root(
        self, radicand: Value, scale: Fraction, reach: str, near: str, *, minuend: Value | Fraction | None = None
    ) -> Root:
        """The root of a radicand whose terms are of magnitude `scale` at most; `minuend`: at this pose, if less.

        Rounding of the minuend is all that a radicand below zero may be, and what the root is small against where it
        divides; the scale bounds what is divided by.
        """
        clamped = clamped_radicand(self.builder, radicand, scale if minuend is None else minuend, reach)
        value = self.builder.sqrt(clamped)

        def guarded() -> Value:
            if not isinstance(minuend, Value):
                return positive_pivot(self.builder, value, square_root(minuend or scale) * self.fold, near)
            warn_below(radicand, minuend, self.fold**2, near)
            return positive_pivot(self.builder, value, square_root(scale) * self.threshold, near)

        self.rules.register(value, lambda d: d.of(radicand) / (2 * guarded()))
        return Root(radicand, value, guarded)

    def positive_root(self, radicand: Value) -> Root:
        """The root of something that its own form keeps above zero."""
        value = self.builder.sqrt(radicand)
        return Root(radicand, value, lambda: value)

    def away_from_zero(self, square: Value, scale: Fraction, about: str) -> Value:
        """A sum of squares of magnitude `scale`, for dividing by."""
        limit = scale * self.threshold * self.threshold
        return positive_pivot(self.builder, square, limit, about, condition="GUARD_SMALL")

    def _limitable(self, rate: Value) -> Value:
        """A rate, which a proof may limit."""
        return limitable(self.builder, rate, RATE_LIMIT[self.builder.precision], RATE_BEYOND_LIMIT)

    def limitable_vector(self, vector: Vector, limits: Mapping[Precision, Fraction]) -> Vector:
        """A velocity or acceleration, whose components a proof may limit."""
        limit = limits[self.builder.precision]
        return Vector(*(limitable(self.builder, part, limit, RATE_BEYOND_LIMIT) for part in vector.parts()))

    def quotient(
        self, derivatives: Derivatives, numerator: Value, pivot: Value, change: Callable[[Value], Value]
    ) -> Value:
        """numerator / pivot, whose own derivative divides by the same pivot; `change` is the pivot's."""
        quotient = self._limitable(numerator / pivot)
        derivatives.register(quotient, lambda d: (d.of(numerator) - quotient * change(quotient)) / pivot)
        return quotient

    def angle(self, cosine: Value, sine: Value, rate: Rule, given: tuple[Value, ...] = ()) -> Angle:
        """An angle whose pair is differentiated through its rate, save what the rate itself is `given`.

        Bounds of a chain of such pairs grow from one to the next: a proof may limit them.
        """
        for part in (cosine, sine):
            limitable(self.builder, part, LARGEST_PART, PAIR_BEYOND_LIMIT)

        def limited(derivatives: Derivatives) -> Value:
            return self._limitable(rate(derivatives))

        same = {each for value in given for each in (value, -value)}
        if cosine not in same:
            self.rules.register(cosine, lambda d: -(sine * d.once(limited)))
        if sine not in same:
            self.rules.register(sine, lambda d: cosine * d.once(limited))
        return Angle(cosine, sine, lambda d: d.once(limited))


def with_sign(value: Value, sign: Sign) -> Value:
    """A root with the sign of its branch: frozen, or a value of the sequence."""
    if isinstance(sign, Value):
        return value * sign
    return value if sign > 0 else -value


def _slope_change(rate: Value, cosine: Value, sine: Value, *, swap: bool) -> Value:
    return rate * cosine if swap else -(rate * sine)


@dataclass(frozen=True, slots=True)
class TurnSolution:
    """The angle that solves A cos + B sin = C, its margin and pivot (both dimensionless)."""

    angle: Angle
    margin: Value
    pivot: Value


def solve_turn(
    tools: RootWriter, a: Value, b: Value, c: Value, sign: Sign, scale: Fraction, texts: tuple[str, str]
) -> TurnSolution:
    """A cos + B sin = C; `sign` is that of its slope B cos - A sin. `scale` bounds A^2 + B^2; `texts` what fails.

    Where A or B is constant, the equation is divided by it, unless the other may be far larger.
    """
    if b.constant and not (a.constant and abs(a.constant) > abs(b.constant)) and _is_divisor(b, a, scale):
        return _divide_by_norm(tools, a / b, c / b, sign if b.constant > 0 else -sign, texts, swap=False)
    if a.constant and _is_divisor(a, b, scale):
        return _divide_by_norm(tools, b / a, c / a, sign if a.constant > 0 else -sign, texts, swap=True)
    if c.constant == 0:
        return _turn_across(tools, a, b, sign, scale, texts)
    squares = a * a + b * b
    root = tools.root(squares - c * c, scale, *texts, minuend=squares)
    slope = with_sign(root.value, sign)
    inverse = 1 / tools.away_from_zero(squares, scale, texts[1])
    cosine = (a * c + b * slope) * inverse
    sine = (b * c - a * slope) * inverse

    def rate(derivatives: Derivatives) -> Value:
        d = derivatives.of
        pivot = with_sign(root.guarded(), sign)
        numerator = d(c) - d(a) * cosine - d(b) * sine
        return tools.quotient(derivatives, numerator, pivot, lambda rate: d(b) * cosine - d(a) * sine - c * rate)

    size = square_root(scale)
    return TurnSolution(tools.angle(cosine, sine, rate), root.radicand / scale, root.value / size)


def _is_divisor(constant: Value, other: Value, scale: Fraction) -> bool:
    """Whether A cos + B sin = C may be divided by a constant A or B: the larger of two, or one that is not small.

    The quotient of the other by it multiplies the rounding of the first part of the pair in the second.
    """
    assert constant.constant is not None
    return other.constant is not None or constant.constant**2 * LARGEST_QUOTIENT**2 >= scale


def _turn_across(
    tools: RootWriter, a: Value, b: Value, sign: Sign, scale: Fraction, texts: tuple[str, str]
) -> TurnSolution:
    """A cos + B sin = 0: the pair is that of (B, -A) over its length, with no more rounding than that of a quotient."""
    squares = tools.away_from_zero(a * a + b * b, scale, texts[1])
    root = tools.positive_root(squares)
    tools.rules.register(root.value, lambda d: d.of(squares) / (2 * root.value))
    inverse = 1 / with_sign(root.value, sign)
    cosine, sine = b * inverse, -(a * inverse)

    def rate(derivatives: Derivatives) -> Value:
        d = derivatives.of
        numerator = -(d(a) * cosine) - d(b) * sine
        return tools.quotient(
            derivatives, numerator, with_sign(root.value, sign), lambda _: d(b) * cosine - d(a) * sine
        )

    return TurnSolution(tools.angle(cosine, sine, rate), squares / scale, root.value / square_root(scale))


def _divide_by_norm(
    tools: RootWriter, a: Value, k: Value, sign: Sign, texts: tuple[str, str], *, swap: bool
) -> TurnSolution:
    """a cos + sin = k, or with swap cos + a sin = k."""
    squares = 1 + a * a
    bound = Fraction(1) if a.constant == 0 else Fraction(4)
    root = tools.root(squares - k * k, bound, *texts, minuend=squares)
    slope = with_sign(root.value, sign)
    first = (a * k - slope if swap else a * k + slope) / squares
    second = k - a * first
    cosine, sine = (second, first) if swap else (first, second)

    def rate(derivatives: Derivatives) -> Value:
        d = derivatives.of
        pivot = with_sign(root.guarded(), sign)
        numerator = d(k) - d(a) * (sine if swap else cosine)

        def change(rate: Value) -> Value:
            return _slope_change(d(a), cosine, sine, swap=swap) - k * rate

        return tools.quotient(derivatives, numerator, pivot, change)

    return TurnSolution(tools.angle(cosine, sine, rate, (a, k)), root.radicand, root.value)
