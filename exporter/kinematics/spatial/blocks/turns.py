"""Blocks that turn or slide a chain until it meets a known point.

In: a chain cut at its unknown motions and the target. Out: the unknown coordinates. V is the target seen in
the axes in front of the first unknown motion, n its axis, q the chain's end in the same axes before it moves.
"""

from collections.abc import Callable
from fractions import Fraction

from exporter.kinematics.protocol.derivatives import Derivatives
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.turning import turn_vector
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.chain import Chain
from exporter.kinematics.spatial.pose import SpatialPose, StraightArm
from exporter.kinematics.spatial.relative import across
from exporter.kinematics.spatial.roots import Angle, RootWriter, TurnSolution, solve_turn, with_sign
from exporter.model.mechanism import Axis
from exporter.sequence.builder import Value
from exporter.sequence.guards import signed_pivot

ZERO_LENGTH_RATIO = Fraction(1, 10**30)  # of the mechanism's length: a constant below it is none


def turn_towards(tools: RootWriter, axis: Axis, near: Vector, target: Vector, about: str) -> Angle:
    """The turn about the axis that takes `near` to `target`; their parts along the axis are equal."""
    first, second = across(tools.builder, axis)
    x, y = near.dot(first), near.dot(second)
    u, v = target.dot(first), target.dot(second)
    limit = tools.length * tools.threshold

    def rate(derivatives: Derivatives) -> Value:
        d = derivatives.of
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
    pose.angles[name] = turn_towards(pose.tools, axis, near, seen, coincide(block))


def one_slide(block: Block, pose: SpatialPose, chain: Chain, far: Vector, target: Vector) -> None:
    """The displacement along a known axis."""
    gap = chain.seen(target) - chain.segments[1].point(far)
    pose.slides[block.coordinates[0]] = gap.dot(constant_vector(pose.builder, chain.unknown[0].axis))


def turn_and_slide(block: Block, pose: SpatialPose, chain: Chain, far: Vector, target: Vector) -> None:
    """A cylindrical joint: turn and displacement along the same axis."""
    axis = chain.unknown[0].axis
    seen, near = chain.seen(target), chain.segments[1].point(chain.segments[2].point(far))
    pose.angles[block.coordinates[0]] = turn_towards(pose.tools, axis, near, seen, coincide(block))
    pose.slides[block.coordinates[1]] = (seen - near).dot(constant_vector(pose.builder, axis))


def two_turns(block: Block, pose: SpatialPose, chain: Chain, far: Vector, target: Vector) -> None:
    """n . T1 (S T2 p) = n . V gives the second turn; the first then takes the end to V."""
    straight = pose.straight_arms.get((block.path, block.centers[0]))
    if straight is not None:
        _two_turns_straight(block, pose, chain.seen(target), straight)
        return
    tools, near = pose.tools, chain.segments[1]
    end, seen = chain.segments[2].point(far), chain.seen(target)
    outer, inner = chain.unknown[0].axis, chain.unknown[1].axis
    solution = _second_turn(block, pose, chain, end, seen)
    turned = near.point(turn_vector(inner, solution.angle.cosine, solution.angle.sine, end))
    first, second = block.coordinates[0], block.coordinates[1]
    pose.angles[first] = turn_towards(tools, outer, turned, seen, coincide(block))
    pose.angles[second] = solution.angle
    give_margins(block, pose, solution)


def _second_turn(block: Block, pose: SpatialPose, chain: Chain, end: Vector, seen: Vector) -> TurnSolution:
    tools, builder, near = pose.tools, pose.builder, chain.segments[1]
    n, m = (constant_vector(builder, motion.axis) for motion in chain.unknown[:2])
    middle = m.scaled(m.dot(end))
    arm = end - middle
    foot, u, w = near.point(middle), near.direction(arm), near.direction(m.cross(arm))
    a, b = n.dot(u), n.dot(w)
    scale = _nominal_square(arm, tools.length)
    if _is_nothing(a, tools) and _is_nothing(b, tools):  # parallel axes: by the distance instead
        across_foot = foot - n.scaled(n.dot(foot))
        level = seen - n.scaled(n.dot(seen))
        c = level.squared() - across_foot.squared() - u.squared()
        a, b = 2 * across_foot.dot(u), 2 * across_foot.dot(w)
        return solve_turn(tools, a, b, c, pose.sign_of(block), 16 * scale * tools.length**2, texts(block))
    return solve_turn(tools, a, b, n.dot(seen) - n.dot(foot), pose.sign_of(block), scale, texts(block))


def _is_nothing(length: Value, tools: RootWriter) -> bool:
    """Whether a length is zero but for what is left of directions that are rational to 60 digits."""
    return length.constant is not None and abs(length.constant) < ZERO_LENGTH_RATIO * tools.length


def _nominal_square(arm: Vector, length: Fraction) -> Fraction:
    square = arm.squared().constant
    return square if square else length * length


# -- a slide behind two turns whose axes meet ------------------------------------------------------------------------


