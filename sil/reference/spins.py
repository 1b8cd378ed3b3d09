"""Spins of links between two balls: the closures leave them free, so they are held by the documented convention.

In: a `Skeleton` and a function that closes its loops; out: r and t of every such link. r is the ground axis that lies
most across the link at the design pose; t, fixed in the link, is the direction r x (link) at the model's approximate
pose and stays normal to r.
"""

from collections.abc import Callable

import numpy as np

from exporter.model.mechanism import Frame
from sil.reference.motion import configuration, posed
from sil.reference.rotations import Array, cross
from sil.reference.skeleton import Skeleton, frame_place


def spins_of(skeleton: Skeleton, assembled: Callable[[Array], Array]) -> tuple[tuple[int, Array, Array], ...]:
    """(body, r in ground axes, t in body axes) of every link that only two balls hold."""
    mechanism = skeleton.mechanism
    given = np.array([[float(mechanism.pose.get(name, 0)) for name in skeleton.coordinates]])
    pose, closed, found = posed(skeleton, configuration(given)), None, []
    for number, body in enumerate(mechanism.bodies, start=1):
        holding = [
            joint
            for joint in mechanism.joints
            if joint.type != "free" and body.name in (joint.parent.body, joint.child.body)
        ]
        if len(holding) != 2 or any(joint.type != "spherical" for joint in holding):
            continue
        ends: list[tuple[Frame, Frame]] = [
            (joint.parent, joint.child) if joint.parent.body == body.name else (joint.child, joint.parent)
            for joint in holding
        ]
        inner = frame_place(skeleton, ends[1][0]).at - frame_place(skeleton, ends[0][0]).at
        closed = closed or posed(skeleton, configuration(assembled(given)))
        line = np.ravel(
            closed.point(frame_place(skeleton, ends[1][1])) - closed.point(frame_place(skeleton, ends[0][1]))
        )
        across = np.eye(3)[int(np.argmin(np.abs(line)))]
        local = cross(np.reshape(pose.turns[number], (3, 3)).T @ across, inner)
        found.append((number, across, local / np.linalg.norm(local)))
    return tuple(found)
