"""Loads and elements in float64: what they apply at a state, and along which generalized coordinates.

In: a `Skeleton`, a configuration with its rates, inputs. Out: generalised forces (rows, c). The laws of elements are
written here anew, in numbers: nothing is shared with the formulas that are exported.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from exporter.model.mechanism import Element, Load
from sil.reference.expressions import Real, evaluate
from sil.reference.motion import COMPLEX_STEP, Configuration, Twist, move_bodies, unit_rates
from sil.reference.rotations import Array, rotate
from sil.reference.skeleton import Place, Skeleton, frame_place, load_place

SHORTEST_COLUMN = 1e-3  # of a gas spring, as docs/model-file.md has it


@dataclass(frozen=True, slots=True)
class Line:
    """A distance or a coordinate: its value and rate (rows,), and its rate per rate of every coordinate (rows, c)."""

    value: Array
    rate: Array
    columns: Array


def generalised_loads(skeleton: Skeleton, at: Configuration, rates: Array, inputs: Mapping[str, Real]) -> Array:
    """Generalised forces of all loads and elements, (rows, c)."""
    shape = (len(at.values), len(skeleton.coordinates))
    if not skeleton.mechanism.loads and not skeleton.mechanism.elements:
        return np.zeros(shape)
    columns = move_bodies(skeleton, at, unit_rates(shape[1]))
    lines = lines_of(skeleton, at, rates, columns)
    values = {**skeleton.values, **inputs, **state_values(lines)}
    total = np.zeros(shape)
    for load in skeleton.mechanism.loads:
        total += _of_load(skeleton, columns, load, values, shape)
    for element in skeleton.mechanism.elements:
        line = lines[element.along]
        total += np.broadcast_to(element_force(element, line, values), shape[:1])[:, None] * line.columns
    return total


def state_values(lines: Mapping[str, Line]) -> dict[str, Real]:
    """What formulas read of the state, by name."""
    return {**{n: line.value for n, line in lines.items()}, **{f"{n}.rate": line.rate for n, line in lines.items()}}


def lines_of(skeleton: Skeleton, at: Configuration, rates: Array, columns: Twist) -> dict[str, Line]:
    """Every coordinate and distance; `columns` are the motions at unit rates of one coordinate each."""
    if not skeleton.mechanism.elements and not skeleton.mechanism.loads:
        return {}
    return {**_coordinates(skeleton, at, rates), **_distances(skeleton, rates, columns)}


def _coordinates(skeleton: Skeleton, at: Configuration, rates: Array) -> dict[str, Line]:
    """An angle that follows from others counts within half a turn of zero, but for what couplings tell."""
    found, kept = {}, (*skeleton.independent, *skeleton.told)
    for k, name in enumerate(skeleton.coordinates):
        wrapped = skeleton.angles[k] and k not in kept
        value = np.arctan2(at.sines[:, k], at.cosines[:, k]) if wrapped else at.values[:, k]
        unit = np.zeros((len(at.values), len(skeleton.coordinates)))
        unit[:, k] = 1.0
        found[name] = Line(value, np.broadcast_to(rates[:, k], value.shape), unit)
    return found


def _distances(skeleton: Skeleton, rates: Array, columns: Twist) -> dict[str, Line]:
    found = {}
    rows, count = len(rates), len(skeleton.coordinates)
    for name, distance in skeleton.mechanism.distances.items():
        start, end = frame_place(skeleton, distance.start), frame_place(skeleton, distance.end)
        way = np.broadcast_to(columns.pose.point(end) - columns.pose.point(start), (rows, 3))
        length = np.linalg.norm(way, axis=-1)
        moved = _velocities(columns, end, (count, rows)) - _velocities(columns, start, (count, rows))
        unit = np.einsum("na,cna->nc", way / length[:, None], moved)
        found[name] = Line(length, np.einsum("nc,nc->n", unit, rates), unit)
    return found


def _velocities(columns: Twist, place: Place, shape: tuple[int, int]) -> Array:
    """Velocities of a point at the unit motions, (c, rows, 3)."""
    return np.broadcast_to(columns.of_point(place.body, place.at), (*shape, 3))


def _of_load(
    skeleton: Skeleton, columns: Twist, load: Load, values: Mapping[str, Real], shape: tuple[int, int]
) -> Array:
    parts = [np.broadcast_to(evaluate(part, values), shape[:1]) for part in load.value]
    if load.type == "coordinate":
        along = np.zeros(shape)
        along[:, skeleton.coordinates.index(load.coordinate)] = parts[0]
        return along
    applied = np.stack(parts, axis=-1)
    if load.axes is not None:
        axes = frame_place(skeleton, load.axes)
        applied = rotate(columns.pose.turns[axes.body] @ axes.turn, applied)
    place = load_place(skeleton, load)
    if load.type == "force":
        moved = _velocities(columns, place, (shape[1], shape[0]))
    else:
        moved = np.broadcast_to(columns.spins[place.body], (shape[1], shape[0], 3))
    return np.asarray(np.einsum("cna,na->nc", moved, np.broadcast_to(applied, (shape[0], 3))))


# -- elements --------------------------------------------------------------------------------------------------------


def element_force(element: Element, line: Line, values: Mapping[str, Real]) -> Array:
    """The force of an element, positive where it makes the line longer, (rows,)."""
    given = {key: evaluate(formula, values) for key, formula in element.values.items()}
    x, v = line.value, line.rate
    if element.type == "gas_spring":
        column = given["column"]
        height = np.maximum(column + (x - given["at"]), SHORTEST_COLUMN * column)
        pressed = given["force"] * np.exp(given.get("exponent", np.asarray(1.0)) * np.log(column / height))
        return np.asarray(pressed - given.get("damping", 0.0) * v)
    if element.type == "end_stop":
        return _stopping(given, x, v)
    if element.type == "friction":
        return np.asarray(-given["force"] * v / np.sqrt(v**2 + given["smoothing_speed"] ** 2))
    if "force" in given:
        return np.asarray(given["force"])
    elastic = given.get("preload", 0.0) - given.get("stiffness", 0.0) * (x - given.get("free", 0.0))
    return np.asarray(elastic - given.get("damping", 0.0) * v)


def element_slopes(element: Element, line: Line, values: Mapping[str, Real]) -> tuple[Array, Array]:
    """-dF/dx and -dF/dv, (rows,) each, by complex steps: exact to rounding."""
    found = []
    for changed in (
        replace(line, value=line.value + 1j * COMPLEX_STEP),
        replace(line, rate=line.rate + 1j * COMPLEX_STEP),
    ):
        given = {**values, **state_values({element.along: changed})}
        found.append(-np.imag(element_force(element, changed, given)) / COMPLEX_STEP + np.zeros(len(line.value)))
    return found[0], found[1]


def _stopping(given: Mapping[str, Real], x: Array, v: Array) -> Array:
    """Two half lines: below `lower` and above `upper`, each pushing back and never pulling."""
    total: Array = np.zeros(np.broadcast_shapes(x.shape, v.shape))
    for key, side in (("lower", 1.0), ("upper", -1.0)):
        if key in given:
            depth = side * (given[key] - x)
            factor = 1.0 - given.get("dissipation", 0.0) * side * v
            touching = (np.real(depth) >= 0) & (np.real(factor) >= 0)  # resting on it its stiffness counts
            total = total + np.where(touching, side * given["stiffness"] * depth * factor, 0.0)
    return total
