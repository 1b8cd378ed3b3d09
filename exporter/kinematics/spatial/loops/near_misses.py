"""Axes of a body that are parallel or square but for the decimals of the file: exactly so, closed forms may exist.

In: a mechanism at nominal parameters. Out: notes. An axis such as ["-0.866025", "-0.5", "0"] misses its neighbour by
5e-8, which no relation of a loop may ignore.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from exporter.kinematics.closures.numeric import Array, frame_rows
from exporter.kinematics.protocol.motions import motions_of
from exporter.kinematics.spatial.relations.lines import SAME
from exporter.model.mechanism import Joint, Mechanism

LARGEST_MISS = 1e-5  # sine of an angle: more is meant
MOST_TOLD = 3
AXIAL = ("revolute", "prismatic", "cylindrical")


def near_miss_notes(mechanism: Mechanism) -> tuple[str, ...]:
    """One note on pairs of joints, none where all axes are exact or clearly apart."""
    found = list(_pairs(mechanism))
    if not found:
        return ()
    more = f" and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
    return (
        f"but for the decimals of the file, axes on one body are {', '.join(found[:MOST_TOLD])}{more}: loops that are "
        'closed by a table may have a closed form where this is exact, as in a frame with turns = [["z", "120 deg"]]',
    )


def _pairs(mechanism: Mechanism) -> Iterator[str]:
    values = {name: np.array([float(value)]) for name, value in mechanism.nominal_values().items()}
    for body in mechanism.bodies:
        joints = [joint for joint in mechanism.joints if body.name in joint.bodies and joint.type in AXIAL]
        axes = {joint.name: _axis_on(joint, body.name, values) for joint in joints}
        for one, other in combinations(axes, 2):
            sine = float(np.linalg.norm(np.cross(axes[one], axes[other])))
            for miss, word in ((sine, "parallel"), (abs(float(axes[one] @ axes[other])), "square")):
                if SAME < miss < LARGEST_MISS:
                    yield f"{one} and {other} {word} by {miss:.1g} rad"


def _axis_on(joint: Joint, body: str, values: Mapping[str, Array]) -> Array:
    _, turn = frame_rows(joint.frame_on(body), values)
    axis = np.array([float(part) for part in motions_of(joint)[0].axis])
    return np.asarray(np.broadcast_to(turn, (1, 3, 3))[0] @ axis)
