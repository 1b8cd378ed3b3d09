"""Reads the outputs of a mechanism file: signals and points by reference, angles and joint reactions by a table.

In: the table [outputs], which fits the schema, and the frames of all bodies. Out: references by name, `AngleOutput` by
name, `ReactionOutput` by name.
"""

from typing import Any

from exporter.model.directions import turn_vector
from exporter.model.expression import Number
from exporter.model.joints import GROUND
from exporter.model.mechanism import AngleOutput, Frame, ReactionOutput
from exporter.model.place import Place
from exporter.model.toml.bodies import Table, find_frame
from exporter.model.toml.design_pose import ORIGIN
from exporter.model.toml.joints import Frames, read_axis

REACTION = "reaction"
REACTION_KEYS = (REACTION, "part", "axes")


def read_references(table: Table) -> dict[str, str]:
    """The outputs that name a coordinate's signal or a point."""
    return {name: entry for name, entry in table.items() if isinstance(entry, str)}


def read_angles(place: Place, table: Table, frames: Frames) -> dict[str, AngleOutput]:
    """The outputs that are angles of directions."""
    asked = {name: entry for name, entry in table.items() if not isinstance(entry, str) and REACTION not in entry}
    return {name: _angle(place / name, entry, frames) for name, entry in asked.items()}


def read_reactions(place: Place, table: Table) -> dict[str, ReactionOutput]:
    """The outputs that are forces and torques of joints."""
    asked = {name: entry for name, entry in table.items() if not isinstance(entry, str) and REACTION in entry}
    return {name: _reaction(place / name, entry) for name, entry in asked.items()}


def _reaction(place: Place, entry: dict[str, Any]) -> ReactionOutput:
    foreign = next((key for key in entry if key not in REACTION_KEYS), None)
    if foreign:
        raise (place / foreign).error(f"a reaction has no {foreign}, an angle has; leave `{foreign}` or `reaction` out")
    return ReactionOutput(entry[REACTION], entry["part"], entry.get("axes", GROUND))


def _angle(place: Place, entry: dict[str, Any], frames: Frames) -> AngleOutput:
    for key in REACTION_KEYS:
        if key in entry:
            raise (place / key).error(f'an angle has no {key}; a reaction is asked for by reaction = "joint" beside it')
    if ("line" in entry) == ("of" in entry):
        raise place.error(
            'an angle is that of one direction; write either line = ["body.first", "body.second"], '
            'or of = "body" and axis = "y"'
        )
    start, end = _line(place, entry, frames) if "line" in entry else _axis(place, entry, frames)
    seen_from = find_frame(place / "seen_from", entry.get("seen_from", GROUND), frames)
    return AngleOutput(start, end, entry["from"], entry["to"], seen_from)


def _line(place: Place, entry: dict[str, Any], frames: Frames) -> tuple[Frame, Frame]:
    if "axis" in entry:
        raise (place / "axis").error("a line has its own direction; leave `axis` out, or write `of` instead of `line`")
    start, end = (find_frame((place / "line")[k], reference, frames) for k, reference in enumerate(entry["line"]))
    return start, end


def _axis(place: Place, entry: dict[str, Any], frames: Frames) -> tuple[Frame, Frame]:
    """From the body's origin along an axis of the frame."""
    if "axis" not in entry:
        raise place.error('which axis of it is not said; add axis = "x", "y", "z", or three numbers')
    frame = find_frame(place / "of", entry["of"], frames)
    x, y, z = read_axis(place / "axis", entry["axis"])
    at = turn_vector((Number(x), Number(y), Number(z)), frame.rotation)
    return Frame(frame.body, ORIGIN, name=frame.body), Frame(
        frame.body, at, name=f"{frame.name} axis {_words(entry['axis'])}"
    )


def _words(axis: str | list[str]) -> str:
    return axis if isinstance(axis, str) else " ".join(axis)
