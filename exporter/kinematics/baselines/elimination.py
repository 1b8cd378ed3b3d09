"""Linear systems of Newton's methods inside a sequence, regular wherever the matrix is.

In: the Jacobian of a block as values. Used by: `newton`. Up to two unknowns by the determinant; above that
elimination with partial pivoting, rows exchanged by selects so that the cost does not depend on the data.
"""

from collections.abc import Sequence
from fractions import Fraction

from exporter.kinematics.baselines.structure import CLOSED_FORM, NewtonBlock
from exporter.kinematics.protocol.limits import PIVOT_THRESHOLD
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import limitable, signed_pivot
from exporter.sequence.linear.elimination import solve
from exporter.sequence.linear.policy import BY_SELECT, Policy, Row

MULTIPLIER_LIMIT = Fraction(1)  # of a pivot that is the largest of its column


@dataclass(frozen=True, slots=True)
class LinearSystem:
    """matrix * x = side, unknowns in the order of the block's coordinates."""

    block: NewtonBlock
    matrix: tuple[tuple[Value, ...], ...]
    limits: tuple[Fraction, ...]  # of |x|, where a proof needs them

    @property
    def _builder(self) -> Builder:
        return self.matrix[0][0].builder

    def solve(self, side: Sequence[Value]) -> list[Value]:
        """The unknowns."""
        policy = Policy(
            self._guarded,
            largest_first,
            self._factor,
            self._unknown,
            by_determinant=CLOSED_FORM,
            names=self.block.coordinates,
        )
        return solve(self.matrix, side, policy)

    def _about(self) -> str:
        return f"a pivot of Newton's method in block {self.block.id} is below its threshold"

    def _guarded(self, pivot: Value, _: int, number: int) -> Value:
        """The pivot, kept away from zero by a part of what it is at the design pose."""
        threshold = PIVOT_THRESHOLD[self._builder.precision] * _short(self.block.pivots[number])
        return signed_pivot(self._builder, pivot, threshold, self._about())

    def _factor(self, value: Value, *_: int) -> Value:
        return self._limitable(value, MULTIPLIER_LIMIT)

    def _unknown(self, value: Value, position: int) -> Value:
        return self._limitable(value, self.limits[position])

    def _limitable(self, value: Value, limit: Fraction) -> Value:
        return limitable(self._builder, value, limit, self._about())


def largest_first(rows: Sequence[Row], _: int) -> list[Row]:
    """The row whose first entry is largest in magnitude comes first, by selects; rows without that unknown are left."""
    best, *others = (row for row in rows if row.entries[0].constant != 0)
    losers = []
    for row in others:
        best, loser = _exchange_rows(best, row)
        losers.append(loser)
    return [best, *(row for row in rows if row.entries[0].constant == 0), *losers]


def _exchange_rows(first: Row, second: Row) -> tuple[Row, Row]:
    """The row whose first entry is larger in magnitude, then the other."""
    builder = first.entries[0].builder
    swap = abs(first.entries[0]) < abs(second.entries[0])
    pairs = list(zip(first.entries, second.entries, strict=True))
    larger = tuple(builder.select(swap, b, a) for a, b in pairs)
    return Row(larger, BY_SELECT), Row(tuple(builder.select(swap, a, b) for a, b in pairs), BY_SELECT)


def _short(number: float) -> Fraction:
    """A float to three digits, so that thresholds read well."""
    return Fraction(f"{number:.3g}")
