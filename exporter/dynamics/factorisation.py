"""The mass matrix factorised: M x = r by L D L^T without pivoting, reciprocals shared, pivots guarded.

Comes in: the mass matrix and the right side as values. Goes to: `projected` and `in_space`. M is positive definite
wherever the independent coordinates are independent; a pivot that is a few eps of the mechanism's inertia is singular.
"""

from fractions import Fraction

from exporter.model.evaluate import evaluate
from exporter.model.expression import ZERO
from exporter.model.mechanism import Mechanism
from exporter.model.parameter_sets import nominal_values
from exporter.sequence.builder import Value
from exporter.sequence.guards import positive_pivot, saturated
from exporter.sequence.operations import Precision

Matrix = list[list[Value]]
LARGEST_FACTOR: dict[Precision, Fraction] = {"float32": Fraction(10**4), "float64": Fraction(10**8)}
"""Limit of the factors of a saturated mass matrix, and of a rate per unit of an earlier one: both up to rad/m."""
LARGEST_FORCE: dict[Precision, Fraction] = {"float32": Fraction(10**20), "float64": Fraction(10**60)}
"""Limit of generalised forces and accelerations in a saturated solve."""
RELATIVE_PIVOT = 64
"""A pivot of the mass matrix below RELATIVE_PIVOT eps of the mechanism's inertia is singular."""
SINGULAR = "the mass matrix is singular in this pose"


def guarded_pivot(mechanism: Mechanism, pivot: Value) -> Value:
    """A pivot of the mass matrix, at its threshold where it is below."""
    builder = pivot.builder
    return positive_pivot(builder, pivot, RELATIVE_PIVOT * builder.epsilon * inertia_scale(mechanism), SINGULAR)


def solve_ldl(mechanism: Mechanism, matrix: Matrix, right: list[Value]) -> list[Value]:
    """M x = r."""
    size, zero = len(right), right[0].builder.real(0)
    lower: Matrix = [[zero] * size for _ in range(size)]
    scaled: Matrix = [[zero] * size for _ in range(size)]
    inverse: list[Value] = []
    for j in range(size):
        pivot = matrix[j][j]
        for k in range(j):
            pivot = pivot - lower[j][k] * scaled[j][k]
        inverse.append(1 / guarded_pivot(mechanism, pivot))
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


def limited(value: Value, limit: dict[Precision, Fraction]) -> Value:
    """The value, limited where the builder asks for it."""
    builder = value.builder
    return saturated(builder, value, limit[builder.precision], SINGULAR) if builder.saturate else value


def inertia_scale(mechanism: Mechanism) -> Fraction:
    """The largest nominal moment of inertia or mass of a body, kg or kg m^2; 1 where there is none."""
    values = nominal_values(mechanism)
    sizes = [
        abs(evaluate(part, values)) for body in mechanism.bodies for part in (body.mass, *body.inertia) if part != ZERO
    ]
    return max(sizes, default=Fraction(1)) or Fraction(1)
