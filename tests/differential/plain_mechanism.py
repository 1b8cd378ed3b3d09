"""A mechanism file as plain numbers, for the reference of the differential test.

In: TOML text and values of tunable parameters. Out: a `Plain` mechanism. See docs/model-file.md for what
the keys mean; nothing of the product is imported.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from plain_numbers import number_of, vector_of
from plain_rotations import Array, after_turns, named_axis

GROUND = "ground"
ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")
DEFAULT_AXIS = {"prismatic": "x"}
COUNTS = {
    "revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 3, "planar": 3, "fixed": 0, "free": 6,
}  # fmt: skip
TURN, SLIDE = "turn", "slide"
X, Y, Z = np.eye(3)


@dataclass(frozen=True)
class Place:
    """A frame on a body, in body axes."""

    body: str
    at: Array
    turn: Array


@dataclass(frozen=True)
class Joint:
    """A joint; `axis` in both frames."""

    name: str
    type: str
    parent: Place
    child: Place
    axis: Array
    coordinates: tuple[str, ...]
    closes: bool

    def motions(self) -> list[tuple[str, Array]]:
        """Elementary motions in the order of the coordinates."""
        turns, slides = [(TURN, Z), (TURN, Y), (TURN, X)], [(SLIDE, X), (SLIDE, Y), (SLIDE, Z)]
        return {
            "revolute": [(TURN, self.axis)],
            "prismatic": [(SLIDE, self.axis)],
            "cylindrical": [(TURN, self.axis), (SLIDE, self.axis)],
            "universal": [(TURN, X), (TURN, Y)],
            "spherical": turns,
            "planar": [(SLIDE, X), (SLIDE, Y), (TURN, Z)],
            "fixed": [],
            "free": [*slides, *turns],
        }[self.type]


@dataclass(frozen=True)
class Mass:
    """Mass (kg), centre (m) and inertia about it (kg m^2) of a body, body axes."""

    body: str
    mass: float
    center: Array
    inertia: Array


@dataclass(frozen=True)
class Plain:
    """The mechanism at one set of parameters."""

    document: dict[str, Any]
    values: dict[str, float]
    joints: tuple[Joint, ...]
    masses: tuple[Mass, ...]
    gravity: Array
    pose: dict[str, float]
    coordinates: tuple[str, ...]
    displacements: frozenset[str]
    size: float  # a length of the mechanism, m
    places: dict[str, Place] = field(default_factory=dict)

    @property
    def independent(self) -> tuple[str, ...]:
        """What drives it."""
        return tuple(self.document["coordinates"]["independent"])

    def columns(self, names: tuple[str, ...]) -> list[int]:
        """Positions of coordinates."""
        return [self.coordinates.index(name) for name in names]

    def dependent(self) -> tuple[str, ...]:
        """The coordinates that follow."""
        return tuple(name for name in self.coordinates if name not in self.independent)

    def units(self) -> Array:
        """1 for an angle, the mechanism's size for a displacement: what coordinates are measured by."""
        return np.array([self.size if name in self.displacements else 1.0 for name in self.coordinates])

    def design(self) -> Array:
        """The file's pose, (1, n); what it does not give is 0."""
        return np.array([[self.pose.get(name, 0.0) for name in self.coordinates]])


def document_of(text: str) -> dict[str, Any]:
    """The TOML."""
    return tomllib.loads(text)


def tunable(document: Mapping[str, Any]) -> dict[str, tuple[float, float, float]]:
    """Nominal, smallest and largest value of each tunable parameter."""
    return {
        name: (number_of(entry["value"], {}), *(number_of(limit, {}) for limit in entry["range"]))
        for name, entry in document.get("parameters", {}).items()
        if not entry.get("frozen", False)
    }


def limits_of(document: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, tuple[float, float, float]]:
    """Smallest and largest value and largest rate of coordinates."""
    given = document["coordinates"]
    return {
        name: (*(number_of(limit, {}) for limit in given["ranges"][name]), number_of(given["rates"][name], {}))
        for name in names
    }


def plain(document: dict[str, Any], changed: Mapping[str, float] | None = None) -> Plain:
    """The mechanism with some tunable parameters off nominal."""
    values = {name: number_of(entry["value"], {}) for name, entry in document.get("parameters", {}).items()}
    values |= changed or {}
    places = _places(document, values)
    joints = tuple(_joint(name, entry, places) for name, entry in document["joints"].items())
    slides = [
        name
        for joint in joints
        for name, (kind, _) in zip(joint.coordinates, joint.motions(), strict=bool(joint.coordinates))
        if kind == SLIDE
    ]
    gravity = document["mechanism"].get("gravity", ["0", "0", "0"])
    pose = {name: number_of(text, {}) for name, text in document["coordinates"].get("pose", {}).items()}
    return Plain(
        document,
        values,
        joints,
        tuple(_masses(document, values)),
        vector_of(gravity, values),
        pose,
        tuple(name for joint in joints for name in joint.coordinates),
        frozenset(slides),
        _size(places, pose, slides),
        places,
    )


def _places(document: Mapping[str, Any], values: Mapping[str, float]) -> dict[str, Place]:
    found: dict[str, Place] = {}
    bodies = {GROUND: document.get(GROUND, {}), **document["bodies"]}
    for body, entry in bodies.items():
        found[body] = Place(body, np.zeros(3), np.eye(3))
        for name, at in entry.get("points", {}).items():
            found[f"{body}.{name}"] = Place(body, vector_of(at, values), np.eye(3))
        for name, frame in entry.get("frames", {}).items():
            turns = [(letter, number_of(angle, values)) for letter, angle in frame.get("turns", [])]
            at = vector_of(frame.get("at", ["0", "0", "0"]), values)
            found[f"{body}.{name}"] = Place(body, at, after_turns(turns))
    return found


def _joint(name: str, entry: Mapping[str, Any], places: Mapping[str, Place]) -> Joint:
    kind, closes = entry["type"], entry.get("closes", False)
    given = entry.get("axis", DEFAULT_AXIS.get(kind, "z"))
    axis = named_axis(given) if isinstance(given, str) else vector_of(given, {})
    own = () if closes or not COUNTS[kind] else (name,)
    names = tuple(entry.get("coordinates", own))
    ends = (places[entry["parent"]], places[entry["child"]])
    return Joint(name, kind, *ends, axis / np.linalg.norm(axis), names, closes)


def _masses(document: Mapping[str, Any], values: Mapping[str, float]) -> list[Mass]:
    found = []
    for body, entry in document["bodies"].items():
        if "mass" not in entry:
            continue
        xx, yy, zz, xy, xz, yz = (number_of(entry.get("inertia", {}).get(key, "0"), values) for key in ENTRIES)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)
        center = vector_of(entry.get("center_of_mass", ["0", "0", "0"]), values)
        found.append(Mass(body, number_of(entry["mass"], values), center, inertia))
    return found


def _size(places: Mapping[str, Place], pose: Mapping[str, float], slides: list[str]) -> float:
    """The longest arm or displacement of the design pose."""
    arms = [float(np.linalg.norm(place.at)) for place in places.values()]
    return max([*arms, *(abs(pose.get(name, 0.0)) for name in slides), 1e-3])
