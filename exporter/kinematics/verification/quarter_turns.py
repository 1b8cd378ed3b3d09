"""Where dependent 3-2-1 Euler angles pass a quarter turn of the middle one inside the ranges.

An export gives the triple whose middle angle stays on one side of a quarter turn. Where a motion passes it straight, as
symmetric mechanisms do, the other triple of the same attitude is given behind it: the outer angles jump by half a
turn, and the middle one turns back. A load on the middle angle, or one that reads any of them, would jump there.

In: a `Probe`. Out: a refusal of such a force, or a note for outputs. Looked at are straight ways from the
design pose to the ends and corners of the ranges.
"""

from collections.abc import Iterator
from math import pi

import numpy as np

from exporter.errors import RangesRefused
from exporter.kinematics.closures.closing import Array
from exporter.kinematics.protocol.euler_triples import dependent_triples
from exporter.kinematics.verification.probe import Probe
from exporter.model.angles_read import formulas_of_forces
from exporter.model.evaluate import names as names_of
from exporter.model.mechanism import Mechanism
from exporter.model.signals import coordinate_of
from exporter.records import dataclass

STAGES = 24  # of a way
HALVINGS = 48  # of a stage over which the first angle changes by nearly half a turn
LEAST_ANGLE_JUMP = (
    1.2  # rad; at the place itself the angle may be anything, so that a quarter turn may be left on either side
)
BODY_JUMP = 0.05  # of places over the length: bodies that are farther apart have jumped, which is another fault


@dataclass(frozen=True, slots=True)
class QuarterTurn:
    """A place (q,) where the middle one of three angles passes a quarter turn."""

    angles: tuple[str, str, str]
    place: Array


def check_loads(probe: Probe) -> None:
    """Refuse a load on a middle angle that passes a quarter turn, and forces that read an angle of its triple.

    Raises:
        RangesRefused: the load or the formula, the angle, and where.
    """
    mechanism = probe.solved.mechanism
    for load in mechanism.loads:
        triples = [angles for _, angles in dependent_triples(mechanism) if angles[1] == load.coordinate]
        for passed in _quarter_turns(probe, triples):
            raise RangesRefused(
                f"{mechanism.name}: {load.coordinate} passes a quarter turn at {probe.where(passed.place)}; behind it "
                f"the other triple of {', '.join(passed.angles)} is given, and the load '{load.name}' on "
                f'{load.coordinate} would change its sign; write it as a load of type = "torque" on the body'
            )
    _check_formulas(probe)


def _check_formulas(probe: Probe) -> None:
    """Rates count as the angles do; a damper along an angle has the same power in both triples."""
    mechanism = probe.solved.mechanism
    read = list(_read_angles(mechanism))
    triples = [angles for _, angles in dependent_triples(mechanism) if any(names & set(angles) for _, names in read)]
    for passed in _quarter_turns(probe, triples):
        key, names = next((key, names) for key, names in read if names & set(passed.angles))
        raise RangesRefused(
            f"{mechanism.name}: {passed.angles[1]} passes a quarter turn at {probe.where(passed.place)}; behind it "
            f"the other triple of {', '.join(passed.angles)} is given, and {key}, which reads "
            f"{', '.join(sorted(names & set(passed.angles)))}, would jump; narrow the ranges, or read a distance"
        )


def _read_angles(mechanism: Mechanism) -> Iterator[tuple[str, frozenset[str]]]:
    """What reads coordinates, and which: formulas, and forces along them that are no resistance."""
    for place, formula in formulas_of_forces(mechanism):
        yield place.key, frozenset(name.removesuffix(".rate") for name in names_of(formula))
    for element in mechanism.elements:
        if element.type == "actuator":
            yield f"elements.{element.name}.along", frozenset({element.along})


def quarter_turn_notes(probe: Probe) -> tuple[str, ...]:
    """What a user must know of Euler angles that are asked for and pass a quarter turn."""
    mechanism = probe.solved.mechanism
    names = mechanism.coordinates()
    asked = {coordinate_of(signal, names) for signal in mechanism.outputs.values()}
    triples = [angles for _, angles in dependent_triples(mechanism) if asked & set(angles)]
    if not triples:
        return ()
    return tuple(
        f"{passed.angles[1]} passes a quarter turn at {probe.where(passed.place)}: {passed.angles[0]} and "
        f"{passed.angles[2]} jump by half a turn there, to the other triple of the same attitude; a quaternion does not"
        for passed in _quarter_turns(probe, triples)
    )


def _quarter_turns(probe: Probe, triples: list[tuple[str, str, str]]) -> Iterator[QuarterTurn]:
    """The first place of each triple."""
    if not triples:
        return
    ways = probe.ranges.ways(np.vstack([probe.ranges.ends(), probe.ranges.corners()]), STAGES)
    flat = ways.reshape(-1, ways.shape[-1])
    coordinates = probe.coordinates(flat)
    for angles in triples:
        column = probe.solved.mechanism.coordinates().index(angles[0])
        first = coordinates[:, column].reshape(ways.shape[:2])
        at = np.nonzero(_angle_difference(first[:-1], first[1:]) > LEAST_ANGLE_JUMP)
        place = _narrow_jump(probe, column, ways[:-1][at], ways[1:][at])
        if place is not None:
            yield QuarterTurn(angles, place)


def _narrow_jump(probe: Probe, column: int, near: Array, far: Array) -> Array | None:
    """Where the angle in a column jumps between places near and far (n, q), though no body does.

    Half a stage before and behind that place nothing may be flagged: beyond the workspace nothing is told of angles.
    """
    half = (far - near) / 2
    for _ in range(HALVINGS if len(near) else 0):
        middle = (near + far) / 2
        one, between, other = (probe.coordinates(rows)[:, column] for rows in (near, middle, far))
        first = (_angle_difference(one, between) >= _angle_difference(between, other))[:, None]
        near, far = np.where(first, near, middle), np.where(first, middle, far)
    if not len(near):
        return None
    one, other = (probe.coordinates(rows)[:, column] for rows in (near, far))
    apart = np.abs(probe.at(near).places - probe.at(far).places).max(axis=-1, initial=0.0)
    clear = probe.at(near - half).clear & probe.at(near + half).clear
    found = np.flatnonzero((_angle_difference(one, other) > LEAST_ANGLE_JUMP) & (apart < BODY_JUMP) & clear)
    return np.asarray(near[found[0]]) if len(found) else None


def _angle_difference(one: Array, other: Array) -> Array:
    """By how much two angles differ, within half a turn."""
    return np.asarray(np.abs(np.remainder(other - one + pi, 2 * pi) - pi))
