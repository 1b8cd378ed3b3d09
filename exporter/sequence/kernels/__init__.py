"""Fixed-time kernels as operation sequences: sine and cosine, arctangent, arcsine, arccosine.

In: a kernel's kind and a precision. Out: a branch-free sequence of plain operations, the same for every
caller, that the interpreters run bit for bit and the C printer prints.
"""

from fractions import Fraction
from functools import cache

from exporter.sequence.kernels.arcsine import arccosine, arcsine
from exporter.sequence.kernels.arctangent import arctangent
from exporter.sequence.kernels.sine_cosine import sine_cosine
from exporter.sequence.operations import KERNELS, Kind, OperationSequence, Precision
from exporter.sequence.rounding import FORMATS

DOMAIN: dict[Kind, Fraction] = {
    Kind.SINCOS: Fraction(10**4),
    Kind.ATAN2: FORMATS["float32"].highest,
    Kind.ASIN: Fraction(1),
    Kind.ACOS: Fraction(1),
}
"""Largest magnitude of each argument for which the stated error holds. The arctangent takes every number."""

ERROR_ULP: dict[Kind, dict[Precision, float]] = {
    Kind.SINCOS: {"float32": 0.80, "float64": 0.80},
    Kind.ATAN2: {"float32": 1.8, "float64": 1.9},
    Kind.ASIN: {"float32": 2.5, "float64": 2.6},
    Kind.ACOS: {"float32": 1.2, "float64": 1.5},
}
"""Bound of the error over the domain, in units in the last place of the true result: measured, not proven. Every
float32 was tried of the kernels of one argument; the others were sampled, evenly over the bit patterns."""


@cache
def kernel(kind: Kind, precision: Precision) -> OperationSequence:
    """The sequence of a kernel.

    SINCOS: angle (rad) -> sine, cosine. ATAN2: y, x -> angle (rad). ASIN, ACOS: ratio -> angle (rad).

    Raises:
        ValueError: the kind is no kernel.
    """
    match kind:
        case Kind.SINCOS:
            return sine_cosine(precision, DOMAIN[kind])
        case Kind.ATAN2:
            return arctangent(precision, DOMAIN[kind])
        case Kind.ASIN:
            return arcsine(precision)
        case Kind.ACOS:
            return arccosine(precision)
    raise ValueError(f"'{kind}' is no kernel; those are {', '.join(sorted(KERNELS))}")
