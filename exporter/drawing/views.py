"""The fixed directions from which a mechanism in space is drawn, given in axes of the ground with z up.

front: from -y, x to the right and z up. side: from +x, y to the right and z up. top: from +z, x to the right and y up.
iso: from (1, -1, 1), z up, x to the right and down, y to the right and up, all three shortened alike. iso_left: from
(-1, -1, 1). `upright` turns mechanisms whose files have another axis up.
"""

import math
from collections.abc import Sequence
from typing import Literal, get_args

Name = Literal["iso", "iso_left", "top", "front", "side"]
NAMES: tuple[Name, ...] = get_args(Name)
Row = tuple[float, float, float]

_HALF, _SIXTH = math.sqrt(1 / 2), math.sqrt(1 / 6)
_ROWS: dict[Name, tuple[Row, Row]] = {  # to the right, up
    "iso": ((_HALF, _HALF, 0), (-_SIXTH, _SIXTH, 2 * _SIXTH)),
    "iso_left": ((_HALF, -_HALF, 0), (_SIXTH, _SIXTH, 2 * _SIXTH)),
    "front": ((1, 0, 0), (0, 0, 1)),
    "side": ((0, 1, 0), (0, 0, 1)),
    "top": ((1, 0, 0), (0, 1, 0)),
}


def seen(view: Name, point: Sequence[float]) -> tuple[float, float]:
    """A point or a vector of ground axes, to the right and up, to nine decimals."""
    right, up = (sum(a * b for a, b in zip(row, point, strict=True)) for row in _ROWS[view])
    return round(right, 9) + 0.0, round(up, 9) + 0.0


def towards_eye(view: Name) -> Row:
    """The direction to whoever looks, to the right, to the back and up, of no certain length."""
    (a, b, c), (d, e, f) = _ROWS[view]
    return (b * f - c * e, c * d - a * f, a * e - b * d)
