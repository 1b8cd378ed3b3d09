"""Composes the program of a mechanism: the functions that its export offers.

Comes from: a Mechanism. Goes to: c99, sil, benchmarks. Functions: position, velocity, acceleration (kinematics),
dynamics (accelerations of the independent coordinates), startup and dostep (one integration step). Each is
self-contained: own inputs, own outputs, own cost.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from exporter.dynamics.equations import Accelerated, equations_of_motion, has_equations
from exporter.dynamics.integration import advance, state_limits
from exporter.errors import ModelError
from exporter.kinematics import solved
from exporter.kinematics.angles_of_interest import SeenAngle
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.form import TriangularForm
from exporter.kinematics.other_roots import other_roots
from exporter.kinematics.planar_solution import PlanarSolution
from exporter.kinematics.points_of_interest import AXES, frame_named, points_of_interest
from exporter.kinematics.rivals.newton import NewtonPose, NewtonSolution
from exporter.kinematics.scope import Scope, tunable_signals
from exporter.kinematics.solved import Solved, SolvedMotion, SolvedPose, Triple
from exporter.model.expression import ZERO
from exporter.model.joint_types import dimensions_of_joints
from exporter.model.mechanism import Mechanism
from exporter.model.units import LENGTH
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import checked_input
from exporter.sequence.hoist import hoist_parameters
from exporter.sequence.operations import EPSILON, Group, OperationSequence, Precision, Role, Signal
from exporter.sequence.program import Branch, FrozenParameter, Loop, Program
from exporter.sequence.proven import drop_proven_guards

SMALLEST_TOLERANCE = 4  # eps: rounding leaves residuals of a few eps open
RESIDUAL = "residual"  # output of one iteration

Form = TriangularForm | Solved
"""A triangular form of the planar engine, or what any engine has solved."""


class Function(Protocol):
    """Writes one function of an export."""

    def __call__(self, form: Form, precision: Precision, contract: bool, saturate: bool = False) -> OperationSequence:
        """The finished sequence; `saturate` limits the rates of every loop."""


def program_of_mechanism(mechanism: Mechanism, precision: Precision, *, contract: bool = True) -> Program:
    """The program of a mechanism at one precision.

    With `contract=False` the guards are left out: for counting the arithmetic alone, never for use.

    Raises:
        ModelError: see `exporter.kinematics.triangular`, or an output that does not exist.
    """
    form = solved_mechanism(mechanism)
    _check_outputs(mechanism)
    functions = tuple(
        _total(write, form, precision) if contract else write(form, precision, contract=False)
        for write in functions_of(mechanism, form)
    )
    recalibrate, functions = hoist_parameters(functions, tuple(tunable_signals(mechanism)))
    return Program(
        name=mechanism.name,
        title=mechanism.title,
        source=mechanism.source,
        precision=precision,
        model_hash=mechanism.model_hash,
        functions=functions,
        recalibrate=recalibrate,
        frozen=tuple(FrozenParameter(p.name, p.value, p.unit, p.about) for p in mechanism.parameters if p.frozen),
        parameters=tuple(tunable_signals(mechanism)),
        branches=branches_of(form),
        notes=form.notes,
        loop=_loop(form, precision),
    )


def _loop(form: Form, precision: Precision) -> Loop | None:
    """What repeats `newton_step` before every other function, where the steps end at a tolerance.

    Raises:
        ModelError: rounding keeps the residual above the tolerance.
    """
    if not isinstance(form, NewtonSolution) or not form.tolerance:
        return None
    least = SMALLEST_TOLERANCE * EPSILON[precision]
    if form.tolerance < least:
        raise ModelError(
            f"{form.mechanism.name}: a residual of {float(form.tolerance):g} is below the rounding of {precision}; "
            f"give --tolerance {float(least):.1g} or more{' or --precision float64' if precision == 'float32' else ''}"
        )
    return Loop(
        body=newton_step.__name__,
        functions=tuple(function.__name__ for function in KINEMATICS),  # type: ignore[attr-defined]
        carried=tuple((f"{name}.previous", f"{name}.next") for name in form.iterated()),
        residual=RESIDUAL,
        tolerance=form.tolerance,
        most=form.most,
    )


def _total(write: Function, form: Form, precision: Precision) -> OperationSequence:
    """A function that is proven total: with its loops' rates saturated only where nothing else bounds them.

    Raises:
        ModelError: it cannot be proven even so.
    """
    try:
        return drop_proven_guards(write(form, precision, contract=True))
    except ModelError:
        return drop_proven_guards(write(form, precision, contract=True, saturate=True))


def solved_form(form: Form) -> Solved:
    """A form behind the protocol of all engines."""
    return PlanarSolution(form) if isinstance(form, TriangularForm) else form


def branches_of(form: Form) -> tuple[Branch, ...]:
    """The root signs that the program takes, each with the root that it does not take."""
    whole = solved_form(form)
    others = other_roots(whole.form) if isinstance(whole, PlanarSolution) else {}
    return tuple(
        replace(branch, alternatives=(others[branch.equation],)) if branch.equation in others else branch
        for branch in solved.branches_of(whole)
    )


# -- the border of a function --------------------------------------------------------------------------------------


@dataclass
class _Draft:
    """A function being written."""

    form: Solved
    builder: Builder
    scope: Scope
    coordinates: dict[str, Value]
    rates: dict[str, Value]
    accelerations: dict[str, Value]

    @property
    def mechanism(self) -> Mechanism:
        """What is exported."""
        return self.form.mechanism

    def pose(self) -> SolvedPose:
        """Solve the positions."""
        return self.form.solve(self.builder, self.scope, self.coordinates)


def _draft(form: Form, name: str, precision: Precision, contract: bool, saturate: bool) -> _Draft:
    builder, whole = Builder(name, precision, contract=contract, saturate=saturate), solved_form(form)
    return _Draft(whole, builder, Scope(builder, whole.mechanism), {}, {}, {})


def is_displacement(mechanism: Mechanism, name: str) -> bool:
    """Whether a coordinate is a displacement and no angle."""
    return dimensions_of_joints(mechanism.joints)[name] == LENGTH


def coordinate_unit(form: Form, name: str) -> str:
    """rad for an angle, m for a displacement."""
    return "m" if is_displacement(form.mechanism, name) else "rad"


def coordinate_signal(form: Form, name: str, group: Group = Group.INPUT) -> Signal:
    """An independent coordinate as an input, or as a state that one step must not take out of its range."""
    mechanism = form.mechanism
    limits = mechanism.ranges[name]
    low, high = state_limits(mechanism, name) if group is Group.STATE else (limits.minimum, limits.maximum)
    unit = coordinate_unit(form, name)
    return Signal(name, unit, f"coordinate {name}", low, high, mechanism.pose[name], group=group)


def rate_signal(form: Form, name: str, group: Group = Group.INPUT) -> Signal:
    """Its rate."""
    return _bounded(form, name, "rate", "/s", form.mechanism.ranges[name].rate, group)


def acceleration_signal(form: Form, name: str) -> Signal:
    """Its acceleration."""
    return _bounded(form, name, "acceleration", "/s^2", form.mechanism.ranges[name].acceleration, Group.INPUT)


def _bounded(form: Form, name: str, what: str, per: str, bound: Fraction | None, group: Group) -> Signal:
    if bound is None:
        raise ModelError(
            f"{form.mechanism.name}: the {what} of '{name}' has no range; add it under [coordinates.{what}s]"
        )
    unit = coordinate_unit(form, name) + per
    return Signal(f"{name}.{what}", unit, f"{what} of {name}", -bound, bound, Fraction(0), group=group)


def _take(draft: _Draft, *, rates: bool = False, accelerations: bool = False, group: Group = Group.INPUT) -> None:
    """Declare the independent coordinates (and rates, accelerations) as checked inputs."""
    form, builder, names = draft.form, draft.builder, draft.mechanism.independent
    for name in names:
        draft.coordinates[name] = checked_input(builder, coordinate_signal(form, name, group))
    for name in names if rates else ():
        draft.rates[name] = checked_input(builder, rate_signal(form, name, group))
    for name in names if accelerations else ():
        draft.accelerations[name] = checked_input(builder, acceleration_signal(form, name))


def _take_inputs(draft: _Draft) -> None:
    for entry in draft.mechanism.inputs:
        signal = Signal(entry.name, entry.unit, entry.about, entry.minimum, entry.maximum, entry.nominal)
        draft.scope.define(entry.name, checked_input(draft.builder, signal))


def _give(draft: _Draft, name: str, unit: str, value: Value, about: str = "", role: Role = Role.VALUE) -> None:
    aliases = {signal: alias for alias, signal in draft.mechanism.outputs.items()}
    signal = Signal(aliases.get(name, name), unit, about or name, role=role, group=Group.OUTPUT)
    draft.builder.output(signal, value)


def _give_positions(draft: _Draft, pose: SolvedPose) -> None:
    asked = set(draft.mechanism.outputs.values())
    for name in draft.form.offered():
        if is_displacement(draft.mechanism, name):
            _give(draft, name, "m", pose.displacement(name), f"displacement {name}")
            continue
        cosine, sine = pose.pair(name)
        _give(draft, f"{name}.sin", "1", sine, f"sine of {name}")
        _give(draft, f"{name}.cos", "1", cosine, f"cosine of {name}")
        if name in asked:
            _give(draft, name, "rad", pose.angle(name), f"angle {name}")
    for name, frame in points_of_interest(draft.mechanism):
        _give_point(draft, name, "", "m", pose.point(frame))
    for name, wanted in draft.mechanism.angles.items():
        _give_angle(draft, name, "", "rad", SeenAngle(draft.mechanism, wanted, draft.builder, pose).value())
    if isinstance(pose, NewtonPose):
        _give_next(draft, pose)


def _give_next(draft: _Draft, pose: NewtonPose) -> None:
    for name, value in pose.next_start().items():
        _give(draft, f"{name}.next", coordinate_unit(draft.form, name), value, f"{name}.previous of the next call")


def _give_point(draft: _Draft, name: str, what: str, unit: str, place: Triple) -> None:
    for axis, value in zip(AXES, place, strict=True):
        about = f"{what or 'place'} of {draft.mechanism.outputs[name]} along {axis}"
        signal = f"{name}.{axis}.{what}" if what else f"{name}.{axis}"
        draft.builder.output(Signal(signal, unit, about, group=Group.OUTPUT), value)


def _give_angle(draft: _Draft, name: str, what: str, unit: str, value: Value) -> None:
    wanted = draft.mechanism.angles[name]
    about = f"angle of {wanted.start.name} to {wanted.end.name} from {wanted.base} towards {wanted.towards}"
    signal = Signal(f"{name}.{what}", unit, f"{what} of {name}", group=Group.OUTPUT)
    draft.builder.output(signal if what else Signal(name, unit, about, group=Group.OUTPUT), value)


def _give_rates(draft: _Draft, motion: SolvedMotion) -> None:
    for name in draft.form.offered():
        unit = f"{coordinate_unit(draft.form, name)}/s"
        _give(draft, f"{name}.rate", unit, motion.rate(name), f"rate of {name}")
    for name, frame in points_of_interest(draft.mechanism):
        _give_point(draft, name, "rate", "m/s", motion.point_velocity(frame))
    for name, wanted in draft.mechanism.angles.items():
        angle = SeenAngle(draft.mechanism, wanted, draft.builder, motion.where())
        _give_angle(draft, name, "rate", "rad/s", angle.rate(motion))


def _check_outputs(mechanism: Mechanism) -> None:
    known = {
        f"{name}{part}" for name in mechanism.coordinates() for part in ("", ".rate", ".acceleration", ".sin", ".cos")
    }
    for alias, signal in mechanism.outputs.items():
        if signal not in known and frame_named(mechanism, signal) is None:
            raise ModelError(
                f"{mechanism.name}: output '{alias}' asks for '{signal}', which does not exist; coordinates are "
                f"{', '.join(mechanism.coordinates())}, with .rate, .acceleration, .sin, .cos; "
                "a point is asked for as body.point"
            )


# -- the functions -------------------------------------------------------------------------------------------------


def position(form: Form, precision: Precision, contract: bool, saturate: bool = False) -> OperationSequence:
    """Dependent coordinates, margins and pivots from the independent coordinates."""
    draft = _draft(form, "position", precision, contract, saturate)
    _take(draft)
    pose = draft.pose()
    _give_positions(draft, pose)
    for margin in pose.margins if contract else ():
        _give(draft, f"{margin.role}.{margin.block}", "1", margin.value, margin.about, Role(margin.role))
    return draft.builder.finish()


def velocity(form: Form, precision: Precision, contract: bool, saturate: bool = False) -> OperationSequence:
    """Dependent rates from independent coordinates and rates."""
    draft = _draft(form, "velocity", precision, contract, saturate)
    _take(draft, rates=True)
    _give_rates(draft, draft.pose().move(draft.rates))
    return draft.builder.finish()


def acceleration(form: Form, precision: Precision, contract: bool, saturate: bool = False) -> OperationSequence:
    """Dependent accelerations from independent coordinates, rates and accelerations."""
    draft = _draft(form, "acceleration", precision, contract, saturate)
    _take(draft, rates=True, accelerations=True)
    motion = draft.pose().move(draft.rates)
    motion.accelerate(draft.accelerations)
    for name in draft.form.offered():
        unit = f"{coordinate_unit(form, name)}/s^2"
        _give(draft, f"{name}.acceleration", unit, motion.acceleration(name), f"acceleration of {name}")
    for name, frame in points_of_interest(draft.mechanism):
        _give_point(draft, name, "acceleration", "m/s^2", motion.point_acceleration(frame))
    for name, wanted in draft.mechanism.angles.items():
        angle = SeenAngle(draft.mechanism, wanted, draft.builder, motion.where())
        _give_angle(draft, name, "acceleration", "rad/s^2", angle.acceleration(motion))
    return draft.builder.finish()


def dynamics(form: Form, precision: Precision, contract: bool, saturate: bool = False) -> OperationSequence:
    """Dependent positions and rates, and the accelerations of the independent coordinates."""
    draft = _draft(form, "dynamics", precision, contract, saturate)
    _take(draft, rates=True)
    _take_inputs(draft)
    moving = equations_of_motion(draft.form, draft.builder, draft.scope, draft.coordinates, draft.rates)
    _give_positions(draft, moving.pose)
    _give_rates(draft, moving.motion)
    _give_accelerations(draft, moving)
    return draft.builder.finish()


def _give_accelerations(draft: _Draft, result: Accelerated) -> None:
    for name in draft.mechanism.independent:
        unit = f"{coordinate_unit(draft.form, name)}/s^2"
        _give(draft, f"{name}.acceleration", unit, result.accelerations[name], f"acceleration of {name}")


def startup(form: Form, precision: Precision, contract: bool, saturate: bool = False) -> OperationSequence:
    """The state at the design pose, at rest."""
    draft = _draft(form, "startup", precision, contract, saturate)
    for name in form.mechanism.independent:
        draft.builder.output(coordinate_signal(form, name, Group.STATE), form.mechanism.pose[name])
    for name in form.mechanism.independent:
        draft.builder.output(rate_signal(form, name, Group.STATE), 0)
    return draft.builder.finish()


def dostep(form: Form, precision: Precision, contract: bool, saturate: bool = False) -> OperationSequence:
    """Outputs at the present state, and the state one step later."""
    draft = _draft(form, "dostep", precision, contract, saturate)
    _take(draft, rates=True, group=Group.STATE)
    _take_inputs(draft)
    shown: list[Accelerated] = []

    def derivative(coordinates: dict[str, Value], rates: dict[str, Value]) -> dict[str, Value]:
        shown.append(equations_of_motion(draft.form, draft.builder, draft.scope, coordinates, rates))
        return shown[-1].accelerations

    after = advance(draft.mechanism, draft.builder, derivative, draft.coordinates, draft.rates)
    for name, value in after.coordinates.items():
        draft.builder.output(coordinate_signal(form, name, Group.STATE), value)
    for name, value in after.rates.items():
        draft.builder.output(rate_signal(form, name, Group.STATE), value)
    _give_positions(draft, shown[0].pose)
    _give_rates(draft, shown[0].motion)
    _give_accelerations(draft, shown[0])
    return draft.builder.finish()


def newton_step(form: Form, precision: Precision, contract: bool, saturate: bool = False) -> OperationSequence:
    """One iteration of Newton's method: a better previous solution, and what the given one leaves open."""
    if not isinstance(form, NewtonSolution):
        raise TypeError("only Newton's method has a step")
    draft = _draft(form, "newton_step", precision, contract, saturate)
    _take(draft)
    pose = form.iterate(draft.builder, draft.scope, draft.coordinates)
    _give_next(draft, pose)
    about = "closures that the previous solution leaves open, over the length"
    _give(draft, RESIDUAL, "1", pose.residual_before(), about, Role.RESIDUAL)
    return draft.builder.finish()


KINEMATICS: tuple[Function, ...] = (position, velocity, acceleration)
FUNCTIONS: tuple[Function, ...] = (*KINEMATICS, dynamics, startup, dostep)
"""What an export offers, in the order of its header."""


def functions_of(mechanism: Mechanism, form: Form | None = None) -> tuple[Function, ...]:
    """What a mechanism's export offers: kinematics only where nothing has mass, or from a rival method."""
    if isinstance(form, NewtonSolution) and form.tolerance:
        return (newton_step, *KINEMATICS)
    able = form is None or has_equations(solved_form(form))
    return FUNCTIONS if able and any(body.mass != ZERO for body in mechanism.bodies) else KINEMATICS
