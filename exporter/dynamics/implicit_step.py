"""A linearly implicit step of order two for stiff machines: only the slopes of stiff forces enter.

In: the equations of motion as a function of coordinates and rates, M u' = r, and the elements whose slopes count. Used
by: `dostep`. The method is ROS2 (Dekker and Verwer 1984; Verwer, Spee, Blom and Hundsdorfer 1999), in which

    (1 - g h A) k1 = f(y),   (1 - g h A) k2 = f(y + h k1) - 2 k1,   y + h (3 k1 + k2) / 2,   g = 1 - 1/sqrt(2)

has order two for every matrix A, and is L-stable where A is the derivative of f. Here y = (q, u), and A has the slopes
of elements alone: with x' = n.u the rate that an element acts along, and k = -dF/dx, c = -dF/dv its stiffness and
damping, each solve is one of a symmetric matrix of the size of M,

    (M + sum (g h c + g^2 h^2 k) n n^T) ku = right side,   kq = rates + g h ku.

A is taken anew in either stage, which changes it by O(h) and keeps the order. Slopes below zero count as zero.
"""

from collections.abc import Callable
from fractions import Fraction

from exporter.dynamics.accelerated_pose import AcceleratedPose
from exporter.dynamics.element_law import force_law
from exporter.dynamics.factorisation import (
    LARGEST_FACTOR,
    LARGEST_FORCE,
    Matrix,
    ProjectedEquations,
    limitable_value,
    solve_ldl,
)
from exporter.dynamics.law_slopes import slopes_of
from exporter.dynamics.linear_graph import coefficients
from exporter.dynamics.moving_state import MovingState
from exporter.kinematics.protocol.frames import square_root
from exporter.kinematics.protocol.limits import ACCELERATION_LIMIT
from exporter.model.mechanism import Element, Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Value

Values = dict[str, Value]
Equations = Callable[[Values, Values], AcceleratedPose]  # coordinates, rates -> pose, motion, M and r
WithinRange = Callable[[Values], Values]  # rates of a stage, each at its bound where it is beyond

GAMMA = 1 - square_root(Fraction(1, 2))
"""The smaller of the two values with which the method is L-stable."""
SLOPE_BEYOND_LIMIT = "the stiffness or damping of an element is beyond its limit"


@dataclass(frozen=True)
class _Slope:
    """An element's line, and how its force changes along it."""

    line: list[Value]  # n: the rate that it acts along, per rate of every independent coordinate
    rate: Value  # n.u
    stiffness: Value  # k
    damping: Value  # c


def step_implicitly(
    mechanism: Mechanism, evaluate: Equations, coordinates: Values, rates: Values, within: WithinRange
) -> tuple[Values, Values]:
    """Coordinates and rates one period later."""
    names, h = list(rates), mechanism.step.period
    first = _stage(mechanism, evaluate(coordinates, rates), rates)
    ku1 = first.solve(h, first.equations.right, [slope.rate for slope in first.slopes])
    kq1 = within({name: rates[name] + GAMMA * h * ku for name, ku in zip(names, ku1, strict=True)})
    moved = {name: coordinates[name] + h * kq for name, kq in kq1.items()}
    hurried = within({name: rates[name] + h * ku for name, ku in zip(names, ku1, strict=True)})
    second = _stage(mechanism, evaluate(moved, hurried), hurried)
    left = [hurried[name] - 2 * kq for name, kq in kq1.items()]
    ku2 = second.solve(h, second.less_twice(ku1), [_dot(slope.line, left) for slope in second.slopes])
    kq2 = [rate + GAMMA * h * ku for rate, ku in zip(left, ku2, strict=True)]
    later = {n: coordinates[n] + h * ((3 * a + b) / 2) for n, a, b in zip(names, kq1.values(), kq2, strict=True)}
    faster = {n: rates[n] + h * ((3 * a + b) / 2) for n, a, b in zip(names, ku1, ku2, strict=True)}
    return later, faster


@dataclass(frozen=True)
class _Stage:
    """M u' = r at one state, and the slopes that are taken into account."""

    names: list[str]
    equations: ProjectedEquations
    slopes: list[_Slope]

    def solve(self, h: Fraction, right: list[Value], speeds: list[Value]) -> list[Value]:
        """ku from r less g h K (speeds along the lines)."""
        step = GAMMA * h
        matrix, side = [list(row) for row in self.equations.matrix], list(right)
        for slope, speed in zip(self.slopes, speeds, strict=True):
            weight = step * slope.damping + step * step * slope.stiffness
            pull = step * slope.stiffness * speed
            _add_square(matrix, slope.line, weight)
            side = [right - pull * factor for right, factor in zip(side, slope.line, strict=True)]
        return solve_ldl(matrix, side, self.equations.least, [f"{name}.slope" for name in self.names])

    def less_twice(self, ku: list[Value]) -> list[Value]:
        """r - 2 M ku."""
        slow = [limitable_value(each, ACCELERATION_LIMIT) for each in ku]
        rows = zip(self.equations.matrix, self.equations.right, strict=True)
        return [right - 2 * _dot([limitable_value(each, LARGEST_FORCE) for each in row], slow) for row, right in rows]


def _stage(mechanism: Mechanism, now: AcceleratedPose, rates: Values) -> _Stage:
    assert now.equations is not None
    state = now.bodies.state
    with state.scope.builder.step("K", "stiffness and damping of the elements", part=True):
        slopes = [_slope(state, element, list(rates.values())) for element in stiff_elements(mechanism)]
    return _Stage(list(rates), now.equations, slopes)


def stiffness_and_damping(now: AcceleratedPose, rates: Values) -> tuple[Matrix, Matrix]:
    """K and C of the independent coordinates: the sums of k n n^T and c n n^T over the elements that count."""
    stage = _stage(now.bodies.mechanism, now, rates)
    zero = now.bodies.state.scope.builder.real(0)
    found: list[Matrix] = []
    for weights in ([slope.stiffness for slope in stage.slopes], [slope.damping for slope in stage.slopes]):
        matrix = [[zero for _ in rates] for _ in rates]
        for slope, weight in zip(stage.slopes, weights, strict=True):
            _add_square(matrix, slope.line, weight)
        found.append(matrix)
    return found[0], found[1]


def _add_square(matrix: Matrix, line: list[Value], weight: Value) -> None:
    """Add weight n n^T."""
    for row, factor in enumerate(line):
        weighted = weight * factor
        for column, other in enumerate(line):
            matrix[row][column] = matrix[row][column] + weighted * other


def _slope(state: MovingState, element: Element, rates: list[Value]) -> _Slope:
    builder, names = state.scope.builder, (element.along, f"{element.along}.rate")
    by_value, by_rate = (
        limitable_value(builder.positive_part(-slope), LARGEST_FORCE, SLOPE_BEYOND_LIMIT)
        for slope in slopes_of(state.formulas, force_law(element), names)
    )
    influence = state.influence(element.along)
    parts = coefficients(builder, rates, influence) if state.speed is None else [influence]
    line = [limitable_value(each, LARGEST_FACTOR, SLOPE_BEYOND_LIMIT) for each in parts]
    return _Slope(line, state.rate(element.along), by_value, by_rate)


def stiff_elements(mechanism: Mechanism) -> list[Element]:
    """The elements whose slopes enter: those that [step] names; without names all but actuators."""
    named = mechanism.step.implicit
    return [each for each in mechanism.elements if (each.name in named if named else each.type != "actuator")]


def _dot(left: list[Value], right: list[Value]) -> Value:
    total = left[0] * right[0]
    for one, other in zip(left[1:], right[1:], strict=True):
        total = total + one * other
    return total
