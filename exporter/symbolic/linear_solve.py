"""A x = b of a symbolic model: by which method, and which row each pivot is taken from.

In: handles of the entries. Out: handles of the unknowns. The order of elimination is fixed at export, from
the values at the nominal point, so that the cost is the same for every input; each pivot is guarded, and told beside
the entry that it is what is left of. One division or the adjugate for two unknowns, else LDL for symmetric matrices
that are positive definite at the nominal point, else LU.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from exporter.sequence.builder import Value
from exporter.sequence.linear.elimination import solve
from exporter.sequence.linear.policy import Policy, Row
from exporter.sequence.linear.symmetric import solve_symmetric

Matrix = list[list[Value]]
Guard = Callable[[Value, Value], Value]  # a pivot that cannot vanish, and what it was before something was subtracted
Nominal = Callable[[Sequence[Value]], list[float]]  # values at the nominal point

LARGEST_DETERMINANT = 2
"""Systems of up to so many unknowns are solved by their determinant."""
KEEP_ROW = 0.1
"""The next row stays where it is while its pivot is at least this part of the largest one (at the nominal point)."""
LEAST_PIVOT = 1e-6
"""A pivot below this part of its diagonal entry (at the nominal point) is rounding: not positive definite."""


class NotPositive(Exception):  # noqa: N818 - it names the condition
    """A pivot is not positive at the nominal point: LDL would need pivoting."""


def solve_linear(matrix: Matrix, right: list[Value], guard: Guard, nominal: Nominal) -> list[Value]:
    """The unknowns. The matrix is symmetric where mirrored entries are the same operation."""

    def by_entry(pivot: Value, row: int, column: int) -> Value:
        return guard(pivot, matrix[row][column])

    def by_product(determinant: Value, *_: int) -> Value:
        return guard(determinant, matrix[0][0] * matrix[-1][-1] if len(matrix) > 1 else determinant)

    def positive(pivot: Value, row: int, _: int) -> Value:
        size, diagonal = nominal([pivot, matrix[row][row]])
        if not size > LEAST_PIVOT * diagonal:
            raise NotPositive
        return guard(pivot, matrix[row][row])

    def pivot_first(rows: Sequence[Row], _: int) -> list[Row]:
        chosen = _pivot_row(nominal([row.entries[0] for row in rows]))
        first, other = rows[0], rows[chosen]
        return [other, *(first if row is other else row for row in rows[1:])]

    general = Policy(by_entry, pivot_first, by_reciprocal=False)
    if len(right) <= LARGEST_DETERMINANT:
        return solve(matrix, right, replace(general, guarded=by_product, by_determinant=LARGEST_DETERMINANT))
    if _symmetric(matrix):
        try:
            return solve_symmetric(matrix, right, Policy(positive, by_reciprocal=False))
        except NotPositive:
            pass
    return solve(matrix, right, general)


def method(matrix: Matrix) -> str:
    """What `solve_linear` starts with, in words."""
    if len(matrix) <= LARGEST_DETERMINANT:
        return ("division", "adjugate")[len(matrix) - 1]
    return "LDL" if _symmetric(matrix) else "LU"


def _symmetric(matrix: Matrix) -> bool:
    return all(matrix[i][j] == matrix[j][i] for i in range(len(matrix)) for j in range(i))


def _pivot_row(candidates: list[float]) -> int:
    """Position of the row to eliminate with: the first, unless it is much smaller than the largest."""
    sizes = [abs(candidate) for candidate in candidates]
    largest = max(range(len(sizes)), key=lambda position: sizes[position])
    return 0 if sizes[0] > 0 and sizes[0] >= KEEP_ROW * sizes[largest] else largest
