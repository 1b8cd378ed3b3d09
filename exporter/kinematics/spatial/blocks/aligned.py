"""Two turns that lead to a hinge: its point and its axis give the second turn without a root.

In: a chain of two unknown turns and the hinge that it ends in, known from the other side. With n the first axis,
c and s the second angle's cosine and sine, both parts along n are known:  a c + b s = k  of the point and
a' c + b' s = k'  of the axis. A loop that moves with so few unknowns holds both, whichever root the point alone would
leave open; where it cannot be assembled c^2 + s^2 is not 1.
"""

from exporter.kinematics.protocol.turning import turn_vector
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.blocks.turns import coincide, texts, turn_towards
from exporter.kinematics.spatial.chain import Chain
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.relative import free_angle
from exporter.model.mechanism import Frame, Joint
from exporter.sequence.builder import Value
from exporter.sequence.guards import signed_pivot

ALIGNMENT_TOLERANCE = 10_000  # eps, of c^2 + s^2 - 1


def two_turns_aligned(block: Block, pose: SpatialPose, chain: Chain, far: Vector, target: Vector) -> None:
    """The second turn by two equations, then the first, which takes the end to V. Costs no root."""
    tools, near, (first, second) = pose.tools, chain.segments[1], block.coordinates
    end, seen = chain.segments[2].point(far), chain.seen(target)
    cosine, sine = _pair(block, pose, chain, end, seen)
    turned = near.point(turn_vector(chain.unknown[1].axis, cosine, sine, end))
    pose.angles[first] = turn_towards(tools, chain.unknown[0].axis, turned, seen, coincide(block))
    pose.angles[second] = free_angle(tools, cosine, sine)
    if pose.builder.contract:
        away = abs(cosine * cosine + sine * sine - 1)
        pose.builder.condition("OUT_OF_WORKSPACE", away > ALIGNMENT_TOLERANCE * pose.builder.epsilon, texts(block)[0])


def _pair(block: Block, pose: SpatialPose, chain: Chain, end: Vector, seen: Vector) -> tuple[Value, Value]:
    """Cosine and sine of the second turn, by Cramer's rule."""
    hinge = next(joint for joint in pose.form.tree.joints if joint.name == block.centers[0])
    inner, outer = (pose.frame(frame).turn for frame in _sides(hinge, block.body))
    axis = constant_vector(pose.builder, hinge.axis)
    (a, b), foot = _parts(chain, end, point=True)
    (c, d), lean = _parts(chain, chain.segments[2].direction(inner.times(axis)), point=False)
    n = constant_vector(pose.builder, chain.unknown[0].axis)
    there = pose.placement(_sides(hinge, block.body)[1].body).direction(outer.times(axis))
    k, h = n.dot(seen) - foot, n.dot(chain.seen_direction(there)) - lean
    pivot = a * d - b * c
    if pivot.constant is None:
        pivot = signed_pivot(pose.builder, pivot, pose.tools.threshold * pose.form.length, texts(block)[1])
    return k * (d / pivot) - h * (b / pivot), h * (a / pivot) - k * (c / pivot)


def _parts(chain: Chain, vector: Vector, *, point: bool) -> tuple[tuple[Value, Value], Value]:
    """Along the first axis: what the cosine and the sine of the second turn are multiplied by, and the rest."""
    near, builder = chain.segments[1], vector.x.builder
    n, m = (constant_vector(builder, motion.axis) for motion in chain.unknown)
    along = m.scaled(m.dot(vector))
    arm = vector - along
    rest = near.point(along) if point else near.direction(along)
    return (n.dot(near.direction(arm)), n.dot(near.direction(m.cross(arm)))), n.dot(rest)


def _sides(hinge: Joint, body: str) -> tuple[Frame, Frame]:
    """The hinge's frame on the body that the turns carry, and the other one."""
    return hinge.frame_on(body), hinge.frame_beyond(body)
