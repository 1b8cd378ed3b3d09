"""What the forces of loads and elements are sums of: the sizes that their rounding is measured by.

A force of the state is as uncertain as its value, and as what it reads times how much it changes with that: a stiff
spring turns the rounding of a length into a force. Slopes are central differences.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from exporter.model.expression import Expression
from exporter.model.mechanism import Element, Load
from sil.reference.expressions import Real, evaluate
from sil.reference.loads import Line, element_force, lines_of, lines_read, state_values
from sil.reference.motion import Configuration, move_bodies
from sil.reference.rotations import Array
from sil.reference.sizes import SpeedBounds, speed_size
from sil.reference.skeleton import Skeleton, frame_place, load_place

DIFFERENCE = 1e-6  # of a size, for a slope


@dataclass(frozen=True, slots=True)
class State:
    """A pose and how it moves.

    `rates`, `second` and `drift` (rows, c) are rates, accelerations, and these without the independent ones; `basis`
    (rows, c, f) all rates per rate of an independent coordinate, of 1 rad/s or one length scale per second, and `mass`
    (rows, f, f) what these meet; `paces`
    (rows, c) what the rates are sums of, in 1/s, once it is asked for.
    """

    at: Configuration
    rates: Array
    second: Array
    drift: Array
    basis: Array
    mass: Array
    paces: Callable[[], Array]


Force = Callable[[Mapping[str, Line]], Array]  # of the lines, (rows,)


def load_sizes(skeleton: Skeleton, state: State, units: list[SpeedBounds], inputs: Mapping[str, Real]) -> Array:
    """Sizes of all forces times the speeds per unit motion that they act along, (rows, f)."""
    rows = len(state.at.values)
    lines = lines_of(skeleton, state.at, state.rates)
    values = {**skeleton.values, **{name: np.broadcast_to(value, rows) for name, value in inputs.items()}}
    total = np.zeros((rows, len(units)))
    for load in skeleton.mechanism.loads:
        parts = [
            size_of_force(skeleton, state, lines_read(lines, [part]), formula_force(part, values))
            for part in load.value
        ]
        total += np.linalg.norm(np.stack(parts), axis=0)[:, None] * _reaches(
            skeleton, state, units, load.coordinate, load
        )
    for element in skeleton.mechanism.elements:

        def force(seen: Mapping[str, Line], element: Element = element) -> Array:
            return element_force(element, seen[element.along], {**values, **state_values(seen)})

        total += size_of_force(skeleton, state, lines, force)[:, None] * _line_reaches(
            skeleton, state, units, element.along
        )
    return total


def formula_force(formula: Expression, values: Mapping[str, Real]) -> Force:
    """A formula as a force that is read from lines."""
    return lambda lines: evaluate(formula, {**values, **state_values(lines)})


def size_of_force(skeleton: Skeleton, state: State, lines: Mapping[str, Line], force: Force) -> Array:
    """|F| + the sum of |dF/dx| size(x) + |dF/dv| size(v), (rows,)."""
    rows = len(state.at.values)
    total = np.abs(np.broadcast_to(force(lines), rows))
    for name, line in lines.items():
        for key, size in zip(("value", "rate"), _line_sizes(skeleton, state, name, line), strict=True):
            step = DIFFERENCE * size
            ends = [
                force({**lines, name: replace(line, **{key: getattr(line, key) + sign * step})}) for sign in (1.0, -1.0)
            ]
            total = total + np.broadcast_to(np.abs(ends[0] - ends[1]), rows) / (2 * DIFFERENCE)
    return np.asarray(total)


def _line_sizes(skeleton: Skeleton, state: State, name: str, line: Line) -> tuple[Array, Array]:
    """What a length and its rate are sums of, m and m/s, or rad and rad/s."""
    if name in skeleton.mechanism.distances:
        paces = SpeedBounds(
            tuple(np.broadcast_to(np.linalg.norm(spin, axis=-1), len(line.value)) for spin in _spins(skeleton, state)),
            np.abs(state.rates),
        )
        ends = skeleton.mechanism.distances[name]
        speed = sum(speed_size(skeleton, frame_place(skeleton, end), state.at, paces) for end in (ends.start, ends.end))
        return skeleton.length + line.value, np.asarray(speed) + state.paces().max(axis=1) * skeleton.length
    column = skeleton.coordinates.index(name)
    unit = skeleton.units[column]
    return np.abs(line.value) + unit, np.abs(line.rate) + state.paces()[:, column] * unit


def _spins(skeleton: Skeleton, state: State) -> tuple[Array, ...]:
    return move_bodies(skeleton, state.at, state.rates).spins


def _reaches(skeleton: Skeleton, state: State, units: list[SpeedBounds], coordinate: str, load: Load) -> Array:
    """Speeds, or spins, per unit motion, of what a load acts on, (rows, f)."""
    if coordinate:
        return np.stack([unit.slides[:, skeleton.coordinates.index(coordinate)] for unit in units], axis=1)
    place = load_place(skeleton, load)
    if load.type == "force":
        return np.stack([speed_size(skeleton, place, state.at, unit) for unit in units], axis=1)
    return np.stack([unit.spins[place.body] for unit in units], axis=1)


def _line_reaches(skeleton: Skeleton, state: State, units: list[SpeedBounds], along: str) -> Array:
    """Speeds per unit motion of a distance or coordinate, (rows, f)."""
    if along not in skeleton.mechanism.distances:
        return np.stack([unit.slides[:, skeleton.coordinates.index(along)] for unit in units], axis=1)
    ends = skeleton.mechanism.distances[along]
    places = [frame_place(skeleton, end) for end in (ends.start, ends.end)]
    return np.stack([sum(speed_size(skeleton, each, state.at, unit) for each in places) for unit in units], axis=1)
