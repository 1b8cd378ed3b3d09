"""s1 t1 + s2 t2 + W = 0 with known directions: two displacements, where two lines meet.

s1 = (t2 x W) / (t1 x t2),  s2 = -(t1 x W) / (t1 x t2). The pivot is t1 x t2; there is one solution.
"""

from exporter.errors import ZeroPivot
from exporter.kinematics.planar.blocks.arms import Arms, LinearSolve, Rates, label, singularity_text
from exporter.kinematics.planar.complex_value import Complex
from exporter.kinematics.planar.form import Block
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.protocol.limits import PIVOT_THRESHOLD
from exporter.kinematics.protocol.margins import Margin
from exporter.sequence.builder import Value
from exporter.sequence.guards import signed_pivot


def two_lines(block: Block, pose: Pose, arms: Arms) -> LinearSolve:
    """Write both displacements.

    Raises:
        ZeroPivot: the lines are parallel in every pose.
    """
    builder = pose.builder
    (first, rail_a), (second, rail_b) = arms.sliding.items()
    track_a, track_b = pose.carrier(rail_a), pose.carrier(rail_b)
    pivot = track_a.cross(track_b)
    if pivot.constant == 0:
        raise ZeroPivot(
            f"{pose.form.mechanism.name}: the slides {first} and {second} are parallel, so the loop "
            f"'{block.closure.name}' does not determine both"
        )
    with builder.step(label(block, "1"), f"{first} and {second} where two lines meet, loop '{block.closure.name}'"):
        inverse = 1 / signed_pivot(builder, pivot, PIVOT_THRESHOLD[builder.precision], singularity_text(block))
        pose.slide[first], pose.slide[second] = _cramer(track_a, track_b, pose.sum(arms.known), inverse)
    pose.margins.append(Margin(block.id, "pivot", pivot, f"sine between the slides of loop '{block.closure.name}'"))
    return LinearSolve(block, lambda rest: _cramer(track_a, track_b, rest, inverse))


def _cramer(track_a: Complex, track_b: Complex, rest: Complex, inverse: Value) -> Rates:
    return track_b.cross(rest) * inverse, -(track_a.cross(rest) * inverse)
