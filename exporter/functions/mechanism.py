"""The functions that the export of a mechanism offers.

Comes from: a solved mechanism. Goes to: `functions`. Functions: position, velocity, acceleration (kinematics), dynamics
(accelerations of the independent coordinates), startup and dostep (one integration step). Each is self-contained: own
inputs, own outputs, own cost.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

from exporter.dynamics.equations import Accelerated, equations_of_motion, has_equations
from exporter.dynamics.integration import advance
from exporter.dynamics.switching.choices import choices_of
from exporter.errors import ModelError
from exporter.functions.signals import (
    Draft,
    coordinate_signal,
    draft_of,
    give,
    give_angle,
    give_next,
    give_point,
    give_positions,
    give_rates,
    give_second_attitudes,
    rate_signal,
    take,
    take_inputs,
)
from exporter.functions.switching import dostep_of, startup_of
from exporter.kinematics.outputs.angles_of_interest import SeenAngle
from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.protocol.solved import Accelerations, Solved
from exporter.model.expression import ZERO
from exporter.model.mechanism import Mechanism
from exporter.model.nearest import listed, nearest
from exporter.model.points_of_interest import points_of_interest
from exporter.sequence.builder import Value
from exporter.sequence.operations import Group, OperationSequence, Precision, Role, Saturation

NOTHING = Saturation.NOTHING
NEAR_SWAP = Fraction(1, 10**4)
"""Margin, a squared sine, below which the two roots of a block are so close that a step along a path may swap them."""
RESIDUAL = "residual"  # output of one iteration


class Function(Protocol):
    """Writes one function of an export."""

    def __call__(
        self, form: Solved, precision: Precision, contract: bool, saturate: Saturation = NOTHING
    ) -> OperationSequence:
        """The finished sequence; `saturate` says what is limited."""


def position(form: Solved, precision: Precision, contract: bool, saturate: Saturation = NOTHING) -> OperationSequence:
    """Dependent coordinates, margins and pivots from the independent coordinates."""
    draft = draft_of(form, "position", precision, contract, saturate)
    take(draft)
    pose = draft.pose()
    with draft.outputs():
        give_positions(draft, pose)
        for margin in pose.margins if contract else ():
            if margin.role == "margin" and not margin.clear:
                about = f"the roots of {margin.block} are about to meet"
                draft.builder.condition("BRANCH_NEAR_SWAP", margin.value < NEAR_SWAP, about)
            give(draft, f"{margin.role}.{margin.block}", "1", margin.value, margin.about, Role(margin.role))
    return draft.finish()


def velocity(form: Solved, precision: Precision, contract: bool, saturate: Saturation = NOTHING) -> OperationSequence:
    """Dependent rates from independent coordinates and rates."""
    draft = draft_of(form, "velocity", precision, contract, saturate)
    take(draft, rates=True)
    motion = draft.pose().move(draft.rates)
    with draft.outputs():
        give_rates(draft, motion)
    return draft.finish()


def acceleration(
    form: Solved, precision: Precision, contract: bool, saturate: Saturation = NOTHING
) -> OperationSequence:
    """Dependent accelerations from independent coordinates, rates and accelerations."""
    draft = draft_of(form, "acceleration", precision, contract, saturate)
    take(draft, rates=True, accelerations=True)
    second = draft.pose().move(draft.rates).accelerate(draft.accelerations)
    with draft.outputs():
        _give_all_accelerations(draft, second)
    return draft.finish()


def _give_all_accelerations(draft: Draft, second: Accelerations) -> None:
    for name in draft.form.offered():
        unit = f"{draft.mechanism.unit_of(name)}/s^2"
        give(draft, f"{name}.acceleration", unit, second.acceleration(name), f"acceleration of {name}")
    for name, frame in points_of_interest(draft.mechanism):
        with draft.output(name):
            give_point(draft, name, "acceleration", "m/s^2", second.point_acceleration(frame))
    give_second_attitudes(draft, second)
    for name, wanted in draft.mechanism.angles.items():
        with draft.output(name):
            angle = SeenAngle(draft.mechanism, wanted, draft.builder, second.motion.pose, second.motion, second)
            give_angle(draft, name, "acceleration", "rad/s^2", angle.acceleration())


def dynamics(form: Solved, precision: Precision, contract: bool, saturate: Saturation = NOTHING) -> OperationSequence:
    """Dependent positions and rates, and the accelerations of the independent coordinates."""
    draft = draft_of(form, "dynamics", precision, contract, saturate)
    take(draft, rates=True)
    take_inputs(draft)
    moving = equations_of_motion(draft.form, draft.builder, draft.scope, draft.coordinates, draft.rates)
    with draft.outputs():
        give_positions(draft, moving.pose)
        give_rates(draft, moving.motion)
        _give_accelerations(draft, moving)
    return draft.finish()


def _give_accelerations(draft: Draft, result: Accelerated) -> None:
    for name in draft.mechanism.independent:
        unit = f"{draft.mechanism.unit_of(name)}/s^2"
        give(draft, f"{name}.acceleration", unit, result.accelerations[name], f"acceleration of {name}")


def startup(form: Solved, precision: Precision, contract: bool, saturate: Saturation = NOTHING) -> OperationSequence:
    """The state at the design pose, at rest."""
    draft = draft_of(form, "startup", precision, contract, saturate)
    for name in form.mechanism.independent:
        draft.builder.output(coordinate_signal(form, name, Group.STATE), form.mechanism.pose[name])
    for name in form.mechanism.independent:
        draft.builder.output(rate_signal(form, name, Group.STATE), 0)
    return draft.finish()


def dostep(form: Solved, precision: Precision, contract: bool, saturate: Saturation = NOTHING) -> OperationSequence:
    """Outputs at the present state, and the state one step later."""
    draft = draft_of(form, "dostep", precision, contract, saturate)
    take(draft, rates=True, group=Group.STATE)
    take_inputs(draft)
    shown: list[Accelerated] = []

    def derivative(coordinates: dict[str, Value], rates: dict[str, Value]) -> dict[str, Value]:
        shown.append(equations_of_motion(draft.form, draft.builder, draft.scope, coordinates, rates))
        return shown[-1].accelerations

    after = advance(draft.mechanism, draft.builder, derivative, draft.coordinates, draft.rates)
    for name, value in after.coordinates.items():
        draft.builder.output(coordinate_signal(form, name, Group.STATE), value)
    for name, value in after.rates.items():
        draft.builder.output(rate_signal(form, name, Group.STATE), value)
    with draft.outputs():
        give_positions(draft, shown[0].pose)
        give_rates(draft, shown[0].motion)
        _give_accelerations(draft, shown[0])
    return draft.finish()


def newton_step(
    form: Solved, precision: Precision, contract: bool, saturate: Saturation = NOTHING
) -> OperationSequence:
    """One iteration of Newton's method: a better previous solution, and what the given one leaves open."""
    iteration = form.iteration()
    if iteration is None:
        raise TypeError("only an iteration has a step")
    draft = draft_of(form, "newton_step", precision, contract, saturate)
    take(draft)
    pose = iteration.iterate(draft.builder, draft.scope, draft.coordinates)
    about = "closures that the previous solution leaves open, over the length"
    with draft.outputs():
        give_next(draft, pose)
        give(draft, RESIDUAL, "1", pose.residual_before(), about, Role.RESIDUAL)
    return draft.finish()


