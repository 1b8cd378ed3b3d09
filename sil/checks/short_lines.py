"""Where an export has to flag an angle of a direction: too little of the direction is left to tell the angle from.

In: a case, rows and the reference's pose there. Out: whether an angle that the function gives is so, for each row. The
limits are those of the table in docs/c-interface.md, by the reference's own lengths.
"""

import numpy as np
from numpy.typing import NDArray

from exporter.model.mechanism import AngleOutput
from sil.checks.mechanism_case import Case
from sil.reference.angles import AngleMotion, angle_motion, is_elevation, is_fixed, nominal_scale
from sil.reference.motion import Configuration
from sil.reference.rotations import Array

LENGTH_LIMIT_FACTOR = 2.0
"""Lengths are this near to the limit where rounding, of some eps over a limit of 1000 eps and more, may decide."""


def short_lines(case: Case, at: Configuration) -> NDArray[np.bool_]:
    """Rows of a pose (rows, c) where an angle among all outputs has next to no line, or its line is not seen."""
    skeleton = case.reference.skeleton
    short = np.zeros(len(at.values), dtype=np.bool_)
    still = np.zeros_like(at.values)
    for name, wanted in skeleton.mechanism.angles.items():
        limit = LENGTH_LIMIT_FACTOR * case.evidence.limits.pivot * nominal_scale(skeleton.mechanism, wanted)
        motion = angle_motion(skeleton, wanted, at, still, still)
        for length in _divisor_lengths(case, name, wanted, motion):
            short |= ~(length >= limit)
    return short


def _divisor_lengths(case: Case, name: str, wanted: AngleOutput, motion: AngleMotion) -> list[Array]:
    """Lengths that the function divides by: an elevation has a value at a right angle too, but no rate there.

    It flags them whether or not the angle is among the outputs that are chosen.
    """
    given = {*case.outputs.others, *case.left_out.others}
    moves = f"{name}.rate" in given or f"{name}.acceleration" in given
    if not is_elevation(wanted):
        return [motion.visible] if moves or name in given else []
    lines = [motion.line] if not is_fixed(wanted) and (moves or name in given) else []
    return [*lines, motion.visible] if moves else lines
