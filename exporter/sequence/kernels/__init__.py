"""Fixed-time kernels as operation sequences: trigonometric functions, exponentials, logarithms, whole numbers.

In: a kernel's kind and a precision. Out: a branch-free sequence of plain operations, the same for every
caller, that the interpreters run bit for bit and the C printer prints.
"""

from collections.abc import Callable
from functools import cache

from exporter.sequence.kernels.arcsine import arccosine, arcsine
from exporter.sequence.kernels.arctangent import arctangent
from exporter.sequence.kernels.domains import DOMAIN, EXPONENT, OCTAVES, QUOTIENT
from exporter.sequence.kernels.exponential import exponential, hyperbolic_tangent
from exporter.sequence.kernels.logarithm import logarithm
from exporter.sequence.kernels.power import power
from exporter.sequence.kernels.sine_cosine import sine_cosine
from exporter.sequence.kernels.whole_numbers import floor, rest_of_division
from exporter.sequence.operations import KERNELS, Kind, OperationSequence, Precision

__all__ = ["DOMAIN", "ERROR_ULP", "kernel"]

ERROR_ULP: dict[Kind, dict[Precision, float]] = {
    Kind.SINCOS: {"float32": 0.80, "float64": 0.80},
    Kind.ATAN2: {"float32": 1.8, "float64": 1.9},
    Kind.ASIN: {"float32": 2.5, "float64": 2.6},
    Kind.ACOS: {"float32": 1.2, "float64": 1.5},
    Kind.EXP: {"float32": 1.0, "float64": 1.0},
    Kind.LOG: {"float32": 0.9, "float64": 0.9},
    Kind.TANH: {"float32": 2.6, "float64": 2.5},
    Kind.FLOOR: {"float32": 0.0, "float64": 0.0},
    Kind.POW: {"float32": 0.95, "float64": 1.7},
    Kind.MOD: {"float32": 1.01, "float64": 1.01},
}
"""Bound of the error over the domain, in units in the last place of the true result: measured, not proven. Every
float32 was tried of the kernels of one argument; the others were sampled, evenly over the bit patterns."""


_MAKERS: dict[Kind, Callable[[Precision], OperationSequence]] = {
    Kind.SINCOS: lambda precision: sine_cosine(precision, DOMAIN[Kind.SINCOS]),
    Kind.ATAN2: lambda precision: arctangent(precision, DOMAIN[Kind.ATAN2]),
    Kind.ASIN: arcsine,
    Kind.ACOS: arccosine,
    Kind.EXP: lambda precision: exponential(precision, EXPONENT[precision]),
    Kind.LOG: logarithm,
    Kind.TANH: hyperbolic_tangent,
    Kind.FLOOR: floor,
    Kind.POW: lambda precision: power(precision, OCTAVES[precision]),
    Kind.MOD: lambda precision: rest_of_division(precision, QUOTIENT[precision]),
}


@cache
def kernel(kind: Kind, precision: Precision) -> OperationSequence:
    """The sequence of a kernel.

    SINCOS: angle (rad) -> sine, cosine. ATAN2: y, x -> angle (rad). ASIN, ACOS: ratio -> angle (rad). EXP, LOG, TANH,
    FLOOR: one argument. POW: base, exponent. MOD: value, modulus.

    Raises:
        ValueError: the kind is no kernel.
    """
    if kind not in _MAKERS:
        raise ValueError(f"'{kind}' is no kernel; those are {', '.join(sorted(KERNELS))}")
    return _MAKERS[kind](precision)
