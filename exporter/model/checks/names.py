"""Names: of a form that every stage can carry, and each given once.

In: a `Mechanism`. Out: nothing, or a `ModelError`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from exporter.model.joints import COORDINATES
from exporter.model.mechanism import Input, Joint, Mechanism, Parameter
from exporter.model.place import Place

RESERVED = ("sin", "cos", "sqrt")
"""Functions that no name may hide; other functions are told from names by the parenthesis behind them."""
LONGEST_PREFIX = 18  # characters: leaves 13 of the 31 that C99 distinguishes in external names

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,30}")
_PREFIX = re.compile(rf"[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_PREFIX - 1}}}")


def is_name(text: str) -> bool:
    """Whether a text has the form of a name."""
    return _NAME.fullmatch(text) is not None


def check_names(mechanism: Mechanism) -> None:
    """Refuse names that are malformed or given twice; parameters, inputs, coordinates and distances share one set.

    Raises:
        ModelError: naming both places.
    """
    if not _PREFIX.fullmatch(mechanism.name):
        raise Place(key="mechanism.name").error(
            f'"{mechanism.name}" cannot prefix C functions; write at most {LONGEST_PREFIX} letters, digits and _, '
            "a letter first"
        )
    check_signal_names(mechanism.parameters, mechanism.inputs, mechanism.joints, mechanism.distances)
    _check_once("bodies", [body.name for body in mechanism.bodies])
    _check_once("joints", [joint.name for joint in mechanism.joints])
    _check_once("loads", [load.name for load in mechanism.loads])
    _check_once("elements", [element.name for element in mechanism.elements])
    bodies = [body.name for body in mechanism.bodies]
    for name in mechanism.distances:
        if name in bodies:
            raise (Place(key="distances") / name).error(f'"{name}" is a body; choose another name for the distance')
    _check_coordinate_counts(mechanism)


def check_signal_names(
    parameters: Sequence[Parameter],
    inputs: Sequence[Input],
    joints: Sequence[Joint] = (),
    distances: Iterable[str] = (),
) -> None:
    """Refuse a name that two of the parameters, inputs, coordinates and distances have.

    Raises:
        ModelError: naming both places.
    """
    seen: dict[str, Place] = {}
    lengths = ((name, Place(key="distances") / name) for name in distances)
    for name, place in (*_signal_names(parameters, inputs, joints), *lengths):
        _check_name(place, name)
        if name in seen:
            raise place.error(f'the name "{name}" is taken by {seen[name].key}; rename one of them')
        seen[name] = place


def _signal_names(
    parameters: Sequence[Parameter], inputs: Sequence[Input], joints: Sequence[Joint]
) -> Iterator[tuple[str, Place]]:
    for parameter in parameters:
        yield parameter.name, Place(key="parameters") / parameter.name
    for given in inputs:
        yield given.name, Place(key="inputs") / given.name
    for joint in joints:
        for name in joint.coordinates:
            yield name, Place(key="joints") / joint.name / "coordinates"


def _check_name(place: Place, name: str) -> None:
    if name in RESERVED:
        raise place.error(f'"{name}" is a function of formulas; choose another name')
    if not _NAME.fullmatch(name):
        raise place.error(
            f'"{name}" is not a name; write a letter or _, then letters, digits or _, at most 31 characters'
        )


def _check_once(section: str, names: list[str]) -> None:
    for position, name in enumerate(names):
        place = Place(key=section) / name
        _check_name(place, name)
        if name in names[:position]:
            raise place.error(f'"{name}" is given twice under {section}; rename one of them')
        if section == "bodies" and name == "ground":
            raise place.error('"ground" is the fixed body; choose another name')


def _check_coordinate_counts(mechanism: Mechanism) -> None:
    for joint in mechanism.joints:
        wanted = 0 if joint.closes else len(COORDINATES[joint.type])
        if len(joint.coordinates) != wanted:
            kind = f"{joint.type} joint that closes a loop" if joint.closes else f"{joint.type} joint"
            raise (Place(key="joints") / joint.name).error(
                f"a {kind} has {wanted} coordinates, and {len(joint.coordinates)} are named; name {wanted}"
            )
