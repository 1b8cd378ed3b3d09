"""The joints that carry coordinates form a tree: from the ground, every body is reached once.

In: a `Mechanism`. Out: nothing, or a `ModelError`.
"""

from exporter.model.joints import GROUND
from exporter.model.mechanism import Joint, Mechanism
from exporter.model.nearest import list_words, nearest
from exporter.model.place import Place


def check_tree(mechanism: Mechanism) -> None:
    """Refuse joints that are no tree.

    Raises:
        ModelError: a joint on an unknown body or of a body with itself, no joint at the ground, a body reached twice
            or not at all.
    """
    bodies = [body.name for body in mechanism.bodies]
    for joint in mechanism.joints:
        _check_ends(joint, [GROUND, *bodies])
    tree = [joint for joint in mechanism.joints if not joint.closes]
    if not any(joint.parent.body == GROUND for joint in tree):
        raise Place(key="joints").error('no joint has parent = "ground"; the tree of joints starts there: add one')
    _check_reached_once(tree)
    _check_all_reached(tree, bodies)


def _check_ends(joint: Joint, known: list[str]) -> None:
    place = Place(key="joints") / joint.name
    for key, frame in (("parent", joint.parent), ("child", joint.child)):
        if frame.body not in known:
            raise (place / key).error(
                f'body "{frame.body}" does not exist{nearest(frame.body, known)}; known are {list_words(known)}'
            )
    if joint.parent.body == joint.child.body:
        raise place.error(f'parent and child are both "{joint.parent.body}"; a joint is between two bodies')


def _check_reached_once(tree: list[Joint]) -> None:
    by: dict[str, Joint] = {}
    for joint in tree:
        place = Place(key="joints") / joint.name
        child = joint.child.body
        if child == GROUND:
            raise (place / "child").error(
                "ground is the root of the tree and no child; exchange parent and child, or add closes = true"
            )
        if child in by:
            raise place.error(
                f'body "{child}" is reached twice, by {by[child].name} and by {joint.name}; '
                "add closes = true to the joint that closes the loop"
            )
        by[child] = joint


def _check_all_reached(tree: list[Joint], bodies: list[str]) -> None:
    reached = {GROUND}
    while True:
        new = {joint.child.body for joint in tree if joint.parent.body in reached} - reached
        if not new:
            break
        reached |= new
    for body in bodies:
        if body not in reached:
            raise (Place(key="bodies") / body).error(
                f'no chain of joints leads from ground to "{body}"; add a joint with child = "{body}", '
                "or exchange parent and child of one that has it as parent"
            )
