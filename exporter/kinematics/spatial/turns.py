"""Blocks that turn or slide a chain until it meets a known point.

Comes in: a chain cut at its unknown motions and the target. Goes out: the unknown coordinates. V is the target seen in
the axes in front of the first unknown motion, n its axis, q the chain's end in the same axes before it moves.
"""

from collections.abc import Callable
from fractions import Fraction

from exporter.kinematics.position import Margin
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.chain import Chain
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.relative import across
from exporter.kinematics.spatial.roots import Angle, Tools, TurnSolution, solve_turn
from exporter.kinematics.spatial.turning import turn_vector
from exporter.kinematics.spatial.vectors import Vector, constant_vector
from exporter.model.mechanism import Axis
from exporter.sequence.builder import Value
from exporter.sequence.guards import signed_pivot


def turn_towards(tools: Tools, axis: Axis, near: Vector, target: Vector, about: str) -> Angle:
    """The turn about the axis that takes `near` to `target`; their parts along the axis are equal."""
    first, second = across(tools.builder, axis)
    x, y = near.dot(first), near.dot(second)
    u, v = target.dot(first), target.dot(second)
    limit = tools.length * tools.threshold

    def rate() -> Value:
        d = tools.derivatives.of
        turning = u * d(v) - v * d(u) - (x * d(y) - y * d(x))
        return turning * square_inverse()

    if x.constant == 0 or y.constant == 0:
        lever = y if x.constant == 0 else x
        guarded = signed_pivot(tools.builder, lever, limit, about)
        inverse = 1 / guarded
        cosine, sine = (v * inverse, -(u * inverse)) if x.constant == 0 else (u * inverse, v * inverse)
        square_inverse: Callable[[], Value] = lambda: inverse * inverse  # noqa: E731 - one of two
    else:
        square = x * x + y * y
        if square.constant is None:
            square = tools.away_from_zero(square, tools.length**2, about)
        inverse = 1 / square
        cosine, sine = (x * u + y * v) * inverse, (x * v - y * u) * inverse
        square_inverse = lambda: inverse  # noqa: E731 - the other
    return tools.angle(cosine, sine, rate, (x, y, u, v))


def one_turn(block: Block, pose: SpatialPose, chain: Chain, far: Vector, target: Vector) -> None:
    """Degree one: the target is known to be within reach."""
    seen, near = chain.seen(target), chain.segments[1].point(far)
    name, axis = block.coordinates[0], chain.unknown[0].axis
    pose.angles[name] = turn_towards(pose.tools, axis, near, seen, _coincide(block))


def one_slide(block: Block, pose: SpatialPose, chain: Chain, far: Vector, target: Vector) -> None:
    """The displacement along a known axis."""
    gap = chain.seen(target) - chain.segments[1].point(far)
    pose.slides[block.coordinates[0]] = gap.dot(constant_vector(pose.builder, chain.unknown[0].axis))


def turn_and_slide(block: Block, pose: SpatialPose, chain: Chain, far: Vector, target: Vector) -> None:
    """A cylindrical joint: turn and displacement along the same axis."""
    axis = chain.unknown[0].axis
    seen, near = chain.seen(target), chain.segments[1].point(chain.segments[2].point(far))
    pose.angles[block.coordinates[0]] = turn_towards(pose.tools, axis, near, seen, _coincide(block))
    pose.slides[block.coordinates[1]] = (seen - near).dot(constant_vector(pose.builder, axis))


def two_turns(block: Block, pose: SpatialPose, chain: Chain, far: Vector, target: Vector) -> None:
    """n . T1 (S T2 p) = n . V gives the second turn; the first then takes the end to V."""
    _two_turns(block, pose, chain, chain.segments[2].point(far), chain.seen(target))


def _two_turns(block: Block, pose: SpatialPose, chain: Chain, end: Vector, seen: Vector) -> None:
    tools, builder, near = pose.tools, pose.builder, chain.segments[1]
    outer, inner = chain.unknown[0].axis, chain.unknown[1].axis
    solution = _second_turn(block, tools, chain, end, seen)
    turned = near.point(turn_vector(inner, solution.angle.cosine, solution.angle.sine, end))
    first, second = block.coordinates[0], block.coordinates[1]
    pose.angles[first] = turn_towards(tools, outer, turned, seen, _coincide(block))
    pose.angles[second] = solution.angle
    assert builder is tools.builder
    give_margins(block, pose, solution)


