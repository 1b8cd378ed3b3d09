"""What formulas of forces may read: parameters, inputs, coordinates, distances and their rates, tables.

In: a `Driven` mechanism, its moving bodies, coordinates and rates (rows, n), inputs. Out: a `State`, which
evaluates a formula, and its derivatives by steps along the imaginary axis, which lose no digits.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from continuation import Driven
from plain_closures import dot
from plain_couplings import told
from plain_numbers import number_of
from plain_outputs import distances_of, on_the_side_of_the_pose
from plain_rotations import Array
from plain_tables import tables_of
from tree_motion import Moving

RATE = re.compile(r"\b([A-Za-z_]\w*)\.rate\b")
TINY = 1e-40  # of an imaginary step


@dataclass(frozen=True)
class Line:
    """Two points of bodies, how far they are apart, how fast that grows, and its derivative by the coordinates."""

    ends: tuple[Moving, Moving]
    bodies: tuple[str, str]
    unit: Array
    length: Array
    rate: Array
    slope: Array  # (rows, n)


@dataclass(frozen=True)
class State:
    """Values by name; `scales` are the sizes of what belongs to the state, over which rounding is measured."""

    values: Mapping[str, Any]
    scales: Mapping[str, Array]
    lines: Mapping[str, Line]
    slopes: Mapping[str, Array]  # of coordinates and distances by the coordinates, (rows, n)

    def force(self, formula: str) -> Array:
        """The value of a formula, (rows,)."""
        value = number_of(_plain_rates(formula), self.values)
        return np.broadcast_to(np.asarray(value, dtype=float), self._rows())

    def derivative(self, formula: str, name: str) -> Array:
        """The derivative by one of the names of the state, the others held, (rows,)."""
        key = name.replace(".rate", "__rate")
        value = number_of(_plain_rates(formula), {**self.values, key: self.values[key] + 1j * TINY})
        return np.broadcast_to(np.imag(value) / TINY, self._rows())

    def effort(self, formula: str) -> Array:
        """How large a formula is where nothing in it cancels: by its slopes too, (rows,)."""
        read = set(re.findall(r"[A-Za-z_]\w*", _plain_rates(formula))) & self.scales.keys()
        sizes = [np.abs(self.derivative(formula, name)) * self.scales[name] for name in sorted(read)]
        return np.abs(self.force(formula)) + sum(sizes, np.zeros(self._rows()))

    def _rows(self) -> tuple[int]:
        return next(iter(self.slopes.values())).shape[:1]


def _plain_rates(formula: str) -> str:
    return RATE.sub(r"\1__rate", formula)


def state_of(
    driven: Driven, bodies: Mapping[str, Moving], at: Array, rates: Array, inputs: Mapping[str, Array]
) -> State:
    """All names of all rows."""
    plain, units = driven.plain, driven.plain.units()
    shown, speeds, _, _ = on_the_side_of_the_pose(driven, at, rates, np.zeros_like(at))
    fastest = np.abs(rates / units).max(axis=1)
    values: dict[str, Any] = {**plain.values, **inputs, **tables_of(plain.document)}
    scales: dict[str, Array] = {}
    slopes: dict[str, Array] = {}
    known = {*plain.independent, *told(plain)}
    for column, name in enumerate(plain.coordinates):
        value = shown[:, column]
        if name not in plain.displacements and name not in known:
            value = np.remainder(value + np.pi, 2 * np.pi) - np.pi
        values |= {name: value, f"{name}__rate": speeds[:, column]}
        scales |= {name: np.maximum(np.abs(value), units[column]), f"{name}__rate": fastest * units[column]}
        slopes[name] = np.zeros_like(at)
        slopes[name][:, column] = 1
    lines = lines_of(driven, bodies)
    for name, line in lines.items():
        near = 1 + plain.size / np.maximum(line.length, 1e-300)
        values |= {name: line.length, f"{name}__rate": line.rate}
        scales |= {name: np.maximum(line.length, plain.size), f"{name}__rate": fastest * plain.size * near}
        slopes[name] = line.slope
    return State(values, scales, lines, slopes)


def lines_of(driven: Driven, bodies: Mapping[str, Moving]) -> dict[str, Line]:
    """Every distance by its name, those of elements too."""
    return {name: _line(driven, bodies, pair) for name, pair in distances_of(driven.plain.document).items()}


def _line(driven: Driven, bodies: Mapping[str, Moving], names: list[str]) -> Line:
    places = [driven.plain.places[name] for name in names]
    start, end = (bodies[place.body].at(place) for place in places)
    apart = end.place - start.place
    length = np.sqrt(dot(apart, apart))
    unit = apart / np.maximum(length, 1e-300)[:, None]
    slope = dot(end.speeds - start.speeds, unit[:, None, :])
    rate = dot(end.velocity - start.velocity, unit)
    return Line((start, end), (places[0].body, places[1].body), unit, length, rate, slope)
