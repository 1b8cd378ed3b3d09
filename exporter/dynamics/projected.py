"""Equations of motion projected onto the independent coordinates (embedding): M u' + h = Q.

Comes from: a solved Pose, the reduced inertia and the loads. Goes to: the functions of an export. With one degree of
freedom the velocity and bias recursions run at unit speed, where they fold to influence coefficients, and are scaled
by u and u^2 afterwards; with more, M is factorised as L D L^T without pivoting, its pivots guarded.
Source: Uchida 2011, ch. 3 (embedding); Blajer et al. 1992, eqs (12)-(14).
"""

from dataclasses import dataclass
from fractions import Fraction

from exporter.dynamics.inertia import Inertia, reduced_inertia, shortest
from exporter.kinematics.blocks import LinearSolve
from exporter.kinematics.complex_value import Complex
from exporter.kinematics.coordinates import coordinate_rate
from exporter.kinematics.planar import GROUND, Term, in_plane, parameter_values
from exporter.kinematics.position import Pose
from exporter.kinematics.rates import Motion, accelerate, move
from exporter.model.evaluate import evaluate
from exporter.model.expression import ZERO
from exporter.model.mechanism import Frame, Load, Mechanism
from exporter.sequence.builder import Value
from exporter.sequence.guards import positive_pivot, saturated
from exporter.sequence.operations import Precision

Matrix = list[list[Value]]
LARGEST_FACTOR: dict[Precision, Fraction] = {"float32": Fraction(10**4), "float64": Fraction(10**8)}
"""Limit of the factors of a saturated mass matrix, whose units differ by metres at most."""
LARGEST_FORCE: dict[Precision, Fraction] = {"float32": Fraction(10**20), "float64": Fraction(10**60)}
"""Limit of generalised forces and accelerations in a saturated solve."""
RELATIVE_PIVOT = 64
"""A pivot of the mass matrix below RELATIVE_PIVOT eps of the mechanism's inertia is singular."""


@dataclass(frozen=True)
class Dynamics:
    """Rates of everything, and the accelerations of the independent coordinates in their order."""

    motion: Motion  # first derivatives, at the actual rates
    accelerations: dict[str, Value]


def project(pose: Pose, solves: tuple[LinearSolve, ...], rates: dict[str, Value]) -> Dynamics:
    """Write the accelerations of the independent coordinates.

    `rates` are the independent generalized speeds; inputs that loads name must be defined in the pose's scope.
    """
    inertia = reduced_inertia(pose.form, pose.builder, pose.scope)
    with pose.builder.serving("D1"):
        if len(rates) == 1:
            return _single(pose, solves, rates, inertia)
        return _several(pose, solves, rates, inertia)


def _unit_motion(pose: Pose, solves: tuple[LinearSolve, ...], names: list[str], moving: str) -> Motion:
    unit = {name: pose.builder.real(int(name == moving)) for name in names}
    return move(pose, solves, unit)


def _single(pose: Pose, solves: tuple[LinearSolve, ...], rates: dict[str, Value], inertia: Inertia) -> Dynamics:
    ((name, speed),) = rates.items()
    influence = _unit_motion(pose, solves, [name], name)
    motion = _scaled(influence, name, speed)
    accelerate(influence, solves)
    pose.builder.step("D1", f"acceleration of {name} from the projected equation of motion")
    mass = _mass(pose, inertia, influence, influence)
    bias = _bias(pose, inertia, influence, influence)
    force = _force(pose, inertia, influence)
    square = speed * speed
    pivot = _guarded(pose, mass)
    return Dynamics(motion, {name: (force - bias * square) / pivot})


def _scaled(influence: Motion, name: str, speed: Value) -> Motion:
    """Rates from influence coefficients."""
    motion = Motion(influence.pose, {name: speed})
    motion.root_rate = {root: rate * speed for root, rate in influence.root_rate.items()}
    motion.slide_rate = {slide: rate * speed for slide, rate in influence.slide_rate.items()}
    return motion


def _several(pose: Pose, solves: tuple[LinearSolve, ...], rates: dict[str, Value], inertia: Inertia) -> Dynamics:
    names = list(rates)
    columns = [_unit_motion(pose, solves, names, name) for name in names]
    motion = move(pose, solves, rates)
    accelerate(motion, solves)
    pose.builder.step("D1", f"accelerations of {', '.join(names)} from the projected equations of motion")
    matrix = [[_mass(pose, inertia, left, right) for right in columns] for left in columns]
    right_side = [_force(pose, inertia, column) - _bias(pose, inertia, column, motion) for column in columns]
    solution = _solve_ldl(pose, matrix, right_side)
    return Dynamics(motion, dict(zip(names, solution, strict=True)))


def _mass(pose: Pose, inertia: Inertia, left: Motion, right: Motion) -> Value:
    total = pose.builder.real(0)
    for body, moment in inertia.moments.items():
        total = total + moment * left.rate(body) * right.rate(body)
    for terms, mass in inertia.masses.items():
        total = total + _along(mass, terms, left, right.velocity(terms))
    return total


