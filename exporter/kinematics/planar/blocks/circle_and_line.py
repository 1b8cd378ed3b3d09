"""Da Za + s t + W = 0 with a known direction t: an unknown direction and a displacement, a circle and a line.

Across t:  a sin = -t x W.  Along t:  s = -(a cos + t.W),  cos = +-sqrt(1 - sin^2). The pivot is cos.
"""

from exporter.kinematics.planar.blocks.arms import (
    Arms,
    LinearSolve,
    Rates,
    branch_text,
    in_root_axes,
    in_unknown_order,
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
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.protocol.limits import FOLD_THRESHOLD
from exporter.kinematics.protocol.margins import Margin
from exporter.sequence.guards import clamped_radicand, positive_pivot


def circle_and_line(block: Block, pose: Pose, arms: Arms) -> LinearSolve:
    """Write the direction, then the displacement."""
    builder = pose.builder
    (root, terms), (slide, rail) = next(iter(arms.turning.items())), next(iter(arms.sliding.items()))
    arm, track = in_root_axes(pose, terms), pose.carrier(rail)
    square = squared(pose, terms, arm, in_root=True)
    length = pose.scope.root(square.value())
    with builder.step(label(block, "1"), f"direction of {root} across the slide, loop '{block.closure.name}'"):
        known = track.conjugate() * pose.sum(arms.known)
        across = -known.im
        sine = across * (1 / length) if square.is_fixed else across / length
    with builder.step(label(block, "2"), branch_text(pose, block, f"direction of {root} along the slide")):
        radicand = 1 - sine * sine
        cosine = builder.sqrt(clamped_radicand(builder, radicand, 1, workspace_text(block)))
        along = length * cosine
        turned = Complex(signed_magnitude(pose, block, cosine), sine) * unit_of(arm.conjugate(), length)
        pose.root[root] = limitable_direction(block, turned * track)
        keep_arms(pose, terms, Complex(signed_magnitude(pose, block, along), across) * track)
    with builder.step(label(block, "3"), f"{slide} along the slide"):
        pose.slide[slide] = -(signed_magnitude(pose, block, along) + known.re)
    about = margin_text(block, "squared cosine of the angle to the slide")
    pose.margins.append(Margin(block.id, "margin", radicand, about))
    pose.margins.append(Margin(block.id, "pivot", cosine, f"cosine of the angle to the slide, '{block.closure.name}'"))
    threshold = length * FOLD_THRESHOLD[builder.precision]

    def solve(rest: Complex) -> Rates:
        pivot = signed_magnitude(pose, block, positive_pivot(builder, along, threshold, singularity_text(block)))
        in_track_axes = track.conjugate() * rest
        rate = -(in_track_axes.im / pivot)
        return in_unknown_order(block, rate, rate * across - in_track_axes.re)

    return LinearSolve(block, solve)
