"""By how much the bodies of a planar mechanism are turned at phi = 0, so that what cannot turn apart has one phi.

In: what ties bodies of known orientations together. Out: a rotation about the normal for every body. A slide
or fixed joint that closes a loop keeps its two frames parallel, which are turned on their bodies by a constant angle:
that angle goes into the attitude at phi = 0. Independent angles get none: directions known by them need no constant.
"""

from collections.abc import Mapping
from fractions import Fraction

from exporter.errors import ModelError
from exporter.kinematics.planar.orientation import GROUND_ORIENTATION, PARALLEL_SINE, Orientation, sum_at
from exporter.kinematics.protocol.linear_sums import linear_sum, opposite
from exporter.model.joints import GROUND
from exporter.model.mechanism import Mechanism
from exporter.model.parameter_sets import parameter_sets, set_text
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class AttitudeLink:
    """Two bodies with one phi, the other one's attitude at phi = 0 turned by `shift` against the first one's."""

    one: str
    other: str
    shift: Orientation = GROUND_ORIENTATION
    joint: str = ""  # that closes a loop


@dataclass(frozen=True, slots=True)
class Links:
    """What ties bodies: slides and fixed joints, and independent angles."""

    rigid: tuple[AttitudeLink, ...]
    turning: tuple[AttitudeLink, ...]


def zero_attitudes(mechanism: Mechanism, bodies: tuple[str, ...], links: Links) -> dict[str, Orientation]:
    """The rotation about the normal of every body, ground and `bodies` in tree order.

    Raises:
        ModelError: slides and fixed joints around a loop do not fit together.
    """
    alone = _spread((GROUND, *bodies), links.rigid)
    for link in links.rigid:
        _check(mechanism, link, alone)
    return _spread((GROUND, *bodies), (*links.rigid, *links.turning))


def _spread(bodies: tuple[str, ...], links: tuple[AttitudeLink, ...]) -> dict[str, Orientation]:
    ways: dict[str, list[tuple[str, Orientation]]] = {body: [] for body in bodies}
    for link in links:
        ways[link.one].append((link.other, link.shift))
        ways[link.other].append((link.one, link.shift.inverse()))
    found: dict[str, Orientation] = {}
    for root in bodies:
        found.setdefault(root, GROUND_ORIENTATION)
        waiting = [root]
        while waiting:
            body = waiting.pop()
            fresh = {other: shift for other, shift in ways[body] if other not in found}
            found.update({other: found[body].then(shift) for other, shift in fresh.items()})
            waiting.extend(fresh)
    return found


def _check(mechanism: Mechanism, link: AttitudeLink, found: Mapping[str, Orientation]) -> None:
    wanted, other = found[link.one].then(link.shift), found[link.other]
    if any(abs(a - b) > PARALLEL_SINE for a, b in zip(_entries(wanted), _entries(other), strict=True)):
        raise ModelError(_refusal(mechanism, link.joint, ""))
    rest = linear_sum((*wanted.turned, *opposite(other.turned)))
    for values in parameter_sets(mechanism) if rest else ():
        if abs(sum_at(rest, values)) > PARALLEL_SINE:
            raise ModelError(_refusal(mechanism, link.joint, f" at {set_text(mechanism, values)}"))


def _entries(orientation: Orientation) -> list[Fraction]:
    return [part for row in orientation.constant for part in row]


def _refusal(mechanism: Mechanism, joint: str, where: str) -> str:
    return (
        f"{mechanism.name}: the loop of '{joint}' does not close{where}: slides and fixed joints keep its two bodies "
        "parallel otherwise than its frames are; turn a frame"
    )
