"""The design pose of a mechanism for Newton's methods: where they start the first time, and the numbers there.

In: a Mechanism and, where there is one, its triangular form. Used by: `structure`. The closures are those of
`closures`, evaluated in float64 at nominal parameters.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.errors import NotAssembled
from exporter.kinematics.closures.closing import close_rows, joint_closures
from exporter.kinematics.closures.tolerances import SOLUTION_RESIDUAL
from exporter.kinematics.closures.written import Coordinates, Equation, Walker
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Solution
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A closure equation without its values."""

    closure: str
    number: int  # among the equations of that closing joint
    is_length: bool
    coordinates: tuple[str, ...]  # that it depends on


@dataclass(frozen=True)
class Numbers:
    """All closure equations of a mechanism as functions of numbers."""

    mechanism: Mechanism
    patterns: tuple[Pattern, ...]
    sequence: OperationSequence  # coordinates -> values, then partial derivatives in the order of the patterns

    def at(self, row: Array) -> tuple[Array, Array]:
        """Residuals (m,) and Jacobian (m, c) at one row of all coordinates, in the mechanism's order."""
        outputs = interpret(self.sequence, row[None].astype(np.float64)).outputs[0]
        names = self.mechanism.coordinates()
        residual, jacobian = outputs[: len(self.patterns)], np.zeros((len(self.patterns), len(names)))
        position = len(self.patterns)
        for number, pattern in enumerate(self.patterns):
            for name in pattern.coordinates:
                jacobian[number, names.index(name)] = outputs[position]
                position += 1
        return residual, jacobian


def numbers_of(mechanism: Mechanism) -> Numbers:
    """The closures of a mechanism at nominal parameters."""
    builder = Builder("closures", "float64", contract=False)
    scope = Scope(builder, mechanism, nominal=True)
    pairs, slides = {}, {}
    for name in mechanism.coordinates():
        value = builder.input(Signal(name, "1"))
        if mechanism.is_displacement(name):
            slides[name] = value
        else:
            sine, cosine = builder.sincos(value)
            pairs[name] = (cosine, sine)
    walker, found = Walker(mechanism, scope), Coordinates(pairs, slides)
    numbered = [
        (number, equation)
        for joint in mechanism.joints
        if joint.closes
        for number, equation in enumerate(walker.equations(found, joint.name))
    ]
    equations = [equation for _, equation in numbered]
    values = [each.value for each in equations] + [part for each in equations for part in each.partials.values()]
    for number, value in enumerate(values):
        builder.output(Signal(f"v{number}", "1", group=Group.OUTPUT), value)
    return Numbers(mechanism, tuple(_pattern(*each) for each in numbered), builder.finish())


def _pattern(number: int, equation: Equation) -> Pattern:
    return Pattern(equation.closure, number, equation.is_length, tuple(equation.partials))


def design_row(numbers: Numbers, triangular: Solution | None) -> Array:
    """All coordinates at the design pose, assembled.

    By the triangular form, which knows the branch, where there is one; else by Newton's method from the pose itself.

    Raises:
        ModelError: the pose gives too little to start from, or cannot be assembled.
    """
    mechanism = numbers.mechanism
    names = mechanism.coordinates()
    start = _of_triangular(triangular) if triangular is not None else {}
    given = {name: float(value) for name, value in mechanism.pose.items()} | start
    missing = [name for name in names if name not in given]
    if missing:
        raise NotAssembled(
            f"{mechanism.name}: the pose gives no value of '{missing[0]}', which Newton's method has to start from; "
            "add it under [coordinates] pose"
        )
    return _settle_numbers(numbers, np.array([given[name] for name in names]))


def _of_triangular(solved: Solution) -> dict[str, float]:
    """The dependent coordinates at the design pose by a triangular form."""
    mechanism = solved.mechanism
    builder = Builder("design", "float64")
    inputs = {name: builder.input(Signal(name, "1")) for name in mechanism.independent}
    pose = solved.solve(builder, Scope(builder, mechanism, nominal=True), inputs)
    names = solved.dependent()
    for name in names:
        if mechanism.is_displacement(name):
            value = pose.displacement(name)
        else:
            cosine, sine = pose.pair(name)
            value = builder.atan2(sine, cosine)
        builder.output(Signal(name, "1", group=Group.OUTPUT), value)
    row = np.array([[float(mechanism.pose[name]) for name in mechanism.independent]])
    return dict(zip(names, interpret(builder.finish(), row).outputs[0].tolist(), strict=True))


def _settle_numbers(numbers: Numbers, row: Array) -> Array:
    mechanism = numbers.mechanism
    closures = joint_closures(mechanism)
    rows, _ = close_rows(closures, row[None], mechanism.independent)
    opening = float(np.abs(numbers.at(rows[0])[0]).max(initial=0.0))
    if not opening < SOLUTION_RESIDUAL * max(1.0, closures.length):
        raise NotAssembled(
            f"{mechanism.name}: Newton's method does not assemble the mechanism from its pose: a closure stays open by "
            f"{opening:.3g}; give values near the wanted assembly under [coordinates] pose"
        )
    return np.asarray(rows[0])
