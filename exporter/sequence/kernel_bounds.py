"""Bounds of a kernel's result from those of its arguments: monotone functions by their ends.

In: a kind of kernel and enclosures. Out: an enclosure, finite where the arguments are: beyond its domain a kernel
counts its argument as the nearer end.
"""

import math
from collections.abc import Callable, Sequence
from itertools import product

from exporter.sequence.enclosure import Arithmetic, Enclosure
from exporter.sequence.kernels.domains import EXPONENT, OCTAVES
from exporter.sequence.kernels.logarithm import smallest_normal
from exporter.sequence.operations import Kind

OCTAVE_ROUNDING = 2.0**-50
"""Room for the rounding of a logarithm and of its product with an exponent, as a part of the product."""


def kernel_bounds(arithmetic: Arithmetic, kind: Kind, arguments: Sequence[Enclosure]) -> Enclosure:
    """Bounds of a kernel with one real result.

    Raises:
        ValueError: the kind is no such kernel.
    """
    if kind not in _BOUNDS:
        raise ValueError(f"no enclosure of operation '{kind}'")
    return _BOUNDS[kind](arithmetic, *arguments)


def _arctangent(arithmetic: Arithmetic, _: Enclosure, x: Enclosure) -> Enclosure:
    return arithmetic.around(-math.pi / 2, math.pi / 2) if x.low > 0 else arithmetic.around(-math.pi, math.pi)


def _exponential(arithmetic: Arithmetic, known: Enclosure) -> Enclosure:
    last = float(EXPONENT[arithmetic.precision])
    return _monotone(arithmetic, math.exp, _clipped(known, -last, last))


def _hyperbolic_tangent(arithmetic: Arithmetic, known: Enclosure) -> Enclosure:
    result = _monotone(arithmetic, math.tanh, known)
    return Enclosure(max(result.low, -1.0), min(result.high, 1.0))


def _floor(_: Arithmetic, known: Enclosure) -> Enclosure:
    return Enclosure(float(math.floor(known.low)), float(math.floor(known.high)))


def _monotone(arithmetic: Arithmetic, function: Callable[[float], float], known: Enclosure) -> Enclosure:
    return arithmetic.around(function(known.low), function(known.high))


def _clipped(known: Enclosure, low: float, high: float) -> Enclosure:
    return Enclosure(min(max(known.low, low), high), min(max(known.high, low), high))


def _positive(arithmetic: Arithmetic, known: Enclosure) -> Enclosure:
    """What a logarithm makes of its argument."""
    return _clipped(known, float(smallest_normal(arithmetic.precision)), math.inf)


def _power(arithmetic: Arithmetic, base: Enclosure, exponent: Enclosure) -> Enclosure:
    """The exponent times the logarithm is largest and smallest in corners."""
    positive, limit = _positive(arithmetic, base), float(OCTAVES[arithmetic.precision])
    octaves = [y * math.log2(x) for x, y in product((positive.low, positive.high), (exponent.low, exponent.high))]
    low, high = min(octaves), max(octaves)  # which are rounded themselves: 1,000 octaves leave 700 units of a power
    known = _clipped(Enclosure(low - OCTAVE_ROUNDING * abs(low), high + OCTAVE_ROUNDING * abs(high)), -limit, limit)
    return _monotone(arithmetic, lambda power: 2.0**power, known)


def _rest(_: Arithmetic, value: Enclosure, modulus: Enclosure) -> Enclosure:
    """Never below zero, below the modulus, and not above a value that is positive."""
    high = max(modulus.high, 0.0)
    return Enclosure(0.0, min(high, value.high) if value.low >= 0 else high)


_BOUNDS: dict[Kind, Callable[..., Enclosure]] = {
    Kind.ATAN2: _arctangent,
    Kind.ASIN: lambda arithmetic, _: arithmetic.around(-math.pi / 2, math.pi / 2),
    Kind.ACOS: lambda arithmetic, _: arithmetic.around(0.0, math.pi),
    Kind.EXP: _exponential,
    Kind.LOG: lambda arithmetic, known: _monotone(arithmetic, math.log, _positive(arithmetic, known)),
    Kind.TANH: _hyperbolic_tangent,
    Kind.FLOOR: _floor,
    Kind.POW: _power,
    Kind.MOD: _rest,
}
