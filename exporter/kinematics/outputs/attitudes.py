"""Attitudes: entries of [outputs] that ask for the unit quaternion of a body or frame, "carrier.quaternion".

In: a solved pose or motion and a frame. Out: w, x, y, z of the rotation that takes the frame's components
to ground components, with derivatives. With R its matrix, 4 q_i q are the rows of a symmetric matrix whose entries are
sums of entries of R; the row whose 4 q_i^2 is the largest, at least 1, is divided by 2 |q_i|: nothing is divided by
what may vanish. Of q and -q the one on the side of the design pose's attitude is given: q is continuous up to half a
turn from there. With u and a the angular velocity and acceleration in ground axes, u = sum of e_i x e_i' / 2 over the
columns of R, q' = u q / 2 and q'' = (a q + u q') / 2.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

import numpy as np

from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Accelerations, Positions, Solution, Triple, Velocities
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.model.directions import axis_named, turn_vector
from exporter.model.expression import Vector as Expressions
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.points_of_interest import frame_named
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import positive_pivot
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Signal

PARTS = ("w", "x", "y", "z")
SUFFIX = ".quaternion"
ATTITUDE_STEPS = 1000  # to which the design attitude is rounded: only its side counts
LARGEST_IS_ABOVE = Fraction(1, 2)  # 4 q_i^2 of the largest part is 1 at least

Quaternion = tuple[Value, Value, Value, Value]
Side = tuple[Fraction, Fraction, Fraction, Fraction]
OfDirection = Callable[[str, Expressions], Triple]


def attitudes(mechanism: Mechanism) -> tuple[tuple[str, Frame], ...]:
    """(name of the output, frame) of the attitudes that [outputs] asks for."""
    asked = [(name, signal) for name, signal in mechanism.outputs.items() if signal.endswith(SUFFIX)]
    return tuple((n, frame) for n, s in asked if (frame := frame_named(mechanism, s.removesuffix(SUFFIX))) is not None)


def side_of_design(solved: Solution, frame: Frame) -> Side:
    """The quaternion at the design pose, its largest part above zero; rounded."""
    builder, mechanism = Builder("design", "float64", contract=False), solved.mechanism
    given = {name: builder.input(Signal(name, "1")) for name in mechanism.independent}
    pose = solved.solve(builder, Scope(builder, mechanism, nominal=True), given)
    for number, part in enumerate(Attitude(builder, pose, frame, None).value()):
        builder.output(Signal(f"q{number}", "1", group=Group.OUTPUT), part)
    row = np.array([[float(mechanism.pose[name]) for name in mechanism.independent]])
    w, x, y, z = (
        Fraction(round(float(part) * ATTITUDE_STEPS), ATTITUDE_STEPS)
        for part in interpret(builder.finish(), row).outputs[0]
    )
    return w, x, y, z


@dataclass
class Attitude:
    """A frame's quaternion at one pose, written into one sequence."""

    builder: Builder
    pose: Positions
    frame: Frame
    side: Side | None  # which of q and -q; None: the one whose largest part is above zero

    def value(self) -> Quaternion:
        """w, x, y, z."""
        return self._value

    @cached_property
    def _value(self) -> Quaternion:
        best, *others = self._rows
        largest = best[0]
        for place, row in enumerate(others, start=1):
            larger = row[place] > largest
            best = [self.builder.select(larger, new, old) for new, old in zip(row, best, strict=True)]
            largest = self.builder.select(larger, row[place], largest)
        near = f"the axes of {self.frame.name} are not at right angles"
        largest = positive_pivot(self.builder, largest, LARGEST_IS_ABOVE, near)
        factor = 1 / (2 * self.builder.sqrt(largest))
        if self.side is not None:
            along = sum((part * value for part, value in zip(self.side, best, strict=True)), self.builder.real(0))
            factor = self.builder.select(along >= 0, factor, -factor)
        w, x, y, z = (part * factor for part in best)
        return w, x, y, z

    @cached_property
    def _rows(self) -> list[list[Value]]:
        """4 q_i q."""
        (xx, yx, zx), (xy, yy, zy), (xz, yz, zz) = (column.parts() for column in self._columns(self.pose.direction))
        a, b, c = zy - yz, xz - zx, yx - xy
        d, e, f = xy + yx, xz + zx, yz + zy
        return [
            [1 + xx + yy + zz, a, b, c],
            [a, 1 + xx - yy - zz, d, e],
            [b, d, 1 - xx + yy - zz, f],
            [c, e, f, 1 - xx - yy + zz],
        ]

    def _columns(self, direction: OfDirection) -> list[Vector]:
        axes = (turn_vector(axis_named(letter), self.frame.rotation) for letter in "xyz")
        return [Vector(*direction(self.frame.body, axis)) for axis in axes]

    def rates(self, motion: Velocities) -> Quaternion:
        """w', x', y', z'."""
        return self._half_product(self._spin(self._columns(motion.direction_rate)), self._value)

    def accelerations(self, second: Accelerations) -> Quaternion:
        """w'', x'', y'', z''."""
        angular_velocity = self._spin(self._columns(second.motion.direction_rate))
        change = self._spin(self._columns(second.direction_acceleration))
        parts = zip(
            self._half_product(change, self._value),
            self._half_product(angular_velocity, self.rates(second.motion)),
            strict=True,
        )
        w, x, y, z = (one + other for one, other in parts)
        return w, x, y, z

    def _spin(self, changes: list[Vector]) -> Vector:
        total = constant_vector(self.builder, (0, 0, 0))
        for column, change in zip(self._columns(self.pose.direction), changes, strict=True):
            total = total + column.cross(change)
        return total.scaled(Fraction(1, 2))

    def _half_product(self, angular_velocity: Vector, q: Quaternion) -> Quaternion:
        """(0, spin) q / 2."""
        half, vector = angular_velocity.scaled(Fraction(1, 2)), Vector(*q[1:])
        rest = half.scaled(q[0]) + half.cross(vector)
        return -half.dot(vector), *rest.parts()
