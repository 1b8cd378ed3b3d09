"""Turns the frames of a joint so that its own x and y lie along axes that the file names: a universal joint's `axes`.

In: a frame, two named axes at right angles. Out: the frame, turned by quarter turns, which are exact and cost nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Literal

from exporter.model.expression import Number
from exporter.model.joints import Axis, Frame, Rotation, X, Y, Z
from exporter.model.place import Place
from exporter.model.units import PI

Quarters = tuple[tuple[Literal["x", "y", "z"], int], ...]  # about the moving axes, in order
Columns = tuple[Axis, Axis, Axis]  # where the axes of the turned frame point

TURNED = "turned"  # key of a joint whose frames another part of the reader has turned; no file has it
AXES: dict[str, Axis] = {"x": X, "y": Y, "z": Z}


def named_axis(text: str) -> Axis:
    """The unit vector that "y" or "-y" names."""
    x, y, z = AXES[text[-1]]
    return (-x, -y, -z) if text.startswith("-") else (x, y, z)


def turned_frame(frame: Frame, axes: Sequence[str]) -> Frame:
    """The frame with its x along the first axis and its y along the second, both in its own axes of before."""
    turns = tuple((axis, Number(count * PI / 2)) for axis, count in _quarters(axes[0], axes[1]))
    return replace(frame, rotation=Rotation((*frame.rotation.turns, *turns)))


def require_square(place: Place, axes: Sequence[str]) -> None:
    """Refuse two axes that are one.

    Raises:
        ModelError: naming both.
    """
    if axes[0][-1] == axes[1][-1]:
        raise place.error(f'"{axes[0]}" and "{axes[1]}" are one line; name two axes at right angles, as in ["y", "x"]')


@cache
def _quarters(first: str, second: str) -> Quarters:
    """The fewest quarter turns that bring x to the first axis and y to the second."""
    wanted = named_axis(first), named_axis(second)
    return min((turns for turns in _all_quarters() if _columns(turns)[:2] == wanted), key=len)


def _all_quarters() -> Iterator[Quarters]:
    for z, y, x in product((0, 1, -1, 2), repeat=3):
        named: Quarters = (("z", z), ("y", y), ("x", x))
        yield tuple((axis, count) for axis, count in named if count)


def _columns(turns: Quarters) -> Columns:
    columns = X, Y, Z
    for axis, count in turns:
        for _ in range(count % 4):
            columns = _turned(columns, axis)
    return columns


def _turned(columns: Columns, axis: Literal["x", "y", "z"]) -> Columns:
    """The columns after a quarter turn about one of them."""
    x, y, z = columns
    if axis == "x":
        return x, z, _reversed(y)
    return (_reversed(z), y, x) if axis == "y" else (y, _reversed(x), z)


def _reversed(axis: Axis) -> Axis:
    x, y, z = axis
    return Fraction(-x), Fraction(-y), Fraction(-z)
