"""The spanning tree of a mechanism: the joints that carry coordinates, one for each body.

In: `Mechanism.spanning_tree`. Used by: whoever asks which joint carries a body, and by which joints it hangs on
the ground.
"""

from collections.abc import Collection

from exporter.errors import ModelError
from exporter.model.joints import GROUND, Joint
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class SpanningTree:
    """The joints of a mechanism that close no loop."""

    joints: dict[str, Joint]  # body -> the joint that carries it, in the order of the file

    def path(self, body: str, start: Collection[str] = (GROUND,)) -> tuple[Joint, ...]:
        """Joints from the nearest of the bodies `start` to a body, outwards.

        Raises:
            ModelError: no tree joint leads to the body, or those that do lead round in a circle.
        """
        inwards: list[Joint] = []
        at = body
        while at not in start:
            if at not in self.joints or len(inwards) == len(self.joints):
                raise ModelError(f"no tree joint connects {body} to ground; check parent and child")
            inwards.append(self.joints[at])
            at = self.joints[at].parent.body
        return tuple(reversed(inwards))

    def branches(self, one: str, other: str) -> tuple[tuple[Joint, ...], tuple[Joint, ...]]:
        """Joints from the nearest body that carries two bodies to each of them, outwards."""
        first, second = self.path(one), self.path(other)
        common = 0
        while common < min(len(first), len(second)) and first[common] is second[common]:
            common += 1
        return first[common:], second[common:]

    def outwards(self) -> tuple[Joint, ...]:
        """All joints, each after the one that carries its parent.

        Raises:
            ModelError: a body is not connected to ground.
        """
        return tuple(sorted(self.joints.values(), key=lambda joint: len(self.path(joint.child.body))))
