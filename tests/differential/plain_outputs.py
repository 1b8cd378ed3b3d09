"""What an export gives out, computed from coordinates, rates and accelerations of the tree, for the differential test.

In: a `Driven` mechanism, coordinates, rates, accelerations (rows, n). Out: values by the name of the signal:
coordinates with `.sin`, `.cos`, `.rate`, `.acceleration`, points, attitudes, angles of directions, each also by the
name that [outputs] gives it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from continuation import Driven
from plain_closures import dot
from plain_mechanism import GROUND, Place
from plain_rotations import LETTERS, Array, named_axis, product, quaternions
from tree_motion import Moving, cross, moving_bodies

PLANES = ("xy", "yz", "xz")
Jet = tuple[Array, Array, Array]  # a quantity, its rate, its second derivative


@dataclass(frozen=True)
class Outputs:
    """Values by signal, and those that stand near a place where they have no derivative: 0 there, of order 1 else."""

    values: dict[str, Array]
    clearance: dict[str, Array]
    sizes: dict[str, Array] = field(default_factory=dict)  # of forces, over which rounding is measured


@dataclass(frozen=True)
class _Seen:
    """Bodies in motion with their whole accelerations."""

    driven: Driven
    bodies: Mapping[str, Moving]
    accelerations: Array

    def point(self, place: Place) -> Jet:
        frame = self.bodies[place.body].at(place)
        whole = np.einsum("nki,nk->ni", frame.speeds, self.accelerations) + frame.bias
        return frame.place, frame.velocity, whole

    def gyration(self, body: str) -> Array:
        frame = self.bodies[body]
        return np.einsum("nki,nk->ni", frame.spins, self.accelerations) + frame.spin_bias

    def direction(self, body: str, own: Array) -> Jet:
        frame = self.bodies[body]
        unit = frame.direction(own)
        rate = cross(frame.spin, unit)
        return unit, rate, cross(self.gyration(body), unit) + cross(frame.spin, rate)


def outputs_of(driven: Driven, at: Array, rates: Array, accelerations: Array) -> Outputs:
    """All signals of all rows."""
    seen = _Seen(driven, moving_bodies(driven.plain, at, rates), accelerations)
    found, clearance = _coordinates(driven, at, rates, accelerations)
    _add_distances(seen, found, clearance)
    for name, wanted in driven.plain.document.get("outputs", {}).items():
        if not isinstance(wanted, str):
            if "reaction" in wanted:
                continue
            with np.errstate(all="ignore"):  # a direction that has no length, or lies across, is not judged
                jet, clear = _angle(seen, wanted)
            found |= {f"{name}{ending}": part for ending, part in zip(_ENDINGS, jet, strict=True)}
            clearance |= {f"{name}{ending}": clear for ending in _ENDINGS}
        elif wanted in found:
            endings = _ENDINGS if wanted in distances_of(driven.plain.document) else ("",)
            found |= {f"{name}{ending}": found[f"{wanted}{ending}"] for ending in endings}
            clearance |= {f"{name}{ending}": clearance[f"{wanted}{ending}"] for ending in endings}
        else:
            found |= _of_body(seen, name, wanted)
    return Outputs(found, clearance)


_ENDINGS = ("", ".rate", ".acceleration")


def _add_distances(seen: _Seen, found: dict[str, Array], clearance: dict[str, Array]) -> None:
    """How far points are apart, with rates and accelerations."""
    places = seen.driven.plain.places
    for name, ends in distances_of(seen.driven.plain.document).items():
        start, end = (seen.point(places[each]) for each in ends)
        d, d1, d2 = (b - a for a, b in zip(start, end, strict=True))
        length = np.maximum(np.sqrt(dot(d, d)), 1e-300)
        rate = dot(d, d1) / length
        jet = length, rate, (dot(d1, d1) + dot(d, d2) - rate**2) / length
        found |= {f"{name}{ending}": part for ending, part in zip(_ENDINGS, jet, strict=True)}
        clear = np.minimum(1, length / seen.driven.plain.size)
        clearance |= {f"{name}{ending}": clear for ending in _ENDINGS}


def distances_of(document: Mapping[str, Any]) -> dict[str, list[str]]:
    """The two places of every distance, those of elements too."""
    of_elements = {name: each["between"] for name, each in document.get("elements", {}).items() if "between" in each}
    return {**document.get("distances", {}), **of_elements}


def _coordinates(
    driven: Driven, at: Array, rates: Array, accelerations: Array
) -> tuple[dict[str, Array], dict[str, Array]]:
    found: dict[str, Array] = {}
    clearance: dict[str, Array] = {}
    at, rates, accelerations, clear = on_the_side_of_the_pose(driven, at, rates, accelerations)
    for column, name in enumerate(driven.plain.coordinates):
        values = {"": at, ".rate": rates, ".acceleration": accelerations}
        found |= {f"{name}{ending}": value[:, column] for ending, value in values.items()}
        found |= {f"{name}.sin": np.sin(at[:, column]), f"{name}.cos": np.cos(at[:, column])}
        for ending in ("", ".rate", ".acceleration", ".sin", ".cos"):
            clearance[f"{name}{ending}"] = clear.get(name, np.ones(len(at)))
    return found, clearance


def on_the_side_of_the_pose(
    driven: Driven, at: Array, rates: Array, accelerations: Array
) -> tuple[Array, Array, Array, dict[str, Array]]:
    """Euler angles that are read from a pose, on the side of the file's; the middle cosine is their clearance."""
    plain, clear = driven.plain, {}
    at, rates, accelerations = at.copy(), rates.copy(), accelerations.copy()
    for joint in plain.joints:
        names = joint.coordinates[-3:]
        if joint.type in ("spherical", "free") and names and not set(names) & set(plain.independent):
            first, middle, last = plain.columns(names)
            over = np.cos(at[:, middle]) * np.cos(plain.design()[0, middle]) < 0
            at[over, first] += np.pi
            at[over, last] += np.pi
            at[over, middle] = np.pi - at[over, middle]
            rates[over, middle] *= -1
            accelerations[over, middle] *= -1
            clear |= dict.fromkeys(names, np.abs(np.cos(at[:, middle])))
    return at, rates, accelerations, clear


