"""Numbers in messages, with as many digits as they need: a value stays apart from a bound that it misses by little."""

from fractions import Fraction


def digits(value: Fraction | float) -> str:
    """The fewest digits that read back as this number of its type (numpy's float32 too): 0.3, 90, 3.4000000000000004.

    A fraction is told as the nearest float64.
    """
    return str(float(value) if isinstance(value, Fraction) else value).removesuffix(".0")
