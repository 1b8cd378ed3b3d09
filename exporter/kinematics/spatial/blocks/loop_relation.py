"""One coordinate of a loop, from what the loop's other unknown motions leave where it is.

In: a `LoopView`. With X the motion in question, p and q what the groups behind it and before it leave, seen from it:
distances |X p - q|, angles (X p).q and distances from planes are as they are at the cut, where both are known.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from exporter.kinematics.protocol.frames import triad
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.spatial.blocks.distances import slide_to_sphere
from exporter.kinematics.spatial.blocks.loop_slides import one_of_several_slides
from exporter.kinematics.spatial.blocks.turns import coincide, give_margins, texts, turn_towards
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.relations.planes import plane_relation
from exporter.kinematics.spatial.relations.segments import LoopView, given, loop_view
from exporter.kinematics.spatial.roots import solve_turn
from exporter.sequence.builder import Value
from exporter.sequence.guards import signed_pivot


def loop_relation(block: Block, pose: SpatialPose) -> None:
    """Write the coordinate of a block of a loop."""
    WRITERS[block.kind](block, loop_view(block, pose))


# -- without a root ------------------------------------------------------------------------------------------------


def _turn_to_point(block: Block, view: LoopView) -> None:
    near, target = _point_pair(view)
    tools = view.pose.tools
    view.pose.angles[block.coordinates[0]] = turn_towards(tools, view.motion.axis, near, target, coincide(block))


def _slide_to_point(block: Block, view: LoopView) -> None:
    near, target = _point_pair(view)
    view.pose.slides[block.coordinates[0]] = (target - near).dot(view.axis)


def _point_pair(view: LoopView) -> tuple[Vector, Vector]:
    """A point behind the motion, and where the motion takes it; one of the groups is empty."""
    group = view.behind if view.before.invariants.empty else view.before
    return view.start.point(given(group.front.point)), view.end.back(given(group.back.point))


def _turn_to_direction(block: Block, view: LoopView) -> None:
    near, target = _direction_pair(view)
    tools = replace(view.pose.tools, length=Fraction(1))
    view.pose.angles[block.coordinates[0]] = turn_towards(tools, view.motion.axis, near, target, coincide(block))


def _direction_pair(view: LoopView) -> tuple[Vector, Vector]:
    """A direction behind the motion, and where the motion takes it; one of the groups has no turn."""
    behind, before = view.behind, view.before
    if before.invariants.turnless and behind.front.direction is not None:
        rest = view.between(view.first_end, len(view.items))
        return view.start.direction(behind.front.direction), rest.back_direction(given(behind.back.direction))
    rest = view.between(0, view.second_start)
    return rest.direction(given(before.front.direction)), view.end.back_direction(given(before.back.direction))


def _turn_to_axes(block: Block, view: LoopView) -> None:
    """Where the rest of the loop has a direction across the axis."""
    tools, axis = replace(view.pose.tools, length=Fraction(1)), view.motion.axis
    near = constant_vector(view.pose.builder, triad(axis)[0])
    target = view.between(0, len(view.items)).back_direction(near)
    view.pose.angles[block.coordinates[0]] = turn_towards(tools, axis, near, target, coincide(block))


def _slide_to_plane(block: Block, view: LoopView) -> None:
    plane = plane_relation(view)
    pivot = plane.normal.dot(view.axis)
    if pivot.constant is None:
        pivot = signed_pivot(view.pose.builder, pivot, view.pose.tools.threshold, texts(block)[1])
    gap = (
        plane.value - plane.normal.dot(plane.point)
        if plane.moves_point
        else plane.normal.dot(plane.point) - plane.value
    )
    view.pose.slides[block.coordinates[0]] = gap / pivot


# -- with a root ---------------------------------------------------------------------------------------------------


def _angle(block: Block, view: LoopView) -> None:
    """(X d).e as at the cut."""
    behind, before = view.behind, view.before
    near, far = (
        view.start.direction(given(behind.front.direction)),
        view.end.back_direction(given(before.back.direction)),
    )
    value = given(behind.back.direction).dot(view.middle.direction(given(before.front.direction)))
    _solve_turn(block, view, near, far, value, Fraction(1))


def _turn_to_plane(block: Block, view: LoopView) -> None:
    plane = plane_relation(view)
    near, far = (plane.point, plane.normal) if plane.moves_point else (plane.normal, plane.point)
    _solve_turn(block, view, near, far, plane.value, view.pose.form.length**2)


def _distance(block: Block, view: LoopView) -> None:
    """|X p - q| as at the cut."""
    behind, before = view.behind, view.before
    near, far = view.start.point(given(behind.front.point)), view.end.back(given(before.back.point))
    gap = given(behind.back.point) - view.middle.point(given(before.front.point))
    if view.motion.kind == "slide":
        slide_to_sphere(block, view.pose, view.axis, far - near, gap.squared())
        return
    n = view.axis
    arm, level = near - n.scaled(n.dot(near)), far - n.scaled(n.dot(far))
    height = n.dot(far - near)
    value = (level.squared() + arm.squared() + height * height - gap.squared()) / 2
    size = arm.squared().constant or view.pose.form.length**2
    _solve_arm(block, view, arm, level, value, 4 * size * view.pose.form.length**2)


def _solve_turn(block: Block, view: LoopView, near: Vector, far: Vector, value: Value, scale: Fraction) -> None:
    """(X near).far = value, of a turn X."""
    n = view.axis
    along = n.dot(near)
    _solve_arm(block, view, near - n.scaled(along), far, value - along * n.dot(far), scale)


def _solve_arm(block: Block, view: LoopView, arm: Vector, far: Vector, value: Value, scale: Fraction) -> None:
    """(X arm).far = value, of a turn X and an arm across its axis."""
    pose = view.pose
    a, b = arm.dot(far), view.axis.cross(arm).dot(far)
    solution = solve_turn(pose.tools, a, b, value, pose.sign_of(block), scale, texts(block))
    pose.angles[block.coordinates[0]] = solution.angle
    give_margins(block, pose, solution)


WRITERS: dict[SpatialKind, Callable[[Block, LoopView], None]] = {
    SpatialKind.LOOP_POINT: _turn_to_point,
    SpatialKind.LOOP_DIRECTION: _turn_to_direction,
    SpatialKind.LOOP_AXES: _turn_to_axes,
    SpatialKind.LOOP_SLIDE: _slide_to_point,
    SpatialKind.LOOP_SLIDES: one_of_several_slides,
    SpatialKind.LOOP_PLANE_SLIDE: _slide_to_plane,
    SpatialKind.LOOP_ANGLE: _angle,
    SpatialKind.LOOP_PLANE: _turn_to_plane,
    SpatialKind.LOOP_DISTANCE: _distance,
}
