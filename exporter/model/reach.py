"""The part of a coordinate's range that has to be looked at: everything repeats after a turn, but for couplings.

In: a Mechanism and an independent coordinate. Out: two ends.
"""

from math import pi

from exporter.model.mechanism import Mechanism
from exporter.model.wrapping import is_wrapped


def reach_of(mechanism: Mechanism, name: str) -> tuple[float, float]:
    """The range of an independent coordinate, m or rad; of an angle that may turn freely one turn.

    That turn lies as evenly about the design pose as the range allows.
    """
    bounds, design = mechanism.ranges[name], float(mechanism.pose[name])
    low, high = float(bounds.minimum), float(bounds.maximum)
    if mechanism.is_displacement(name) or high - low <= 2 * pi:
        return low, high
    if name in mechanism.coupled() and not is_wrapped(mechanism, name):
        return low, high
    start = min(max(low, design - pi), high - 2 * pi)
    return start, start + 2 * pi
