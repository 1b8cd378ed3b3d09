"""What a campaign holds an export against. Every limit has its source; a caller may pass others."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one number type, lengths over the mechanism's length scale."""

    residual: float  # closure residual
    relative: float  # coordinates, rates, dynamics against the reference, times the condition number
    acceleration: float  # accelerations of dependent coordinates, which the third power of a pivot amplifies
    power: float  # power balance, relative to the sum of all powers, times the condition number
    difference: float  # finite differences, relative to what a slope is a sum of
    difference_step: float  # how far a difference moves the fastest independent coordinate, rad or length scales
    unit: float  # rounding unit
    pivot: float  # a sine or distance below this, over its scale, is flagged: the table in docs/c-interface.md
    regular: float = 1e-2  # a margin above this is regular: the condition number is left out
    smooth: float = 1e-1  # finite differences are taken where every margin is this large, if such poses are


SPIN_ROUNDINGS = 4  # units of the joint rates that a spin is a sum of


def rounding_share(limits: Limits, limit: float) -> float:
    """What a spin is told to, over its summands, where errors up to `limit` are allowed."""
    return SPIN_ROUNDINGS * limits.unit / limit


LIMITS = {
    # residual and relative: the figures that the product promises for float64 (margin above 1e-2, else times condition)
    "float64": Limits(1e-14, 1e-11, 1e-11, 1e-11, 1e-6, 2.0**-10, 2.0**-53, 1e-6),
    # residual: promised; relative and power: 1e-11 is 45,000 eps in float64, here 2,000 eps is asked; acceleration:
    # 10,000 eps (those of a parallel robot with an elbow at a margin of 0.01 were up to 5.6e-4 off)
    "float32": Limits(2e-6, 2.4e-4, 1.2e-3, 2.4e-4, 2e-2, 2.0**-5, 2.0**-24, 1e-3),
}
