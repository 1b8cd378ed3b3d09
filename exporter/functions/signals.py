"""The signals of an exported function: its inputs, checked, and its outputs, named.

In: a solved mechanism and a sequence that is being written. Used by: the other files of `functions`.
"""

from contextlib import AbstractContextManager
from fractions import Fraction

from exporter.dynamics.integration import state_limits
from exporter.errors import ModelError
from exporter.functions.chosen_outputs import NEXT_SUFFIX, chooses
from exporter.kinematics.outputs.angles_of_interest import AngleValues
from exporter.kinematics.outputs.attitudes import PARTS, SUFFIX, Attitude, Quaternion, attitudes, side_of_design
from exporter.kinematics.outputs.distances import DistanceValues, distances_of_interest
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import (
    Accelerations,
    Positions,
    Solution,
    SolvedPose,
    Triple,
    Velocities,
)
from exporter.kinematics.verification.held_points import check_lines
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.points_of_interest import AXES, frame_named, points_of_interest
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import checked_input
from exporter.sequence.operations import Group, OperationSequence, Precision, Role, Signal
from exporter.sequence.passes import keep_outputs, tidy


@dataclass
class FunctionWriter:
    """A function being written."""

    form: Solution
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

    def outputs(self) -> AbstractContextManager[None]:
        """The heading over what outputs need beyond the solution."""
        return self.builder.step("out", "outputs from what was solved", part=True)

    def output(self, name: str) -> AbstractContextManager[None]:
        """The heading over one of them: a point, an attitude or the angle of a line, or a derivative of it."""
        return self.builder.part(name, f"output {name}")

    def finish(self) -> OperationSequence:
        """The function with the outputs that are chosen; `exporter.sequence.pipeline` has the passes over it."""
        return tidy(keep_outputs(self.builder.as_written(), chooses(self.mechanism)))


def function_writer(form: Solution, name: str, precision: Precision, contract: bool) -> FunctionWriter:
    """An empty function."""
    builder = Builder(name, precision, contract=contract)
    return FunctionWriter(form, builder, Scope(builder, form.mechanism), {}, {}, {})


def coordinate_signal(form: Solution, name: str, group: Group = Group.INPUT) -> Signal:
    """An independent coordinate as an input, or as a state that one step must not take out of its range."""
    mechanism = form.mechanism
    limits = mechanism.ranges[name]
    low, high = state_limits(mechanism, name) if group is Group.STATE else (limits.minimum, limits.maximum)
    unit = form.mechanism.unit_of(name)
    return Signal(name, unit, f"coordinate {name}", low, high, mechanism.pose[name], group=group)


def rate_signal(form: Solution, name: str, group: Group = Group.INPUT) -> Signal:
    """The signal of a coordinate's rate."""
    return _bounded_signal(form, name, "rate", "/s", form.mechanism.ranges[name].rate, group)


def acceleration_signal(form: Solution, name: str) -> Signal:
    """The signal of a coordinate's acceleration."""
    return _bounded_signal(form, name, "acceleration", "/s^2", form.mechanism.ranges[name].acceleration, Group.INPUT)


def _bounded_signal(form: Solution, name: str, what: str, per: str, bound: Fraction | None, group: Group) -> Signal:
    if bound is None:
        raise ModelError(
            f"{form.mechanism.name}: the {what} of '{name}' has no range; add it under [coordinates.{what}s]"
        )
    unit = form.mechanism.unit_of(name) + per
    return Signal(f"{name}.{what}", unit, f"{what} of {name}", -bound, bound, Fraction(0), group=group)


def declare_coordinates(
    writer: FunctionWriter, *, rates: bool = False, accelerations: bool = False, group: Group = Group.INPUT
) -> None:
    """Declare the independent coordinates (and rates, accelerations) as checked inputs."""
    form, builder, names = writer.form, writer.builder, writer.mechanism.independent
    for name in names:
        writer.coordinates[name] = checked_input(builder, coordinate_signal(form, name, group))
    for name in names if rates else ():
        writer.rates[name] = checked_input(builder, rate_signal(form, name, group))
    for name in names if accelerations else ():
        writer.accelerations[name] = checked_input(builder, acceleration_signal(form, name))


def declare_inputs(writer: FunctionWriter) -> None:
    """Declare the forces and torques that the caller gives."""
    for entry in writer.mechanism.inputs:
        signal = Signal(entry.name, entry.unit, entry.about, entry.minimum, entry.maximum, entry.nominal)
        writer.scope.define(entry.name, checked_input(writer.builder, signal))


def write_output(
    writer: FunctionWriter, name: str, unit: str, value: Value, about: str = "", role: Role = Role.VALUE
) -> None:
    """Declare an output, by its alias where it has one."""
    aliases = {signal: alias for alias, signal in writer.mechanism.outputs.items()}
    signal = Signal(aliases.get(name, name), unit, about or name, role=role, group=Group.OUTPUT)
    writer.builder.output(signal, value)


def write_positions(writer: FunctionWriter, pose: Positions) -> None:
    """Declare what positions an export offers: coordinates, points, angles."""
    asked = set(writer.mechanism.outputs.values())
    for name in writer.form.exported_coordinates():
        if writer.mechanism.is_displacement(name):
            write_output(writer, name, "m", pose.displacement(name), f"displacement {name}")
            continue
        cosine, sine = pose.pair(name)
        write_output(writer, f"{name}.sin", "1", sine, f"sine of {name}")
        write_output(writer, f"{name}.cos", "1", cosine, f"cosine of {name}")
        if name in asked:
            write_output(writer, name, "rad", pose.angle(name), f"angle {name}")
    for name, frame in points_of_interest(writer.mechanism):
        with writer.output(name):
            write_point(writer, name, "", "m", pose.point(frame))
    for name, frame in attitudes(writer.mechanism):
        with writer.output(name):
            write_attitude(writer, name, "", "1", _attitude(writer, pose, frame).value())
    for name, wanted in writer.mechanism.angles.items():
        with writer.output(name):
            write_angle(writer, name, "", "rad", AngleValues(writer.mechanism, wanted, writer.builder, pose).value())
    for name, distance in distances_of_interest(writer.mechanism):
        with writer.output(name):
            values = DistanceValues(writer.mechanism, distance, writer.scope, pose)
            write_distance(writer, name, "", "m", values.value())
    write_next(writer, pose)


