"""How near a value must be to what is right, for one function at one set of parameters.

In: a program's function, what it gave, an `Expected`. Out: right values and tolerances, output by output.

Tolerances are relative to the largest quantity of the same kind in the row. Solving a loop multiplies rounding by its
condition; a rate divides by the pivot once more, an acceleration twice more; the equations of motion multiply it by the
condition of the mass matrix over its diagonal. Where that leaves less than two digits (one in float32) a row is not
judged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from expected import SLOW, Expected, pull_of
from plain_outputs import Outputs
from plain_rotations import Array

from exporter.sequence.operations import Group, OperationSequence, Output, Role
from exporter.sequence.program import Program

BASE = {"float64": 1e-12, "float32": 2e-5}
LARGEST = {"float64": 1e-2, "float32": 1e-1}  # a tolerance above it judges nothing
CLEAR = 0.05  # of an angle's direction from where it has no derivative
DYNAMIC = ("dynamics", "dostep")


@dataclass(frozen=True)
class Disagreement:
    """One number that is wrong without a flag."""

    function: str
    signal: str
    parameters: Mapping[str, float]
    inputs: Mapping[str, float]
    got: float
    right: float
    tolerance: float

    def text(self) -> str:
        """One line."""
        at = ", ".join(f"{name}={value:.9g}" for name, value in {**self.parameters, **self.inputs}.items())
        return (
            f"{self.function}: {self.signal} is {self.got:.9g}, right is {self.right:.9g} "
            f"(tolerance {self.tolerance:.1g}) at {at}"
        )


@dataclass
class Signs:
    """The sign of the quaternion that the export gives for an attitude at the first row it was seen at."""

    design: dict[str, Array] = field(default_factory=dict)

    def settle(self, name: str, got: Array, right: Array) -> Array:
        """+1 or -1 by row: on the side of the design pose; 0 where half a turn from it."""
        if name not in self.design:
            self.design[name] = right[0] if right[0] @ got[0] > 0 else -right[0]
        near = right @ self.design[name]
        return np.where(np.abs(near) < CLEAR, 0, np.sign(near))


class Judge:
    """What is right and how near it must be, for one function at one set."""

    def __init__(
        self, program: Program, function: OperationSequence, expected: Expected, got: Array, signs: Signs
    ) -> None:
        self.program, self.function, self.expected, self.got, self.signs = program, function, expected, got, signs
        names = expected.driven.plain.document.get("outputs", {})
        self.alias = {signal: name for name, signal in names.items() if isinstance(signal, str)}
        self.true_name = {name: signal for name, signal in names.items() if isinstance(signal, str)}
        self.dynamic = function.name in DYNAMIC
        self.sizes: dict[str, Array] = {}  # of accelerations and reactions that equations of motion give

    def tolerance(self, order: int) -> Array:
        """Relative, by the order of the derivative."""
        return BASE[self.program.precision] * self.expected.reached.now ** (order + 1)

    def outputs(self) -> Iterator[tuple[Output, Array, Array]]:
        """Every output with a meaning of its own: the right values and tolerances."""
        right = self._right()
        signs = self._quaternion_signs(right)
        for output in self.function.outputs:
            name = output.signal.name
            if output.signal.role is not Role.VALUE:
                continue
            if output.signal.group is Group.STATE:
                if self.expected.stepped is not None:
                    yield output, self.expected.stepped.after[name], self._of_step(name)
                continue
            if name not in right.values:
                raise KeyError(f"the reference has no {name}")
            order = self._order(name)
            sign = signs.get(name.partition(".")[0], np.ones(len(self.got)))
            clear = right.clearance.get(name, np.ones(len(self.got)))
            clear = np.where(clear < CLEAR, np.nan, clear)
            relative = self._relative(order)
            relative = np.where(relative > LARGEST[self.program.precision], np.nan, relative) / clear ** (order + 1)
            value = np.where(sign == 0, np.nan, right.values[name] * sign)
            scale = self._scale(name, order, right.values[name])
            if self.dynamic and order == 2:
                self.sizes[name] = scale
            yield output, value, relative * scale

    def _right(self) -> Outputs:
        falling = self.expected.falling
        return falling if self.dynamic and falling is not None else self.expected.moving

    def _order(self, name: str) -> int:
        if name in self._right().sizes:
            return 2
        name = self.true_name.get(name, name)
        return 2 if name.endswith(".acceleration") else int(name.endswith(".rate"))

    def _relative(self, order: int) -> Array:
        relative = self.tolerance(order)
        if self.dynamic and order == 2 and self.expected.forced is not None:
            relative = relative * self.expected.forced.condition
        return relative

    def _scale(self, name: str, order: int, right: Array) -> Array:
        """The largest quantity of the kind in each row."""
        if name in self._right().sizes:
            return self._right().sizes[name]
        plain = self.expected.driven.plain
        unit = next(o.signal.unit for o in self.function.outputs if o.signal.name == name)
        length = plain.size if unit.startswith("m") else 1.0
        rates = np.maximum(np.abs(self.expected.rates / plain.units()).max(axis=1), SLOW)
        if order == 0:
            return np.maximum(np.abs(right), length if unit != "rad" else np.pi)
        if order == 1:
            return np.maximum(np.abs(right), length * rates)
        return np.maximum(np.abs(right), length * self._pull(rates))

    def _pull(self, rates: Array) -> Array:
        """The largest acceleration (over the units) that a row can be said to have."""
        if self.dynamic and self.expected.forced is not None:
            return pull_of(self.expected.driven, self.expected.rates, self.expected.forced)
        found = np.abs(self.expected.accelerations / self.expected.driven.plain.units()).max(axis=1)
        return np.maximum(rates**2, found)

    def _of_step(self, name: str) -> Array:
        """Tolerance of the next state: the period times that of its derivative, and rounding of the state."""
        expected = self.expected
        plain = expected.driven.plain
        stepped, own = expected.stepped, expected.forced
        assert stepped is not None
        assert own is not None
        length = plain.size if name.removesuffix(".rate") in plain.displacements else 1.0
        rates = np.abs(expected.rates / plain.units()).max(axis=1)
        relative = self._relative(2)
        relative = np.where(relative > LARGEST[self.program.precision], np.nan, relative)
        moved = length * stepped.period * relative * self._pull(rates)
        base = BASE[self.program.precision]
        if name.endswith(".rate"):
            return moved + base * np.maximum(length * rates, np.abs(stepped.after[name]))
        return stepped.period * moved + base * np.maximum(length, np.abs(stepped.after[name]))

    def is_angle(self, output: Output) -> bool:
        """Whether full turns may be left out: a step wraps, and an angle is read back within a half turn."""
        return output.signal.unit == "rad"

    def _quaternion_signs(self, right: Outputs) -> dict[str, Array]:
        found: dict[str, Array] = {}
        columns = {output.signal.name: k for k, output in enumerate(self.function.outputs)}
        for name, wanted in self.true_name.items():
            if wanted.endswith(".quaternion"):
                parts = [f"{name}.{letter}" for letter in "wxyz"]
                value = np.stack([right.values[part] for part in parts], axis=1)
                seen = [columns[part] for part in parts if part in columns]
                if len(seen) == 4 or name in self.signs.design:
                    shown = self.got[:, seen] if len(seen) == 4 else value
                    found[name] = self.signs.settle(name, shown, value)
        return found

    def placed(self) -> Array | None:
        """All coordinates as the position function gives them; None where it does not give all."""
        plain = self.expected.driven.plain
        columns = {output.signal.name: self.got[:, k] for k, output in enumerate(self.function.outputs)}
        at = np.zeros((len(self.got), len(plain.coordinates)))
        for k, name in enumerate(plain.coordinates):
            given = [columns.get(self.alias.get(f"{name}{end}", f"{name}{end}")) for end in ("", ".sin", ".cos")]
            if name in self.expected.inputs:
                at[:, k] = self.expected.inputs[name]
            elif given[1] is not None and given[2] is not None:
                at[:, k] = np.arctan2(given[1], given[2])
            elif given[0] is not None:
                at[:, k] = given[0]
            else:
                return None
        return at

    def row(self, row: int) -> dict[str, float]:
        """Inputs of a row."""
        asked = [signal.name for signal in self.function.inputs if signal.group is not Group.DERIVED]
        return {name: float(self.expected.inputs[name][row]) for name in asked}

    def disagreement(self, name: str, column: int, row: int, right: Array, tolerance: Array) -> Disagreement:
        """One wrong number."""
        got, wanted, limit = (float(values[row]) for values in (self.got[:, column], right, tolerance))
        return Disagreement(self.function.name, name, self.expected.parameters, self.row(row), got, wanted, limit)
