"""The two spellings of one attitude by 3-2-1 Euler angles: a, b, c and a + pi, pi - b, c + pi.

In: values of coordinates. Out: the same attitudes in the spelling that lies nearer to other values.
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

from exporter.model.mechanism import Joint, Mechanism

EULER_JOINT_TYPES = ("spherical", "free")
Values = Mapping[str, float | Fraction]


def has_triple(joint: Joint) -> bool:
    """Whether the last three coordinates of a joint are 3-2-1 angles; a joint that closes a loop has none."""
    return joint.type in EULER_JOINT_TYPES and not joint.closes


def dependent_triples(mechanism: Mechanism) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Joints whose three angles are all dependent, with the angles."""
    for joint in mechanism.joints:
        if has_triple(joint):
            first, middle, last = joint.coordinates[-3:]
            if not {first, middle, last} & set(mechanism.independent):
                yield joint.name, (first, middle, last)


def respell_angles(mechanism: Mechanism, values: Values, like: Values) -> dict[str, float]:
    """Values (rad, m), each dependent triple of angles in the spelling that lies nearer to `like`.

    A triple stays as it is where `like` does not give its middle angle.
    """
    found = {name: float(value) for name, value in values.items()}
    for _, angles in dependent_triples(mechanism):
        if angles[1] in like and set(angles) <= found.keys():
            first, middle, last = angles
            other = {first: found[first] + math.pi, middle: math.pi - found[middle], last: found[last] + math.pi}
            if _farthest(other, like) < _farthest({name: found[name] for name in angles}, like):
                found |= other
    return found


def _farthest(angles: dict[str, float], like: Values) -> float:
    """The largest difference of those that are given, rad."""
    return max(abs(math.remainder(angles[name] - float(like[name]), math.tau)) for name in angles if name in like)