def _second_turn(block: Block, tools: Tools, chain: Chain, end: Vector, seen: Vector) -> TurnSolution:
    builder, near = tools.builder, chain.segments[1]
    n, m = (constant_vector(builder, motion.axis) for motion in chain.unknown[:2])
    middle = m.scaled(m.dot(end))
    arm = end - middle
    foot, u, w = near.point(middle), near.direction(arm), near.direction(m.cross(arm))
    a, b = n.dot(u), n.dot(w)
    scale = _nominal_square(arm, tools.length)
    if a.constant == 0 and b.constant == 0:  # parallel axes: by the distance instead
        across_foot = foot - n.scaled(n.dot(foot))
        level = seen - n.scaled(n.dot(seen))
        c = level.squared() - across_foot.squared() - u.squared()
        a, b = 2 * across_foot.dot(u), 2 * across_foot.dot(w)
        return solve_turn(tools, a, b, c, block.sign, 16 * scale * tools.length**2, texts(block))
    return solve_turn(tools, a, b, n.dot(seen) - n.dot(foot), block.sign, scale, texts(block))


def _nominal_square(arm: Vector, length: Fraction) -> Fraction:
    square = arm.squared().constant
    return square if square else length * length


def universal_and_length(block: Block, pose: SpatialPose, chain: Chain, far: Vector, target: Vector) -> None:
    """Turns about x and y and a slide: by the distance where the slide is straight through the joint's centre."""
    builder, tools = pose.builder, pose.tools
    seen = chain.seen(target)
    axis = chain.segments[2].direction(constant_vector(builder, chain.unknown[2].axis))
    start = chain.segments[2].point(chain.segments[3].point(far))
    is_universal = chain.unknown[0].axis[0] == 1 and chain.unknown[1].axis[1] == 1
    if is_universal and not chain.segments[1].items and _straight_along_z(axis, start):
        _straight(block, pose, seen, start.z, axis.z)
        return
    along = start.dot(axis)
    offset = start.squared() - along * along
    reach, near = texts(block)
    square = seen.squared()
    root = tools.root(square - offset, tools.length**2, reach, near, minuend=square)
    pose.slides[block.coordinates[2]] = root.value - along
    end = start + axis.scaled(root.value - along)
    _two_turns(block, pose, chain, end, seen)


def _straight_along_z(axis: Vector, start: Vector) -> bool:
    return all(part.constant == 0 for part in (axis.x, axis.y, start.x, start.y))


def _straight(block: Block, pose: SpatialPose, seen: Vector, start: Value, axis: Value) -> None:
    """V = L (s_b, -s_a c_b, c_a c_b):  m = |c_b| L,  L^2 = V_x^2 + m^2."""
    tools, d = pose.tools, pose.derivatives.of
    direction = 1 if axis.constant is None or axis.constant > 0 else -1
    alpha, beta, slide = block.coordinates
    _, near = texts(block)
    m2 = seen.y * seen.y + seen.z * seen.z
    scale = tools.length**2
    m = pose.builder.sqrt(tools.away_from_zero(m2, scale, near))
    pose.derivatives.register(m, lambda: (seen.y * d(seen.y) + seen.z * d(seen.z)) / m)
    length = pose.builder.sqrt(seen.x * seen.x + tools.away_from_zero(m2, scale, near))
    pose.derivatives.register(length, lambda: (seen.x * d(seen.x) + m * d(m)) / length)
    lever = m if block.sign > 0 else -m
    turned = lever if direction > 0 else -lever
    pose.angles[alpha] = tools.angle(
        seen.z / turned, -(seen.y / turned), lambda: (seen.y * d(seen.z) - seen.z * d(seen.y)) / m / m
    )
    x = seen.x if direction > 0 else -seen.x
    pose.angles[beta] = tools.angle(lever / length, x / length, lambda: (lever * d(x) - x * d(lever)) / length / length)
    pose.slides[slide] = (length - start) if direction > 0 else (length + start)
    pose.margins.append(Margin(block.id, "pivot", m / tools.length, near))


# -- words ---------------------------------------------------------------------------------------------------------


def texts(block: Block) -> tuple[str, str]:
    """What OUT_OF_WORKSPACE and NEAR_SINGULAR mean in this block."""
    names = ", ".join(block.coordinates) or block.body
    return f"{names} cannot be assembled", f"{names} cannot be told apart: a pivot is below its threshold"


def _coincide(block: Block) -> str:
    return f"the end of {', '.join(block.path)} lies on the axis that it turns about"


def give_margins(block: Block, pose: SpatialPose, solution: TurnSolution) -> None:
    """Offer the margin and the pivot of a turn as outputs."""
    reach, near = texts(block)
    pose.margins.append(Margin(block.id, "margin", solution.margin, reach))
    pose.margins.append(Margin(block.id, "pivot", solution.pivot, near))
