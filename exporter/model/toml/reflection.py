"""A reflection that makes the right side of a vehicle from its left one: what it does to places, directions and turns.

In: the axes that change their sign. Out: texts of a mechanism file and places, reflected.
"""

from collections.abc import Sequence

from exporter.model.expression import ZERO, Binary, Expression, Number, Vector
from exporter.model.units import is_quantity
from exporter.records import dataclass

AXES = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class Reflection:
    """What is added to names, and the axes that change their sign."""

    name: str  # of the instance: "right"
    axes: frozenset[str]

    def reverses(self, axis: str) -> bool:
        """Whether a place, or a direction of a slide, changes its sign along an axis."""
        return axis in self.axes

    def reverses_turns(self, axis: str) -> bool:
        """Whether a turn about an axis changes its sense: about those that do not, where one axis changes."""
        return (axis in self.axes) != bool(len(self.axes) % 2)

    def place(self, at: Vector) -> Vector:
        """The mirror image of a place."""
        x, y, z = (reversed_value(part) if self.reverses(axis) else part for axis, part in zip(AXES, at, strict=True))
        return x, y, z

    def components(self, texts: Sequence[str], *, turning: bool = False) -> list[str]:
        """Three components as text; of a turning axis or torque where `turning`."""
        sense = self.reverses_turns if turning else self.reverses
        return [reversed_text(text) if sense(axis) else text for axis, text in zip(AXES, texts, strict=True)]

    def axis(self, text: str, *, turning: bool = False) -> str:
        """A named axis, "-y"; a plane, "xy", stays as it is."""
        if len(text.lstrip("-")) > 1:
            return text
        sense = self.reverses_turns if turning else self.reverses
        return reversed_axis(text) if sense(text[-1]) else text


def reversed_axis(text: str) -> str:
    """The other way along a named axis."""
    return text[1:] if text.startswith("-") else f"-{text}"


def reversed_text(text: str) -> str:
    """A quantity or formula with the other sign, as a file would have it."""
    stripped = text.strip()
    if not is_quantity(stripped):
        return f"-({stripped})"
    return stripped[1:] if stripped.startswith("-") else f"-{stripped.removeprefix('+')}"


def reversed_value(value: Expression) -> Expression:
    """A value with the other sign."""
    return Number(-value.value, value.unit) if isinstance(value, Number) else Binary("-", ZERO, value)
