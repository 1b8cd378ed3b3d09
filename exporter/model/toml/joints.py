"""Reads joints and loads of a mechanism file.

In: the tables [joints] and [loads], which fit the schema, and the frames of all bodies. Out: `Joint` and `Load`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from exporter.model.evaluate import root
from exporter.model.expression import ZERO
from exporter.model.joints import COORDINATES, DEFAULT_AXIS, GROUND, X, Y, Z
from exporter.model.mechanism import Axis, Frame, Joint, JointType, Load
from exporter.model.nearest import nearest
from exporter.model.place import Place
from exporter.model.toml.bodies import Table, find_frame
from exporter.model.toml.values import Scope, formula, quantity, vector
from exporter.model.units import ANGLE, DIMENSIONLESS, FORCE, TORQUE, Dimension

Frames = Mapping[str, tuple[Frame, ...]]


def read_joints(place: Place, tables: Table, frames: Frames) -> tuple[Joint, ...]:
    """All joints in the order of the file."""
    return tuple(_joint(place / name, name, table, frames) for name, table in tables.items())


def _joint(place: Place, name: str, table: Table, frames: Frames) -> Joint:
    kind: JointType = table["type"]
    return Joint(
        name,
        kind,
        find_frame(place / "parent", table["parent"], frames),
        find_frame(place / "child", table["child"], frames),
        _axis(place, kind, table),
        _coordinates(place, name, kind, table),
        table.get("closes", False),
    )


def _axis(place: Place, kind: JointType, table: Table) -> Axis:
    if "axis" not in table:
        return DEFAULT_AXIS.get(kind, Z)
    if kind not in DEFAULT_AXIS:
        raise (place / "axis").error(f"a {kind} joint has no axis of its own; leave the key out, or turn its frames")
    return read_axis(place / "axis", table["axis"])


def read_axis(place: Place, axis: str | Sequence[str]) -> Axis:
    """A unit vector by its name, "-y", or by three numbers.

    Raises:
        ModelError: the numbers are all zero, or have a unit.
    """
    return _named_axis(axis) if isinstance(axis, str) else _unit_vector(place, axis)


def _named_axis(text: str) -> Axis:
    x, y, z = {"x": X, "y": Y, "z": Z}[text[-1]]
    return (-x, -y, -z) if text.startswith("-") else (x, y, z)


def _unit_vector(place: Place, texts: Sequence[str]) -> Axis:
    x, y, z = (quantity(place[index], text, DIMENSIONLESS) for index, text in enumerate(texts))
    length = root(Fraction(x * x + y * y + z * z))
    if length == 0:
        raise place.error("the axis is zero in all three directions; give it a direction")
    return x / length, y / length, z / length


def _coordinates(place: Place, name: str, kind: JointType, table: Table) -> tuple[str, ...]:
    given: tuple[str, ...] | None = tuple(table["coordinates"]) if "coordinates" in table else None
    wanted = len(COORDINATES[kind])
    if table.get("closes", False):
        if given is not None:
            raise place.error("a joint that closes a loop has no coordinate; leave `coordinates` or `closes` out")
        return ()
    if given is None and wanted == 1:
        return (name,)
    if len(given or ()) != wanted:
        raise (place / "coordinates").error(
            f"a {kind} joint has {wanted} coordinates, and {len(given or ())} are named; name {wanted}"
        )
    return given or ()


def read_loads(
    place: Place, tables: Table, frames: Frames, coordinates: Mapping[str, Dimension], scope: Scope
) -> tuple[Load, ...]:
    """All loads in the order of the file; `coordinates` has the dimension of each coordinate."""
    return tuple(
        _along(place / name, name, table, coordinates, scope)
        if table["type"] == "coordinate"
        else _on_body(place / name, name, table, frames, scope)
        for name, table in tables.items()
    )


def _along(place: Place, name: str, table: Table, coordinates: Mapping[str, Dimension], scope: Scope) -> Load:
    on = table["on"]
    if on not in coordinates:
        raise (place / "on").error(
            f'"{on}" is not a coordinate{nearest(on, coordinates)}; known are {", ".join(coordinates)}'
        )
    expected = TORQUE if coordinates[on] == ANGLE else FORCE
    return Load(name, "coordinate", None, (formula(place / "value", table["value"], expected, scope), ZERO, ZERO), on)


def _on_body(place: Place, name: str, table: Table, frames: Frames, scope: Scope) -> Load:
    frame = find_frame(place / "on", table["on"], frames)
    if frame.body == GROUND:
        raise (place / "on").error("a load on ground moves nothing; put it on a body")
    if table["type"] == "torque" and frame.name != frame.body:
        raise (place / "on").error(f'a torque has no point of action; write on = "{frame.body}"')
    expected = FORCE if table["type"] == "force" else TORQUE
    return Load(name, table["type"], frame, vector(place / "value", table["value"], expected, scope))