def _along(mass: Value, terms: tuple[Term, ...], motion: Motion, other: Complex) -> Value:
    """mass * velocity . other, the mass on the side that the other products share."""
    return motion.velocity(terms).scaled(mass).dot(other)


def _bias(pose: Pose, inertia: Inertia, column: Motion, motion: Motion) -> Value:
    """Inertia forces at zero independent accelerations, along one column."""
    total = pose.builder.real(0)
    for body, moment in inertia.moments.items():
        total = total + moment * column.rate(body) * motion.acceleration(body)
    for terms, mass in inertia.masses.items():
        total = total + _along(mass, terms, column, motion.point_acceleration(terms))
    return total


def _force(pose: Pose, inertia: Inertia, column: Motion) -> Value:
    """Generalised force of gravity and loads along one column."""
    total = pose.builder.real(0)
    for load in pose.form.mechanism.loads:
        total = total + _load_power(pose, load, column)
    return total + _weight_power(pose, inertia, column)


def _weight_power(pose: Pose, inertia: Inertia, column: Motion) -> Value:
    model = pose.form.model
    gravity = Complex(*pose.scope.vector(in_plane(model.plane, model.orientation[GROUND], model.mechanism.gravity)))
    total = pose.builder.real(0)
    if gravity.is_zero:
        return total
    for (body, slide), moment in inertia.weights.items():
        unit, rate = pose.unit(body), column.rate(body)
        pull = moment.conjugate() * gravity  # g . (D m) = pull . D
        if not slide:
            total = total + pull.dot(unit.times_i()) * rate
            continue
        across = pull.dot(unit.times_i()) * pose.slide[slide]
        total = total + pull.dot(unit) * column.slide_rate[slide] + across * rate
    return total


def _load_power(pose: Pose, load: Load, column: Motion) -> Value:
    """Power of a load per unit of the column's speed."""
    scope, model = pose.scope, pose.form.model
    if load.type == "coordinate":
        return scope.value(load.value[0]) * coordinate_rate(column, load.coordinate)
    if load.on is None:
        return pose.builder.real(0)
    if load.type == "torque":
        along = [component * scope.value(part) for component, part in zip(model.plane.normal, load.value, strict=True)]
        torque = along[0] + along[1] + along[2]
        return torque * column.rate(load.on.body)
    force = Complex(*scope.vector(in_plane(model.plane, model.orientation[GROUND], load.value)))
    return force.dot(column.velocity(_place(pose, load.on)))


def _place(pose: Pose, frame: Frame) -> tuple[Term, ...]:
    model = pose.form.model
    arm = Term(frame.body, in_plane(model.plane, model.orientation[frame.body], frame.at))
    return shortest(pose.form, (*model.origin[frame.body], arm))


def _guarded(pose: Pose, pivot: Value) -> Value:
    return positive_pivot(pose.builder, pivot, _smallest_inertia(pose), "the mass matrix is singular in this pose")


def _solve_ldl(pose: Pose, matrix: Matrix, right: list[Value]) -> list[Value]:
    """M x = r by L D L^T without pivoting, reciprocals shared."""
    size = len(right)
    lower: Matrix = [[pose.builder.real(0)] * size for _ in range(size)]
    scaled: Matrix = [[pose.builder.real(0)] * size for _ in range(size)]
    inverse: list[Value] = []
    for j in range(size):
        pivot = matrix[j][j]
        for k in range(j):
            pivot = pivot - lower[j][k] * scaled[j][k]
        inverse.append(1 / _guarded(pose, pivot))
        for i in range(j + 1, size):
            entry = matrix[i][j]
            for k in range(j):
                entry = entry - scaled[i][k] * lower[j][k]
            scaled[i][j] = entry
            lower[i][j] = _finite(entry * inverse[j], LARGEST_FACTOR)
    forward: list[Value] = []
    for i in range(size):
        value = right[i]
        for k in range(i):
            value = value - lower[i][k] * forward[k]
        forward.append(_finite(value, LARGEST_FORCE))
    solution: list[Value] = [_finite(forward[i] * inverse[i], LARGEST_FORCE) for i in range(size)]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            solution[i] = solution[i] - lower[k][i] * solution[k]
    return solution


def _finite(value: Value, limit: dict[Precision, Fraction]) -> Value:
    """The value, limited where the builder asks for it."""
    builder = value.builder
    if not builder.saturate:
        return value
    return saturated(builder, value, limit[builder.precision], "the mass matrix is singular in this pose")


def _smallest_inertia(pose: Pose) -> Fraction:
    """The threshold of a pivot of the mass matrix: a few eps of an inertia of the mechanism's size."""
    mechanism = pose.form.mechanism
    return RELATIVE_PIVOT * pose.builder.epsilon * inertia_scale(mechanism)


def inertia_scale(mechanism: Mechanism) -> Fraction:
    """The largest nominal moment of inertia or mass of a body, kg or kg m^2; 1 where there is none."""
    values = parameter_values(mechanism)
    sizes = [
        abs(evaluate(part, values)) for body in mechanism.bodies for part in (body.mass, *body.inertia) if part != ZERO
    ]
    return max(sizes, default=Fraction(1)) or Fraction(1)
