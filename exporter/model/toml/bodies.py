"""Reads ground, bodies, points and frames of a mechanism file.

In: the tables [ground] and [bodies], which fit the schema. Out: `Body` and `Frame`.
"""

from collections.abc import Mapping
from typing import Any

from exporter.errors import ModelError
from exporter.model.expression import ZERO, Expression, Vector
from exporter.model.joints import GROUND
from exporter.model.mechanism import Body, Frame, Rotation
from exporter.model.nearest import list_words, nearest
from exporter.model.place import Place
from exporter.model.toml.design_pose import ORIGIN, DesignPose
from exporter.model.toml.values import Scope, formula, vector
from exporter.model.units import ANGLE, INERTIA, LENGTH, MASS

INERTIA_ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")

Table = Mapping[str, Any]


def read_bodies(place: Place, tables: Table, scope: Scope, pose: DesignPose) -> tuple[Body, ...]:
    """All bodies but the ground, in the order of the file."""
    if GROUND in tables:
        raise (place / GROUND).error("ground is the fixed body and has no mass; write its points under [ground]")
    return tuple(_body(place / name, name, table, scope, pose) for name, table in tables.items())


def _body(place: Place, name: str, table: Table, scope: Scope, pose: DesignPose) -> Body:
    if "mass" not in table:
        _require_massless(place, table)
        mass: Expression = ZERO
    else:
        mass = formula(place / "mass", table["mass"], MASS, scope)
    center = _place_on(place / "center_of_mass", name, table.get("center_of_mass", ("0", "0", "0")), scope, pose)
    given = table.get("inertia", {})
    xx, yy, zz, xy, xz, yz = (
        formula(place / "inertia" / entry, given.get(entry, "0"), INERTIA, scope) for entry in INERTIA_ENTRIES
    )
    return Body(name, mass, center, (xx, yy, zz, xy, xz, yz), read_frames(place, name, table, scope, pose))


def _place_on(place: Place, body: str, given: str | list[str], scope: Scope, pose: DesignPose) -> Vector:
    """Three components in the axes of a body, or a hardpoint by its name."""
    return pose.on_body(place, body, given) if isinstance(given, str) else vector(place, given, LENGTH, scope)


def _require_massless(place: Place, table: Table) -> None:
    for key in ("center_of_mass", "inertia"):
        if key in table:
            raise place.error(f"{key} is given but no mass; add `mass`, or leave {key} out for a body without mass")


def read_frames(place: Place, body: str, table: Table, scope: Scope, pose: DesignPose) -> tuple[Frame, ...]:
    """The points (no turns) and frames of a body or of the ground, and the hardpoints that it carries."""
    points = tuple(
        Frame(body, vector(place / "points" / name, at, LENGTH, scope), name=f"{body}.{name}")
        for name, at in table.get("points", {}).items()
    )
    frames = tuple(
        _turn_frame(place / "frames" / name, body, name, entry, scope, pose)
        for name, entry in table.get("frames", {}).items()
    )
    names = [frame.name for frame in points]
    for frame in frames:
        if frame.name in names:
            raise place.error(f"{frame.name} is a point and a frame; give one of them another name")
    own = points + frames
    return own + pose.frames(place, body, own)


def _turn_frame(place: Place, body: str, name: str, entry: Table, scope: Scope, pose: DesignPose) -> Frame:
    turns = tuple(
        (axis, formula((place / "turns")[index][1], angle, ANGLE, scope))
        for index, (axis, angle) in enumerate(entry["turns"])
    )
    return Frame(body, _place_on(place / "at", body, entry["at"], scope, pose), Rotation(turns), f"{body}.{name}")


def find_frame(place: Place, reference: str, frames: Mapping[str, tuple[Frame, ...]]) -> Frame:
    """The frame that "body" or "body.point" names. `frames` has the frames of every body and of the ground.

    Raises:
        ModelError: no such body, or no such point on it.
    """
    body, _, _ = reference.partition(".")
    if body not in frames:
        raise _unknown_body(place, body, frames)
    if reference == body:
        return Frame(body, ORIGIN, name=body)
    for frame in frames[body]:
        if frame.name == reference:
            return frame
    known = [frame.name for frame in frames[body]]
    raise place.error(
        f'"{reference}" is no point or frame{nearest(reference, known)}; {body} has: {list_words(known)}; '
        f"add it under [{body if body == GROUND else f'bodies.{body}'}] points"
    )


def _unknown_body(place: Place, body: str, frames: Mapping[str, tuple[Frame, ...]]) -> ModelError:
    return place.error(
        f'body "{body}" does not exist{nearest(body, frames)}; known are {list_words(frames)}: add it under [bodies]'
    )