def write_next(writer: FunctionWriter, pose: Positions) -> None:
    """Declare what the next call's iteration starts from."""
    for name, value in pose.next_start().items():
        signal, unit = f"{name}{NEXT_SUFFIX}", writer.mechanism.unit_of(name)
        write_output(writer, signal, unit, value, f"{name}.previous of the next call")


def write_point(writer: FunctionWriter, name: str, what: str, unit: str, place: Triple) -> None:
    """Declare a point, or a derivative of it."""
    for axis, value in zip(AXES, place, strict=True):
        about = f"{what or 'place'} of {writer.mechanism.outputs[name]} along {axis}"
        signal = f"{name}.{axis}.{what}" if what else f"{name}.{axis}"
        writer.builder.output(Signal(signal, unit, about, group=Group.OUTPUT), value)


def _attitude(writer: FunctionWriter, pose: Positions, frame: Frame) -> Attitude:
    return Attitude(writer.builder, pose, frame, side_of_design(writer.form, frame))


def write_attitude(writer: FunctionWriter, name: str, what: str, unit: str, quaternion: Quaternion) -> None:
    """Declare the quaternion of a frame, or a derivative of it."""
    for part, value in zip(PARTS, quaternion, strict=True):
        about = f"{what or 'part'} {part} of {writer.mechanism.outputs[name]}, frame to ground"
        signal = f"{name}.{part}.{what}" if what else f"{name}.{part}"
        writer.builder.output(Signal(signal, unit, about, group=Group.OUTPUT), value)


def write_angle(writer: FunctionWriter, name: str, what: str, unit: str, value: Value) -> None:
    """Declare an angle of a direction, or a derivative of it."""
    wanted = writer.mechanism.angles[name]
    seen = f"{wanted.base} to {wanted.towards} of {wanted.seen_from.name}"
    about = f"angle of {wanted.start.name} to {wanted.end.name}, {seen}"
    signal = Signal(f"{name}.{what}", unit, f"{what} of {name}", group=Group.OUTPUT)
    writer.builder.output(signal if what else Signal(name, unit, about, group=Group.OUTPUT), value)


def write_distance(writer: FunctionWriter, name: str, what: str, unit: str, value: Value) -> None:
    """Declare a distance, or a derivative of it."""
    distance = writer.mechanism.distances[writer.mechanism.outputs[name]]
    about = f"{what or 'distance'} of {distance.start.name} and {distance.end.name}"
    signal = f"{name}.{what}" if what else name
    writer.builder.output(Signal(signal, unit, about, group=Group.OUTPUT), value)


def write_second_attitudes(writer: FunctionWriter, second: Accelerations) -> None:
    """Declare second derivatives of quaternions."""
    for name, frame in attitudes(writer.mechanism):
        with writer.output(name):
            parts = _attitude(writer, second.motion.pose, frame).accelerations(second)
            write_attitude(writer, name, "acceleration", "1/s^2", parts)


def write_rates(writer: FunctionWriter, motion: Velocities) -> None:
    """Declare the rates of what positions an export offers."""
    for name in writer.form.exported_coordinates():
        unit = f"{writer.mechanism.unit_of(name)}/s"
        write_output(writer, f"{name}.rate", unit, motion.rate(name), f"rate of {name}")
    for name, frame in points_of_interest(writer.mechanism):
        with writer.output(name):
            write_point(writer, name, "rate", "m/s", motion.point_velocity(frame))
    for name, frame in attitudes(writer.mechanism):
        with writer.output(name):
            write_attitude(writer, name, "rate", "1/s", _attitude(writer, motion.pose, frame).rates(motion))
    for name, wanted in writer.mechanism.angles.items():
        with writer.output(name):
            angle = AngleValues(writer.mechanism, wanted, writer.builder, motion.pose, motion)
            write_angle(writer, name, "rate", "rad/s", angle.rate())
    for name, distance in distances_of_interest(writer.mechanism):
        with writer.output(name):
            values = DistanceValues(writer.mechanism, distance, writer.scope, motion.pose, motion)
            write_distance(writer, name, "rate", "m/s", values.rate())


def check_outputs(mechanism: Mechanism) -> None:
    """Refuse an output that does not exist, and an angle of a line that has no length.

    Raises:
        ModelError: the output and what to ask for.
    """
    check_lines(mechanism)
    known = {
        f"{name}{part}" for name in mechanism.coordinates() for part in ("", ".rate", ".acceleration", ".sin", ".cos")
    }
    for alias, signal in mechanism.outputs.items():
        if (
            signal not in known
            and signal not in mechanism.distances
            and frame_named(mechanism, signal.removesuffix(SUFFIX)) is None
        ):
            raise ModelError(
                f"{mechanism.name}: output '{alias}' asks for '{signal}', which does not exist; coordinates are "
                f"{', '.join(mechanism.coordinates())}, with .rate, .acceleration, .sin, .cos; "
                "a point is asked for as body.point, an attitude as body.quaternion"
            )
