"""Reads joints of a mechanism file.

In: the table [joints], which fits the schema, and the frames of all bodies. Out: `Joint`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from exporter.model.evaluate import root
from exporter.model.expression import Number
from exporter.model.joints import COORDINATES, DEFAULT_AXIS, Z
from exporter.model.mechanism import Axis, Frame, Joint, JointType
from exporter.model.place import Place
from exporter.model.toml.bodies import Table, find_frame
from exporter.model.toml.design_pose import difference, placing_hardpoint
from exporter.model.toml.hardpoints import Hardpoints
from exporter.model.toml.turned import TURNED, named_axis, require_square, turned_frame
from exporter.model.toml.values import quantity
from exporter.model.units import DIMENSIONLESS

Frames = Mapping[str, tuple[Frame, ...]]


def read_joints(place: Place, tables: Table, frames: Frames, hardpoints: Hardpoints) -> tuple[Joint, ...]:
    """All joints in the order of the file."""
    return tuple(_joint(place / name, name, table, frames, hardpoints) for name, table in tables.items())


def _joint(place: Place, name: str, table: Table, frames: Frames, hardpoints: Hardpoints) -> Joint:
    kind: JointType = table["type"]
    return Joint(
        name,
        kind,
        _frame(place, "parent", table, frames),
        _frame(place, "child", table, frames),
        _axis(place, kind, table, hardpoints),
        _coordinates(place, name, kind, table),
        table.get("closes", False),
    )


def _frame(place: Place, end: str, table: Table, frames: Frames) -> Frame:
    """The joint's frame on its parent or child; that of a universal joint turned to its `axes`."""
    name, reference = placing_hardpoint(table), table[end]
    if name is not None and "." in reference:
        raise (place / end).error(
            f'"{reference}" is a place of its own, and the hardpoint {name} is the place of this joint; write '
            f'"{reference.partition(".")[0]}"'
        )
    frame = find_frame(place / end, reference if name is None else f"{reference}.{name}", frames)
    if TURNED in table:
        return turned_frame(frame, table[TURNED])
    if "axes" not in table:
        return frame
    if table["type"] != "universal":
        raise (place / "axes").error(
            f"a {table['type']} joint has no axes to be put in order; a universal joint has: leave the key out"
        )
    require_square(place / "axes", table["axes"])
    return turned_frame(frame, table["axes"])


def _axis(place: Place, kind: JointType, table: Table, hardpoints: Hardpoints) -> Axis:
    if "axis" not in table:
        return DEFAULT_AXIS.get(kind, Z)
    if kind not in DEFAULT_AXIS:
        advice = 'write axes = ["y", "x"]' if kind == "universal" else "leave the key out, or turn its frames"
        raise (place / "axis").error(f"a {kind} joint has no axis of its own; {advice}")
    if len(table["axis"]) == 2 and not isinstance(table["axis"], str):
        return _axis_through(place / "axis", table["axis"], hardpoints)
    return read_axis(place / "axis", table["axis"])


def _axis_through(place: Place, names: Sequence[str], hardpoints: Hardpoints) -> Axis:
    """From the first hardpoint to the second."""
    ends = [hardpoints.at(place[index], name) for index, name in enumerate(names)]
    if ends[0] == ends[1]:
        raise place.error(f"{names[0]} and {names[1]} are one place; an axis runs through two")
    parts = difference(ends[1], ends[0])
    numbers = [part.value for part in parts if isinstance(part, Number)]
    if len(numbers) < len(parts):
        raise place.error(
            f"{names[0]} or {names[1]} is given by a formula, and an axis is a fixed direction; write numbers, or one "
            "formula for the same component of both"
        )
    return _made_unit(place, numbers)


def read_axis(place: Place, axis: str | Sequence[str]) -> Axis:
    """A unit vector by its name, "-y", or by three numbers.

    Raises:
        ModelError: the numbers are all zero, or have a unit.
    """
    return named_axis(axis) if isinstance(axis, str) else _unit_vector(place, axis)


def _unit_vector(place: Place, texts: Sequence[str]) -> Axis:
    return _made_unit(place, [quantity(place[index], text, DIMENSIONLESS) for index, text in enumerate(texts)])


def _made_unit(place: Place, numbers: Sequence[Fraction]) -> Axis:
    x, y, z = numbers
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
