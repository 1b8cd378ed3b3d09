"""Every output names a signal or a point that exists, the angle of a direction that has one, or a joint with forces.

In: a `Mechanism`. Out: nothing, or a `ModelError`.
"""

from exporter.model.checks.coordinates import unknown_coordinate
from exporter.model.evaluate import evaluate
from exporter.model.expression import ZERO
from exporter.model.joints import GROUND
from exporter.model.mechanism import AngleOutput, Mechanism, ReactionOutput
from exporter.model.nearest import list_words, nearest
from exporter.model.place import Place
from exporter.model.signals import SUFFIXES, coordinate_of
from exporter.model.units import ANGLE, Dimension

PLANES = {"xy": "z", "yz": "x", "xz": "y"}
"""The planes of the ground, each with its normal."""


def check_outputs(mechanism: Mechanism) -> None:
    """Refuse outputs that name no signal, and names of outputs that are taken.

    Raises:
        ModelError: naming the signal and the known coordinates.
    """
    dimensions = mechanism.dimensions()
    taken = {parameter.name for parameter in mechanism.parameters} | {given.name for given in mechanism.inputs}
    taken |= {*dimensions, *mechanism.distances}
    for alias, signal in mechanism.outputs.items():
        place = Place(key="outputs") / alias
        if alias in taken and alias != signal:
            raise place.error(f'the name "{alias}" is taken; choose another for the output {signal}')
        if signal.partition(".")[0] in mechanism.distances:
            _check_distance(place, signal)
        elif coordinate_of(signal, dimensions):
            _check_signal(place, signal, mechanism, dimensions)
        else:
            _check_point(place, signal, mechanism, dimensions)
    for name, angle in mechanism.angles.items():
        place = Place(key="outputs") / name
        if name in taken or name in mechanism.outputs:
            raise place.error(f'the name "{name}" is taken; choose another for the angle')
        _check_angle(place, angle, mechanism)
    for name, reaction in mechanism.reactions.items():
        place = Place(key="outputs") / name
        if name in taken or name in mechanism.outputs or name in mechanism.angles:
            raise place.error(f'the name "{name}" is taken; choose another for the reaction')
        _check_reaction(place, reaction, mechanism)


def _check_point(place: Place, signal: str, mechanism: Mechanism, dimensions: dict[str, Dimension]) -> None:
    """A point of interest or an attitude: a body, or a point or frame on it, perhaps .quaternion behind."""
    name = signal.partition(".")[0]
    body = next((body for body in mechanism.bodies if body.name == name), None)
    if body is None and name in dimensions:
        raise place.error(f'"{signal}" is no signal; after a coordinate may stand .{", .".join(SUFFIXES)}')
    if body is None:
        raise place.error(f"{unknown_coordinate(name, dimensions)}; a point is asked for as body.point")
    known = [body.name, *(frame.name for frame in body.frames)]
    if signal.removesuffix(".quaternion") not in known:
        also = f", and the coordinate {name} has .{', .'.join(SUFFIXES)}" if name in dimensions else ""
        raise place.error(f'"{signal}" is no point{nearest(signal, known)}; {body.name} has {list_words(known)}{also}')


def _check_distance(place: Place, signal: str) -> None:
    name, dot, _ = signal.partition(".")
    if dot:
        raise place.error(
            f'"{signal}" comes with the distance; write "{name}", which gives its rate and acceleration too'
        )


def _check_signal(place: Place, signal: str, mechanism: Mechanism, dimensions: dict[str, Dimension]) -> None:
    name, dot, suffix = signal.partition(".")
    if dot and any(frame.name == signal for body in mechanism.bodies for frame in body.frames):
        raise place.error(
            f'"{signal}" is the {suffix} of the coordinate {name} and a point of the body {name}; '
            "rename the point, the body or the joint"
        )
    if suffix in ("sin", "cos") and dimensions[name] != ANGLE:
        raise place.error(f'"{name}" is a length and has no {suffix}; write {name}, {name}.rate or {name}.acceleration')


def _check_angle(place: Place, angle: AngleOutput, mechanism: Mechanism) -> None:
    """Ends that exist and are apart, an axis across what the angle is measured from."""
    known = [GROUND, *(body.name for body in mechanism.bodies)]
    for frame in (angle.start, angle.end, angle.seen_from):
        if frame.body not in known:
            raise place.error(f'body "{frame.body}" does not exist{nearest(frame.body, known)}')
    if angle.start.body == angle.end.body:
        _check_apart(place, angle, mechanism)
    letter = angle.towards.removeprefix("-")
    if angle.base in PLANES and PLANES[angle.base] != letter:
        normal = PLANES[angle.base]
        raise (place / "to").error(
            f'"{angle.towards}" is not across the plane {angle.base}; write to = "{normal}" or to = "-{normal}"'
        )
    if angle.base.removeprefix("-") == letter:
        raise (place / "to").error(f'"{angle.towards}" is along "{angle.base}"; name an axis across it')


def _check_apart(place: Place, angle: AngleOutput, mechanism: Mechanism) -> None:
    if angle.start.body == angle.seen_from.body:
        raise place.error(
            f"a direction of {angle.start.body} never moves as {angle.start.body} sees it; name two bodies"
        )
    values = mechanism.nominal_values()
    places = [[evaluate(part, values) for part in frame.at] for frame in (angle.start, angle.end)]
    if places[0] == places[1]:
        raise (place / "line").error(f"{angle.start.name} and {angle.end.name} are one point; name two that are apart")


def _check_reaction(place: Place, reaction: ReactionOutput, mechanism: Mechanism) -> None:
    """A joint that exists and holds its bodies, between bodies with mass."""
    joints = {joint.name: joint for joint in mechanism.joints}
    if reaction.joint not in joints:
        raise (place / "reaction").error(
            f'joint "{reaction.joint}" does not exist{nearest(reaction.joint, joints)}; joints are {list_words(joints)}'
        )
    if joints[reaction.joint].type == "free":
        raise (place / "reaction").error(f'"{reaction.joint}" is free and holds nothing; ask for another joint')
    if all(body.mass == ZERO for body in mechanism.bodies):
        raise place.error("no body has a mass, so there are no forces; give masses, or leave the reaction out")
