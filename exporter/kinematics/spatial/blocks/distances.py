"""Blocks of constant distances: circle and sphere, line and sphere, three spheres with a rigid base edge.

In: known centres and the constant distances between points of one body. Out: a coordinate, or a centre.
"""

from collections.abc import Sequence

from exporter.kinematics.protocol.derivatives import Derivatives
from exporter.kinematics.protocol.frames import triad
from exporter.kinematics.protocol.limits import ACCELERATION_LIMIT, RATE_LIMIT
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.blocks.turns import give_margins, margin_text, texts
from exporter.kinematics.spatial.chain import Chain
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.roots import solve_turn, with_sign
from exporter.model.mechanism import Joint
from exporter.sequence.builder import Value
from exporter.sequence.guards import SMALLEST_PART, saturated, signed_pivot, warn_below


def register_center(
    pose: SpatialPose,
    center: Vector,
    ends: tuple[Vector, Vector, Vector],
    largest: Value,
    near: str,
    squares: Sequence[Value] = (),
) -> None:
    """Rates of a point I at known distances from three: p_i = I - end_i,  p_i . v = p_i . v_i,  by the adjugate.

    `largest` is the largest volume that the three distances can span: what the pivot is small against. `squares`: the
    distances squared, where they may move:  p_i . v = p_i . v_i + (d_i^2)' / 2.
    """
    moving = [each for each in squares if each.constant is None]
    p, q, w = (center - end for end in ends)

    def solved(sides: list[Value]) -> Vector:
        across = (q.cross(w), w.cross(p), p.cross(q))
        volume = _guarded_volume(pose, p.dot(across[0]), largest, near)
        total = across[0].scaled(sides[0]) + across[1].scaled(sides[1]) + across[2].scaled(sides[2])
        return Vector(*(part / volume for part in total.parts()))

    def velocity(motion: Derivatives) -> Vector:
        sides = [arm.dot(motion.of_vector(end)) for arm, end in zip((p, q, w), ends, strict=True)]
        if moving:
            sides = [side + motion.of(square) / 2 for side, square in zip(sides, squares, strict=True)]
        result = pose.tools.limitable_vector(solved(sides), RATE_LIMIT)

        def acceleration(second: Derivatives) -> Vector:
            turning = [second.of_vector(arm).dot(result) for arm in (p, q, w)]
            solution = solved([second.of(side) - part for side, part in zip(sides, turning, strict=True)])
            return pose.tools.limitable_vector(solution, ACCELERATION_LIMIT)

        motion.register_vector(result, lambda d: d.once(acceleration))
        return result

    pose.rules.register_vector(center, lambda d: d.once(velocity))


def _guarded_volume(pose: SpatialPose, volume: Value, largest: Value, near: str) -> Value:
    """The pivot of `register_center`; tunable distances have no least volume of their own to divide by."""
    tools = pose.tools
    if largest.constant:
        return signed_pivot(pose.builder, volume, largest.constant * tools.fold, near)
    warn_below(abs(volume), largest, tools.fold, near)
    return signed_pivot(pose.builder, volume, pose.form.length**3 * tools.threshold**2, near)


def squared_distance(pose: SpatialPose, body: str, one: Joint, other: Joint) -> Value:
    """Squared distance of two joints' centres on one body."""
    gap = pose.frame(one.frame_on(body)).at - pose.frame(other.frame_on(body)).at
    return gap.squared()


def circle_and_sphere(block: Block, pose: SpatialPose, chain: Chain, far: Vector, known: Vector, square: Value) -> None:
    """|P0 + u cos + w sin - Q|^2 = d^2 with E = Q - P0:  2 E.u cos + 2 E.w sin = E.E + u.u - d^2."""
    builder = pose.builder
    n = constant_vector(builder, chain.unknown[0].axis)
    end = chain.segments[1].point(far)
    middle = n.scaled(n.dot(end))
    arm = end - middle
    gap = known - chain.shown(middle, point=True)
    a, b = _twice_along(chain, gap, arm)
    c = gap.squared() + (arm.squared() - square)
    size = arm.squared().constant or pose.form.length**2
    scale = 16 * size * pose.form.length**2
    solution = solve_turn(pose.tools, a, b, c, pose.sign_of(block), scale, texts(block))
    pose.angles[block.coordinates[0]] = solution.angle
    give_margins(block, pose, solution)


