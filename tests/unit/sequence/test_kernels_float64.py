"""The float64 kernels against mpmath, 40 digits."""

from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from exporter.sequence.interpreter import interpret
from exporter.sequence.kernels import ERROR_ULP, kernel
from exporter.sequence.operations import Kind

SAMPLES = 4000
DIGITS = 40
Floats = NDArray[np.float64]


def spread(low: float, high: float, seed: int) -> Floats:
    """Random float64 of either sign whose magnitudes are uniform in their bit patterns."""
    generator = np.random.Generator(np.random.Philox(seed))
    ends = [int(np.float64(end).view(np.uint64)) for end in (low, high)]
    bits = generator.integers(*ends, SAMPLES, dtype=np.uint64, endpoint=True)
    bits[:2] = ends
    return np.asarray(bits.view(np.float64) * generator.choice([-1.0, 1.0], SAMPLES))


def worst_ulp(results: Floats, function: Callable[..., mpmath.mpf], *arguments: Floats) -> float:
    """The largest error in units of the last place of the true result."""
    worst = 0.0
    with mpmath.workdps(DIGITS):
        for result, row in zip(results, np.stack(arguments, axis=1), strict=True):
            truth = function(*(mpmath.mpf(float(value)) for value in row))
            error = abs(mpmath.mpf(float(result)) - truth) / mpmath.mpf(float(np.spacing(abs(float(truth)))))
            worst = max(worst, float(error))
    return worst


def run(kind: Kind, *arguments: Floats) -> Floats:
    return np.asarray(interpret(kernel(kind, "float64"), np.stack(arguments, axis=1)).outputs)


@pytest.mark.parametrize(("low", "high"), [(1e-300, 1e-2), (1e-2, 1), (1, 100), (100, 1e4)])
def test_sine_and_cosine_are_within_their_error(low: float, high: float) -> None:
    """Below 0.80 ulp."""
    angles = spread(low, high, 1)
    outputs = run(Kind.SINCOS, angles)
    assert worst_ulp(outputs[:, 0], mpmath.sin, angles) < ERROR_ULP[Kind.SINCOS]["float64"]
    assert worst_ulp(outputs[:, 1], mpmath.cos, angles) < ERROR_ULP[Kind.SINCOS]["float64"]


def test_next_to_every_multiple_of_a_quarter_turn() -> None:
    """The float64 nearest to each n pi/2 up to 1e4, where the reduction cancels most."""
    angles = np.arange(1, 6367) * (np.pi / 2)
    outputs = run(Kind.SINCOS, angles)
    assert worst_ulp(outputs[:, 0], mpmath.sin, angles) < ERROR_ULP[Kind.SINCOS]["float64"]
    assert worst_ulp(outputs[:, 1], mpmath.cos, angles) < ERROR_ULP[Kind.SINCOS]["float64"]


def test_sine_and_cosine_never_exceed_one() -> None:
    """A radicand 1 - sin^2 cannot become negative by the kernel's error alone."""
    angles = np.concatenate([spread(1e-3, 1e4, 3), np.arange(6367) * (np.pi / 2)])
    assert np.abs(run(Kind.SINCOS, angles)).max() <= 1


@pytest.mark.parametrize(("low", "high"), [(1e-300, 1e300), (1e-3, 1e3), (0.1, 10)])
def test_arctangent_is_within_its_error(low: float, high: float) -> None:
    """Below 1.9 ulp in all four quadrants."""
    y, x = spread(low, high, 4), spread(low, high, 5)
    assert worst_ulp(run(Kind.ATAN2, y, x)[:, 0], mpmath.atan2, y, x) < ERROR_ULP[Kind.ATAN2]["float64"]


def test_arctangent_has_no_bias() -> None:
    """atan2(0.4, -0.3) is 2.21429743558818 (to its 15 digits) within 2 ulp of the true value."""
    (result,) = run(Kind.ATAN2, np.array([0.4]), np.array([-0.3]))[0]
    assert round(float(result), 14) == 2.21429743558818
    assert worst_ulp(np.array([result]), mpmath.atan2, np.array([0.4]), np.array([-0.3])) < 2


