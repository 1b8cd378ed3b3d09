"""Da Za + Db Zb + W = 0 by its characteristic pair: the distance equation of the loop first, as A cos + B sin = C.

|W + Da Za| = b gives  Re(conj(U) Da) = C  with  U = A + i B = W conj(Za),  C = (b^2 - a^2 - |W|^2) / 2, so with
h = 1 / |U|^2  Da = U (C h +- i sqrt(h - (C h)^2)),  then  Db = -(W + Da Za) / Zb. Instead of `two_circles`; the form
of Blajer, Schiehlen & Schirm 1992, eqs (17) and (18), and of the characteristic pairs in Uchida 2011, chapter 4.
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
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.protocol.limits import FOLD_THRESHOLD
from exporter.kinematics.protocol.margins import Margin
from exporter.sequence.guards import clamped_radicand, positive_pivot

HALF = Fraction(1, 2)


def characteristic_pair(block: Block, pose: Pose, arms: Arms) -> LinearSolve:
    """Write both directions."""
    builder = pose.builder
    first, second = (unknown.name for unknown in block.unknowns)
    za, zb = in_root_axes(pose, arms.turning[first]), in_root_axes(pose, arms.turning[second])
    a2 = squared(pose, arms.turning[first], za, in_root=True)
    b2 = squared(pose, arms.turning[second], zb, in_root=True)
    a, b = pose.scope.root(a2.value()), pose.scope.root(b2.value())
    known = pose.sum(arms.known)
    with builder.step(label(block, "1"), f"distance equation A cos + B sin = C of loop '{block.closure.name}'"):
        sides = known * za.conjugate()
        distance = squared(pose, arms.known, known, in_root=False)
        constant = HALF * (b2.value() - a2.value()) - HALF * distance.value()
        square = a2.value() * away_from_zero(pose, distance, distance.value(), a)
        inverse = 1 / away_from_zero(pose, a2, square, a * a)
    with builder.step(label(block, "2"), branch_text(pose, block, f"direction of {first} by its quadratic")):
        along = constant * inverse
        radicand = inverse - along * along
        scale = _rounding_scale(a.constant, b.constant)
        across = builder.sqrt(clamped_radicand(builder, radicand, scale, workspace_text(block)))
        pose.root[first] = limitable_direction(block, sides * Complex(along, signed_magnitude(pose, block, across)))
        arm_a = pose.root[first] * za
        keep_arms(pose, arms.turning[first], arm_a)
    with builder.step(label(block, "3"), f"direction of {second}, back-substituted"):
        arm_b = -(known + arm_a)
        inverse_b = unit_of(zb.conjugate(), away_from_zero(pose, b2, b2.value(), a))
        pose.root[second] = limitable_direction(block, arm_b * inverse_b)
        keep_arms(pose, arms.turning[second], arm_b)
    about = margin_text(block, "1 - C^2 / (A^2 + B^2) of the distance equation")
    pose.margins.append(Margin(block.id, "margin", radicand * square, about))
    between = f"sine between the arms of loop '{block.closure.name}'"
    pose.margins.append(Margin(block.id, "pivot", across * square / (a * b), between))
    threshold = a * b * FOLD_THRESHOLD[builder.precision]

    def solve(rest: Complex) -> Rates:
        """W x arm_a is |U|^2 times the root, with the branch's sign."""
        pivot = signed_magnitude(
            pose, block, 1 / positive_pivot(builder, across * square, threshold, singularity_text(block))
        )
        return -(arm_b.dot(rest) * pivot), arm_a.dot(rest) * pivot

    return LinearSolve(block, solve)


def _rounding_scale(a: Fraction | None, b: Fraction | None) -> Fraction:
    """How large 1 / |U|^2 gets at the edges of the workspace: 1 / (a (a - b))^2, at least 1."""
    if a is None or b is None or a == b:
        return Fraction(4)
    return max(Fraction(1), 1 / (a * (a - b)) ** 2)
