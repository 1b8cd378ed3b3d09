"""Composes the program of a mechanism: the functions that its export offers.

Comes from: a Mechanism. Goes to: c99, sil, benchmarks. Functions: position, velocity, acceleration (kinematics),
dynamics (accelerations of the independent coordinates), startup and dostep (one integration step). Each is
self-contained: own inputs, own outputs, own cost.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from exporter.dynamics.integration import advance
from exporter.dynamics.projected import Dynamics, coordinate_acceleration, coordinate_rate, project
from exporter.errors import ModelError
from exporter.kinematics.blocks import LinearSolve
from exporter.kinematics.form import TriangularForm
from exporter.kinematics.position import Pose
from exporter.kinematics.rates import Motion, accelerate, move
from exporter.kinematics.scope import Scope, tunable_signals
from exporter.kinematics.solution import solve_pose
from exporter.kinematics.triangular import triangular_form
from exporter.model.expression import ZERO
from exporter.model.mechanism import Mechanism
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import checked_input
from exporter.sequence.hoist import hoist_parameters
from exporter.sequence.operations import Group, OperationSequence, Precision, Role, Signal
from exporter.sequence.program import Branch, FrozenParameter, Program
from exporter.sequence.proven import drop_proven_guards

LONGEST_NAME = 18


def program_of_mechanism(mechanism: Mechanism, precision: Precision, *, contract: bool = True) -> Program:
    """The program of a mechanism at one precision.

    With `contract=False` the guards are left out: for counting the arithmetic alone, never for use.

    Raises:
        ModelError: see `exporter.kinematics.triangular`, or an output that does not exist.
    """
    form = triangular_form(mechanism)
    _check_outputs(form)
    functions = tuple(write(form, precision, contract) for write in functions_of(mechanism))
    if contract:
        functions = tuple(drop_proven_guards(function) for function in functions)
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
        notes=form.model.dropped,
    )


def branches_of(form: TriangularForm) -> tuple[Branch, ...]:
    """The root signs that the program takes."""
    return tuple(
        Branch(
            block.branch or f"{block.id}{'+' if block.sign > 0 else '-'}", block.coordinates[0], block.id, block.sign
        )
        for block in form.blocks
        if block.degree > 1 and block.coordinates
    )


# -- the border of a function --------------------------------------------------------------------------------------


@dataclass
class _Draft:
    """A function being written."""

    form: TriangularForm
    builder: Builder
    scope: Scope
    coordinates: dict[str, Value]
    rates: dict[str, Value]
    accelerations: dict[str, Value]

    def pose(self) -> tuple[Pose, tuple[LinearSolve, ...]]:
        """Solve the positions."""
        return solve_pose(self.form, self.builder, self.scope, self.coordinates)


def _draft(form: TriangularForm, name: str, precision: Precision, contract: bool) -> _Draft:
    builder = Builder(name, precision, contract=contract)
    return _Draft(form, builder, Scope(builder, form.mechanism), {}, {}, {})


def coordinate_unit(form: TriangularForm, name: str) -> str:
    """rad for an angle, m for a displacement."""
    return "m" if form.turn(name) is None else "rad"


def coordinate_signal(form: TriangularForm, name: str, group: Group = Group.INPUT) -> Signal:
    """An independent coordinate as an input."""
    limits, pose = form.mechanism.ranges[name], form.mechanism.pose[name]
    unit = coordinate_unit(form, name)
    return Signal(name, unit, f"coordinate {name}", limits.minimum, limits.maximum, pose, group=group)


def rate_signal(form: TriangularForm, name: str, group: Group = Group.INPUT) -> Signal:
    """Its rate."""
    return _bounded(form, name, "rate", "/s", form.mechanism.ranges[name].rate, group)


def acceleration_signal(form: TriangularForm, name: str) -> Signal:
    """Its acceleration."""
    return _bounded(form, name, "acceleration", "/s^2", form.mechanism.ranges[name].acceleration, Group.INPUT)


def _bounded(form: TriangularForm, name: str, what: str, per: str, bound: Fraction | None, group: Group) -> Signal:
    if bound is None:
        raise ModelError(
            f"{form.mechanism.name}: the {what} of '{name}' has no range; add it under [coordinates.{what}s]"
        )
    unit = coordinate_unit(form, name) + per
    return Signal(f"{name}.{what}", unit, f"{what} of {name}", -bound, bound, Fraction(0), group=group)


def _take(draft: _Draft, *, rates: bool = False, accelerations: bool = False, group: Group = Group.INPUT) -> None:
    """Declare the independent coordinates (and rates, accelerations) as checked inputs."""
    form, builder = draft.form, draft.builder
    for name in form.independent:
        draft.coordinates[name] = checked_input(builder, coordinate_signal(form, name, group))
    for name in form.independent if rates else ():
        draft.rates[name] = checked_input(builder, rate_signal(form, name, group))
    for name in form.independent if accelerations else ():
        draft.accelerations[name] = checked_input(builder, acceleration_signal(form, name))


def _take_inputs(draft: _Draft) -> None:
    for entry in draft.form.mechanism.inputs:
        signal = Signal(entry.name, entry.unit, entry.about, entry.minimum, entry.maximum, entry.nominal)
        draft.scope.define(entry.name, checked_input(draft.builder, signal))


def _give(draft: _Draft, name: str, unit: str, value: Value, about: str = "", role: Role = Role.VALUE) -> None:
    aliases = {signal: alias for alias, signal in draft.form.mechanism.outputs.items()}
    signal = Signal(aliases.get(name, name), unit, about or name, role=role, group=Group.OUTPUT)
    draft.builder.output(signal, value)


def _give_positions(draft: _Draft, pose: Pose) -> None:
    asked = set(draft.form.mechanism.outputs.values())
    for name in draft.form.dependent():
        if draft.form.turn(name) is None:
            _give(draft, name, "m", pose.slide[name], f"displacement {name}")
            continue
        pair = pose.relative(name)
        _give(draft, f"{name}.sin", "1", pair.im, f"sine of {name}")
        _give(draft, f"{name}.cos", "1", pair.re, f"cosine of {name}")
        if name in asked:
            _give(draft, name, "rad", draft.builder.atan2(pair.im, pair.re), f"angle {name}")


def _give_rates(draft: _Draft, motion: Motion) -> None:
    for name in draft.form.dependent():
        unit = f"{coordinate_unit(draft.form, name)}/s"
        _give(draft, f"{name}.rate", unit, coordinate_rate(motion, name), f"rate of {name}")


def _check_outputs(form: TriangularForm) -> None:
    known = {
        f"{name}{part}"
        for name in form.mechanism.coordinates()
        for part in ("", ".rate", ".acceleration", ".sin", ".cos")
    }
    for alias, signal in form.mechanism.outputs.items():
        if signal not in known:
            raise ModelError(
                f"{form.mechanism.name}: output '{alias}' asks for '{signal}', which does not exist; "
                f"coordinates are {', '.join(form.mechanism.coordinates())}, with .rate, .acceleration, .sin, .cos"
            )


# -- the functions -------------------------------------------------------------------------------------------------


def position(form: TriangularForm, precision: Precision, contract: bool) -> OperationSequence:
    """Dependent coordinates, margins and pivots from the independent coordinates."""
    draft = _draft(form, "position", precision, contract)
    _take(draft)
    pose, _ = draft.pose()
    _give_positions(draft, pose)
    for margin in pose.margins if contract else ():
        _give(draft, f"{margin.role}.{margin.block}", "1", margin.value, margin.about, Role(margin.role))
    return draft.builder.finish()


def velocity(form: TriangularForm, precision: Precision, contract: bool) -> OperationSequence:
    """Dependent rates from independent coordinates and rates."""
    draft = _draft(form, "velocity", precision, contract)
    _take(draft, rates=True)
    pose, solves = draft.pose()
    _give_rates(draft, move(pose, solves, draft.rates))
    return draft.builder.finish()


def acceleration(form: TriangularForm, precision: Precision, contract: bool) -> OperationSequence:
    """Dependent accelerations from independent coordinates, rates and accelerations."""
    draft = _draft(form, "acceleration", precision, contract)
    _take(draft, rates=True, accelerations=True)
    pose, solves = draft.pose()
    motion = move(pose, solves, draft.rates)
    accelerate(motion, solves, draft.accelerations)
    for name in form.dependent():
        unit = f"{coordinate_unit(form, name)}/s^2"
        _give(draft, f"{name}.acceleration", unit, coordinate_acceleration(motion, name), f"acceleration of {name}")
    return draft.builder.finish()


def dynamics(form: TriangularForm, precision: Precision, contract: bool) -> OperationSequence:
    """Dependent positions and rates, and the accelerations of the independent coordinates."""
    draft = _draft(form, "dynamics", precision, contract)
    _take(draft, rates=True)
    _take_inputs(draft)
    pose, solves = draft.pose()
    result = project(pose, solves, draft.rates)
    _give_positions(draft, pose)
    _give_rates(draft, result.motion)
    _give_accelerations(draft, result)
    return draft.builder.finish()


def _give_accelerations(draft: _Draft, result: Dynamics) -> None:
    for name in draft.form.independent:
        unit = f"{coordinate_unit(draft.form, name)}/s^2"
        _give(draft, f"{name}.acceleration", unit, result.accelerations[name], f"acceleration of {name}")


def startup(form: TriangularForm, precision: Precision, contract: bool) -> OperationSequence:
    """The state at the design pose, at rest."""
    draft = _draft(form, "startup", precision, contract)
    for name in form.independent:
        draft.builder.output(coordinate_signal(form, name, Group.STATE), form.mechanism.pose[name])
    for name in form.independent:
        draft.builder.output(rate_signal(form, name, Group.STATE), 0)
    return draft.builder.finish()


def dostep(form: TriangularForm, precision: Precision, contract: bool) -> OperationSequence:
    """Outputs at the present state, and the state one step later."""
    draft = _draft(form, "dostep", precision, contract)
    _take(draft, rates=True, group=Group.STATE)
    _take_inputs(draft)
    shown: list[tuple[Pose, Dynamics]] = []

    def derivative(coordinates: dict[str, Value], rates: dict[str, Value]) -> dict[str, Value]:
        pose, solves = solve_pose(form, draft.builder, draft.scope, coordinates)
        result = project(pose, solves, rates)
        shown.append((pose, result))
        return result.accelerations

    after = advance(form, draft.builder, derivative, draft.coordinates, draft.rates)
    for name, value in after.coordinates.items():
        draft.builder.output(coordinate_signal(form, name, Group.STATE), value)
    for name, value in after.rates.items():
        draft.builder.output(rate_signal(form, name, Group.STATE), value)
    pose, result = shown[0]
    _give_positions(draft, pose)
    _give_rates(draft, result.motion)
    _give_accelerations(draft, result)
    return draft.builder.finish()


KINEMATICS = (position, velocity, acceleration)
FUNCTIONS: tuple[Callable[[TriangularForm, Precision, bool], OperationSequence], ...] = (
    *KINEMATICS,
    dynamics,
    startup,
    dostep,
)
"""What an export offers, in the order of its header."""


def functions_of(mechanism: Mechanism) -> tuple[Callable[[TriangularForm, Precision, bool], OperationSequence], ...]:
    """What a mechanism's export offers: without any mass, kinematics only."""
    return FUNCTIONS if any(body.mass != ZERO for body in mechanism.bodies) else KINEMATICS
