"""Numbers as people write them: 10,000 instead of 1e+04, and words where there is no number."""

import math

NO_MEASUREMENT = "no measurement"
WHOLE_BELOW = 1e15
"""A float below this shows every digit of its whole part."""


def figure(value: float) -> str:
    """Three significant digits; whole numbers in full, with commas; words for NaN and infinity."""
    if math.isnan(value):
        return NO_MEASUREMENT
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinite"
    if abs(value) < WHOLE_BELOW and (value == int(value) or abs(value) >= 999.5):
        return f"{value + 0.0:,.0f}"
    return f"{value:.3g}"


def count_text(number: int, what: str) -> str:
    """A count with its noun: 1 vector, 2,000 vectors."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
