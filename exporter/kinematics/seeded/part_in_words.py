"""What is said of an export that reaches a part of its ranges: how much, what comes elsewhere, ranges to copy.

In: a Mechanism, the share of its ranges that is reached and the ends of a box that is reached wholly. Out: a note.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor, log10

from exporter.model.mechanism import Mechanism

WHOLLY_REACHED = "Wholly reached"  # begins what a note says of ranges
LEAST_SHARE = 0.2  # of the ranges, that is of use
DIGITS = 2  # of a range, from the design pose
Ends = Mapping[str, float]
"""Ends of ranges by name, SI units."""


def part_in_words(mechanism: Mechanism, share: float, low: Ends, high: Ends) -> str:
    """The note; the ends are of independent coordinates, rad and m."""
    return (
        f"{share:.0%} of the ranges of {', '.join(low)} is reached from the design pose, clear of singular poses; "
        "elsewhere OUT_OF_WORKSPACE, NEAR_SINGULAR or RESIDUAL_HIGH is set. "
        f"{WHOLLY_REACHED}: {_ranges_in_words(mechanism, low, high)}"
    )


def parameters_in_words(mechanism: Mechanism, share: float, low: Ends, high: Ends) -> str:
    """That tunable parameters have ranges over which next to nothing is reached; the ends are of these."""
    return (
        f"over the {'range' if len(low) == 1 else 'ranges'} of {', '.join(low)}, {share:.0%} of the places come "
        f"without a flag. No more flags than at nominal values: {_ranges_in_words(mechanism, low, high)}"
    )


def _ranges_in_words(mechanism: Mechanism, low: Ends, high: Ends) -> str:
    return ", ".join(_range_in_words(mechanism, name, inside(mechanism, name, low[name], high[name])) for name in low)


def _own(mechanism: Mechanism, name: str) -> tuple[Fraction, Fraction, Fraction, str]:
    """Ends of the file's own range of a coordinate or parameter, its design value, its unit."""
    if name in mechanism.ranges:
        limits = mechanism.ranges[name]
        return limits.minimum, limits.maximum, mechanism.pose[name], mechanism.unit_of(name)
    found = next(each for each in mechanism.parameters if each.name == name)
    low, high = (found.value if end is None else end for end in (found.minimum, found.maximum))
    return low, high, found.value, found.unit


def inside(mechanism: Mechanism, name: str, low: float, high: float) -> tuple[Fraction, Fraction]:
    """A range of few digits within these ends; an end of the file's own range stays as it is."""
    least, most, design, _ = _own(mechanism, name)
    ends = [design + _shortened(Fraction(end) - design) for end in (low, high)]
    kept = [
        limit if abs(end - float(limit)) < 1e-9 * float(most - least) else shorter
        for end, limit, shorter in zip((low, high), (least, most), ends, strict=True)
    ]
    return kept[0], kept[1]


def _shortened(distance: Fraction) -> Fraction:
    """A distance with few digits, rounded towards zero."""
    if not distance:
        return Fraction(0)
    size = abs(float(distance))
    unit = Fraction(10) ** (floor(log10(size)) - DIGITS + 1)
    return (floor(distance / unit) if distance > 0 else ceil(distance / unit)) * unit


def _range_in_words(mechanism: Mechanism, name: str, limits: tuple[Fraction, Fraction]) -> str:
    """A range as a mechanism file has it."""
    low, high = (f"{float(end):.6g} {_own(mechanism, name)[3]}" for end in limits)
    return f'{name} = ["{low}", "{high}"]'
