"""Da Za + Db Zb + W = 0: two unknown directions, the intersection of two circles.

With a = |Za|, b = |Zb|, r = 1 / |W|^2:  Da = W (alpha + i beta) conj(Za) / a,  beta = +-sqrt(r - alpha^2),
alpha = ((b^2 - a^2) r - 1) / (2 a). The pivot is |W|^2 beta / b, the sine of the angle between the arms; the margin is
beta^2 / r, the squared sine of the angle between base and first arm.
"""

from fractions import Fraction

from exporter.kinematics.planar.blocks.arms import (
    Arms,
    LinearSolve,
    Rates,
    away_from_zero,
    branch_text,
    in_root_axes,
    keep_arms,
    label,
    limitable_direction,
    margin_text,
    signed_magnitude,
    singularity_text,
    squared,
    workspace_text,
)
from exporter.kinematics.planar.complex_value import Complex, unit_of
from exporter.kinematics.planar.form import Block
from exporter.kinematics.planar.lengths import Affine
from exporter.kinematics.planar.orientation import sum_at
from exporter.kinematics.planar.plane import Term
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.protocol.limits import FOLD_THRESHOLD, PIVOT_THRESHOLD
from exporter.kinematics.protocol.margins import Margin
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import clamped_radicand, positive_pivot

SIMILAR_ARMS_RATIO = 4
"""Arms whose lengths differ by no more than this factor."""
CLEAR_MARGIN = Fraction(1, 100)
"""A margin so far from zero that no rounding takes it there."""


@dataclass(frozen=True, slots=True)
class _Sides:
    """The two arms in the axes of their roots, in the order of `_rank`."""

    first: str
    second: str
    za: Complex
    zb: Complex
    a2: Affine
    b2: Affine
    a: Value
    b: Value


@dataclass(frozen=True, slots=True)
class _Height:
    """The triangle over its base W."""

    distance: Affine  # |W|^2
    square: Value  # its value, guarded
    reciprocal: Value  # 1 / |W|^2
    alpha: Value
    radicand: Value
    beta: Value  # not negative
    clear: bool  # the margin stays away from zero


def two_circles(block: Block, pose: Pose, arms: Arms) -> LinearSolve:
    """Write both directions."""
    sides = _sides(block, pose, arms)
    known = pose.sum(arms.known)
    height = _height(block, pose, arms, sides, known)
    builder = pose.builder
    with builder.step(label(block, "3"), f"direction of {sides.first}"):
        beta = signed_magnitude(pose, block, height.beta)
        root = limitable_direction(block, known * Complex(height.alpha, beta) * unit_of(sides.za.conjugate(), sides.a))
        pose.root[sides.first] = root
        arm_a = root * sides.za
        keep_arms(pose, arms.turning[sides.first], arm_a)
    with builder.step(label(block, "4"), f"direction of {sides.second}"):
        arm_b = -(known + arm_a)
        pose.root[sides.second] = limitable_direction(block, arm_b * _inverse(pose, sides.zb, sides.b2))
        keep_arms(pose, arms.turning[sides.second], arm_b)
    if _is_alike(sides):
        with builder.step(label(block, "4"), f"direction of {sides.second}"):
            pose.opening[sides.second, sides.first] = _opening_direction(sides, height, beta)
    between = f"sine between the arms of loop '{block.closure.name}'"
    about = margin_text(block, "squared sine between base and first arm")
    pose.margins.append(Margin(block.id, "margin", height.radicand * height.square, about, height.clear))
    pose.margins.append(Margin(block.id, "pivot", height.square * height.beta / sides.b, between))

    def solve(rest: Complex) -> Rates:
        inverse = _inverse_pivot(block, pose, sides, height)
        rate_a, rate_b = -(arm_b.dot(rest) * inverse), arm_a.dot(rest) * inverse
        return (rate_a, rate_b) if sides.first == block.unknowns[0].name else (rate_b, rate_a)

    return LinearSolve(block, solve)


def _is_alike(sides: _Sides) -> bool:
    """Whether the arms are along like axes of their roots and of like frozen lengths."""
    turn = sides.za * sides.zb.conjugate()
    if turn.re.constant is None or turn.im.constant != 0:
        return False
    a2, b2 = sides.a2.value().constant, sides.b2.value().constant
    return a2 is not None and b2 is not None and max(a2, b2) <= SIMILAR_ARMS_RATIO**2 * min(a2, b2)


def _opening_direction(sides: _Sides, height: _Height, beta: Value) -> Complex:
    """The second direction seen from the first, by the law of cosines: cheaper than the two directions' product.

    2 a b cos = |W|^2 - a^2 - b^2, b sin = beta |W|^2. Rounding grows with (a + b)^2 / (2 a b), so arms are alike.
    """
    product = sides.za * sides.zb.conjugate()
    cosine = height.distance.plus(-(sides.a2.value() + sides.b2.value())).times(1 / (2 * product.re)).value()
    return Complex(cosine, beta * (sides.a / product.re) * height.square)


