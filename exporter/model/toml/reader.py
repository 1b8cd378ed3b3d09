"""Reads a mechanism file (TOML, schema 1) into a `Mechanism`.

In: text or a path. Out: a checked `Mechanism` with its hash. Every fault ends in one `ModelError` that names the
file, the key, the value, the limit and what to write. A file is data: nothing in it is ever executed.
"""

import tomllib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from exporter.errors import ModelError
from exporter.model.checks.names import check_signal_names
from exporter.model.complete import completed
from exporter.model.expression import Vector
from exporter.model.joints import GROUND, dimensions_of
from exporter.model.mechanism import Frame, Joint, Mechanism, state_dimensions
from exporter.model.place import Place
from exporter.model.schema import require_structure
from exporter.model.toml.bodies import Table, read_bodies, read_frames
from exporter.model.toml.coordinates import read_branches, read_pose, read_ranges, read_step, read_switch_ratio
from exporter.model.toml.couplings import read_couplings
from exporter.model.toml.design_pose import ORIGIN, DesignPose, design_pose
from exporter.model.toml.each import Choice
from exporter.model.toml.expansion import EACH, written_out
from exporter.model.toml.hardpoints import read_hardpoints
from exporter.model.toml.joints import read_joints
from exporter.model.toml.loads import read_distances, read_elements, read_loads
from exporter.model.toml.mirror import mirrored
from exporter.model.toml.outputs import read_angles, read_reactions, read_references
from exporter.model.toml.parameters import formula_scopes, read_inputs, read_parameters
from exporter.model.toml.tables import read_tables
from exporter.model.toml.values import Scope, vector
from exporter.model.units import ACCELERATION, LENGTH

LARGEST_FILE = 1_000_000  # characters


def read_mechanism(path: str | Path) -> Mechanism:
    """The mechanism that a TOML file describes.

    Raises:
        ModelError: the file cannot be read, or something in it is wrong.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise ModelError(f"{path}: the file cannot be read ({error.strerror}); give the path of a TOML file") from None
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8 text") from None
    return parse_mechanism(text.replace("\r\n", "\n"), str(path), Path(path).parent)


def parse_mechanism(text: str, origin: str, folder: Path | None = None) -> Mechanism:
    """The mechanism that TOML text describes; `origin` is what errors call the file, tables lie in its `folder`.

    Raises:
        ModelError: something in it is wrong.
    """
    place = Place(origin)
    document = _document(text, place)
    require_structure(document, place)
    if EACH not in document:
        return _read(document, place, folder, {})
    written = written_out(document, text, place)
    with written.explained():
        require_structure(written.document, place)
        return _read(written.document, place, folder, {key: origin.choice for key, origin in written.origins.items()})


def _read(document: Table, place: Place, folder: Path | None, choices: Mapping[str, Choice]) -> Mechanism:
    mechanism = _mechanism(document, place, folder, choices)
    with place.within():
        return completed(mechanism)


def _document(text: str, place: Place) -> dict[str, Any]:
    if len(text) > LARGEST_FILE:
        raise place.error(f"the file has {len(text)} characters; at most {LARGEST_FILE} are read")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        advice = "a key or table stands only once, and text goes in quotes"
        raise place.error(f"this is not TOML ({error}); {advice}") from None
    except (RecursionError, ValueError) as error:
        raise place.error(f"this TOML cannot be read ({error}); write a shorter number or fewer brackets") from None


def _mechanism(document: Table, place: Place, folder: Path | None, choices: Mapping[str, Choice]) -> Mechanism:
    head = document["mechanism"]
    parameters = read_parameters(place / "parameters", document.get("parameters", {}))
    inputs = read_inputs(place / "inputs", document.get("inputs", {}))
    with place.within():
        check_signal_names(parameters, inputs)
    lookups = read_tables(place / "tables", document.get("tables", {}), folder)
    geometry = formula_scopes(parameters, inputs, None, lookups).geometry
    hardpoints = read_hardpoints(place / "hardpoints", document.get("hardpoints", {}), geometry, folder)
    document, hardpoints = mirrored(document, hardpoints, choices, place)
    stand = design_pose(document, hardpoints, geometry, place)
    bodies = read_bodies(place / "bodies", document["bodies"], geometry, stand)
    ground = read_frames(place / GROUND, GROUND, document.get(GROUND, {}), geometry, stand)
    frames: dict[str, tuple[Frame, ...]] = {GROUND: ground, **{body.name: body.frames for body in bodies}}
    joints = read_joints(place / "joints", document["joints"], frames, hardpoints)
    elements = document.get("elements", {})
    distances = read_distances(place / "distances", document.get("distances", {}), place / "elements", elements, frames)
    with place.within():
        check_signal_names(parameters, inputs, joints, distances)
    dimensions, closing = dimensions_of(joints), frozenset(joint.name for joint in joints if joint.closes)
    scopes = formula_scopes(parameters, inputs, state_dimensions(dimensions, distances), lookups)
    given, at = document["coordinates"], place / "coordinates"
    return Mechanism(
        name=head["name"],
        title=head.get("title", ""),
        source=head.get("source", ""),
        parameters=parameters,
        inputs=inputs,
        bodies=bodies,
        joints=joints,
        loads=read_loads(place / "loads", document.get("loads", {}), frames, dimensions, closing, scopes.forces),
        gravity=_gravity(place / "mechanism", document, geometry),
        independent=tuple(given["independent"]),
        pose={**_sheet_pose(joints, stand), **read_pose(at / "pose", given.get("pose", {}), dimensions)},
        ranges=read_ranges(at, given, dimensions),
        branches=read_branches(at / "branches", given.get("branches", {}), dimensions),
        outputs=read_references(document.get("outputs", {})),
        angles=read_angles(place / "outputs", document.get("outputs", {}), frames),
        reactions=read_reactions(place / "outputs", document.get("outputs", {})),
        step=read_step(place / "step", document.get("step", {})),
        alternative=tuple(given.get("alternative", ())),
        switch_ratio=read_switch_ratio(at, given),
        distances=distances,
        elements=read_elements(
            place / "elements", elements, {**dimensions, **dict.fromkeys(distances, LENGTH)}, closing, scopes
        ),
        couplings=read_couplings(
            place / "couplings", document.get("couplings", {}), dimensions, closing, scopes.geometry
        ),
        chosen_outputs=tuple(document.get("export", {}).get("outputs", ())),
    )


def _sheet_pose(joints: Sequence[Joint], stand: DesignPose) -> dict[str, Fraction]:
    """The pose that a sheet shows: where hardpoints say how a body stands, the coordinates of its joint are zero."""
    standing = stand.standing()
    return {name: Fraction(0) for joint in joints if joint.child.body in standing for name in joint.coordinates}


def _gravity(place: Place, document: Table, scope: Scope) -> Vector:
    head = document["mechanism"]
    if "gravity" in head:
        return vector(place / "gravity", head["gravity"], ACCELERATION, scope)
    for name, body in document["bodies"].items():
        if "mass" in body:
            raise place.error(
                f'gravity is missing, and body "{name}" has a mass; write gravity = ["0", "-9.81 m/s^2", "0"], '
                "or three zeros for a horizontal plane"
            )
    return ORIGIN
