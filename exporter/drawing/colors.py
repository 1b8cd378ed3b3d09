"""Colours of pictures."""

COLORS = ("#2f6db3", "#c0562f", "#3b8f5a", "#8250a8", "#a3822a", "#b33f6d")
LOAD, ELEMENT, DRIVER = "#b3261e", "#333333", "#00807a"


def color(number: int) -> str:
    """The colour of the number-th body or curve."""
    return COLORS[number % len(COLORS)]