KINEMATICS: dict[str, Function] = {"position": position, "velocity": velocity, "acceleration": acceleration}
BY_ALTERNATIVE: dict[str, Function] = {"position_alt": position, "velocity_alt": velocity, "accel_alt": acceleration}
"""Kinematics by the alternative; after the longest model name these still make C names of 31 characters."""
MASSES: dict[str, Function] = {"dynamics": dynamics, "startup": startup, "dostep": dostep}
NEEDED: dict[str, str] = {"dostep": "startup"}
"""What an export has beside a function that is asked for: a state wants a start."""


def functions_of(mechanism: Mechanism, form: Solved | None = None) -> dict[str, Function]:
    """What a mechanism's export offers, by name in the order of its header.

    Kinematics only, where nothing has mass or a baseline solves the positions.
    """
    iteration = form.iteration() if form else None
    if iteration and iteration.tolerance:
        return {newton_step.__name__: newton_step, **KINEMATICS}
    able = form is None or has_equations(form)
    masses = MASSES if able and any(body.mass != ZERO for body in mechanism.bodies) else {}
    return _with_alternative(masses) if mechanism.alternative else {**KINEMATICS, **masses}


def asked_functions(offered: dict[str, Function], only: Collection[str], loop: Collection[str] = ()) -> Iterator[str]:
    """Names of functions, in the order offered: those asked for and what they need; all where none is asked for.

    Args:
        offered: see `functions_of`.
        only: the names that are asked for.
        loop: names of functions that repeat `newton_step` first.

    Raises:
        ModelError: a name that is not offered.
    """
    for name in only:
        if name not in offered:
            raise ModelError(f'"{name}" is no function of this model{nearest(name, offered)}; it has {listed(offered)}')
    needed = {NEEDED.get(name, name) for name in only}
    needed |= {newton_step.__name__} if needed & set(loop) else set()
    return (name for name in offered if not only or name in needed or name in only)


def _with_alternative(masses: dict[str, Function]) -> dict[str, Function]:
    """Kinematics by the alternative too; start and step with both."""
    alternative = {name: _by_alternative(function, name) for name, function in BY_ALTERNATIVE.items()}
    both = {"startup": switching_startup, "dostep": switching_dostep} if masses else {}
    return {**KINEMATICS, **{name: masses[name] for name in masses if name not in both}, **alternative, **both}


def _by_alternative(function: Function, name: str) -> Function:
    """A function driven by the alternative coordinates instead."""

    def write(form: Solved, precision: Precision, contract: bool, saturate: Saturation = NOTHING) -> OperationSequence:
        written = function(PlanarSolution(choices_of(form.mechanism).second.form), precision, contract, saturate)
        return replace(written, name=name)

    return write


def switching_startup(
    form: Solved, precision: Precision, contract: bool, saturate: Saturation = NOTHING
) -> OperationSequence:
    """The state at the design pose, at rest, by the first choice of coordinates."""
    return startup_of(choices_of(form.mechanism), precision, contract, saturate)


def switching_dostep(
    form: Solved, precision: Precision, contract: bool, saturate: Saturation = NOTHING
) -> OperationSequence:
    """Outputs at the present state, and the state one step later, in the choice of coordinates that goes on."""
    return dostep_of(choices_of(form.mechanism), precision, contract, saturate)
