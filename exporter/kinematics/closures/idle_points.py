"""Named points that no joint is at, on bodies that joints hold at their origins: a joint may have been meant there.

In: a mechanism whose loops do not close, or leave more freedom than was expected. Out: a hint, or nothing.
"""

from fractions import Fraction

from exporter.model.expression import Number
from exporter.model.mechanism import Body, Frame, Mechanism

ORIGIN = (Number(Fraction(0)),) * 3
MOST_POINTS = 2  # of a body: one with more is an outline, or has all points of a sheet
NAMED = 4  # points that are named, the others counted


def idle_points(mechanism: Mechanism) -> str:
    """The hint, with what comes before it in a sentence."""
    held = [frame for joint in mechanism.joints for frame in (joint.parent, joint.child)]
    found = [each.name for body in mechanism.bodies for each in _idle(body, held)]
    if not found:
        return ""
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return f" (no joint is at {', '.join(found[:NAMED])}{more}: one may be meant to be)"


def _idle(body: Body, held: list[Frame]) -> list[Frame]:
    """Points of a body on which two joints are at its origin, though it has these."""
    own = [frame for frame in held if frame.body == body.name]
    at_origin = [frame for frame in own if frame.at == ORIGIN]
    idle = [frame for frame in body.frames if frame not in own]
    return idle if len(at_origin) > 1 and 0 < len(body.frames) <= MOST_POINTS else []