def _of_body(seen: _Seen, name: str, wanted: str) -> dict[str, Array]:
    plain = seen.driven.plain
    if not wanted.endswith(".quaternion"):
        jet = seen.point(plain.places[wanted])
        return {
            f"{name}.{letter}{ending}": part[:, k]
            for ending, part in zip(_ENDINGS, jet, strict=True)
            for k, letter in enumerate(LETTERS)
        }
    place = plain.places[wanted.removesuffix(".quaternion")]
    frame = seen.bodies[place.body].at(place)
    attitude = quaternions(np.ascontiguousarray(frame.turn))
    rate = product(frame.spin, attitude) / 2
    second = (product(seen.gyration(place.body), attitude) + product(frame.spin, rate)) / 2
    return {
        f"{name}.{letter}{ending}": part[:, k]
        for ending, part in zip(_ENDINGS, (attitude, rate, second), strict=True)
        for k, letter in enumerate("wxyz")
    }


def _angle(seen: _Seen, wanted: Mapping[str, Any]) -> tuple[Jet, Array]:
    """atan2(n, m) and its derivatives, and how far the direction is from where it has none.

    A line that is short beside the mechanism has its ends' errors over its length.
    """
    line = _line(seen, wanted)
    sight = seen.driven.plain.places[wanted.get("seen_from", GROUND)]
    part = _parts(seen, sight, line)
    n = part(wanted["to"])
    m = _in_plane(*(part(letter) for letter in wanted["from"])) if wanted["from"] in PLANES else part(wanted["from"])
    square = n[0] ** 2 + m[0] ** 2
    rate = (m[0] * n[1] - n[0] * m[1]) / square
    second = (m[0] * n[2] - n[0] * m[2] - 2 * rate * (m[0] * m[1] + n[0] * n[1])) / square
    least = seen.driven.plain.size if "line" in wanted else 0.0
    length = np.maximum(np.linalg.norm(line[0], axis=1), least)
    clear = (np.abs(m[0]) if wanted["from"] in PLANES else np.sqrt(square)) / length
    return (np.arctan2(n[0], m[0]), rate, second), clear


def _line(seen: _Seen, wanted: Mapping[str, Any]) -> Jet:
    places = seen.driven.plain.places
    if "line" in wanted:
        start, end = (seen.point(places[name]) for name in wanted["line"])
        return end[0] - start[0], end[1] - start[1], end[2] - start[2]
    place = places[wanted["of"]]
    given = wanted["axis"]
    axis = named_axis(given) if isinstance(given, str) else np.array([float(part) for part in given])
    return seen.direction(place.body, place.turn @ (axis / np.linalg.norm(axis)))


def _parts(seen: _Seen, sight: Place, line: Jet) -> Callable[[str], Jet]:
    def part(axis: str) -> Jet:
        u, u1, u2 = seen.direction(sight.body, sight.turn @ named_axis(axis))
        d, d1, d2 = line
        return dot(u, d), dot(u1, d) + dot(u, d1), dot(u2, d) + 2 * dot(u1, d1) + dot(u, d2)

    return part


def _in_plane(a: Jet, b: Jet) -> Jet:
    """The length of two parts at right angles."""
    m = np.sqrt(a[0] ** 2 + b[0] ** 2)
    m1 = (a[0] * a[1] + b[0] * b[1]) / m
    return m, m1, (a[1] ** 2 + b[1] ** 2 + a[0] * a[2] + b[0] * b[2] - m1**2) / m
