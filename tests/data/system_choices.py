"""Mechanisms of the library by other choices of coordinates than the file's, over a tenth of its ranges.

In: the closed mechanisms of the library. Out: an `Entry` for each choice. One independent coordinate is exchanged for
one that moves with it; how far each moves, and that the way there is clear, Newton's method on the closures tells.
"""

import json
import tomllib
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from continuation import Driven, assembled, corrected, followed
from plain_mechanism import limits_of, plain
from plain_motion import all_rates
from plain_rotations import Array
from practice_list import Entry

from exporter.model.library import model_names, model_path, practice_names
from exporter.model.place import Place
from exporter.model.toml.expansion import EACH, written_out

SHARE = 0.1  # of the file's ranges, to either side of the design pose
HELD = 0.5  # of how far a coordinate moves there: its range
LEAST = 0.02  # rad, or of the size: what moves less drives nothing
CHOICES = 3  # others than the file's own
PLANAR = ("revolute", "planar")


def system_entries(only: str = "") -> Iterator[Entry]:
    """Choices of all closed mechanisms of the library, or of the one whose name `only` begins with."""
    for name in (*model_names(), *practice_names()):
        if not only or only.partition(" by ")[0] == name:
            yield from choices_of(name)


def choices_of(name: str) -> Iterator[Entry]:
    """Choices of one mechanism; none of an open chain."""
    document = document_of(name)
    if not any(joint.get("closes") for joint in document["joints"].values()):
        return
    document["coordinates"].pop("alternative", None)
    driven = assembled(plain(document))
    if driven is None:
        return
    start, _, _ = corrected(driven, driven.plain.design(), 12)
    own = driven.plain.independent
    kind = f"{len(driven.plain.joints)} joints, {sum(joint.closes for joint in driven.plain.joints)} close loops"
    spatial = any(
        joint.type not in PLANAR or abs(joint.axis[2]) < 1 for joint in driven.plain.joints if joint.type != "prismatic"
    )
    found = 0
    for choice in _exchanges(driven, start):
        other = _driven_by(document, driven, start, choice)
        if found < CHOICES and _is_clear(other):
            found += 1
            key = f"{name} by {','.join(choice)}"
            yield Entry(key, name, f"{kind}; file: {','.join(own)}", spatial, toml_of(other))


def document_of(name: str) -> dict[str, Any]:
    """The file of the library, repeated parts written out."""
    text = model_path(name).read_text(encoding="utf-8")
    document = tomllib.loads(text)
    return dict(written_out(document, text, Place(name)).document) if EACH in document else document


def _exchanges(driven: Driven, start: Array) -> Iterator[tuple[str, ...]]:
    """One independent coordinate for one that moves with it; those that move most come first."""
    own, units = driven.plain.independent, driven.plain.units()
    limits = limits_of(driven.plain.document, own)
    moves = []
    for place, name in enumerate(own):
        rate = np.zeros((1, len(own)))
        rate[0, place] = _half(limits[name])
        moved = np.abs(all_rates(driven, start, rate)[0]) / units
        for other in driven.plain.dependent():
            far = float(moved[driven.plain.coordinates.index(other)])
            if far > LEAST:
                moves.append((far, tuple(other if each == name else each for each in own)))
    yield from (choice for _, choice in sorted(moves, reverse=True))


def _half(limits: tuple[float, float, float]) -> float:
    return min(SHARE * (limits[1] - limits[0]), 0.3)


def _driven_by(document: dict[str, Any], driven: Driven, start: Array, choice: tuple[str, ...]) -> dict[str, Any]:
    """The mechanism with another choice, its pose, and ranges that are clear of the ends."""
    own, columns = driven.plain.independent, driven.plain.coordinates
    limits = limits_of(document, own)
    rates = np.diag([_half(limits[name]) for name in own])
    moved = np.abs(all_rates(driven, np.repeat(start, len(own), axis=0), rates)).max(axis=0)
    given = document["coordinates"]
    coordinates = {**given, "independent": list(choice), "pose": {}, "ranges": {}, "rates": {}}
    for name in columns:
        at, unit = float(start[0, columns.index(name)]), "m" if name in driven.plain.displacements else "rad"
        coordinates["pose"][name] = f"{at:.9f} {unit}"
        if name in choice:
            far = HELD * float(moved[columns.index(name)])
            coordinates["ranges"][name] = [f"{at - far:.6f} {unit}", f"{at + far:.6f} {unit}"]
            coordinates["rates"][name] = f"{max(10 * far, 0.01):.6f} {unit}/s"
    coordinates.pop("accelerations", None)
    return {**document, "coordinates": coordinates}


def _is_clear(document: dict[str, Any]) -> bool:
    """Whether Newton's method follows the branch to all corners of the ranges."""
    driven = assembled(plain(document))
    if driven is None:
        return False
    start, _, _ = corrected(driven, driven.plain.design(), 12)
    limits = limits_of(document, driven.plain.independent)
    corners = np.array(list(product(*(limits[name][:2] for name in driven.plain.independent))))
    return bool(followed(lambda _: driven, start, corners).on_branch.all())


def toml_of(document: dict[str, Any]) -> str:
    """A document as TOML, each table of the first level in lines of its own."""
    lines = [f"{key} = {_value(value)}" for key, value in document.items() if not isinstance(value, dict)]
    for key, table in document.items():
        if isinstance(table, dict):
            lines += [f"[{key}]", *(f"{json.dumps(name)} = {_value(value)}" for name, value in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_value(part)}" for name, part in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_value(part) for part in value) + "]"
    return json.dumps(value)
