"""Spins of links between two balls: the closures leave them free, so they are held by the documented convention.

In: a `Skeleton`, the one at nominal parameters and a function that closes its loops; out: r and t of every such link.
r is the ground axis that lies most across the link at the nominal design pose. t, fixed in the link, stays normal to r:
it is r x (link) with r as it stands in the link at the model's approximate pose and nominal parameters, to 12 decimals,
and the link's own line at the skeleton's.
"""

from collections.abc import Callable

import numpy as np

from exporter.model.mechanism import Frame, Mechanism
from sil.reference.motion import body_poses, configuration
from sil.reference.rotations import Array, cross
from sil.reference.skeleton import Skeleton, frame_place

DECIMALS = 12  # of r in the link, by the convention: what differs between computers is behind them
LEAST_SINE = 0.1  # sine of the angle between r and the link below which the most different axis of the body is taken


End = tuple[Frame, Frame]  # on the link, on the other body


def links_between_balls(mechanism: Mechanism) -> list[tuple[int, tuple[End, End]]]:
    """Bodies that two balls hold and nothing else, with the frames at either end."""
    found = []
    for number, body in enumerate(mechanism.bodies, start=1):
        holding = [j for j in mechanism.joints if j.type != "free" and body.name in (j.parent.body, j.child.body)]
        if len(holding) == 2 and all(joint.type == "spherical" for joint in holding):
            one, other = ((j.parent, j.child) if j.parent.body == body.name else (j.child, j.parent) for j in holding)
            found.append((number, (one, other)))
    return found


def spins_of(
    skeleton: Skeleton, nominal: Skeleton, assembled: Callable[[Array], Array]
) -> tuple[tuple[int, Array, Array], ...]:
    """(body, r in ground axes, t in body axes) of every such link; `assembled` closes the nominal loops."""
    given = np.array([[float(nominal.mechanism.pose.get(name, 0)) for name in nominal.coordinates]])
    pose, closed = body_poses(nominal, configuration(given)), body_poses(nominal, configuration(assembled(given)))
    found = []
    for number, ends in links_between_balls(nominal.mechanism):
        (near, far), (near_end, far_end) = (tuple(frame_place(nominal, frame) for frame in end) for end in ends)
        inner = near_end.at - near.at
        across = np.eye(3)[int(np.argmin(np.abs(np.ravel(closed.point(far_end) - closed.point(far)))))]
        inside = np.round(np.reshape(pose.turns[number], (3, 3)).T @ across, DECIMALS)
        if np.linalg.norm(cross(inside, inner)) < LEAST_SINE * np.linalg.norm(inner):
            inside = np.eye(3)[int(np.argmin(np.abs(inner)))]
        start, end = (frame_place(skeleton, frame).at for frame, _ in ends)
        local = cross(inside, end - start)
        found.append((number, across, local / np.linalg.norm(local)))
    return tuple(found)
