"""Da (s e + Za) + W = 0: a displacement along an unknown direction, a slide on a turning body.

With p + i q = conj(e) Za:  (s + p)^2 = |W|^2 - q^2,  Da = -W / (e (s + p + i q)). The pivot is s + p over a length.
"""

from fractions import Fraction

from exporter.kinematics.planar.blocks.arms import (
    Arms,
    LinearSolve,
    Rates,
    away_from_zero,
    branch_text,
    in_root_axes,
    in_unknown_order,
    label,
    limitable_direction,
    margin_text,
    signed_magnitude,
    singularity_text,
    squared,
    workspace_text,
)
from exporter.kinematics.planar.complex_value import Complex
from exporter.kinematics.planar.form import Block
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.protocol.limits import FOLD_THRESHOLD
from exporter.kinematics.protocol.margins import Margin
from exporter.sequence.builder import Value
from exporter.sequence.guards import clamped_radicand, positive_pivot


def turning_slide(block: Block, pose: Pose, arms: Arms) -> LinearSolve:
    """Write the displacement, then the direction."""
    builder = pose.builder
    (root, terms), (slide, rail) = next(iter(arms.turning.items())), next(iter(arms.sliding.items()))
    edge = pose.turned(rail.body) * pose.local(rail)
    offset = edge.conjugate() * in_root_axes(pose, terms)
    known = pose.sum(arms.known)
    length = _length_scale(pose, block)
    from_distance = branch_text(pose, block, f"{slide} from the distance, loop '{block.closure.name}'")
    with builder.step(label(block, "1"), from_distance):
        distance = squared(pose, arms.known, known, in_root=False)
        square = distance.value()
        arm = offset.im * offset.im
        radicand = square - arm
        height = builder.sqrt(clamped_radicand(builder, radicand, arm, workspace_text(block)))
        lever = Complex(signed_magnitude(pose, block, height), offset.im)
        pose.slide[slide] = lever.re - offset.re
    with builder.step(label(block, "2"), f"direction of {root}"):
        inverse = 1 / away_from_zero(pose, distance, square, length)
        pose.root[root] = limitable_direction(block, -(known * lever.conjugate() * edge.conjugate()).scaled(inverse))
    about = margin_text(block, "squared lever of the slide over the squared length")
    pose.margins.append(Margin(block.id, "margin", radicand / (length * length), about))
    pose.margins.append(Margin(block.id, "pivot", height / length, f"lever of the slide, '{block.closure.name}'"))
    threshold = length * FOLD_THRESHOLD[builder.precision]

    def solve(rest: Complex) -> Rates:
        pivot = signed_magnitude(pose, block, positive_pivot(builder, height, threshold, singularity_text(block)))
        in_track_axes = (pose.root[root] * edge).conjugate() * rest
        rate = -(in_track_axes.im / pivot)
        return in_unknown_order(block, rate, rate * lever.im - in_track_axes.re)

    return LinearSolve(block, solve)


def _length_scale(pose: Pose, block: Block) -> Value:
    """The longest constant vector of the closure, of tunable ones the root of all squares; 1 m where it has none."""
    squares = [pose.local(term).squared() for term in block.closure.terms if not term.slide]
    constants = [square.constant for square in squares if square.constant is not None]
    if len(constants) == len(squares):
        longest = max(constants, default=Fraction(0)) or Fraction(1)
        return pose.scope.root(pose.builder.real(longest))
    return pose.scope.root(sum(squares[1:], squares[0]))
