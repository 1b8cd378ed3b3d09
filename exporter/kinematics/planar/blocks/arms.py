"""What the blocks share: the arms of a closure, the linear solve that rates use, thresholds, words for a report.

A closure is the sum of one arm for every unknown and the known vector W. a.b is the scalar product of two plane
vectors and a x b the normal component of their vector product.
"""

from collections.abc import Callable
from fractions import Fraction

from exporter.errors import ZeroPivot
from exporter.kinematics.planar.complex_value import Complex, real
from exporter.kinematics.planar.form import Block
from exporter.kinematics.planar.lengths import Affine, plain, squared_length
from exporter.kinematics.planar.plane import Term
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.protocol.limits import PIVOT_THRESHOLD
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import SMALLEST_PART, limitable, positive_pivot

LARGEST_PART = Fraction(2)
"""Limit of the parts of a unit vector, where they are limited."""

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


def in_root_axes(pose: Pose, terms: tuple[Term, ...]) -> Complex:
    """The vector that turns with an unknown root, in that root's axes."""
    total = real(pose.builder, 0)
    for term in terms:
        vector = pose.turned(term.body) * pose.local(term)
        total = total + (vector.scaled(pose.slide[term.slide]) if term.slide else vector)
    return total


def squared(pose: Pose, terms: tuple[Term, ...], total: Complex, *, in_root: bool) -> Affine:
    """|sum of terms|^2, by the law of cosines where nothing slides."""
    if any(term.slide for term in terms):
        return plain(total.squared())
    parts = [(pose.turned(term.body) if in_root else pose.unit(term.body), pose.local(term)) for term in terms]
    return squared_length(parts, total)


def keep_arms(pose: Pose, terms: tuple[Term, ...], total: Complex) -> None:
    """Remember the moving vector of an arm that is a single term."""
    if len(terms) == 1:
        pose.arms[terms[0]] = total


def away_from_zero(pose: Pose, distance: Affine, square: Value, length: Value) -> Value:
    """|W|^2 for dividing by: guarded unless the lengths keep it away from zero.

    By the law of cosines it is a difference, and judged against what it is the difference of; else against `length`.

    Raises:
        ZeroPivot: it is zero in every pose.
    """
    if distance.is_positive or square.constant:
        return square
    if square.constant is not None:
        mechanism = pose.form.mechanism
        raise ZeroPivot(
            f"{mechanism.name}: {', '.join(mechanism.independent)} cannot drive the mechanism: two joints of a loop "
            "coincide in every pose"
        )
    precision = pose.builder.precision
    if distance.offset.constant == 0:
        limit = length * length * PIVOT_THRESHOLD[precision] ** 2
    else:
        limit = distance.offset * SMALLEST_PART[precision]
    return positive_pivot(pose.builder, square, limit, "two joints of a loop coincide", condition="GUARD_SMALL")


def limitable_direction(block: Block, direction: Complex) -> Complex:
    """A direction, whose parts a proof may limit: then a cascade of loops cannot overflow."""
    builder = direction.re.builder
    parts = [limitable(builder, part, LARGEST_PART, workspace_text(block)) for part in (direction.re, direction.im)]
    return Complex(parts[0], parts[1])


def signed_magnitude(pose: Pose, block: Block, magnitude: Value) -> Value:
    """The magnitude with the sign of the block's branch: frozen, or a value of the sequence."""
    if block.id in pose.sign:
        return magnitude * pose.sign[block.id]
    return magnitude if block.sign > 0 else -magnitude


def in_unknown_order(block: Block, direction_rate: Value, slide_rate: Value) -> Rates:
    """The rates of a direction and a displacement in the order of the block's unknowns."""
    return (direction_rate, slide_rate) if block.unknowns[0].kind == "direction" else (slide_rate, direction_rate)


def label(block: Block, name: str) -> str:
    """Id of an equation of the block."""
    return f"{block.id}.{name}"


def branch_text(pose: Pose, block: Block, what: str) -> str:
    """A step's text with the branch that it takes."""
    if block.id in pose.sign:
        return f"{what}, branch by the state"
    name = f" '{block.branch}'" if block.branch else ""
    return f"{what}, branch{name} ({'+' if block.sign > 0 else '-'})"


def workspace_text(block: Block) -> str:
    """What OUT_OF_WORKSPACE means here."""
    return f"the loop '{block.closure.name}' cannot be assembled"


def margin_text(block: Block, quantity: str) -> str:
    """What the margin of a block is, and what its sign tells."""
    return f"{quantity} in loop '{block.closure.name}'; below 0 it comes apart"


def singularity_text(block: Block) -> str:
    """What NEAR_SINGULAR means here."""
    return f"the pivot of loop '{block.closure.name}' is below its threshold"
