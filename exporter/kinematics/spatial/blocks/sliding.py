"""A body that slides in three directions and does not turn, held at three known distances: three spheres.

In: a chain of three unknown slides and, for each distance, a link with its two centres, or a loop that tells it. Out:
the displacements. With the slides at zero, a far end lies at D_k from its near one; the shift x of the body has
|x - D_k| = L_k.
"""

from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.blocks.distances import register_center, squared_distance
from exporter.kinematics.spatial.blocks.turns import margin_text, texts
from exporter.kinematics.spatial.chain import Chain
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.relations.runs import distance_of
from exporter.kinematics.spatial.roots import with_sign
from exporter.model.mechanism import Joint
from exporter.sequence.builder import Value
from exporter.sequence.guards import saturated, signed_pivot


def three_slides(block: Block, pose: SpatialPose, joints: dict[str, Joint]) -> None:
    """x = D_1 + w;  w.e = a, w.f = b with e, f = D_2 - D_1, D_3 - D_1;  w = (a f x n + b n x e +- root n) / n.n."""
    chain = pose.chain(tuple(joints[name] for name in block.path))
    start = joints[block.path[-1]].child.body
    links = list(zip(block.centers[::2], block.centers[1::2], strict=True))
    ends, squares = [], []
    for near, far in links:
        link = joints[near].frame_beyond(start).body
        resting = _show_point(chain, pose.frame(joints[near].frame_on(start)).at)
        ends.append(pose.center(far) - resting)
        squares.append(squared_distance(pose, link, joints[near], joints[far]))
    names = [motion.coordinate for motion in chain.unknown]
    for relation in block.holds:
        held_at = distance_of(pose, names, relation)
        near_end = _with_slides(chain, held_at.near)
        ends.append(chain.shown(held_at.far - near_end, point=False))
        squares.append(held_at.square)
    shift = _three_spheres(block, pose, ends, squares)
    for name, value in zip(block.coordinates, _along(pose, block, chain, shift), strict=True):
        pose.slides[name] = value


def _show_point(chain: Chain, point: Vector) -> Vector:
    """A point of the body in ground axes, the unknown slides at zero."""
    return chain.shown(_with_slides(chain, chain.segments[-1].point(point)), point=True)


def _with_slides(chain: Chain, point: Vector) -> Vector:
    """A point behind the last slide in the axes in front of the first, the slides at zero."""
    for segment in reversed(chain.segments[1:-1]):
        point = segment.point(point)
    return point


def _three_spheres(block: Block, pose: SpatialPose, ends: list[Vector], squares: list[Value]) -> Vector:
    tools, length = pose.tools, pose.form.length
    reach, near = texts(block)
    e, f = ends[1] - ends[0], ends[2] - ends[0]
    normal = e.cross(f)
    area = tools.away_from_zero(normal.squared(), length**4, near)
    a = (squares[0] - squares[1] + e.squared()) / 2
    b = (squares[0] - squares[2] + f.squared()) / 2
    inverse = 1 / area
    across = (f.cross(normal).scaled(a) + normal.cross(e).scaled(b)).scaled(inverse)
    scale = squares[0].constant or length**2
    radicand = (squares[0] - across.squared()) * area
    root = tools.root(radicand, scale * length**4, reach, near, minuend=squares[0] * area)
    height = root.value * inverse
    arm = across + normal.scaled(with_sign(height, pose.sign_of(block)))
    bound = 4 * length
    shift = ends[0] + Vector(*(saturated(tools.builder, part, bound, near) for part in arm.parts()))
    largest = pose.scope.root(squares[0] * squares[1] * squares[2])
    register_center(pose, shift, (ends[0], ends[1], ends[2]), largest, near, squares)
    about = margin_text("squared height over the plane of the three links' far ends, relative")
    pose.margins.append(Margin(block.id, "margin", (squares[0] - across.squared()) / scale, about))
    volume = "volume of that height and the triangle of the far ends, relative"
    pose.margins.append(Margin(block.id, "pivot", root.value / length**3, volume))
    return shift


def _along(pose: SpatialPose, block: Block, chain: Chain, shift: Vector) -> tuple[Value, ...]:
    """Displacements s with the sum of s_j t_j = shift; by scalar products where the directions are a triad of axes."""
    directions = []
    for k, motion in enumerate(chain.unknown):
        axis = constant_vector(pose.builder, motion.axis)
        for segment in reversed(chain.segments[1 : k + 1]):
            axis = segment.direction(axis)
        directions.append(chain.shown(axis, point=False))
    t1, t2, t3 = directions
    if all(each.dot(other).constant == 0 for each, other in ((t1, t2), (t2, t3), (t3, t1))):
        return tuple(each.dot(shift) for each in directions)
    _, near = texts(block)
    volume = signed_pivot(pose.builder, t1.dot(t2.cross(t3)), pose.tools.threshold, near)
    return tuple(each.dot(shift) / volume for each in (t2.cross(t3), t3.cross(t1), t1.cross(t2)))
