"""How fast the sought coordinates can get while the given ones keep the bounds that the mechanism declares.

In: a probe and configurations over the ranges. Out: `MotionLimits`. Beyond them the given coordinates do not
drive the mechanism, and within them the export is proven finite: the smaller they are, the more is proven.
"""

from fractions import Fraction

import numpy as np

from exporter.kinematics.exchanged.following import Array, Probe, transferred
from exporter.kinematics.exchanged.form import MotionLimits

RATE_MARGIN = 4  # of the largest rates that were found, for those in between
LEAST_LIMIT = 1e-3  # limit of what does not move at all
CURVATURE_MARGIN = 64  # of rates squared and transferred accelerations, for the curvature of what was found


def limits_of(probe: Probe, rows: Array, targets: Array) -> MotionLimits:
    """The limits over these rows (m, g) of the sought coordinates, at targets (m, f)."""
    exchange = probe.exchange
    ranges = {name: exchange.mechanism.ranges[name] for name in exchange.mechanism.independent}
    rates = transferred(probe, rows, targets, {name: float(each.rate or 0) for name, each in ranges.items()})
    moved = {name: float(each.acceleration or 0) for name, each in ranges.items()}
    units = np.array([float(exchange.unit(name)) for name in exchange.sought])
    accelerations = transferred(probe, rows, targets, moved) + rates * float((rates / units).max())
    return MotionLimits(_round_limits(RATE_MARGIN * rates), _round_limits(CURVATURE_MARGIN * accelerations))


def _round_limits(sizes: Array) -> tuple[Fraction, ...]:
    return tuple(Fraction(f"{max(size, LEAST_LIMIT):.2g}") for size in sizes)
