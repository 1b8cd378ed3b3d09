"""Where the stated error of each kernel holds; every kernel is finite beyond too.

In: a kernel's kind and a precision. Out: ranges of its arguments, also as words.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import log2

from exporter.records import dataclass
from exporter.sequence.enclosure import Enclosure
from exporter.sequence.kernels.logarithm import smallest_normal
from exporter.sequence.operations import Kind, Precision
from exporter.sequence.rounding import FORMATS

DOMAIN: dict[Kind, Fraction] = {
    Kind.SINCOS: Fraction(10**4),
    Kind.ATAN2: FORMATS["float32"].highest,
    Kind.ASIN: Fraction(1),
    Kind.ACOS: Fraction(1),
}
"""Largest magnitude of each argument for which the stated error holds. The arctangent takes every number."""

EXPONENT: dict[Precision, Fraction] = {"float32": Fraction(87), "float64": Fraction(708)}
"""Largest magnitude of an exponential's argument."""

OCTAVES: dict[Precision, Fraction] = {"float32": Fraction(126), "float64": Fraction(1022)}
"""A power's result is within 2^-OCTAVES and 2^OCTAVES."""

QUOTIENT: dict[Precision, Fraction] = {"float32": Fraction(2**21), "float64": Fraction(2**49)}
"""Largest magnitude of a rest's value over its modulus."""

MODULUS: dict[Precision, tuple[Fraction, Fraction]] = {
    "float32": (Fraction(1, 2**100), Fraction(2**100)),
    "float64": (Fraction(1, 2**900), Fraction(2**900)),
}
"""Smallest and largest modulus of a rest."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Ends of one argument."""

    low: Fraction
    high: Fraction

    def holds(self, known: Enclosure) -> bool:
        """Whether all that the bounds allow is within the ends."""
        return self.low <= known.low and known.high <= self.high


def domain(kind: Kind, precision: Precision) -> tuple[Reach, ...]:
    """The ends of each argument, in order."""
    most = FORMATS[precision].highest
    anything, positive = Reach(-most, most), Reach(smallest_normal(precision), most)
    exponent = EXPONENT[precision]
    others: dict[Kind, tuple[Reach, ...]] = {
        Kind.ATAN2: (Reach(-DOMAIN[Kind.ATAN2], DOMAIN[Kind.ATAN2]),) * 2,
        Kind.EXP: (Reach(-exponent, exponent),),
        Kind.LOG: (positive,),
        Kind.TANH: (anything,),
        Kind.FLOOR: (anything,),
        Kind.POW: (positive, anything),
        Kind.MOD: (anything, Reach(*MODULUS[precision])),
    }
    return others[kind] if kind in others else (Reach(-DOMAIN[kind], DOMAIN[kind]),)


def within_domain(kind: Kind, precision: Precision, arguments: Sequence[Enclosure]) -> bool:
    """Whether arguments within these bounds are in the domain, each and together."""
    first, *others = arguments
    if kind is Kind.EXP:  # below the domain the result is next to nothing, as it should be
        return first.high <= EXPONENT[precision]
    if not all(reach.holds(known) for reach, known in zip(domain(kind, precision), arguments, strict=True)):
        return False
    match kind:
        case Kind.POW:
            octaves = max(abs(log2(first.low)), abs(log2(first.high)))
            return octaves * others[0].largest <= OCTAVES[precision]
        case Kind.MOD:
            return first.largest <= QUOTIENT[precision] * Fraction(others[0].low)
    return True


def domain_text(kind: Kind, precision: Precision) -> str:
    """The domain as words: "+-10000"."""
    match kind:
        case Kind.LOG:
            return f"the positive normal numbers ({float(smallest_normal(precision)):.9g} and more)"
        case Kind.POW:
            return f"a base above zero and |exponent * log2(base)| <= {OCTAVES[precision]}"
        case Kind.MOD:
            return f"a modulus above zero and |value| <= {QUOTIENT[precision]} modulus"
        case Kind.TANH | Kind.FLOOR:
            return "the finite numbers"
    return f"+-{float(domain(kind, precision)[0].high):g}"
