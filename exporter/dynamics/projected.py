"""Equations of motion projected onto the independent coordinates (embedding): M u' + h = Q.

In: a solved Pose, the reduced inertia and the loads. Used by: the functions of an export. With one degree of
freedom the velocity and bias recursions run at unit speed, where they fold to influence coefficients, and are scaled
by u and u^2 afterwards; with more, kinetic energy and power are projected inside out (see `projection`).
Source: Uchida 2011, ch. 3 (embedding); Blajer et al. 1992, eqs (12)-(14).
"""

from fractions import Fraction

from exporter.dynamics.applied_forces import element_forces, load_components, load_value
from exporter.dynamics.factorisation import SINGULAR_MASS_MATRIX, ProjectedEquations, smallest_pivots, solve_ldl
from exporter.dynamics.inertia import Inertia, reduced_inertia, shortest_terms
from exporter.dynamics.moving_state import MovingState
from exporter.dynamics.projection import Projection
from exporter.kinematics.planar.blocks import LinearSolve
from exporter.kinematics.planar.complex_value import Complex
from exporter.kinematics.planar.coordinates import coordinate_rate
from exporter.kinematics.planar.engine import PlanarMotion, PlanarPose
from exporter.kinematics.planar.orientation import in_plane
from exporter.kinematics.planar.plane import Term
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.planar.rates import Acceleration, Motion, accelerate, move
from exporter.kinematics.protocol.frames import Vector3
from exporter.kinematics.protocol.vectors import Vector
from exporter.model.joints import GROUND
from exporter.model.mechanism import Frame, Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import SMALLEST_PART, positive_pivot


@dataclass(frozen=True)
class Dynamics:
    """Rates of everything, and the accelerations of the independent coordinates in their order."""

    motion: Motion  # at the actual rates
    bias_acceleration: Acceleration  # at independent accelerations of zero; of one coordinate at unit speed
    accelerations: dict[str, Value]
    equations: ProjectedEquations
    state: MovingState

    def accelerated(self, solves: tuple[LinearSolve, ...]) -> Acceleration:
        """Accelerations of everything: of one coordinate by its influence and the bias, else solved for."""
        influence = self.bias_acceleration.motion
        if influence is self.motion:
            return accelerate(self.motion, solves, self.accelerations)
        ((name, given),), (speed,) = self.accelerations.items(), self.motion.independent.values()
        square, bias = speed * speed, self.bias_acceleration
        found = Acceleration(self.motion, {name: given})
        for root, rate in influence.root_rate.items():
            found.root_acceleration[root] = rate * given + bias.root_acceleration[root] * square
        for slide, rate in influence.slide_rate.items():
            found.slide_acceleration[slide] = rate * given + bias.slide_acceleration[slide] * square
        return found


def project(pose: Pose, solves: tuple[LinearSolve, ...], seen: dict[str, Value], rates: dict[str, Value]) -> Dynamics:
    """Write the accelerations of the independent coordinates.

    `rates` are the independent ones; loads read `seen` coordinates as given, and inputs that the pose's scope knows.
    """
    inertia = _inertia(pose)
    if len(rates) == 1:
        return _single(pose, solves, seen, rates, inertia)
    return _several(pose, solves, seen, rates, inertia, Driven(pose.form.mechanism, rates))


@dataclass(frozen=True)
class Driven:
    """A mechanism whose pose more coordinates than its independent ones move, and their rates: linear in these."""

    mechanism: Mechanism
    moved: dict[str, Value]
    biases: dict[str, Value] | None = None  # their accelerations where the independent ones are zero; None: zero


def project_coupled(
    pose: Pose, solves: tuple[LinearSolve, ...], seen: dict[str, Value], rates: dict[str, Value], driven: Driven
) -> Dynamics:
    """Write the accelerations of the independent coordinates of a mechanism that couplings drive."""
    return _several(pose, solves, seen, rates, _inertia(pose), driven)


def _inertia(pose: Pose) -> Inertia:
    with pose.builder.step("M", "masses and moments, moved to the joints", part=True):
        return reduced_inertia(pose.form, pose.builder, pose.scope)


def _unit_motion(pose: Pose, solves: tuple[LinearSolve, ...], names: list[str], moving: str) -> Motion:
    unit = {name: pose.builder.real(int(name == moving)) for name in names}
    return move(pose, solves, unit)


def _single(
    pose: Pose,
    solves: tuple[LinearSolve, ...],
    seen: dict[str, Value],
    rates: dict[str, Value],
    inertia: Inertia,
) -> Dynamics:
    ((name, speed),) = rates.items()
    influence = _unit_motion(pose, solves, [name], name)
    with pose.builder.step("V", f"rates of all loops at the rate of {name}"):
        motion = _scaled(influence, name, speed)
    bias_acceleration = accelerate(influence, solves)
    with pose.builder.step("D1", f"acceleration of {name} from the projected equation of motion"):
        mass = _mass(pose, inertia, influence, influence)
        bias = _bias(pose, inertia, influence, bias_acceleration)
        state = _state(pose.form.mechanism, PlanarPose(pose, solves), seen, influence, speed)
        force = _force(pose, inertia, influence, state)
        square = speed * speed
        (least,) = smallest_pivots(pose.form.mechanism, pose.scope, _smallest_part(pose, inertia))
        pivot = positive_pivot(pose.builder, mass, least, SINGULAR_MASS_MATRIX)
        right = force - bias * square
        equations = ProjectedEquations([[mass]], [right], [least])
        return Dynamics(motion, bias_acceleration, {name: right / pivot}, equations, state)


