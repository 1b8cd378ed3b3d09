"""The functions that the export of a mechanism offers.

In: a solved mechanism. Used by: `functions`. Functions: position, velocity, acceleration (kinematics), dynamics
(accelerations of the independent coordinates), startup and dostep (one integration step). Each is self-contained: own
inputs, own outputs, own cost.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

from exporter.dynamics.accelerated_pose import AcceleratedPose
from exporter.dynamics.equations import equations_of_motion, has_equations
from exporter.dynamics.integration import advance
from exporter.dynamics.switching.choices import choices_of
from exporter.errors import ModelError
from exporter.functions.reactions import write_reactions
from exporter.functions.signals import (
    FunctionWriter,
    coordinate_signal,
    declare_coordinates,
    declare_inputs,
    function_writer,
    rate_signal,
    write_angle,
    write_distance,
    write_next,
    write_output,
    write_point,
    write_positions,
    write_rates,
    write_second_attitudes,
)
from exporter.kinematics.outputs.angles_of_interest import AngleValues
from exporter.kinematics.outputs.distances import DistanceValues, distances_of_interest
from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.protocol.solution import Accelerations, Solution
from exporter.model.expression import ZERO
from exporter.model.mechanism import Mechanism
from exporter.model.nearest import list_words, nearest
from exporter.model.points_of_interest import points_of_interest
from exporter.sequence.builder import Value
from exporter.sequence.operations import Group, OperationSequence, Precision, Role

NEAR_SWAP = Fraction(1, 10**4)
"""Margin, a squared sine, below which the two roots of a block are so close that a step along a path may swap them."""
RESIDUAL = "residual"  # output of one iteration
GIVEN_ALONG = ("recalibrate", "check_frozen")
"""Functions of an export that nobody asks for: what the others need of parameters."""


class Function(Protocol):
    """Writes one function of an export."""

    def __call__(self, form: Solution, precision: Precision, contract: bool) -> OperationSequence:
        """The finished sequence."""


def position(form: Solution, precision: Precision, contract: bool) -> OperationSequence:
    """Dependent coordinates, margins and pivots from the independent coordinates."""
    writer = function_writer(form, "position", precision, contract)
    declare_coordinates(writer)
    pose = writer.pose()
    with writer.outputs():
        write_positions(writer, pose)
        for margin in pose.margins if contract else ():
            if margin.role == "margin" and not margin.clear:
                about = f"the roots of {margin.block} are about to meet"
                writer.builder.condition("BRANCH_NEAR_SWAP", margin.value < NEAR_SWAP, about)
            write_output(writer, f"{margin.role}.{margin.block}", "1", margin.value, margin.about, Role(margin.role))
    return writer.finish()


def velocity(form: Solution, precision: Precision, contract: bool) -> OperationSequence:
    """Dependent rates from independent coordinates and rates."""
    writer = function_writer(form, "velocity", precision, contract)
    declare_coordinates(writer, rates=True)
    motion = writer.pose().move(writer.rates)
    with writer.outputs():
        write_rates(writer, motion)
    return writer.finish()


def acceleration(form: Solution, precision: Precision, contract: bool) -> OperationSequence:
    """Dependent accelerations from independent coordinates, rates and accelerations."""
    writer = function_writer(form, "acceleration", precision, contract)
    declare_coordinates(writer, rates=True, accelerations=True)
    second = writer.pose().move(writer.rates).accelerate(writer.accelerations)
    with writer.outputs():
        _give_all_accelerations(writer, second)
    return writer.finish()


def _give_all_accelerations(writer: FunctionWriter, second: Accelerations) -> None:
    for name in writer.form.exported_coordinates():
        unit = f"{writer.mechanism.unit_of(name)}/s^2"
        write_output(writer, f"{name}.acceleration", unit, second.acceleration(name), f"acceleration of {name}")
    for name, frame in points_of_interest(writer.mechanism):
        with writer.output(name):
            write_point(writer, name, "acceleration", "m/s^2", second.point_acceleration(frame))
    write_second_attitudes(writer, second)
    for name, wanted in writer.mechanism.angles.items():
        with writer.output(name):
            angle = AngleValues(writer.mechanism, wanted, writer.builder, second.motion.pose, second.motion, second)
            write_angle(writer, name, "acceleration", "rad/s^2", angle.acceleration())
    for name, distance in distances_of_interest(writer.mechanism):
        with writer.output(name):
            values = DistanceValues(writer.mechanism, distance, writer.scope, second.motion.pose, second.motion, second)
            write_distance(writer, name, "acceleration", "m/s^2", values.acceleration())


def dynamics(form: Solution, precision: Precision, contract: bool) -> OperationSequence:
    """Dependent positions and rates, and the accelerations of the independent coordinates."""
    writer = function_writer(form, "dynamics", precision, contract)
    declare_coordinates(writer, rates=True)
    declare_inputs(writer)
    moving = equations_of_motion(writer.form, writer.builder, writer.scope, writer.coordinates, writer.rates)
    with writer.outputs():
        write_positions(writer, moving.pose)
        write_rates(writer, moving.motion)
        _give_accelerations(writer, moving)
    write_reactions(writer, moving)
    return writer.finish()


def _give_accelerations(writer: FunctionWriter, result: AcceleratedPose) -> None:
    for name in writer.mechanism.independent:
        unit = f"{writer.mechanism.unit_of(name)}/s^2"
        write_output(writer, f"{name}.acceleration", unit, result.accelerations[name], f"acceleration of {name}")


def startup(form: Solution, precision: Precision, contract: bool) -> OperationSequence:
    """The state at the design pose, at rest."""
    writer = function_writer(form, "startup", precision, contract)
    for name in form.mechanism.independent:
        writer.builder.output(coordinate_signal(form, name, Group.STATE), form.mechanism.pose[name])
    for name in form.mechanism.independent:
        writer.builder.output(rate_signal(form, name, Group.STATE), 0)
    return writer.finish()


def dostep(form: Solution, precision: Precision, contract: bool) -> OperationSequence:
    """Outputs at the present state, and the state one step later."""
    writer = function_writer(form, "dostep", precision, contract)
    declare_coordinates(writer, rates=True, group=Group.STATE)
    declare_inputs(writer)
    shown: list[AcceleratedPose] = []

    def derivative(coordinates: dict[str, Value], rates: dict[str, Value]) -> AcceleratedPose:
        shown.append(equations_of_motion(writer.form, writer.builder, writer.scope, coordinates, rates))
        return shown[-1]

    after = advance(writer.mechanism, writer.builder, derivative, writer.coordinates, writer.rates)
    for name, value in after.coordinates.items():
        writer.builder.output(coordinate_signal(form, name, Group.STATE), value)
    for name, value in after.rates.items():
        writer.builder.output(rate_signal(form, name, Group.STATE), value)
    with writer.outputs():
        write_positions(writer, shown[0].pose)
        write_rates(writer, shown[0].motion)
        _give_accelerations(writer, shown[0])
    write_reactions(writer, shown[0])
    return writer.finish()


def newton_step(form: Solution, precision: Precision, contract: bool) -> OperationSequence:
    """One iteration of Newton's method: a better previous solution, and what the given one leaves open."""
    iteration = form.iterated_solution()
    if iteration is None:
        raise TypeError("only an iteration has a step")
    writer = function_writer(form, "newton_step", precision, contract)
    declare_coordinates(writer)
    pose = iteration.iterate(writer.builder, writer.scope, writer.coordinates)
    about = "closures that the previous solution leaves open, over the length"
    with writer.outputs():
        write_next(writer, pose)
        write_output(writer, RESIDUAL, "1", pose.residual_before(), about, Role.RESIDUAL)
    return writer.builder.finish()  # whole: every output goes into the next iteration or ends them


