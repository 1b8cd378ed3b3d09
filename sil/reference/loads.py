"""Loads and elements in float64: what they apply at a state, and along which generalized coordinates.

In: a `Skeleton`, a configuration with its rates, inputs. Out: generalised forces (rows, c). The laws of elements are
written here anew, in numbers: nothing is shared with the formulas that are exported.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from exporter.model.expression import Expression, Name, arguments_of
from exporter.model.mechanism import Element, Load, Mechanism
from sil.reference.body_columns import body_columns
from sil.reference.expressions import Real, evaluate
from sil.reference.motion import COMPLEX_STEP, Configuration
from sil.reference.placing import Placed, parts_of, place_bodies
from sil.reference.rotations import Array
from sil.reference.skeleton import Skeleton, frame_place, load_place
from sil.reference.whole_turns import unwound

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
    placed, lines = place_bodies(skeleton, at), lines_of(skeleton, at, rates)
    values = {**skeleton.values, **inputs, **state_values(lines)}
    total = np.zeros(shape)
    for load in skeleton.mechanism.loads:
        columns, forces = _of_load(skeleton, placed, load, values)
        total[:, columns] += forces
    for element in skeleton.mechanism.elements:
        line = lines[element.along]
        total += np.broadcast_to(element_force(element, line, values), shape[:1])[:, None] * line.columns
    return total


def state_values(lines: Mapping[str, Line]) -> dict[str, Real]:
    """What formulas read of the state, by name."""
    return {**{n: line.value for n, line in lines.items()}, **{f"{n}.rate": line.rate for n, line in lines.items()}}


def lines_of(skeleton: Skeleton, at: Configuration, rates: Array) -> dict[str, Line]:
    """The coordinates and distances that loads and elements read or act along."""
    read = _names_read(skeleton.mechanism)
    return {**_coordinates(skeleton, at, rates, read), **_distances(skeleton, at, rates, read)}


def lines_read(lines: Mapping[str, Line], formulas: Iterable[Expression]) -> dict[str, Line]:
    """The lines whose value or rate some formulas read."""
    names = {name for formula in formulas for name in _names_in(formula)}
    return {name: line for name, line in lines.items() if name in names or f"{name}.rate" in names}


def _names_in(formula: Expression) -> Iterator[str]:
    if isinstance(formula, Name):
        yield formula.name
    for argument in arguments_of(formula):
        yield from _names_in(argument)


def _names_read(mechanism: Mechanism) -> set[str]:
    """Names in formulas of loads and elements, rates by what they are the rate of, and what elements lie along."""
    formulas = [part for load in mechanism.loads for part in load.value]
    formulas += [part for element in mechanism.elements for part in element.values.values()]
    names = {name.removesuffix(".rate") for formula in formulas for name in _names_in(formula)}
    return names | {element.along for element in mechanism.elements}


def _coordinates(skeleton: Skeleton, at: Configuration, rates: Array, read: set[str]) -> dict[str, Line]:
    """An angle that follows from others counts within half a turn of zero, but for what couplings tell."""
    found, kept = {}, {*skeleton.independent, *skeleton.told, *(column for column, _ in skeleton.following_loops)}
    values = unwound(skeleton, at.values) if skeleton.following_loops else at.values
    for k, name in enumerate(skeleton.coordinates):
        if name not in read:
            continue
        wrapped = skeleton.angles[k] and k not in kept
        value = np.arctan2(at.sines[:, k], at.cosines[:, k]) if wrapped else values[:, k]
        unit = np.zeros((len(at.values), len(skeleton.coordinates)))
        unit[:, k] = 1.0
        found[name] = Line(value, np.broadcast_to(rates[:, k], value.shape), unit)
    return found


def _distances(skeleton: Skeleton, at: Configuration, rates: Array, read: set[str]) -> dict[str, Line]:
    found = {}
    for name, distance in skeleton.mechanism.distances.items():
        if name not in read:
            continue
        placed, unit = place_bodies(skeleton, at), np.zeros((len(skeleton.coordinates), len(rates)))
        start, end = frame_place(skeleton, distance.start), frame_place(skeleton, distance.end)
        way = placed.point(end.body, parts_of(end.at)) - placed.point(start.body, parts_of(start.at))
        length = np.sqrt((way**2).sum(axis=0))
        for place, sign in ((end, 1.0), (start, -1.0)):
            columns = body_columns(skeleton, placed, place.body, parts_of(place.at))
            unit[columns.numbers] += sign * (columns.linear * (way / length)).sum(axis=1)
        found[name] = Line(length, (unit * rates.T).sum(axis=0), np.ascontiguousarray(unit.T))
    return found


def _of_load(skeleton: Skeleton, placed: Placed, load: Load, values: Mapping[str, Real]) -> tuple[list[int], Array]:
    """The coordinates that a load acts on, and its generalised forces (rows, coordinates) there."""
    rows = placed.origins[0].shape[-1]
    parts = [np.broadcast_to(evaluate(part, values), rows) for part in load.value]
    if load.type == "coordinate":
        return [skeleton.coordinates.index(load.coordinate)], parts[0][:, None]
    applied = np.stack(parts)
    if load.axes is not None:
        axes = frame_place(skeleton, load.axes)
        applied = np.einsum("ijn,jk,kn->in", placed.turns[axes.body], axes.turn, applied)
    place = load_place(skeleton, load)
    columns = body_columns(skeleton, placed, place.body, parts_of(place.at))
    moved = columns.linear if load.type == "force" else columns.angular
    return columns.numbers, (moved * applied).sum(axis=1).T


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
