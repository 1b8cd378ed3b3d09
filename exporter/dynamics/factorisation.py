"""The mass matrix factorised: M x = r by L D L^T without pivoting, reciprocals shared, pivots guarded.

Comes in: the mass matrix, the right side and what each independent coordinate moves, as values. Goes to: `projected`
and `in_space`. M is positive definite wherever the independent coordinates are independent. A pivot is what is left of
an entry of the diagonal, and that entry is a sum of what its coordinate moves: where a pivot is no more than the
rounding of either, the pose is singular.
"""

from collections.abc import Sequence
from fractions import Fraction

from exporter.dynamics.resistance import resistances
from exporter.kinematics.protocol.scope import Scope
from exporter.model.mechanism import Mechanism
from exporter.sequence.builder import Value
from exporter.sequence.guards import SMALLEST_PART, positive_pivot, saturated, warn_below
from exporter.sequence.operations import Precision

Matrix = list[list[Value]]
LARGEST_FACTOR: dict[Precision, Fraction] = {"float32": Fraction(10**4), "float64": Fraction(10**8)}
"""Limit of the factors of a saturated mass matrix, and of a rate per unit of an earlier one: both up to rad/m."""
LARGEST_FORCE: dict[Precision, Fraction] = {"float32": Fraction(10**20), "float64": Fraction(10**60)}
"""Limit of generalised forces and accelerations in a saturated solve."""
SINGULAR = "the mass matrix is singular in this pose"


def smallest_pivots(
    mechanism: Mechanism, scope: Scope, part: Fraction | None = None, spanned: frozenset[str] = frozenset()
) -> list[Value]:
    """The smallest pivot of every independent coordinate, kg or kg m^2: `part` of what it moves, else SMALLEST_PART.

    The motion of `spanned` bodies is summed from that of their points, not along the joints that carry them.

    Raises:
        ModelError: see `exporter.dynamics.resistance`.
    """
    part = SMALLEST_PART[scope.builder.precision] if part is None else part
    return [resistance.value(mechanism, scope) * part for resistance in resistances(mechanism, spanned)]


def solve_ldl(matrix: Matrix, right: list[Value], least: Sequence[Value]) -> list[Value]:
    """M x = r; `least` is the smallest pivot of each row."""
    size, zero = len(right), right[0].builder.real(0)
    lower: Matrix = [[zero] * size for _ in range(size)]
    scaled: Matrix = [[zero] * size for _ in range(size)]
    inverse: list[Value] = []
    for j in range(size):
        pivot = matrix[j][j]
        for k in range(j):
            pivot = pivot - lower[j][k] * scaled[j][k]
        inverse.append(1 / _guarded(pivot, matrix[j][j], least[j]))
        for i in range(j + 1, size):
            entry = matrix[i][j]
            for k in range(j):
                entry = entry - scaled[i][k] * lower[j][k]
            scaled[i][j] = entry
            lower[i][j] = limited(entry * inverse[j], LARGEST_FACTOR)
    forward: list[Value] = []
    for i in range(size):
        value = right[i]
        for k in range(i):
            value = value - lower[i][k] * forward[k]
        forward.append(limited(value, LARGEST_FORCE))
    solution: list[Value] = [limited(forward[i] * inverse[i], LARGEST_FORCE) for i in range(size)]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            solution[i] = solution[i] - lower[k][i] * solution[k]
        if 0 < i < size - 1:
            solution[i] = limited(solution[i], LARGEST_FORCE)
    return solution


def _guarded(pivot: Value, diagonal: Value, least: Value) -> Value:
    """The pivot for dividing by, warned of where it is a small part of its entry of the diagonal."""
    if pivot != diagonal:
        warn_below(pivot, diagonal, SMALLEST_PART[pivot.builder.precision], SINGULAR)
    return positive_pivot(pivot.builder, pivot, least, SINGULAR)


def limited(value: Value, limit: dict[Precision, Fraction]) -> Value:
    """The value, limited where the builder asks for it."""
    builder = value.builder
    return saturated(builder, value, limit[builder.precision], SINGULAR) if builder.saturate else value
