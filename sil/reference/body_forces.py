"""What every body asks of its joints: Newton's and Euler's equations, six rows for each body, in ground axes.

In: a `Skeleton` and a `State`. Out: `BodyForces`: m (a - g) and H' about the centres of mass less what loads and
elements apply to bodies, what they make joints transmit along their coordinates, and the sizes of all of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from exporter.model.mechanism import Load
from sil.reference.expressions import Real, evaluate
from sil.reference.force_sizes import independent_sizes
from sil.reference.load_sizes import State, formula_force, size_of_force
from sil.reference.loads import Line, element_force, lines_of, state_values
from sil.reference.motion import COMPLEX_STEP, Configuration, Pose, move_bodies
from sil.reference.rotations import Array, cross, rotate
from sil.reference.sizes import first_order, second_order, speed_size
from sil.reference.skeleton import GROUND, Place, Skeleton, frame_place, load_place


@dataclass(frozen=True, slots=True)
class BodyForces:
    """What bodies need, (rows, 6 bodies), and its size; forces along coordinates and their sizes, (rows, c)."""

    needed: Array
    sizes: Array
    along: Array
    along_sizes: Array


def body_forces(skeleton: Skeleton, state: State, inputs: Mapping[str, Real]) -> BodyForces:
    """At a pose with accelerations of all coordinates."""
    rows = len(state.at.values)
    values = {**skeleton.values, **{name: np.broadcast_to(value, rows) for name, value in inputs.items()}}
    needed, sizes = _inertial(skeleton, state.at, state.rates, state.second), _inertial_sizes(skeleton, state, inputs)
    along, along_sizes = np.zeros_like(state.rates), np.zeros_like(state.rates)
    for column, force, size in _along_coordinates(skeleton, state, values):
        along[:, column] += force
        along_sizes[:, column] += size
    for place, wrench, size in _on_bodies(skeleton, state, values):
        needed -= on_body(skeleton, wrench, place)
        sizes += on_body(skeleton, size, (place[0], np.linalg.norm(place[1], axis=-1, keepdims=True)))
    return BodyForces(needed, sizes, along, along_sizes)


def _inertial(skeleton: Skeleton, at: Configuration, rates: Array, second: Array) -> Array:
    """m (a - g) and H' of all bodies, (rows, 6 bodies)."""
    now, stepped = move_bodies(skeleton, at, rates), move_bodies(skeleton, at.stepped(rates), rates)
    driven = move_bodies(skeleton, at, second)
    field = _field(skeleton)
    found = []
    for body in skeleton.masses:
        drift = np.imag(stepped.of_point(body.body, body.center)) / COMPLEX_STEP
        turn, spin = now.pose.turns[body.body], now.spins[body.body]
        inertia = turn @ body.inertia @ np.swapaxes(turn, -1, -2)
        change = np.imag(stepped.spins[body.body]) / COMPLEX_STEP + driven.spins[body.body]
        pull = body.mass * (drift + driven.of_point(body.body, body.center) - field)
        turning = rotate(inertia, change) + cross(spin, rotate(inertia, spin))
        found += [np.broadcast_to(pull, (len(rates), 3)), np.broadcast_to(turning, (len(rates), 3))]
    return np.concatenate(found, axis=1)


def _field(skeleton: Skeleton) -> Array:
    return np.array([float(evaluate(part, skeleton.values)) for part in skeleton.mechanism.gravity])


def _inertial_sizes(skeleton: Skeleton, state: State, inputs: Mapping[str, Real]) -> Array:
    """Magnitudes that these are sums of, as the accelerations are known, (rows, 6 bodies)."""
    own = independent_sizes(skeleton, state, inputs)
    units = [first_order(skeleton, state.at, state.basis[:, :, k]) for k in range(state.basis.shape[2])]
    drifting = second_order(skeleton, state.at, state.rates, state.drift)
    field = float(np.linalg.norm(_field(skeleton)))
    found = []
    for mass in skeleton.masses:
        center = Place(mass.body, mass.center, np.eye(3))
        pull = field + speed_size(skeleton, center, state.at, drifting)
        turn = np.array(drifting.spins[mass.body])
        for k, unit in enumerate(units):
            pull = pull + speed_size(skeleton, center, state.at, unit) * own[:, k]
            turn = turn + unit.spins[mass.body] * own[:, k]
        found += [mass.mass * pull] * 3 + [float(np.linalg.norm(mass.inertia, 2)) * turn] * 3
    return np.stack(found, axis=1)


Wrench = Array
"""A force and a torque about a place, (rows, 6)."""


