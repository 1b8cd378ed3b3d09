"""A mechanism with its loops opened elsewhere.

In: a Mechanism, a joint that closes a loop and a tree joint of that loop. Out: the mechanism in which the
two have changed places. Joints between them lead the other way: a revolute joint turns about the opposite axis, the
angles of universal and spherical joints stand in the opposite order between turned frames, so that every coordinate
keeps its value. What cannot keep its coordinates gets inner ones, named <joint>.<number>.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from exporter.kinematics.protocol.motions import freedom_of
from exporter.model.expression import Number
from exporter.model.mechanism import Frame, Joint, Mechanism, Rotation
from exporter.model.tree import SpanningTree
from exporter.model.units import PI

QUARTER = PI / 2  # rad

Turns = tuple[tuple[Literal["x", "y", "z"], Fraction], ...]
SWAPPED: dict[str, Turns] = {
    "universal": (("z", -QUARTER), ("x", 2 * QUARTER)),  # x -> -y, y -> -x
    "spherical": (("y", QUARTER), ("x", 2 * QUARTER)),  # x -> -z, y -> -y, z -> -x
}
"""Turns of both frames between which the same angles in the opposite order are the inverse rotation."""
ALONG_AN_AXIS = ("revolute", "prismatic", "cylindrical", "fixed")


def exchanges(
    mechanism: Mechanism, near: Sequence[str] = (), known: Collection[frozenset[str]] = ()
) -> Iterator[Mechanism]:
    """All mechanisms with one loop opened elsewhere; only loops that close on one of the bodies `near`, if given.

    Free joints are opened first, then those with the most motions: they tie their bodies the least. Mechanisms whose
    closing joints are `known` by the time that they would come are left out.
    """
    own, tree = closing_joints(mechanism), mechanism.spanning_tree()
    loops = [joint for joint in mechanism.joints if joint.closes and _touches(joint, near)]
    pairs = [(closing, opened) for closing in loops for opened in _around(tree, closing)]
    for closing, opened in sorted(pairs, key=_looseness):
        if own - {closing.name} | {opened.name} not in known:
            found = exchanged(mechanism, closing, opened, tree)
            if found is not None:
                yield found


def closing_joints(mechanism: Mechanism) -> frozenset[str]:
    """Names of the joints at which loops are opened."""
    return frozenset(joint.name for joint in mechanism.joints if joint.closes)


def _touches(joint: Joint, near: Sequence[str]) -> bool:
    return joint.type != "free" and (not near or bool(set(joint.bodies) & set(near)))


def _looseness(pair: tuple[Joint, Joint]) -> tuple[int, int]:
    closing, opened = pair
    return -freedom_of(opened), freedom_of(closing)


def _around(tree: SpanningTree, closing: Joint) -> list[Joint]:
    """Tree joints of the loop."""
    one, other = tree.branches(*closing.bodies)
    return [*reversed(one), *reversed(other)]


def exchanged(
    mechanism: Mechanism, closing: Joint, opened: Joint, known_tree: SpanningTree | None = None
) -> Mechanism | None:
    """The mechanism with `closing` in the tree and `opened` closing; None where an independent coordinate is lost.

    `known_tree`: its spanning tree, where the caller has it.
    """
    tree = known_tree or mechanism.spanning_tree()
    behind = opened in tree.path(closing.child.body)
    path = tree.path(closing.child.body if behind else closing.parent.body)
    turned = path[path.index(opened) + 1 :]
    lost = {name for joint in (opened, *turned) if joint is opened or not _keeps(joint) for name in joint.coordinates}
    if not lost.isdisjoint(mechanism.independent):
        return None
    changed = {joint.name: _reversed(joint) for joint in turned}
    changed[closing.name] = _with_inner(closing if behind else _reversed(closing))
    changed[opened.name] = replace(opened, closes=True, coordinates=())
    joints = tuple(changed.get(joint.name, joint) for joint in mechanism.joints)
    return replace(mechanism, joints=joints, model_hash="")


def _keeps(joint: Joint) -> bool:
    """Whether a tree joint that leads the other way has the same coordinates."""
    return joint.type in ALONG_AN_AXIS or joint.type in SWAPPED


def _with_inner(joint: Joint) -> Joint:
    """A tree joint with inner coordinates."""
    names = tuple(f"{joint.name}.{number}" for number in range(1, freedom_of(joint) + 1))
    return replace(joint, closes=False, coordinates=names)


def _reversed(joint: Joint) -> Joint:
    """The joint from its child to its parent."""
    x, y, z = joint.axis
    swapped = replace(joint, parent=joint.child, child=joint.parent)
    if joint.type in ALONG_AN_AXIS:
        return replace(swapped, axis=(-x, -y, -z))
    if joint.type in SWAPPED:
        turns = SWAPPED[joint.type]
        parent, child = (_turned(frame, turns) for frame in (swapped.parent, swapped.child))
        return replace(swapped, parent=parent, child=child, coordinates=joint.coordinates[::-1])
    return swapped if joint.closes else _with_inner(swapped)


def _turned(frame: Frame, turns: Turns) -> Frame:
    extra = tuple((axis, Number(angle)) for axis, angle in turns)
    return replace(frame, rotation=Rotation((*frame.rotation.turns, *extra)))
