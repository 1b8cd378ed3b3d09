"""Equations of motion projected onto the independent coordinates (embedding): M u' + h = Q.

Comes from: a solved Pose, the reduced inertia and the loads. Goes to: the functions of an export. With one degree of
freedom the velocity and bias recursions run at unit speed, where they fold to influence coefficients, and are scaled
by u and u^2 afterwards; with more, M is factorised as L D L^T without pivoting, its pivots guarded.
Source: Uchida 2011, ch. 3 (embedding); Blajer et al. 1992, eqs (12)-(14).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from exporter.dynamics.factorisation import guarded_pivot, solve_ldl
from exporter.dynamics.inertia import Inertia, reduced_inertia, shortest
from exporter.kinematics.blocks import LinearSolve
from exporter.kinematics.complex_value import Complex
from exporter.kinematics.coordinates import coordinate_rate
from exporter.kinematics.planar import GROUND, Term, in_plane
from exporter.kinematics.position import Pose
from exporter.kinematics.rates import Motion, accelerate, move
from exporter.model.mechanism import Frame, Load
from exporter.sequence.builder import Value


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
    pivot = guarded_pivot(pose.form.mechanism, mass)
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
    solution = projected_accelerations(pose, inertia, columns, motion)
    return Dynamics(motion, dict(zip(names, solution, strict=True)))


def projected_accelerations(pose: Pose, inertia: Inertia, columns: Sequence[Motion], motion: Motion) -> list[Value]:
    """Accelerations of independent speeds: `columns` are their unit motions, `motion` has the bias accelerations."""
    matrix = [[_mass(pose, inertia, left, right) for right in columns] for left in columns]
    right_side = [_force(pose, inertia, column) - _bias(pose, inertia, column, motion) for column in columns]
    return solve_ldl(pose.form.mechanism, matrix, right_side)


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
