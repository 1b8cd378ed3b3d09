"""Linear systems of Newton's methods inside a sequence, regular wherever the matrix is.

Comes from: the Jacobian of a block as values. Goes to: `newton`. Up to two unknowns by the determinant; above that
Gaussian elimination with partial pivoting, rows exchanged by selects so that the cost does not depend on the data.
Zeros that hold in every pose cost nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exporter.kinematics.baselines.structure import CLOSED_FORM, NewtonBlock
from exporter.kinematics.protocol.limits import PIVOT_THRESHOLD
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import saturated, signed_pivot

Row = list[Value]
MULTIPLIER_LIMIT = Fraction(1)  # of a pivot that is the largest of its column


@dataclass(frozen=True, slots=True)
class LinearSystem:
    """matrix * x = side, unknowns in the order of the block's coordinates."""

    block: NewtonBlock
    matrix: tuple[tuple[Value, ...], ...]
    limits: tuple[Fraction, ...]  # of |x|, where the builder saturates

    @property
    def _builder(self) -> Builder:
        return self.matrix[0][0].builder

    def solve(self, side: Sequence[Value]) -> list[Value]:
        """The unknowns."""
        rows = [[*row, value] for row, value in zip(self.matrix, side, strict=True)]
        upper: list[Row] = []
        while len(rows) > CLOSED_FORM:
            pivot_row, rows = self._eliminated(rows, len(upper))
            upper.append(pivot_row)
        found = self._closed_form(rows, len(upper))
        for row in reversed(upper):
            found.insert(0, self._back_substituted(row, found))
        return found

    def _about(self) -> str:
        return f"a pivot of Newton's method in block {self.block.id} is below its threshold"

    def _guarded(self, pivot: Value, number: int) -> Value:
        """The pivot, kept away from zero by a part of what it is at the design pose."""
        threshold = PIVOT_THRESHOLD[self._builder.precision] * _short(self.block.pivots[number])
        return signed_pivot(self._builder, pivot, threshold, self._about())

    def _limited(self, value: Value, limit: Fraction) -> Value:
        return saturated(self._builder, value, limit, self._about()) if self._builder.saturate else value

    # -- elimination -------------------------------------------------------------------------------------------------

    def _eliminated(self, rows: list[Row], number: int) -> tuple[Row, list[Row]]:
        """The row of the next pivot, and the other rows without their first column."""
        involved = [row for row in rows if row[0].constant != 0]
        others = [row[1:] for row in rows if row[0].constant == 0]
        best = involved[0]
        losers: list[Row] = []
        for row in involved[1:]:
            best, loser = self._exchanged(best, row)
            losers.append(loser)
        pivot = self._guarded(best[0], number)
        inverse = 1 / pivot
        for row in losers:
            multiplier = self._limited(row[0] * inverse, MULTIPLIER_LIMIT)
            others.append([entry - multiplier * above for entry, above in zip(row[1:], best[1:], strict=True)])
        return [inverse, *best[1:]], others

    def _exchanged(self, first: Row, second: Row) -> tuple[Row, Row]:
        """The row whose first entry is larger in magnitude, then the other."""
        swap = abs(first[0]) < abs(second[0])
        pairs = list(zip(first, second, strict=True))
        larger = [self._builder.select(swap, b, a) for a, b in pairs]
        return larger, [self._builder.select(swap, a, b) for a, b in pairs]

    def _back_substituted(self, row: Row, found: list[Value]) -> Value:
        inverse, *entries, side = row
        for entry, value in zip(entries, found, strict=True):
            side = side - entry * value
        return self._limited(side * inverse, self.limits[len(self.limits) - len(found) - 1])

    # -- one or two unknowns -----------------------------------------------------------------------------------------

    def _closed_form(self, rows: list[Row], number: int) -> list[Value]:
        """By the determinant."""
        if len(rows) == 1:
            ((pivot, side),) = rows
            return [self._limited(side / self._guarded(pivot, number), self.limits[-1])]
        (a, b, r), (c, d, s) = rows
        inverse = 1 / self._guarded(a * d - b * c, number)
        first, second = (d * r - b * s) * inverse, (a * s - c * r) * inverse
        return [self._limited(first, self.limits[-2]), self._limited(second, self.limits[-1])]


def _short(number: float) -> Fraction:
    """A float to three digits, so that thresholds read well."""
    return Fraction(f"{number:.3g}")
