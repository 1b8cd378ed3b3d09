"""What holds coordinates: a closing joint, a coupling, or the constant length of a link between two centres.

In: a mechanism and values of its coordinates. Out: equations with their partial derivatives, written into a sequence,
or as numbers at many rows at once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.closures.written import Coordinates, Equation, Walker
from exporter.kinematics.protocol.frame_values import frame_values
from exporter.kinematics.protocol.scope import Scope
from exporter.model.couplings import Coupling
from exporter.model.joints import CENTERED_JOINT_TYPES
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.size import length_of
from exporter.records import dataclass
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Constraint:
    """A closing joint or a coupling by name; or a link, its ends on the bodies that it joins, and those on itself."""

    name: str
    ends: tuple[Frame, Frame] | None = None
    inside: tuple[Frame, Frame] | None = None
    coupling: Coupling | None = field(default=None, hash=False)

    @property
    def power(self) -> int:
        """The power of a length that its lengths are: distances are squared."""
        return 1 if self.ends is None else 2


def closing_constraints(mechanism: Mechanism) -> tuple[Constraint, ...]:
    """All closing joints that hold something."""
    return tuple(Constraint(joint.name) for joint in mechanism.joints if joint.closes and joint.type != "free")


def coupling_constraints(couplings: Iterable[Coupling]) -> tuple[Constraint, ...]:
    """Couplings, by their followers."""
    return tuple(Constraint(coupling.follower, coupling=coupling) for coupling in couplings)


def link_constraints(mechanism: Mechanism) -> tuple[Constraint, ...]:
    """Bodies between two centres, other than those that carry the bodies which they join."""
    tree, found = mechanism.spanning_tree(), []
    for body in mechanism.bodies:
        joints = [j for j in mechanism.joints if j.type in CENTERED_JOINT_TYPES and body.name in j.bodies]
        for number, second in enumerate(joints):
            for first in joints[:number]:
                one, other = first.frame_beyond(body.name), second.frame_beyond(body.name)
                ways = tree.branches(one.body, other.body)
                carried = {joint.child.body for way in ways for joint in way} | {
                    way[0].parent.body for way in ways if way
                }
                if body.name not in carried:
                    inside = (first.frame_on(body.name), second.frame_on(body.name))
                    found.append(Constraint(body.name, (one, other), inside))
    return tuple(found)


def equations_of(walker: Walker, constraint: Constraint, coordinates: Coordinates) -> list[Equation]:
    """The equations of one constraint, always as many and in the same order."""
    if constraint.coupling is not None:
        return [walker.coupling(constraint.coupling, coordinates)]
    if constraint.ends is None or constraint.inside is None:
        return walker.equations(coordinates, constraint.name)
    one, other = (frame_values(walker.scope, frame).at for frame in constraint.inside)
    return [walker.distance(constraint.name, constraint.ends, (other - one).squared(), coordinates)]


@dataclass(frozen=True)
class LoopNumbers:
    """Constraints at rows of all coordinates, in units: lengths over the mechanism's length, turns in rad."""

    mechanism: Mechanism
    constraints: tuple[Constraint, ...]

    def at(self, rows: Array) -> tuple[Array, Array]:
        """Residuals (n, m) and Jacobians (n, m, c), columns per unit of each coordinate."""
        outputs = interpret(self._sequence, rows).outputs
        count = len(self.patterns)
        jacobian = np.zeros((len(rows), count, rows.shape[1]))
        jacobian[:, self._entries[0], self._entries[1]] = outputs[:, count:]
        scale = self.row_units
        return outputs[:, :count] / scale, jacobian * self.units / scale[:, None]

    def residuals(self, rows: Array) -> Array:
        """Residuals alone, (n, m)."""
        return self.at(rows)[0]

    @cached_property
    def length(self) -> float:
        """The mechanism's length, m."""
        return float(length_of(self.mechanism))

    @cached_property
    def units(self) -> Array:
        """What counts as one of each coordinate, (c,)."""
        names = self.mechanism.coordinates()
        return np.array([self.length if self.mechanism.is_displacement(name) else 1.0 for name in names])

    @cached_property
    def row_units(self) -> Array:
        """What counts as one of each equation, (m,)."""
        return self.length ** np.array(self.powers, dtype=float)

    @cached_property
    def powers(self) -> tuple[int, ...]:
        """The power of a length that each equation is, (m,)."""
        return tuple(self.constraints[each].power if is_length else 0 for each, _, is_length, _ in self.patterns)

    @cached_property
    def patterns(self) -> tuple[tuple[int, int, bool, tuple[str, ...]], ...]:
        """Every equation: constraint, number in it, whether it is a length, the coordinates that it depends on."""
        return tuple(
            (number, place, each.is_length, tuple(each.partials))
            for number, equations in enumerate(self._written[1])
            for place, each in enumerate(equations)
        )

    @cached_property
    def _entries(self) -> tuple[list[int], list[int]]:
        names = self.mechanism.coordinates()
        pairs = [(row, names.index(name)) for row, pattern in enumerate(self.patterns) for name in pattern[3]]
        return [row for row, _ in pairs], [column for _, column in pairs]

    @cached_property
    def _sequence(self) -> OperationSequence:
        builder, equations = self._written
        every = [each for part in equations for each in part]
        values = [each.value for each in every] + [part for each in every for part in each.partials.values()]
        for number, value in enumerate(values):
            builder.output(Signal(f"v{number}", "1", group=Group.OUTPUT), value)
        return builder.finish()

    @cached_property
    def _written(self) -> tuple[Builder, Sequence[list[Equation]]]:
        builder = Builder("loops", "float64", contract=False)
        scope = Scope(builder, self.mechanism, nominal=True)
        pairs, slides, values = {}, {}, {}
        for name in self.mechanism.coordinates():
            value = values[name] = builder.input(Signal(name, "1"))
            if self.mechanism.is_displacement(name):
                slides[name] = value
            else:
                sine, cosine = builder.sincos(value)
                pairs[name] = (cosine, sine)
        walker, at = Walker(self.mechanism, scope), Coordinates(pairs, slides, values)
        return builder, [equations_of(walker, each, at) for each in self.constraints]
