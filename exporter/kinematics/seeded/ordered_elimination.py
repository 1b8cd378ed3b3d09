"""Linear systems in a sequence, eliminated in an order that was fixed at the design pose.

In: the Jacobian of a seeded Newton block or of exchanged coordinates, as values. Used by: Newton steps, rates and
accelerations. Without pivoting the cost does not depend on the data. Pivots keep their sign and are guarded; factors
and the solution are limited, so that nothing can overflow. `elimination_order` finds the order by complete pivoting.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.protocol.limits import FOLD_THRESHOLD
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import saturated, signed_pivot
from exporter.sequence.linear.elimination import pivots, solve
from exporter.sequence.linear.policy import Policy

LARGEST_FACTOR = Fraction(64)  # of an elimination whose pivots were the largest at the design pose
EQUAL_PIVOT_RATIO = 1 - 1e-9  # of the largest entry: as large but for rounding

Rows = list[list[Value]]


@dataclass(frozen=True, slots=True)
class Order:
    """Rows and columns in the order of elimination, and the size of every pivot at the design pose."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    pivots: tuple[Fraction, ...]  # in the units of the matrix
    units: tuple[Fraction, ...]  # of the rows in this order: sizes that count alike


def elimination_order(matrix: NDArray[Any], row_units: Sequence[Fraction], column_units: Sequence[Fraction]) -> Order:
    """Complete pivoting of a matrix (m, n) at the design pose; of entries that are equally large, the first is taken.

    Of more rows than columns those are left out that are never chosen.
    Rows are measured in `row_units`, unknowns in `column_units`, so that turns and displacements compare. Pivots are
    rounded, so that the last bits of the matrix do not matter.
    """
    scaled = matrix * np.array([float(unit) for unit in column_units])
    scaled = scaled / np.array([[float(unit)] for unit in row_units])
    count = scaled.shape[1]
    rows, columns, pivots = list(range(len(scaled))), list(range(count)), []
    for k in range(count):
        sizes = np.abs(scaled[k:, k:])
        best = np.unravel_index(np.argmax(sizes >= sizes.max() * EQUAL_PIVOT_RATIO), sizes.shape)
        row, column = k + int(best[0]), k + int(best[1])
        scaled[[k, row]] = scaled[[row, k]]
        scaled[:, [k, column]] = scaled[:, [column, k]]
        rows[k], rows[row] = rows[row], rows[k]
        columns[k], columns[column] = columns[column], columns[k]
        size = Fraction(f"{abs(float(scaled[k, k])):.3g}")
        pivots.append(size * row_units[rows[k]] / Fraction(column_units[columns[k]]))
        scaled[k + 1 :] -= np.outer(scaled[k + 1 :, k] / scaled[k, k], scaled[k])
    chosen = tuple(rows[:count])
    return Order(chosen, tuple(columns), tuple(pivots), tuple(Fraction(row_units[row]) for row in chosen))


def eliminate(
    order: Order, unknowns: Sequence[str], matrix: Rows, sides: list[Value], limits: Sequence[Fraction], about: str
) -> list[Value]:
    """The solution of matrix * x = sides, both in the order of elimination; |x| stays within `limits`.

    `unknowns` are what headings call x, `about` what a flag says of a small pivot.
    """
    builder = sides[0].builder

    def unknown(value: Value, position: int) -> Value:
        return saturated(builder, value, limits[position], about)

    return solve(matrix, sides, replace(_policy(builder, order, about), unknown=unknown, names=unknowns))


def determinant_ratio(order: Order, matrix: Rows, about: str) -> Value:
    """The determinant of a matrix in the order of elimination, over the size that it has at the design pose."""
    builder = matrix[0][0].builder
    total = builder.real(1)
    for number, pivot in enumerate(pivots(matrix, _policy(builder, order, about))):
        total = total * (pivot * (1 / order.pivots[number]))
    return total


def _policy(builder: Builder, order: Order, about: str) -> Policy:
    def guarded(pivot: Value, _: int, number: int) -> Value:
        return signed_pivot(builder, pivot, order.pivots[number] * FOLD_THRESHOLD[builder.precision], about)

    def factor(value: Value, row: int, number: int) -> Value:
        return saturated(builder, value, LARGEST_FACTOR * order.units[row] / order.units[number], about)

    return Policy(guarded, factor=factor)
