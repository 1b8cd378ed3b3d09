"""Legs: bodies in a row that hold nothing but what stands at their two ends.

In: a mechanism and the bodies that must be solved together. Out: those that are private to a leg. A leg with
a ball at one end and nothing that moves inside holds its ball to a sphere, a circle or a line; one with six motions
holds nothing. Either way its own motions follow later, from where its ends are.
"""

from collections.abc import Collection, Sequence

from exporter.kinematics.protocol.motions import motions_of
from exporter.model.mechanism import Joint, Mechanism
from exporter.records import dataclass

LEG_ENDS = 2
BODY_FREEDOMS = 6  # motions of a leg that holds nothing
HOLDING_JOINT_TYPES = ("spherical", "universal", "revolute", "cylindrical", "prismatic")


@dataclass(frozen=True, slots=True)
class Leg:
    """Bodies in a row that hold nothing but what its first and last joint join."""

    bodies: tuple[str, ...]
    joints: tuple[Joint, ...]  # one more than bodies

    def unknown(self, independent: Collection[str]) -> int:
        """Motions that are not known."""
        motions = [m for joint in self.joints for m in motions_of(joint)]
        return sum(motion.coordinate not in independent for motion in motions)


def legs_of(mechanism: Mechanism, together: Sequence[str]) -> list[Leg]:
    """Rows of bodies that carry nothing else: with a ball at one end and nothing that moves inside, or six motions."""
    found: list[Leg] = []
    for body in together:
        if not any(body in leg.bodies for leg in found):
            leg = _row_of(mechanism, together, body)
            if leg is not None and _is_leg(leg, mechanism):
                found.append(leg)
    return found


def is_line(leg: Leg) -> bool:
    """One body between two balls: six motions, one of them its spin."""
    return len(leg.bodies) == 1 and all(joint.type == "spherical" for joint in leg.joints)


def _joints_of(mechanism: Mechanism, body: str) -> list[Joint]:
    return [j for j in mechanism.joints if j.type != "free" and body in j.bodies]


def _row_of(mechanism: Mechanism, together: Sequence[str], body: str) -> Leg | None:
    """The row of bodies with two joints each that this body is in."""

    def links(each: str) -> bool:
        return each in together and len(_joints_of(mechanism, each)) == LEG_ENDS

    if not links(body):
        return None
    bodies, joints = [body], _joints_of(mechanism, body)
    for last in (True, False):
        while True:
            at, joint = (bodies[-1], joints[-1]) if last else (bodies[0], joints[0])
            beyond = joint.frame_beyond(at).body
            if not links(beyond) or beyond in bodies:
                break
            (onward,) = (each for each in _joints_of(mechanism, beyond) if each is not joint)
            bodies.insert(len(bodies) if last else 0, beyond)
            joints.insert(len(joints) if last else 0, onward)
    return Leg(tuple(bodies), tuple(joints))


def _is_leg(leg: Leg, mechanism: Mechanism) -> bool:
    ends = (leg.joints[0], leg.joints[-1])
    outside = {ends[0].frame_beyond(leg.bodies[0]).body, ends[1].frame_beyond(leg.bodies[-1]).body}
    carried = {joint.child.body for joint in mechanism.joints if not joint.closes and joint.parent.body in leg.bodies}
    own = [name for joint in mechanism.joints if joint.child.body in leg.bodies for name in joint.coordinates]
    outer = [name for joint in ends for name in joint.coordinates]
    if len(outside) < LEG_ENDS or not carried <= set(leg.bodies) or set(outer) & set(mechanism.independent):
        return False
    absolute = [j for j in mechanism.joints if j.type == "free" and j.child.body in leg.bodies]
    if any(set(joint.coordinates) & set(mechanism.independent) for joint in absolute) or not own:
        return False
    kinds = {joint.type for joint in ends}
    inside = Leg(leg.bodies[1:], leg.joints[1:-1]).unknown(mechanism.independent)
    held = "spherical" in kinds and kinds <= set(HOLDING_JOINT_TYPES) and not inside
    return held or leg.unknown(mechanism.independent) >= BODY_FREEDOMS