def length_of_arm(block: Block, pose: SpatialPose, chain: Chain, far: Vector, target: Vector) -> None:
    """The turns keep the distance from where their axes meet: |V|^2 = |q + s t|^2,  s = -q.t +- root."""
    tools, seen = pose.tools, chain.seen(target)
    axis = chain.segments[2].direction(constant_vector(pose.builder, chain.unknown[2].axis))
    start = chain.segments[2].point(chain.segments[3].point(far))
    (slide,) = block.coordinates
    along, sign = start.dot(axis), pose.sign_of(block)
    if _is_straight(chain, axis, start):
        length = _straight_length(block, pose, seen)
        pose.slides[slide] = with_sign(length, sign) - along
        along_z = axis.z.constant is None or axis.z.constant > 0
        pose.straight_arms[block.path, block.centers[0]] = StraightArm(length, sign if along_z else -sign)
        return
    offset = start.squared() - along * along
    reach, near = texts(block)
    square, scale = seen.squared(), tools.length**2
    root = tools.root(square - offset, scale, reach, near, minuend=square)
    pose.slides[slide] = with_sign(root.value, sign) - along
    from_foot = f"displacement {slide} from the foot of the perpendicular, over the length"
    pose.margins.append(Margin(block.id, "margin", root.radicand / scale, margin_text(f"squared {from_foot}")))
    pose.margins.append(Margin(block.id, "pivot", root.value / tools.length, from_foot))


def _is_straight(chain: Chain, axis: Vector, start: Vector) -> bool:
    """Whether the slide goes through the centre of a universal joint, along z."""
    is_universal = chain.unknown[0].axis[0] == 1 and chain.unknown[1].axis[1] == 1 and not chain.segments[1].items
    return is_universal and all(part.constant == 0 for part in (axis.x, axis.y, start.x, start.y))


def _straight_length(block: Block, pose: SpatialPose, seen: Vector) -> Value:
    """L of  L^2 = V_x^2 + m^2."""
    length = pose.builder.sqrt(seen.x * seen.x + _square_across_x(block, pose, seen))
    pose.rules.register(length, lambda d: (seen.x * d.of(seen.x) + _half_square_rate(seen, d)) / length)
    return length


def _half_square_rate(seen: Vector, derivatives: Derivatives) -> Value:
    """(m^2)' / 2."""
    return seen.y * derivatives.of(seen.y) + seen.z * derivatives.of(seen.z)


def _square_across_x(block: Block, pose: SpatialPose, seen: Vector) -> Value:
    """m^2 = V_y^2 + V_z^2, for dividing by."""
    square = seen.y * seen.y + seen.z * seen.z
    return pose.tools.away_from_zero(square, pose.tools.length**2, texts(block)[1])


def _across_x(block: Block, pose: SpatialPose, seen: Vector) -> Value:
    """The distance m from the first axis."""
    m = pose.builder.sqrt(_square_across_x(block, pose, seen))
    pose.rules.register(m, lambda d: _half_square_rate(seen, d) / m)
    return m


def _two_turns_straight(block: Block, pose: SpatialPose, seen: Vector, arm: StraightArm) -> None:
    """V = p (s_b, -s_a c_b, c_a c_b) with p = L forwards, -L backwards:  |c_b| = m / L."""
    tools, m = pose.tools, _across_x(block, pose, seen)
    alpha, beta = block.coordinates[:2]
    lever = with_sign(m, pose.sign_of(block))
    length = arm.length
    turned, x = with_sign(lever, arm.sense), with_sign(seen.x, arm.sense)
    pose.angles[alpha] = tools.angle(
        seen.z / turned, -(seen.y / turned), lambda d: (seen.y * d.of(seen.z) - seen.z * d.of(seen.y)) / m / m
    )
    pose.angles[beta] = tools.angle(
        lever / length, x / length, lambda d: (lever * d.of(x) - x * d.of(lever)) / length / length
    )
    about = f"distance of the end from the axis of {alpha}, over the length"
    pose.margins.append(Margin(block.id, "pivot", m / tools.length, about))


# -- words ---------------------------------------------------------------------------------------------------------


def texts(block: Block) -> tuple[str, str]:
    """What OUT_OF_WORKSPACE and NEAR_SINGULAR mean in this block."""
    names = ", ".join(block.coordinates) or block.body
    return f"{names} cannot be assembled", f"{names}: a pivot is below its threshold"


def margin_text(quantity: str) -> str:
    """What a margin is, and what its sign tells."""
    return f"{quantity}; below 0 out of reach"


def coincide(block: Block) -> str:
    """What GUARD_SMALL means in this block."""
    return f"the end of {', '.join(block.path)} lies on the axis that it turns about"


def give_margins(block: Block, pose: SpatialPose, solution: TurnSolution) -> None:
    """Offer the margin and the pivot of a turn as outputs."""
    equation = f"of A cos + B sin = C for {block.coordinates[-1] if block.coordinates else block.body}, relative"
    pose.margins.append(Margin(block.id, "margin", solution.margin, margin_text(f"A^2 + B^2 - C^2 {equation}")))
    pose.margins.append(Margin(block.id, "pivot", solution.pivot, f"slope B cos - A sin {equation}"))
