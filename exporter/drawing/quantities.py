"""Values in the units of drawings: degrees, and millimetres where things are small."""

import math

METRES_FROM = 1.0  # of the size: lengths of larger things are in m
DIGITS = 4


def angle_text(value: float) -> str:
    """An angle (rad) in degrees."""
    return f"{_number(math.degrees(value))}°"


def length_text(value: float, size: float) -> str:
    """A length (m) of a thing of that size (m), in mm or m."""
    return f"{_number(value)} m" if size >= METRES_FROM else f"{_number(value * 1000)} mm"


def _number(value: float) -> str:
    return f"{round(value, 6) + 0.0:.{DIGITS}g}"
