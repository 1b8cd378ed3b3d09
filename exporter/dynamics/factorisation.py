"""The mass matrix factorised: M x = r by L D L^T, and which of its pivots say that a pose is singular.

In: the mass matrix, the right side and what each independent coordinate moves, as values. Used by: `projected`
and `in_space`. M is positive definite wherever the independent coordinates are independent. A pivot is what is left of
an entry of the diagonal, and that entry is a sum of what its coordinate moves: where a pivot is no more than the
rounding of either, the pose is singular.
"""

from collections.abc import Sequence
from fractions import Fraction

from exporter.dynamics.resistance import resistances
from exporter.kinematics.protocol.scope import Scope
from exporter.model.mechanism import Mechanism
from exporter.progress import counted, say, unnamed
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import SMALLEST_PART, limitable, positive_pivot, warn_below
from exporter.sequence.linear.policy import Policy
from exporter.sequence.linear.symmetric import solve_symmetric
from exporter.sequence.operations import Precision

Matrix = list[list[Value]]
LARGEST_FACTOR: dict[Precision, Fraction] = {"float32": Fraction(10**4), "float64": Fraction(10**8)}
"""Limit of the factors of a mass matrix, and of a rate per unit of an earlier one: both up to rad/m."""
LARGEST_ENTRY: dict[Precision, Fraction] = {"float32": Fraction(10**28), "float64": Fraction(10**150)}
"""Limit of masses and forces on their way to the independent rates, and of what is left of an entry of M.

Times two factors and summed it is no overflow.
"""
LARGEST_FORCE: dict[Precision, Fraction] = {"float32": Fraction(10**20), "float64": Fraction(10**60)}
"""Limit of generalised forces and accelerations in its solve."""
SINGULAR_MASS_MATRIX = "the mass matrix is singular in this pose"


def smallest_pivots(
    mechanism: Mechanism, scope: Scope, part: Fraction | None = None, spanned: frozenset[str] = frozenset()
) -> list[Value]:
    """The smallest pivot of every independent coordinate, kg or kg m^2: `part` of what it moves, else SMALLEST_PART.

    Only guards read them: without guards they are zero, and nothing is refused. The motion of `spanned` bodies is
    summed from that of their points, not along the joints that carry them.

    Raises:
        ModelError: see `exporter.dynamics.resistance`.
    """
    if not scope.builder.contract:
        return [scope.builder.real(0)] * len(mechanism.independent)
    part = SMALLEST_PART[scope.builder.precision] if part is None else part
    found = counted("bounding the pivots of the mass matrix", resistances(mechanism, spanned), unnamed)
    return [resistance.value(mechanism, scope) * part for resistance in found]


def solve_ldl(matrix: Matrix, right: list[Value], least: Sequence[Value], names: Sequence[str]) -> list[Value]:
    """M x = r; `least` is the smallest pivot of each row, `names` are what headings call x."""

    def guarded(pivot: Value, row: int, _: int) -> Value:
        say("solving the equations of motion", row + 1, len(right))
        return _guard_pivot(pivot, matrix[row][row], least[row])

    def entry(value: Value, *_: int) -> Value:
        return limitable_value(value, LARGEST_ENTRY)

    def factor(value: Value, *_: int) -> Value:
        return limitable_value(value, LARGEST_FACTOR)

    def force(value: Value, _: int) -> Value:
        return limitable_value(value, LARGEST_FORCE)

    return solve_symmetric(
        matrix, right, Policy(guarded, entry=entry, factor=factor, unknown=force, side=force, names=names)
    )


def _guard_pivot(pivot: Value, diagonal: Value, least: Value) -> Value:
    """The pivot for dividing by, warned of where it is a small part of its entry of the diagonal."""
    if pivot != diagonal:
        warn_below(pivot, diagonal, SMALLEST_PART[pivot.builder.precision], SINGULAR_MASS_MATRIX)
    return positive_pivot(pivot.builder, pivot, least, SINGULAR_MASS_MATRIX)


@dataclass(frozen=True)
class ProjectedEquations:
    """M u' = r of the independent coordinates: the mass matrix, the right side, and the smallest pivot of each row."""

    matrix: Matrix
    right: list[Value]
    least: list[Value]


def limitable_value(value: Value, limit: dict[Precision, Fraction], about: str = SINGULAR_MASS_MATRIX) -> Value:
    """The value, which a proof may limit; `about` says why it would be beyond."""
    return limitable(value.builder, value, limit[value.builder.precision], about)
