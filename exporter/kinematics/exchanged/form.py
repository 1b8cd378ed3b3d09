"""Exchanged coordinates as data: a triangular form by other coordinates, and the table that finds these.

Made by: `search`. Used by: `solution`, which writes it into a sequence. The given coordinates that the triangular form
does not take stand against as many sought ones that it takes instead; all others are common to both.
"""

from fractions import Fraction

from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.seeded.ordered_elimination import Order
from exporter.kinematics.seeded.seed import Box, Polynomial
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass

BLOCK_ID = "N1"  # id of the steps among the blocks
MOST_STEPS = 2  # of Newton's method
LARGEST_TURN = Fraction(1, 2)  # rad, of one step


@dataclass(frozen=True, slots=True)
class Exchange:
    """A triangular form by other coordinates; given and sought ones in the order of elimination."""

    mechanism: Mechanism  # driven by the coordinates that are given
    inner: Solution  # the same mechanism in triangular form
    given: tuple[str, ...]  # coordinates that the triangular form gives, and whose values are prescribed
    sought: tuple[str, ...]  # coordinates that the triangular form takes instead
    order: Order  # of the Jacobian d given / d sought
    length: Fraction  # m

    @property
    def common(self) -> tuple[str, ...]:
        """Independent coordinates of both."""
        return tuple(name for name in self.mechanism.independent if name not in self.given)

    def unit(self, coordinate: str) -> Fraction:
        """What counts as one of a coordinate: 1 rad, or the mechanism's length in m."""
        return self.length if self.mechanism.is_displacement(coordinate) else Fraction(1)

    def longest_step(self, coordinate: str) -> Fraction:
        """The limit of one Newton step, rad or m."""
        return self.length / 2 if self.mechanism.is_displacement(coordinate) else LARGEST_TURN


@dataclass(frozen=True, slots=True)
class Seed:
    """A polynomial beside a constant, and how far it goes: within its range, and the steps from it; rad or m."""

    middle: Fraction
    polynomial: Polynomial  # without a constant
    reach: Fraction  # the largest value of the polynomial
    longest_step: Fraction


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """What rates and accelerations of the sought coordinates stay below while the given ones keep their bounds."""

    rates: tuple[Fraction, ...]  # rad/s or m/s
    accelerations: tuple[Fraction, ...]  # rad/s^2 or m/s^2


@dataclass(frozen=True, slots=True)
class SeedTable:
    """Seeds of the sought coordinates: polynomials in the given and common ones, in the order of the mechanism."""

    degree: int
    box: Box
    seeds: tuple[Seed, ...]
    limits: MotionLimits
    steps: int  # of Newton's method, from the seeds

    @property
    def steps_text(self) -> str:
        """How many steps, as words: "1 Newton step"."""
        return f"{self.steps} Newton step{'' if self.steps == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class ExchangedForm:
    """A mechanism that Newton steps solve."""

    exchange: Exchange
    table: SeedTable
    degree: int | None  # solutions in complex numbers, where that is known
    notes: tuple[str, ...] = ()
