"""The planar block library: each block solves one loop closure for two unknowns, exactly.

Comes from: a Block and a Pose that knows everything else. Goes to: the Pose (positions) and a `LinearSolve`, which
solves the same closure for rates and accelerations by the same pivot. Notation: a closure is the sum of an arm of
every unknown and the known vector W; a.b is the scalar and a x b the normal component of the vector product.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from exporter.errors import ModelError
from exporter.kinematics.complex_value import Complex, real, unit_of
from exporter.kinematics.decomposition import Unknown
from exporter.kinematics.form import Block, BlockKind
from exporter.kinematics.lengths import Affine, plain, squared_length
from exporter.kinematics.planar import Term
from exporter.kinematics.position import Margin, Pose
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import clamped_radicand, positive_pivot, signed_pivot
from exporter.sequence.operations import Precision

PIVOT_THRESHOLD: dict[Precision, Fraction] = {"float32": Fraction(1, 1000), "float64": Fraction(1, 10**6)}
"""Smallest dimensionless pivot that a block divides by."""

Rates = tuple[Value, Value]  # of the two unknowns


@dataclass(frozen=True, slots=True)
class LinearSolve:
    """Solves  sum of rate * (arm's derivative) + V = 0  for the rates of the block's unknowns, given V."""

    block: Block
    solve: Callable[[Complex], Rates]


@dataclass(frozen=True, slots=True)
class Arms:
    """The terms of a block's closure, sorted by what moves them."""

    known: tuple[Term, ...]
    turning: dict[str, tuple[Term, ...]]  # unknown root -> terms without an unknown displacement
    sliding: dict[str, Term]  # unknown displacement -> its term


def arms_of(block: Block, pose: Pose) -> Arms:
    """Sort the terms of a closure."""
    roots = [unknown.name for unknown in block.unknowns if unknown.kind == "direction"]
    slides = [unknown.name for unknown in block.unknowns if unknown.kind == "slide"]
    terms = block.closure.terms
    sliding = {slide: next(term for term in terms if term.slide == slide) for slide in slides}
    rest = [term for term in terms if term.slide not in slides]
    root_of = pose.form.direction
    turning = {root: tuple(term for term in rest if root_of[term.body].root == root) for root in roots}
    known = tuple(term for term in rest if root_of[term.body].root not in roots)
    return Arms(known, turning, sliding)


def solve_block(block: Block, pose: Pose) -> LinearSolve:
    """Write a block's position solution; the pose then knows its unknowns."""
    solver = {
        BlockKind.TWO_DIRECTIONS: _two_directions,
        BlockKind.DIRECTION_AND_SLIDE: _direction_and_slide,
        BlockKind.SLIDE_ON_DIRECTION: _slide_on_direction,
        BlockKind.TWO_SLIDES: _two_slides,
    }[block.kind]
    return solver(block, pose, arms_of(block, pose))


def _in_root_axes(pose: Pose, terms: tuple[Term, ...]) -> Complex:
    """The vector that turns with an unknown root, in that root's axes."""
    total = real(pose.builder, 0)
    for term in terms:
        vector = pose.turned(term.body) * pose.local(term)
        total = total + (vector.scaled(pose.slide[term.slide]) if term.slide else vector)
    return total


def _squared(pose: Pose, terms: tuple[Term, ...], total: Complex, *, in_root: bool) -> Affine:
    """|sum of terms|^2, by the law of cosines where nothing slides."""
    if any(term.slide for term in terms):
        return plain(total.squared())
    parts = [(pose.turned(term.body) if in_root else pose.unit(term.body), pose.local(term)) for term in terms]
    return squared_length(parts, total)


def _keep_arms(pose: Pose, terms: tuple[Term, ...], total: Complex) -> None:
    """Remember the moving vector of an arm that is a single term."""
    if len(terms) == 1:
        pose.arms[terms[0]] = total


def _label(block: Block, name: str) -> str:
    return f"{block.id}.{name}"


# -- Da Za + Db Zb + W = 0 -----------------------------------------------------------------------------------------


def _two_directions(block: Block, pose: Pose, arms: Arms) -> LinearSolve:
    """Intersection of two circles: with r = 1/|W|^2,  Da = W (alpha + i beta) / |Za|,  beta = +-sqrt(r - alpha^2).

    alpha = ((b^2 - a^2) r - 1) / (2 a) with a = |Za|, b = |Zb|. The pivot is the height of the triangle over |W|.
    """
    builder = pose.builder
    first, second = (unknown.name for unknown in block.unknowns)
    if not _in_root_axes(pose, arms.turning[first]).is_constant:
        first, second = second, first
    za, zb = (_in_root_axes(pose, arms.turning[root]) for root in (first, second))
    known = pose.sum(arms.known)
    a2 = _squared(pose, arms.turning[first], za, in_root=True)
    b2 = _squared(pose, arms.turning[second], zb, in_root=True)
    a, b = pose.scope.root(a2.value()), pose.scope.root(b2.value()) if b2.is_fixed else None
    threshold = PIVOT_THRESHOLD[builder.precision]
    with builder.serving(_label(block, "1")):
        builder.step(_label(block, "1"), f"distance across the loop '{block.closure.name}'")
        reciprocal = _reciprocal_square(pose, arms, known, a, threshold)
        alpha = _alpha(builder, a, a2, b2, reciprocal)
    with builder.serving(_label(block, "2")):
        builder.step(_label(block, "2"), _branch_text(block, "height of the triangle over it"))
        radicand = reciprocal - alpha * alpha
        scale = _rounding_scale(a, b)
        beta = builder.sqrt(clamped_radicand(builder, radicand, scale / (a.constant or 1) ** 2, _reach(block)))
        signed = beta if block.sign > 0 else -beta
    with builder.serving(_label(block, "3")):
        builder.step(_label(block, "3"), f"direction of {first}")
        root_a = known * Complex(alpha, signed) * unit_of(za.conjugate(), a)
        pose.root[first] = root_a
        arm_a = root_a * za
        _keep_arms(pose, arms.turning[first], arm_a)
    with builder.serving(_label(block, "4")):
        builder.step(_label(block, "4"), f"direction of {second}")
        arm_b = -(known + arm_a)
        pose.root[second] = arm_b * _inverse(pose, zb, b2)
        _keep_arms(pose, arms.turning[second], arm_b)
    pose.margins.append(Margin(block.id, "margin", radicand * (a * a), _reach(block)))
    pose.margins.append(Margin(block.id, "pivot", beta * a, f"height over distance in loop '{block.closure.name}'"))
    swapped = first != block.unknowns[0].name

    def inverse_pivot() -> Value:
        height = positive_pivot(builder, beta, _over(builder, threshold, a), _near(block))
        magnitude = (reciprocal / a) / height
        return magnitude if block.sign > 0 else -magnitude

    def solve(rest: Complex) -> Rates:
        inverse = inverse_pivot()
        rate_a, rate_b = -(arm_b.dot(rest) * inverse), arm_a.dot(rest) * inverse
        return (rate_b, rate_a) if swapped else (rate_a, rate_b)

    return LinearSolve(block, solve)


def _over(builder: Builder, threshold: Fraction, length: Value) -> Value:
    return builder.real(threshold) / length


def _reciprocal_square(pose: Pose, arms: Arms, known: Complex, a: Value, threshold: Fraction) -> Value:
    """1 / |W|^2, guarded unless the lengths keep it away from zero."""
    distance = _squared(pose, arms.known, known, in_root=False)
    square = distance.value()
    if not (distance.is_positive or square.constant):
        limit = a * a * (threshold * threshold)
        square = positive_pivot(pose.builder, square, limit, "two pivots of a loop coincide", condition="GUARD_SMALL")
    return 1 / square


def _alpha(builder: Builder, a: Value, a2: Affine, b2: Affine, reciprocal: Value) -> Value:
    """((b^2 - a^2) r - 1) / (2 a)."""
    half = 1 / (2 * a)
    difference = b2.minus(a2)
    if difference is None:
        return (b2.value() - a2.value()) * (reciprocal * half) - half
    if reciprocal.constant is not None:
        return difference.times(reciprocal * half).plus(-half).value()
    return difference.times(half).value() * reciprocal - half


def _inverse(pose: Pose, vector: Complex, square: Affine) -> Complex:
    """1 / vector."""
    value = square.value()
    if value.constant is None and not square.is_positive:
        size = sum((abs(part.constant or Fraction(1)) for part in (vector.re, vector.im)), Fraction(0))
        threshold = PIVOT_THRESHOLD[pose.builder.precision] ** 2 * size**2
        value = positive_pivot(pose.builder, value, threshold, "an arm has no length", condition="GUARD_SMALL")
    return unit_of(vector.conjugate(), value)


def _rounding_scale(a: Value, b: Value | None) -> Fraction:
    """How large the two terms of beta^2 |W|^2 get at the edges of the workspace: a^2 / (a - b)^2, at least 1."""
    long, short = a.constant, None if b is None else b.constant
    if long is None or short is None or long == short:
        return Fraction(4)
    return max(Fraction(1), (long / (long - short)) ** 2)


# -- Da Za + s t + W = 0 -------------------------------------------------------------------------------------------


def _direction_and_slide(block: Block, pose: Pose, arms: Arms) -> LinearSolve:
    """Circle and line: across t, a sin = -t x W; along t, s = -(a cos + t.W). The pivot is cos."""
    builder = pose.builder
    (root, terms), (slide, rail) = next(iter(arms.turning.items())), next(iter(arms.sliding.items()))
    arm = _in_root_axes(pose, terms)
    a2 = _squared(pose, terms, arm, in_root=True)
    a = pose.scope.root(a2.value())
    track = pose.carrier(rail)
    with builder.serving(_label(block, "1")):
        builder.step(_label(block, "1"), f"direction of {root} across the slide, loop '{block.closure.name}'")
        known = track.conjugate() * pose.sum(arms.known)
        across = -known.im
        sine = across * (1 / a) if a2.is_fixed else across / a
    with builder.serving(_label(block, "2")):
        builder.step(_label(block, "2"), _branch_text(block, f"direction of {root} along the slide"))
        radicand = 1 - sine * sine
        cosine = builder.sqrt(clamped_radicand(builder, radicand, 1, _reach(block)))
        along = a * cosine
        signed = along if block.sign > 0 else -along
        pose.root[root] = Complex(cosine if block.sign > 0 else -cosine, sine) * track * unit_of(arm.conjugate(), a)
        moving = Complex(signed, across)
        _keep_arms(pose, terms, moving * track)
    with builder.serving(_label(block, "3")):
        builder.step(_label(block, "3"), f"{slide} along the slide")
        pose.slide[slide] = -(signed + known.re)
    pose.margins.append(Margin(block.id, "margin", radicand, _reach(block)))
    pose.margins.append(Margin(block.id, "pivot", cosine, f"cosine of the angle to the slide, '{block.closure.name}'"))
    threshold = a * PIVOT_THRESHOLD[builder.precision]

    def solve(rest: Complex) -> Rates:
        magnitude = positive_pivot(builder, along, threshold, _near(block))
        pivot = magnitude if block.sign > 0 else -magnitude
        turned = track.conjugate() * rest
        rate = -(turned.im / pivot)
        slide_rate = rate * across - turned.re
        return (rate, slide_rate) if block.unknowns[0].kind == "direction" else (slide_rate, rate)

    return LinearSolve(block, solve)


# -- Da (s e + Za) + W = 0 -----------------------------------------------------------------------------------------


def _slide_on_direction(block: Block, pose: Pose, arms: Arms) -> LinearSolve:
    """A slide on a turning body: with p + i q = Za / e,  (s + p)^2 = |W|^2 - q^2,  Da = -W / (e (s + p + i q))."""
    builder = pose.builder
    (root, terms), (slide, rail) = next(iter(arms.turning.items())), next(iter(arms.sliding.items()))
    edge = pose.turned(rail.body) * pose.local(rail)
    offset = edge.conjugate() * _in_root_axes(pose, terms)
    known = pose.sum(arms.known)
    distance = _squared(pose, arms.known, known, in_root=False)
    length = _length_scale(pose, block)
    threshold = PIVOT_THRESHOLD[builder.precision]
    with builder.serving(_label(block, "1")):
        builder.step(_label(block, "1"), _branch_text(block, f"{slide} from the distance, loop '{block.closure.name}'"))
        square = distance.value()
        radicand = square - offset.im * offset.im
        scale = _squared_scale(length)
        height = builder.sqrt(clamped_radicand(builder, radicand, scale, _reach(block)))
        signed = height if block.sign > 0 else -height
        pose.slide[slide] = signed - offset.re
    with builder.serving(_label(block, "2")):
        builder.step(_label(block, "2"), f"direction of {root}")
        safe = square
        if not (distance.is_positive or square.constant):
            limit = length * length * (threshold * threshold)
            safe = positive_pivot(builder, square, limit, "two pivots of a loop coincide", condition="GUARD_SMALL")
        arm = Complex(signed, offset.im)
        pose.root[root] = -(known * arm.conjugate() * edge.conjugate()).scaled(1 / safe)
    pose.margins.append(Margin(block.id, "margin", radicand / (length * length), _reach(block)))
    pose.margins.append(Margin(block.id, "pivot", height / length, f"slide's lever in loop '{block.closure.name}'"))

    def solve(rest: Complex) -> Rates:
        magnitude = positive_pivot(builder, height, length * threshold, _near(block))
        pivot = magnitude if block.sign > 0 else -magnitude
        turned = (pose.root[root] * edge).conjugate() * rest
        rate = -(turned.im / pivot)
        slide_rate = rate * offset.im - turned.re
        return (rate, slide_rate) if block.unknowns[0].kind == "direction" else (slide_rate, rate)

    return LinearSolve(block, solve)


def _length_scale(pose: Pose, block: Block) -> Value:
    """The longest constant vector of a closure, from nominal parameters."""
    longest = pose.builder.real(0)
    for term in block.closure.terms:
        if not term.slide:
            square = pose.local(term).squared()
            if square.constant is None:
                return pose.scope.root(square)
            candidate = pose.scope.root(square)
            if (candidate.constant or 0) > (longest.constant or 0):
                longest = candidate
    return longest if longest.constant else pose.builder.real(1)


def _squared_scale(length: Value) -> Fraction:
    return (length.constant or Fraction(1)) ** 2


# -- s1 t1 + s2 t2 + W = 0 -----------------------------------------------------------------------------------------


def _two_slides(block: Block, pose: Pose, arms: Arms) -> LinearSolve:
    """Two lines: s1 = -(t2 x W) / (t2 x t1),  s2 = -(t1 x W) / (t1 x t2)."""
    builder = pose.builder
    (first, rail_a), (second, rail_b) = arms.sliding.items()
    track_a, track_b = pose.carrier(rail_a), pose.carrier(rail_b)
    known = pose.sum(arms.known)
    threshold = PIVOT_THRESHOLD[builder.precision]
    with builder.serving(_label(block, "1")):
        builder.step(_label(block, "1"), f"{first} and {second} where two lines meet, loop '{block.closure.name}'")
        pivot = track_a.cross(track_b)
        inverse = 1 / signed_pivot(builder, pivot, threshold, _near(block))
        pose.slide[first], pose.slide[second] = _cramer(track_a, track_b, known, inverse)
    pose.margins.append(Margin(block.id, "pivot", pivot, f"sine between the slides of loop '{block.closure.name}'"))
    if pivot.constant == 0:
        raise ModelError(
            f"{pose.form.mechanism.name}: the slides {first} and {second} are parallel, so the loop "
            f"'{block.closure.name}' does not determine both; make one of them independent"
        )
    return LinearSolve(block, lambda rest: _cramer(track_a, track_b, rest, inverse))


def _cramer(track_a: Complex, track_b: Complex, rest: Complex, inverse: Value) -> Rates:
    return track_b.cross(rest) * inverse, -(track_a.cross(rest) * inverse)


# -- words ---------------------------------------------------------------------------------------------------------


def _branch_text(block: Block, what: str) -> str:
    name = f" '{block.branch}'" if block.branch else ""
    return f"{what}, branch{name} ({'+' if block.sign > 0 else '-'})"


def _reach(block: Block) -> str:
    return f"the loop '{block.closure.name}' cannot be assembled"


def _near(block: Block) -> str:
    return f"the pivot of loop '{block.closure.name}' is below its threshold"


def unknown_text(unknown: Unknown) -> str:
    """How a report names an unknown."""
    return f"direction of {unknown.name}" if unknown.kind == "direction" else unknown.name
