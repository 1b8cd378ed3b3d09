"""Writes all blocks of a spatial form into a sequence, in order."""

from collections.abc import Mapping

from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.spatial.blocks.aligned import two_turns_aligned
from exporter.kinematics.spatial.blocks.distances import (
    circle_and_sphere,
    line_and_sphere,
    squared_distance,
    three_spheres,
)
from exporter.kinematics.spatial.blocks.lexicographic import lexicographic
from exporter.kinematics.spatial.blocks.loop_newton import loop_newton
from exporter.kinematics.spatial.blocks.loop_relation import loop_relation
from exporter.kinematics.spatial.blocks.planes import slides_to_planes, turn_and_planes
from exporter.kinematics.spatial.blocks.seeded_newton import seeded_newton
from exporter.kinematics.spatial.blocks.sliding import three_slides
from exporter.kinematics.spatial.blocks.turns import length_of_arm, one_slide, one_turn, turn_and_slide, two_turns
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.pose import SpatialPose, start_pose
from exporter.model.mechanism import Frame, Joint
from exporter.sequence.builder import Builder, Value

ARMS = {
    SpatialKind.LENGTH_OF_ARM: length_of_arm,
    SpatialKind.TWO_TURNS: two_turns,
    SpatialKind.TWO_TURNS_ALIGNED: two_turns_aligned,
    SpatialKind.ONE_TURN: one_turn,
    SpatialKind.ONE_SLIDE: one_slide,
    SpatialKind.TURN_AND_SLIDE: turn_and_slide,
}
FROM_CARRIER = ARMS.keys() - {SpatialKind.TWO_TURNS_ALIGNED}
"""Blocks that see nothing of their surroundings but the centre: they are solved in the axes of what carries it."""
HELD = {
    SpatialKind.THREE_SPHERES: three_spheres,
    SpatialKind.THREE_SLIDES: three_slides,
    SpatialKind.SLIDES_TO_PLANES: slides_to_planes,
    SpatialKind.TURN_AND_PLANES: turn_and_planes,
}
DYADS = {
    SpatialKind.CIRCLE_AND_SPHERE: circle_and_sphere,
    SpatialKind.LINE_AND_SPHERE: line_and_sphere,
}


def solve_spatial_pose(
    form: SpatialForm,
    builder: Builder,
    scope: Scope,
    coordinates: dict[str, Value],
    points: tuple[Frame, ...] = (),
    signs: Mapping[str, Value] | None = None,
) -> SpatialPose:
    """The pose with all blocks solved; `signs` has the roots, 1 or -1, of blocks by id where they are values."""
    pose = start_pose(form, builder, scope, coordinates, points, signs)
    joints = {joint.name: joint for joint in form.tree.joints}
    for block in form.blocks:
        with builder.step(block.id, _text(block)):
            _solve(block, pose, joints)
    return pose


def _text(block: Block) -> str:
    what = ", ".join(block.coordinates) or f"centre of {block.centers[0]}"
    name = f" '{block.branch}'" if block.branch else ""
    branch = f", branch{name} ({'+' if block.sign > 0 else '-'})" if block.degree > 1 else ""
    return f"{what}: {block.kind}{branch}"


def _solve(block: Block, pose: SpatialPose, joints: dict[str, Joint]) -> None:
    if block.kind is SpatialKind.SEEDED_NEWTON:
        seeded_newton(block, pose, dict(pose.form.tables)[block.body])
    elif block.system is not None:
        loop_newton(block, pose, dict(pose.form.loop_tables)[block.system])
    elif block.relation is not None:
        loop_relation(block, pose)
    elif block.kind is SpatialKind.POLYNOMIAL:
        lexicographic(block, pose)
    elif block.kind in HELD:
        HELD[block.kind](block, pose, joints)
    else:
        _solve_chain(block, pose, joints)


def _solve_chain(block: Block, pose: SpatialPose, joints: dict[str, Joint]) -> None:
    """Arms and dyads: chains from a placed body."""
    path = tuple(joints[name] for name in block.path)
    sought = joints[block.centers[0]]
    carrier = pose.carrier_of(path, sought.name) if block.kind in FROM_CARRIER else None
    chain = pose.chain(path, carrier)
    far = pose.frame(sought.frame_on(path[-1].child.body)).at
    if block.kind in ARMS:
        ARMS[block.kind](block, pose, chain, far, pose.center(sought.name, carrier))
        return
    square = squared_distance(pose, block.body, sought, joints[block.centers[1]])
    DYADS[block.kind](block, pose, chain, far, pose.center(block.centers[1]), square)