KINEMATIC_FUNCTIONS: dict[str, Function] = {"position": position, "velocity": velocity, "acceleration": acceleration}
BY_ALTERNATIVE: dict[str, Function] = {"position_alt": position, "velocity_alt": velocity, "accel_alt": acceleration}
"""Kinematics by the alternative; after the longest model name these still make C names of 31 characters."""
DYNAMIC_FUNCTIONS: dict[str, Function] = {"dynamics": dynamics, "startup": startup, "dostep": dostep}
PREREQUISITES: dict[str, str] = {"dostep": "startup"}
"""What an export has beside a function that is asked for: a state wants a start."""


def functions_of(mechanism: Mechanism, form: Solution | None = None) -> dict[str, Function]:
    """What a mechanism's export offers, by name in the order of its header.

    Kinematics only, where nothing has mass or a baseline solves the positions.
    """
    iteration = form.iterated_solution() if form else None
    if iteration and iteration.tolerance:
        return {newton_step.__name__: newton_step, **KINEMATIC_FUNCTIONS}
    able = form is None or has_equations(form)
    masses = DYNAMIC_FUNCTIONS if able and any(body.mass != ZERO for body in mechanism.bodies) else {}
    return _with_alternative(masses) if mechanism.alternative else {**KINEMATIC_FUNCTIONS, **masses}


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
        if name in GIVEN_ALONG:
            raise ModelError(f'"{name}" comes by itself with every function that needs it; leave it out')
        if name not in offered:
            raise ModelError(
                f'"{name}" is no function of this model{nearest(name, offered)}; it has {list_words(offered)}'
            )
    needed = {PREREQUISITES.get(name, name) for name in only}
    needed |= {newton_step.__name__} if needed & set(loop) else set()
    return (name for name in offered if not only or name in needed or name in only)


def _with_alternative(masses: dict[str, Function]) -> dict[str, Function]:
    """Kinematics by the alternative too; start and step with both."""
    alternative = {name: _by_alternative(function, name) for name, function in BY_ALTERNATIVE.items()}
    both = {"startup": switching_startup, "dostep": switching_dostep} if masses else {}
    return {**KINEMATIC_FUNCTIONS, **{name: masses[name] for name in masses if name not in both}, **alternative, **both}


def _by_alternative(function: Function, name: str) -> Function:
    """A function driven by the alternative coordinates instead."""

    def write(form: Solution, precision: Precision, contract: bool) -> OperationSequence:
        written = function(PlanarSolution(choices_of(form.mechanism).second.form), precision, contract)
        return replace(written, name=name)

    return write


def switching_startup(form: Solution, precision: Precision, contract: bool) -> OperationSequence:
    """The state at the design pose, at rest, by the first choice of coordinates."""
    from exporter.functions.switching import startup_of  # noqa: PLC0415 - few mechanisms have two choices

    return startup_of(choices_of(form.mechanism), precision, contract)


def switching_dostep(form: Solution, precision: Precision, contract: bool) -> OperationSequence:
    """Outputs at the present state, and the state one step later, in the choice of coordinates that goes on."""
    from exporter.functions.switching import dostep_of  # noqa: PLC0415

    return dostep_of(choices_of(form.mechanism), precision, contract)
