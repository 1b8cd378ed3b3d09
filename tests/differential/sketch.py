"""A mechanism being drawn: bodies where they stand at the design pose, joints between them, and the TOML of it.

In: random quantities. Out: TOML text. A joint of the tree places its new body; a joint that closes a loop is
placed on the second body so that it fits the bodies as they stand, so that the file's pose closes every loop.
"""

from dataclasses import dataclass, field
from math import atan2, hypot
from typing import Any

import numpy as np
from drawn_quantities import Drawn, Quantities
from plain_mechanism import GROUND, SLIDE, TURN, Joint, Place
from plain_rotations import Array, about, after_turns, named_axis

NO_TURN = 1e-12
Stands = tuple[Array, Array]  # attitude, place
Turns = list[tuple[str, Drawn]]


@dataclass
class Sketch:
    """What was drawn so far."""

    quantities: Quantities
    document: dict[str, Any] = field(default_factory=dict)
    stands: dict[str, Stands] = field(default_factory=lambda: {GROUND: (np.eye(3), np.zeros(3))})
    pose: dict[str, Drawn] = field(default_factory=dict)
    angles: dict[str, bool] = field(default_factory=dict)  # coordinate -> whether it is an angle
    driven: list[str] = field(default_factory=list)
    count: int = 0

    def __post_init__(self) -> None:
        self.document = self.document or {"bodies": {}, "joints": {}}

    def name(self, letter: str) -> str:
        """A new name."""
        self.count += 1
        return f"{letter}{self.count}"

    def place(self, body: str, at: list[Drawn], turns: Turns | None = None) -> str:
        """A new point or frame on a body; the body itself where both are nothing."""
        turns = [turn for turn in turns or [] if turn[1].text != "0"]
        if all(part.text == "0" for part in at) and not turns:
            return body
        entry = self.document.setdefault(GROUND, {}) if body == GROUND else self.document["bodies"][body]
        name, texts = self.name("p"), [part.text for part in at]
        if turns:
            frame = {"at": texts, "turns": [[letter, angle.text] for letter, angle in turns]}
            entry.setdefault("frames", {})[name] = frame
        else:
            entry.setdefault("points", {})[name] = texts
        self.stands[f"{body}.{name}"] = self._on(body, at, turns)
        return f"{body}.{name}"

    def _on(self, body: str, at: list[Drawn], turns: Turns) -> Stands:
        attitude, origin = self.stands[body]
        own = after_turns([(letter, angle.value) for letter, angle in turns])
        return attitude @ own, origin + attitude @ np.array([part.value for part in at])

    def attach(
        self,
        kind: str,
        parent: str,
        axis: Any,
        driven: bool,
        at: list[Drawn],
        turns: Turns,
        *,
        value: Drawn | None = None,
    ) -> str:
        """A new body on a joint of the tree, at a place of its own; coordinates are drawn unless a value is given."""
        body, name = self.name("b"), self.name("j")
        self.document["bodies"][body] = {}
        joint = _joint(kind, axis)
        frame = self.stands[parent]
        names = _names(name, len(joint.motions()))
        for coordinate, (motion, own) in zip(names, joint.motions(), strict=True):
            self.pose[coordinate] = value or self.quantities.coordinate(motion == TURN)
            self.angles[coordinate] = motion == TURN
            frame = _moved(frame, motion, own, self.pose[coordinate].value)
        self.stands[body] = np.eye(3), np.zeros(3)
        own_attitude, own_place = self._on(body, at, turns)
        attitude = frame[0] @ own_attitude.T
        self.stands[body] = attitude, frame[1] - attitude @ own_place
        child = self.place(body, at, turns)
        self._write_joint(name, kind, (parent, child), axis, names)
        self.driven += names if driven else []
        return body

    def close(self, kind: str, parent: str, body: str, axis: Any) -> None:
        """A joint between a place and a body as they stand, either of them its parent."""
        frame = self.stands[parent]
        for motion, own in _joint(kind, axis).motions():
            frame = _moved(frame, motion, own, self._drawn(motion))
        attitude, origin = self.stands[body]
        at = [self.quantities.exact(float(part), "m") for part in attitude.T @ (frame[1] - origin)]
        child = self.place(body, at, self._turns(kind, attitude.T @ frame[0], axis))
        symmetric = kind != "universal"
        ends = (child, parent) if symmetric and self.quantities.chance(0.5) else (parent, child)
        self._write_joint(self.name("k"), kind, ends, axis, None)

    def _drawn(self, motion: str) -> float:
        random = self.quantities.random
        return random.uniform(-1.5, 1.5) if motion == TURN else random.uniform(-0.5, 0.5)

    def _turns(self, kind: str, own: Array, axis: Any) -> Turns:
        """Turns about z, y, x that give an attitude; none where the joint needs none."""
        unit = _axis(axis) if axis is not None else np.zeros(3)
        free = kind in ("revolute", "cylindrical") and np.abs(own @ unit - unit).max() < NO_TURN
        if kind in ("spherical", "free") or free or np.abs(own - np.eye(3)).max() < NO_TURN:
            return []
        angles = (
            ("z", atan2(own[1, 0], own[0, 0])),
            ("y", atan2(-own[2, 0], hypot(own[2, 1], own[2, 2]))),
            ("x", atan2(own[2, 1], own[2, 2])),
        )
        return [(letter, self.quantities.exact(angle, "rad")) for letter, angle in angles]

    def _write_joint(self, name: str, kind: str, ends: tuple[str, str], axis: Any, names: list[str] | None) -> None:
        entry: dict[str, Any] = {"type": kind, "parent": ends[0], "child": ends[1]}
        if kind in ("revolute", "prismatic", "cylindrical"):
            entry["axis"] = axis
        if names is None:
            entry["closes"] = True
        elif len(names) > 1:
            entry["coordinates"] = names
        self.document["joints"][name] = entry


def _names(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}c{k}" for k in range(count)]


def _axis(axis: Any) -> Array:
    given = named_axis(axis) if isinstance(axis, str) else np.array([float(part) for part in axis])
    return given / np.linalg.norm(given)


def _joint(kind: str, axis: Any) -> Joint:
    nowhere = Place(GROUND, np.zeros(3), np.eye(3))
    return Joint("", kind, nowhere, nowhere, _axis(axis or "z"), (), closes=True)


def _moved(frame: Stands, motion: str, own: Array, value: float) -> Stands:
    attitude, place = frame
    if motion == SLIDE:
        return attitude, place + attitude @ own * value
    return attitude @ about(own, np.array(value)), place


def toml_text(document: dict[str, Any]) -> str:
    """The file: tables of tables, leaves inline."""
    lines = ["schema = 1"]
    for section, content in document.items():
        plain = {key: value for key, value in content.items() if not _is_table(section, value)}
        if plain or section not in ("bodies", "joints", "loads"):
            lines += ["", f"[{section}]", *(f"{key} = {_inline(value)}" for key, value in plain.items())]
        for key, value in content.items():
            if _is_table(section, value):
                lines += ["", f"[{section}.{key}]", *(f"{name} = {_inline(entry)}" for name, entry in value.items())]
    return "\n".join(lines) + "\n"


def _is_table(section: str, value: Any) -> bool:
    return section in ("bodies", "joints", "loads") and isinstance(value, dict)


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_inline(entry)}" for key, entry in value.items()) + " }"
    return "[" + ", ".join(_inline(entry) for entry in value) + "]"
