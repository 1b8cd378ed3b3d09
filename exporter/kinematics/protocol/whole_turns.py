"""An angle with its whole turns, from cosine and sine, within half a turn of where it is at the design pose."""

import math
from fractions import Fraction

from exporter.kinematics.protocol.frames import FULL_TURN
from exporter.sequence.builder import Value


def near_center(cosine: Value, sine: Value, center: float) -> Value:
    """The angle of a pair, rad, within half a turn of a center, rad."""
    turned = Fraction(math.cos(center)), Fraction(math.sin(center))
    nearest = math.atan2(turned[1], turned[0])
    return (
        cosine.builder.atan2(sine * turned[0] - cosine * turned[1], cosine * turned[0] + sine * turned[1])
        + Fraction(nearest)
        + round((center - nearest) / math.tau) * FULL_TURN
    )
