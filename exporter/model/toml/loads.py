"""Reads loads, distances and elements of a mechanism file.

In: the tables [loads], [distances] and [elements], which fit the schema, and the frames of all bodies. Out: `Load`,
`Distance`, `Element`.
"""

from collections.abc import Mapping

from exporter.model.elements import BOTH_ALLOWED, ELEMENT_KINDS, NOT_BY_FORMULA, READS_STATE, element_dimensions
from exporter.model.expression import ZERO, Expression
from exporter.model.joints import GROUND
from exporter.model.mechanism import Distance, Element, Frame, Load
from exporter.model.nearest import list_words, nearest
from exporter.model.place import Place
from exporter.model.toml.bodies import Table, find_frame
from exporter.model.toml.joints import Frames
from exporter.model.toml.parameters import FormulaScopes
from exporter.model.toml.values import Scope, formula, vector
from exporter.model.units import ANGLE, FORCE, TORQUE, Dimension

Lengths = Mapping[str, Dimension]
"""Coordinates and distances: LENGTH or ANGLE by name."""
Closing = frozenset[str]
"""Joints that close a loop, by name: for those who take one for a coordinate."""


def read_loads(
    place: Place, tables: Table, frames: Frames, coordinates: Lengths, closing: Closing, scope: Scope
) -> tuple[Load, ...]:
    """All loads in the order of the file; `coordinates` has the dimension of each coordinate."""
    return tuple(
        _along(place / name, name, table, coordinates, closing, scope)
        if table["type"] == "coordinate"
        else _on_body(place / name, name, table, frames, scope)
        for name, table in tables.items()
    )


def _along(place: Place, name: str, table: Table, coordinates: Lengths, closing: Closing, scope: Scope) -> Load:
    on = table["on"]
    if on not in coordinates:
        raise (place / "on").error(
            f'"{on}" is not a coordinate{_why_none(on, closing) or nearest(on, coordinates)}; known are '
            f"{', '.join(coordinates)}"
        )
    if "axes" in table:
        raise (place / "axes").error("a load along a coordinate has one component and no axes; leave the key out")
    expected = TORQUE if coordinates[on] == ANGLE else FORCE
    return Load(name, "coordinate", None, (formula(place / "value", table["value"], expected, scope), ZERO, ZERO), on)


def _why_none(name: str, closing: Closing) -> str:
    return ", since this joint closes a loop; open the loop at another joint" if name in closing else ""


def _on_body(place: Place, name: str, table: Table, frames: Frames, scope: Scope) -> Load:
    frame = find_frame(place / "on", table["on"], frames)
    if frame.body == GROUND:
        raise (place / "on").error("a load on ground moves nothing; put it on a body")
    if table["type"] == "torque" and frame.name != frame.body:
        raise (place / "on").error(f'a torque has no point of action; write on = "{frame.body}"')
    expected = FORCE if table["type"] == "force" else TORQUE
    value = vector(place / "value", table["value"], expected, scope)
    return Load(name, table["type"], frame, value, axes=_axes(place / "axes", table, frames))


def _axes(place: Place, table: Table, frames: Frames) -> Frame | None:
    """The body or frame whose axes the components have; None for the ground's own."""
    if table.get("axes", GROUND) == GROUND:
        return None
    return find_frame(place, table["axes"], frames)


# -- distances -------------------------------------------------------------------------------------------------------


def read_distances(
    place: Place, tables: Table, elements: Place, of_elements: Table, frames: Frames
) -> dict[str, Distance]:
    """The distances of the file, then those that elements are put between, by the elements' names."""
    named = {name: _distance(place / name, ends, frames) for name, ends in tables.items()}
    between = {
        name: _distance(elements / name / "between", table["between"], frames)
        for name, table in of_elements.items()
        if "between" in table
    }
    for name in between:
        if name in named:
            raise (elements / name).error(f'[distances] has a "{name}" too; write along = "{name}", or rename one')
    return {**named, **between}


def _distance(place: Place, ends: list[str], frames: Frames) -> Distance:
    start, end = (find_frame(place[number], reference, frames) for number, reference in enumerate(ends))
    return Distance(start, end)


# -- elements --------------------------------------------------------------------------------------------------------


def read_elements(
    place: Place, tables: Table, lengths: Lengths, closing: Closing, scopes: FormulaScopes
) -> tuple[Element, ...]:
    """All elements in the order of the file; `lengths` has coordinates and distances."""
    return tuple(_element(place / name, name, table, lengths, closing, scopes) for name, table in tables.items())


def _element(
    place: Place, name: str, table: Table, lengths: Lengths, closing: Closing, scopes: FormulaScopes
) -> Element:
    along = _acts_along(place, name, table, lengths, closing)
    given = [key for key in table if key not in ("type", "along", "between")]
    _check_keys(place, table["type"], given)
    dimensions = element_dimensions(lengths[along])
    values: dict[str, Expression] = {
        key: formula(place / key, table[key], dimensions[key], scopes.forces if key == READS_STATE else scopes.values)
        for key in given
    }
    return Element(name, table["type"], along, values)


def _acts_along(place: Place, name: str, table: Table, lengths: Lengths, closing: Closing) -> str:
    if ("along" in table) == ("between" in table):
        raise place.error(
            'an element acts along one line; write either between = ["body.first", "body.second"], or along = "NAME" '
            "of a distance or coordinate"
        )
    along: str = table.get("along", name)
    if along not in lengths:
        raise (place / "along").error(
            f'"{along}" is neither a distance nor a coordinate{_why_none(along, closing) or nearest(along, lengths)}; '
            f"known are {list_words(lengths)}"
        )
    return along


def _check_keys(place: Place, kind: str, given: list[str]) -> None:
    """Refuse a value that this kind has no use for, and one that is missing."""
    wanted = ELEMENT_KINDS[kind]  # type: ignore[index]  # the schema has these kinds alone
    known = [*(key for keys in wanted.required for key in keys), *wanted.optional]
    for key in given:
        if key not in known:
            raise (place / key).error(f"a {kind} has no {key}{nearest(key, known)}; it takes {list_words(known)}")
    for keys in wanted.required:
        found = [key for key in keys if key in given]
        if not found:
            raise place.error(f"a {kind} needs {' or '.join(keys)}; add it")
        if len(found) > 1 and not set(found) <= set(BOTH_ALLOWED):
            raise place.error(f"a {kind} is given by {' or by '.join(keys)}, not by both; leave one out")
    if kind == "spring" and "force" in given and (idle := [key for key in NOT_BY_FORMULA if key in given]):
        raise (place / idle[0]).error(f"force is the whole law of this spring; put {idle[0]} into its formula")