def _smallest_part(pose: Pose, inertia: Inertia) -> Fraction:
    """The smallest pivot over what a single coordinate moves: squared where no term is negative, so that none cancels.

    Then the mass vanishes with the velocities themselves, whose squares it is a sum of.
    """
    part = SMALLEST_PART[pose.builder.precision]
    terms = [*inertia.masses.values(), *inertia.moments.values()]
    return part**2 if all(term.constant is not None and term.constant > 0 for term in terms) else part


def _scaled(influence: Motion, name: str, speed: Value) -> Motion:
    """Rates from influence coefficients."""
    motion = Motion(influence.pose, {name: speed})
    motion.root_rate = {root: rate * speed for root, rate in influence.root_rate.items()}
    motion.slide_rate = {slide: rate * speed for slide, rate in influence.slide_rate.items()}
    return motion


def _state(
    mechanism: Mechanism,
    placed: PlanarPose,
    seen: dict[str, Value],
    motion: Motion,
    speed: Value | None = None,
) -> MovingState:
    """What loads see."""
    return MovingState(mechanism, placed.pose.scope, seen, placed, PlanarMotion(placed, motion), speed)


def _several(
    pose: Pose,
    solves: tuple[LinearSolve, ...],
    seen: dict[str, Value],
    rates: dict[str, Value],
    inertia: Inertia,
    driven: Driven,
) -> Dynamics:
    motion = move(pose, solves, driven.moved)
    bias_acceleration = accelerate(motion, solves, driven.biases)
    with pose.builder.step("D1", f"accelerations of {', '.join(rates)} from the projected equations of motion"):
        projection = Projection()
        _add_inertia(projection, inertia, bias_acceleration)
        state = _state(driven.mechanism, PlanarPose(pose, solves), seen, motion)
        for rate, force in [*_load_forces(pose, motion, state), *_weight_forces(pose, inertia, motion)]:
            projection.add_force(rate, force)
        matrix, forces = projection.onto(pose.builder, list(rates.values()))
        least = smallest_pivots(driven.mechanism, pose.scope)
        solution = solve_ldl(matrix, forces, least, [f"{name}.acceleration" for name in rates])
    accelerations = dict(zip(rates, solution, strict=True))
    return Dynamics(motion, bias_acceleration, accelerations, ProjectedEquations(matrix, forces, least), state)


def _add_inertia(forms: Projection, inertia: Inertia, bias_acceleration: Acceleration) -> None:
    """Masses, and inertia forces at zero independent accelerations."""
    motion = bias_acceleration.motion
    for body, moment in inertia.moments.items():
        forms.add_mass(motion.rate(body), moment)
        forms.add_force(motion.rate(body), -(moment * bias_acceleration.acceleration(body)))
    for terms, mass in inertia.masses.items():
        velocity, remaining = motion.velocity(terms), bias_acceleration.point_acceleration(terms)
        for rate, part in ((velocity.re, remaining.re), (velocity.im, remaining.im)):
            forms.add_mass(rate, mass)
            forms.add_force(rate, -(mass * part))


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


def _bias(pose: Pose, inertia: Inertia, column: Motion, bias_acceleration: Acceleration) -> Value:
    """Inertia forces at zero independent accelerations, along one column."""
    total = pose.builder.real(0)
    for body, moment in inertia.moments.items():
        total = total + moment * column.rate(body) * bias_acceleration.acceleration(body)
    for terms, mass in inertia.masses.items():
        total = total + _along(mass, terms, column, bias_acceleration.point_acceleration(terms))
    return total


def _force(pose: Pose, inertia: Inertia, column: Motion, state: MovingState) -> Value:
    """Generalised force of gravity and loads along one column."""
    total = pose.builder.real(0)
    for rate, force in _load_forces(pose, column, state):
        total = total + force * rate
    weight = pose.builder.real(0)
    for rate, force in _weight_forces(pose, inertia, column):
        weight = weight + force * rate
    return total + weight


Power = list[tuple[Value, Value]]
"""Rates and the forces along them."""


def _weight_forces(pose: Pose, inertia: Inertia, motion: Motion) -> Power:
    model = pose.form.model
    gravity = Complex(*pose.scope.vector(in_plane(model.plane, model.orientation[GROUND], model.mechanism.gravity)))
    power: Power = []
    for (body, slide), moment in inertia.weights.items() if not gravity.is_zero else ():
        unit, rate = pose.unit(body), motion.rate(body)
        pull = moment.conjugate() * gravity  # g . (D m) = pull . D
        across = pull.dot(unit.times_i())
        if slide:
            power.append((motion.slide_rate[slide], pull.dot(unit)))
            across = across * pose.slide[slide]
        power.append((rate, across))
    return power


def _load_forces(pose: Pose, motion: Motion, state: MovingState) -> Power:
    """What loads and elements apply, and along which rates."""
    power: Power = []
    plane = pose.form.model.plane
    for load in state.mechanism.loads:
        if load.type == "coordinate":
            power.append((coordinate_rate(motion, load.coordinate), load_value(state, load.value[0])))
        elif load.on is not None and load.type == "torque":
            power.append((motion.rate(load.on.body), _component(plane.normal, load_components(state, load))))
        elif load.on is not None:
            applied, velocity = load_components(state, load), motion.velocity(_place(pose, load.on))
            power += [(velocity.re, _component(plane.e1, applied)), (velocity.im, _component(plane.e2, applied))]
    return [*power, *element_forces(state)]


def _component(axis: Vector3, vector: Vector) -> Value:
    """The part of a vector along a unit vector."""
    x, y, z = (factor * part for factor, part in zip(axis, vector.parts(), strict=True))
    return x + y + z


def _place(pose: Pose, frame: Frame) -> tuple[Term, ...]:
    model = pose.form.model
    arm = Term(frame.body, in_plane(model.plane, model.orientation[frame.body], frame.at))
    return shortest_terms(pose.form, (*model.origin[frame.body], arm))