def on_body(skeleton: Skeleton, wrench: Wrench, place: tuple[int, Array]) -> Array:
    """A wrench at a place, `arm` from the centre of mass, in the equations of the body, (..., 6 bodies).

    Of magnitudes the place is the body and the arm's length.
    """
    body, arm = place
    total = np.zeros((*wrench.shape[:-1], 6 * len(skeleton.masses)))
    if body != GROUND:
        first = 6 * body - 6
        force, torque = wrench[..., :3], wrench[..., 3:]
        total[..., first : first + 3] = force
        moved = cross(arm, force) if arm.shape[-1] == len("xyz") else arm * force
        total[..., first + 3 : first + 6] = torque + moved
    return total


Applied = tuple[tuple[int, Array], Wrench, Wrench]


def _on_bodies(skeleton: Skeleton, state: State, values: Mapping[str, Real]) -> Iterator[Applied]:
    """What loads and elements apply to bodies: where, the wrench, and its size as if it stood across every arm."""
    pose, lines = _pose(skeleton, state), _lines(skeleton, state)
    seen = {**values, **state_values(lines)}
    for load in skeleton.mechanism.loads:
        if load.type != "coordinate":
            sizes = [size_of_force(skeleton, state, lines, formula_force(part, values)) for part in load.value]
            yield _of_load(skeleton, pose, load, seen, np.linalg.norm(np.stack(sizes), axis=0))
    for element in skeleton.mechanism.elements:
        if element.along in skeleton.mechanism.distances:
            line = lines[element.along]
            force = np.broadcast_to(element_force(element, line, seen), line.value.shape)
            law = partial(_law, element, values)
            yield from _across(skeleton, pose, element.along, force, size_of_force(skeleton, state, lines, law))


def _law(element: object, values: Mapping[str, Real], seen: Mapping[str, Line]) -> Array:
    return element_force(element, seen[element.along], {**values, **state_values(seen)})  # type: ignore[attr-defined,arg-type]


def _of_load(skeleton: Skeleton, pose: Pose, load: Load, values: Mapping[str, Real], size: Array) -> Applied:
    vector = np.stack([np.broadcast_to(evaluate(part, values), size.shape) for part in load.value], axis=-1)
    if load.axes is not None:
        axes = frame_place(skeleton, load.axes)
        vector = rotate(pose.turns[axes.body] @ axes.turn, vector)
    none, magnitude = np.zeros_like(vector), np.broadcast_to(size[:, None], vector.shape)
    place = load_place(skeleton, load)
    if load.type == "torque":
        return _placed(skeleton, pose, place, len(size)), _joined(none, vector), _joined(none, magnitude)
    return _placed(skeleton, pose, place, len(size)), _joined(vector, none), _joined(magnitude, none)


def _across(skeleton: Skeleton, pose: Pose, along: str, force: Array, size: Array) -> Iterator[Applied]:
    """A force that pushes two points apart."""
    distance = skeleton.mechanism.distances[along]
    start, end = frame_place(skeleton, distance.start), frame_place(skeleton, distance.end)
    way = np.broadcast_to(pose.point(end) - pose.point(start), (len(force), 3))
    vector = force[:, None] * way / np.linalg.norm(way, axis=1, keepdims=True)
    none, magnitude = np.zeros_like(vector), np.broadcast_to(size[:, None], vector.shape)
    for place, sign in ((start, -1.0), (end, 1.0)):
        yield _placed(skeleton, pose, place, len(force)), _joined(sign * vector, none), _joined(magnitude, none)


def _joined(force: Array, torque: Array) -> Array:
    return np.concatenate([force, torque], axis=-1)


def _placed(skeleton: Skeleton, pose: Pose, place: Place, rows: int) -> tuple[int, Array]:
    """The body and the arm from its centre of mass, ground axes."""
    if place.body == GROUND:
        return GROUND, np.zeros((rows, 3))
    arm = place.at - skeleton.masses[place.body - 1].center
    return place.body, np.broadcast_to(pose.direction(place.body, arm), (rows, 3))


def _along_coordinates(
    skeleton: Skeleton, state: State, values: Mapping[str, Real]
) -> Iterator[tuple[int, Array, Array]]:
    """Forces of parents on children along coordinates: the column, the force and its size, (rows,)."""
    lines = _lines(skeleton, state)
    seen = {**values, **state_values(lines)}
    for load in skeleton.mechanism.loads:
        if load.type == "coordinate":
            law = formula_force(load.value[0], values)
            force = evaluate(load.value[0], seen)
            yield skeleton.coordinates.index(load.coordinate), force, size_of_force(skeleton, state, lines, law)
    for element in skeleton.mechanism.elements:
        if element.along in skeleton.coordinates:
            found = element_force(element, lines[element.along], seen)
            size = size_of_force(skeleton, state, lines, partial(_law, element, values))
            yield skeleton.coordinates.index(element.along), found, size


def _lines(skeleton: Skeleton, state: State) -> dict[str, Line]:
    return lines_of(skeleton, state.at, state.rates)


def _pose(skeleton: Skeleton, state: State) -> Pose:
    return move_bodies(skeleton, state.at, np.zeros_like(state.rates)).pose