def _sides(block: Block, pose: Pose, arms: Arms) -> _Sides:
    first, second = sorted(
        (unknown.name for unknown in block.unknowns), key=lambda root: _rank(pose, arms.turning[root])
    )
    za, zb = in_root_axes(pose, arms.turning[first]), in_root_axes(pose, arms.turning[second])
    a2 = squared(pose, arms.turning[first], za, in_root=True)
    b2 = squared(pose, arms.turning[second], zb, in_root=True)
    a, b = pose.scope.root(a2.value()), pose.scope.root(_not_zero(pose, zb, b2))
    return _Sides(first, second, za, zb, a2, b2, a, b)


def _rank(pose: Pose, terms: tuple[Term, ...]) -> tuple[bool, Fraction]:
    """Arms that are fixed in their root come first, the shorter one before the longer.

    The second direction is (W + Da Za) / b, and what rounding leaves of |Db| = 1 grows with a / b. Judged at nominal
    lengths, tunable or not: the sign of the root changes its meaning with the order, and must not with the parameters.
    """
    if any(term.slide or not pose.turned(term.body).is_constant for term in terms):
        return True, Fraction(0)
    values = pose.form.mechanism.nominal_values()
    across, along = (
        sum((sum_at(part, values) for part in parts), Fraction(0))
        for parts in ([term.vector.re for term in terms], [term.vector.im for term in terms])
    )
    return False, across * across + along * along


def _height(block: Block, pose: Pose, arms: Arms, sides: _Sides, known: Complex) -> _Height:
    builder = pose.builder
    with builder.step(label(block, "1"), f"base of the triangle in loop '{block.closure.name}'"):
        distance = squared(pose, arms.known, known, in_root=False)
        square = away_from_zero(pose, distance, distance.value(), sides.a)
        reciprocal = 1 / square
        alpha = _alpha(sides, reciprocal)
    with builder.step(label(block, "2"), branch_text(pose, block, "height over the base")):
        radicand = reciprocal - alpha * alpha
        clear = builder.contract and _always_closes(distance, sides)
        beta = builder.sqrt(
            builder.positive_part(radicand)
            if clear
            else clamped_radicand(builder, radicand, reciprocal, workspace_text(block))
        )
    return _Height(distance, square, reciprocal, alpha, radicand, beta, clear)


def _always_closes(distance: Affine, sides: _Sides) -> bool:
    """Whether frozen lengths keep the margin, 1 - alpha^2 / r, above CLEAR_MARGIN in every pose: nothing to be flagged.

    As a function of |W|^2 the margin has no minimum of its own, so that the ends of its range decide.
    """
    offset, slope = distance.offset.constant, distance.slope.constant
    a2, b2 = (side.value().constant if side.is_fixed else None for side in (sides.a2, sides.b2))
    if offset is None or slope is None or a2 is None or b2 is None or offset <= abs(slope):
        return False
    return all(
        1 - (b2 - a2 - square) ** 2 / (4 * a2 * square) > CLEAR_MARGIN
        for square in (offset - abs(slope), offset + abs(slope))
    )


def _alpha(sides: _Sides, reciprocal: Value) -> Value:
    """((b^2 - a^2) r - 1) / (2 a), constants folded into whatever moves."""
    half = 1 / (2 * sides.a)
    difference = sides.b2.minus(sides.a2)
    if difference is None:
        return (sides.b2.value() - sides.a2.value()) * (reciprocal * half) - half
    if reciprocal.constant is not None:
        return difference.times(reciprocal * half).plus(-half).value()
    return difference.times(half).value() * reciprocal - half


def _inverse(pose: Pose, vector: Complex, square: Affine) -> Complex:
    """1 / vector."""
    return unit_of(vector.conjugate(), _not_zero(pose, vector, square))


def _not_zero(pose: Pose, vector: Complex, square: Affine) -> Value:
    """The square of an arm for dividing by: guarded unless it is certainly above zero."""
    value = square.value()
    if value.constant is None and not square.is_positive:
        size = sum((abs(part.constant or Fraction(1)) for part in (vector.re, vector.im)), Fraction(0))
        threshold = PIVOT_THRESHOLD[pose.builder.precision] ** 2 * size**2
        value = positive_pivot(pose.builder, value, threshold, "an arm has no length", condition="GUARD_SMALL")
    return value


def _inverse_pivot(block: Block, pose: Pose, sides: _Sides, height: _Height) -> Value:
    """1 / (arm_a x arm_b) = 1 / (a |W|^2 beta), with the branch's sign."""
    threshold = sides.b * FOLD_THRESHOLD[pose.builder.precision]
    across = positive_pivot(pose.builder, height.square * height.beta, threshold, singularity_text(block))
    return signed_magnitude(pose, block, 1 / sides.a / across)