def _twice_along(chain: Chain, gap: Vector, arm: Vector) -> tuple[Value, Value]:
    """2 E.u and 2 E.w, u the arm and w = n x u: by coordinates across the hinge where that is cheaper."""
    axis = chain.unknown[0].axis
    n = constant_vector(gap.x.builder, axis)
    first, second = (chain.shown(constant_vector(gap.x.builder, each), point=False) for each in triad(axis))
    if 0 in axis and first.is_constant and arm.is_constant:
        e1, e2 = (constant_vector(gap.x.builder, each) for each in triad(axis))
        x, y = 2 * arm.dot(e1), 2 * arm.dot(e2)
        along, across = gap.dot(first), gap.dot(second)
        return x * along + y * across, x * across - y * along
    return gap.dot(chain.shown(arm.scaled(2), point=False)), gap.dot(chain.shown(n.cross(arm).scaled(2), point=False))


def line_and_sphere(block: Block, pose: SpatialPose, chain: Chain, far: Vector, known: Vector, square: Value) -> None:
    """|P0 + s t - Q|^2 = d^2."""
    axis = chain.shown(constant_vector(pose.builder, chain.unknown[0].axis), point=False)
    gap = known - chain.shown(chain.segments[1].point(far), point=True)
    slide_to_sphere(block, pose, axis, gap, square)


def slide_to_sphere(block: Block, pose: SpatialPose, axis: Vector, gap: Vector, square: Value) -> None:
    """|s t - E|^2 = d^2 for the slide of a block, with its unit axis t and the gap E:  s = E.t +- root."""
    along = gap.dot(axis)
    reach, near = texts(block)
    scale = square.constant or pose.form.length**2
    root = pose.tools.root(square - (gap.squared() - along * along), scale, reach, near, minuend=square)
    pose.slides[block.coordinates[0]] = along + with_sign(root.value, pose.sign_of(block))
    chord = f"half chord of the line of {', '.join(block.coordinates)} in the sphere, relative"
    pose.margins.append(Margin(block.id, "margin", root.radicand / scale, margin_text(f"squared {chord}")))
    pose.margins.append(Margin(block.id, "pivot", root.value / pose.tools.length, chord))


def three_spheres(block: Block, pose: SpatialPose, joints: dict[str, Joint]) -> None:
    """The centre I at constant distances from A, B (on its own body) and J (by a link).

    With E = B - A of constant length e, t = (|IA|^2 - |IB|^2 + e^2) / 2 e^2 and G = J - A - t E, the rest
    h = I - A - t E is normal to E with |h|^2 = |IA|^2 - t^2 e^2 = r^2, and h.G = (G.G + r^2 - |IJ|^2) / 2 = k. With g
    the square of G across E:  h = (k / g) (G - (G.E / e^2) E) + (root / e g) E x G,  root = +-sqrt(r^2 g - k^2).
    """
    tools = pose.tools
    sought, first, second, far = (joints[name] for name in block.centers)
    link = sought.frame_beyond(block.body).body
    a, b, j = (pose.center(name) for name in block.centers[1:])
    e2 = squared_distance(pose, block.body, first, second)
    ia2 = squared_distance(pose, block.body, sought, first)
    ib2 = squared_distance(pose, block.body, sought, second)
    ij2 = squared_distance(pose, link, sought, far)
    t = (ia2 - ib2 + e2) / (2 * e2)
    r2 = ia2 - t * t * e2
    edge = b - a
    gap = j - (a + edge.scaled(t))
    along = gap.dot(edge)
    drift = along / e2
    scale = r2.constant or pose.form.length**2
    reach, near = texts(block)
    square = gap.squared()
    rest = square - along * drift
    warn_below(rest, square, SMALLEST_PART[pose.builder.precision], near)
    across = tools.away_from_zero(rest, 4 * pose.form.length**2, near)
    k = (square + (r2 - ij2)) / 2
    product = r2 * across
    root = tools.root(product - k * k, 4 * scale * pose.form.length**2, reach, near, minuend=product)
    inverse = 1 / across
    alpha = k * inverse
    beta = root.value * inverse / pose.scope.root(e2)
    normal = edge.cross(gap).scaled(with_sign(beta, pose.sign_of(block)))
    arm = edge.scaled(t - alpha * drift) + gap.scaled(alpha) + normal
    bound = 4 * pose.form.length
    center = a + Vector(*(saturated(tools.builder, part, bound, near) for part in arm.parts()))
    pose.solved_centers[block.centers[0]] = center
    register_center(pose, center, (a, b, j), pose.scope.root(e2 * r2 * ij2), near)
    height = f"height of {block.centers[0]} over the plane of {', '.join(block.centers[1:])}, relative"
    squared = root.radicand / (4 * scale * pose.form.length**2)
    pose.margins.append(Margin(block.id, "margin", squared, margin_text(f"squared {height}")))
    pose.margins.append(Margin(block.id, "pivot", root.value / (2 * pose.scope.root(r2) * pose.form.length), height))