@pytest.mark.parametrize(("low", "high"), [(1e-300, 1e-2), (1e-2, 0.5), (0.5, 1)])
@pytest.mark.parametrize(("kind", "function"), [(Kind.ASIN, mpmath.asin), (Kind.ACOS, mpmath.acos)])
def test_arcsine_and_arccosine_are_within_their_error(
    kind: Kind, function: Callable[..., mpmath.mpf], low: float, high: float
) -> None:
    """The arcsine is worst just above 1/2, where it is pi/2 minus twice another arcsine."""
    ratios = spread(low, high, 6)
    assert worst_ulp(run(kind, ratios)[:, 0], function, ratios) < ERROR_ULP[kind]["float64"]


FEWER = 1500
SMALLEST, LARGEST = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).max)


def rest(value: mpmath.mpf, modulus: mpmath.mpf) -> mpmath.mpf:
    """By the definition; 400 digits would be needed beyond 2^49 moduli."""
    return value - modulus * mpmath.floor(value / modulus)


@pytest.mark.parametrize(
    ("kind", "function", "low", "high"),
    [
        (Kind.EXP, mpmath.exp, 1e-9, 1),
        (Kind.EXP, mpmath.exp, 1, 708),
        (Kind.LOG, mpmath.log, SMALLEST, LARGEST),
        (Kind.LOG, mpmath.log, 0.5, 2),
        (Kind.TANH, mpmath.tanh, 1e-300, 1e-2),
        (Kind.TANH, mpmath.tanh, 1e-2, 22),
    ],
)
def test_exponentials_and_logarithms_are_within_their_error(
    kind: Kind, function: Callable[..., mpmath.mpf], low: float, high: float
) -> None:
    """Below 1, 0.85 and 2.5 ulp."""
    arguments = spread(low, high, 7)[:FEWER]
    arguments = np.abs(arguments) if kind is Kind.LOG else arguments
    assert worst_ulp(run(kind, arguments)[:, 0], function, arguments) < ERROR_ULP[kind]["float64"]


@pytest.mark.parametrize(("low", "high"), [(1e-300, 2), (2, 2.0**53), (2.0**53, LARGEST)])
def test_floor_is_exact(low: float, high: float) -> None:
    """Whole numbers, halves and what lies between."""
    values = spread(low, high, 8)
    values[::2] = np.round(2 * np.clip(values[::2], -1e18, 1e18)) / 2
    assert np.array_equal(run(Kind.FLOOR, values)[:, 0], np.floor(values))


@pytest.mark.parametrize(("low", "high"), [(SMALLEST, LARGEST), (1.35, 1.42), (0.999999, 1.000001)])
def test_power_is_within_its_error(low: float, high: float) -> None:
    """Below 1.7 ulp, the worst where the logarithm's series is longest, just below the root of two."""
    bases = np.abs(spread(low, high, 9)[:FEWER])
    logarithms = np.log2(bases)
    octaves = np.random.default_rng(10).uniform(-1021, 1021, FEWER)
    exponents = np.clip(octaves / np.where(logarithms == 0, 1, logarithms), -1e300, 1e300)
    assert (
        worst_ulp(run(Kind.POW, bases, exponents)[:, 0], mpmath.power, bases, exponents)
        < ERROR_ULP[Kind.POW]["float64"]
    )


@pytest.mark.parametrize("turns", [2.0**49, 2.0**25, 3.0, 1e-9])
def test_rest_is_within_its_error(turns: float) -> None:
    """Exact, but for the rounding where the modulus is added to a negative number."""
    moduli = np.abs(spread(1e-3, 1e3, 11)[:FEWER])
    values = moduli * np.random.default_rng(12).uniform(-turns, turns, FEWER)
    made = run(Kind.MOD, values, moduli)[:, 0]
    assert worst_ulp(made, rest, values, moduli) <= ERROR_ULP[Kind.MOD]["float64"]
    assert ((made >= 0) & (made < moduli)).all()
