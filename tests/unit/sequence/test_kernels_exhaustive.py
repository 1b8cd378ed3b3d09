"""Every float32 of the domain of the kernels of one argument, and 1e8 pairs, against numpy's wider functions.

Marked slow: about five minutes each. `test_kernels_float32.py` samples the same.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from exporter.sequence.interpreter import interpret
from exporter.sequence.kernels import ERROR_ULP, kernel
from exporter.sequence.operations import Kind, Precision

pytestmark = pytest.mark.slow

BLOCK = 1 << 22
PAIRS = 10**8
LARGEST = float(np.finfo(np.float32).max)
Reference = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def magnitudes(last: float, start: float = 0.0) -> Iterator[NDArray[np.float32]]:
    """All float32 from `start` to the last, in blocks: non-negative floats are ordered like their bits."""
    end = int(np.float32(last).view(np.uint32)) + 1
    for first in range(int(np.float32(start).view(np.uint32)), end, BLOCK):
        yield np.arange(first, min(first + BLOCK, end), dtype=np.uint32).view(np.float32)


def worst_ulp(kind: Kind, references: tuple[Reference, ...], last: float, sign: int, start: float = 0.0) -> list[float]:
    """The largest error of each output, in units of the last place of the true result."""
    worst = [0.0] * len(references)
    for block in magnitudes(last, start):
        arguments = np.float32(sign) * block
        outputs = interpret(kernel(kind, "float32"), arguments[:, None]).outputs
        wide = arguments.astype(np.float64)
        for position, reference in enumerate(references):
            truth = reference(wide)
            unit = np.spacing(np.abs(truth).astype(np.float32)).astype(np.float64)
            errors = np.abs(outputs[:, position].astype(np.float64) - truth) / unit
            worst[position] = max(worst[position], float(errors.max()))
    return worst


def test_sine_and_cosine_of_every_angle() -> None:
    """All 1,176,256,513 float32 in [0, 1e4]; the kernel is odd and even bit for bit (tested by samples)."""
    sine, cosine = worst_ulp(Kind.SINCOS, (np.sin, np.cos), 1e4, 1)
    assert sine < ERROR_ULP[Kind.SINCOS]["float32"]
    assert cosine < ERROR_ULP[Kind.SINCOS]["float32"]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("kind", "reference"), [(Kind.ASIN, np.arcsin), (Kind.ACOS, np.arccos)])
def test_arcsine_and_arccosine_of_every_ratio(kind: Kind, reference: Reference, sign: int) -> None:
    """All 1,065,353,217 float32 in [0, 1], and their negatives."""
    assert worst_ulp(kind, (reference,), 1.0, sign)[0] < ERROR_ULP[kind]["float32"]


@pytest.mark.parametrize("sign", [1, -1])
def test_exponential_of_every_exponent(sign: int) -> None:
    """All 1,118,699,521 float32 in [0, 87], and their negatives."""
    assert worst_ulp(Kind.EXP, (np.exp,), 87.0, sign)[0] < ERROR_ULP[Kind.EXP]["float32"]


def test_logarithm_of_every_positive_number() -> None:
    """All 2,130,706,432 positive normal float32."""
    worst = worst_ulp(Kind.LOG, (np.log,), LARGEST, 1, start=float(np.finfo(np.float32).tiny))
    assert worst[0] < ERROR_ULP[Kind.LOG]["float32"]


@pytest.mark.parametrize("sign", [1, -1])
def test_hyperbolic_tangent_of_every_argument(sign: int) -> None:
    """All finite float32."""
    assert worst_ulp(Kind.TANH, (np.tanh,), LARGEST, sign)[0] < ERROR_ULP[Kind.TANH]["float32"]


@pytest.mark.parametrize("sign", [1, -1])
def test_floor_of_every_number(sign: int) -> None:
    """All finite float32, with the sign of zero."""
    for block in magnitudes(LARGEST):
        values = np.float32(sign) * block
        made, right = interpret(kernel(Kind.FLOOR, "float32"), values[:, None]).outputs[:, 0], np.floor(values)
        assert np.array_equal(made.view(np.uint32), right.view(np.uint32))


def in_units(made: NDArray[Any], truth: NDArray[np.longdouble]) -> float:
    """The largest error in units of the last place of the true result."""
    unit = np.spacing(np.abs(truth).astype(made.dtype)).astype(np.longdouble)
    return float((np.abs(made.astype(np.longdouble) - truth) / unit).max())


@pytest.mark.parametrize(("precision", "octaves"), [("float32", 126), ("float64", 1021)])
def test_power_of_a_hundred_million_pairs(precision: Precision, octaves: int) -> None:
    """Half of the bases anywhere, half between 1/2 and 2; exponents that use all octaves."""
    generator, limits = np.random.Generator(np.random.Philox(30)), np.finfo(precision)
    for _ in range(PAIRS // BLOCK + 1):
        scale = generator.uniform(limits.minexp + 1, limits.maxexp - 1, BLOCK)
        bases = np.exp2(np.where(np.arange(BLOCK) % 2, scale, generator.uniform(-1, 1, BLOCK))).astype(precision)
        logarithms = np.log2(bases.astype(np.longdouble))
        exponents = (generator.uniform(-octaves, octaves, BLOCK) / np.where(logarithms, logarithms, 1)).astype(
            precision
        )
        made = interpret(kernel(Kind.POW, precision), np.stack([bases, exponents], axis=1)).outputs[:, 0]
        truth = np.power(bases.astype(np.longdouble), exponents.astype(np.longdouble))
        assert in_units(made, truth) < ERROR_ULP[Kind.POW][precision]


@pytest.mark.parametrize(("precision", "digits"), [("float32", 21), ("float64", 49)])
def test_rest_of_a_hundred_million_pairs(precision: Precision, digits: int) -> None:
    """Quotients of all sizes; fmod is exact in any precision."""
    generator = np.random.Generator(np.random.Philox(31))
    for _ in range(PAIRS // BLOCK + 1):
        moduli = np.exp2(generator.uniform(-10, 10, BLOCK)).astype(precision)
        quotients = generator.uniform(-1, 1, BLOCK) * np.exp2(generator.uniform(-digits, digits, BLOCK))
        values = (moduli * quotients).astype(precision)
        made = interpret(kernel(Kind.MOD, precision), np.stack([values, moduli], axis=1)).outputs[:, 0]
        rest = np.fmod(values.astype(np.longdouble), moduli.astype(np.longdouble))
        assert in_units(made, np.where(rest < 0, rest + moduli, rest)) <= ERROR_ULP[Kind.MOD][precision]
        assert ((made >= 0) & (made < moduli)).all()
