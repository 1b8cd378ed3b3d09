"""The float32 kernels against numpy's float64 functions, on samples spread over the bit patterns of their domain."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from exporter.sequence.interpreter import interpret
from exporter.sequence.kernels import ERROR_ULP, kernel
from exporter.sequence.operations import Kind

SAMPLES = 400_000
LARGEST = float(np.finfo(np.float32).max)
Floats = NDArray[np.float32]
Reference = Callable[..., NDArray[np.float64]]


def spread(low: float, high: float, seed: int) -> Floats:
    """Random float32 of either sign whose magnitudes are uniform in their bit patterns, ends included."""
    generator = np.random.Generator(np.random.Philox(seed))
    ends = [int(np.float32(end).view(np.uint32)) for end in (low, high)]
    bits = generator.integers(*ends, SAMPLES, dtype=np.uint32, endpoint=True)
    bits[:2] = ends
    return np.asarray(bits.view(np.float32) * generator.choice(np.array([-1, 1], dtype=np.float32), SAMPLES))


def ulp(results: Floats, truth: NDArray[np.float64]) -> float:
    """The largest error in units of the last place of the true result."""
    unit = np.spacing(np.abs(truth).astype(np.float32)).astype(np.float64)
    return float((np.abs(results.astype(np.float64) - truth) / unit).max())


def run(kind: Kind, *arguments: Floats) -> Floats:
    return np.asarray(interpret(kernel(kind, "float32"), np.stack(arguments, axis=1)).outputs)


@pytest.mark.parametrize(("low", "high"), [(1e-45, 1e-2), (1e-2, 1), (1, 100), (100, 1e4)])
def test_sine_and_cosine_are_within_their_error(low: float, high: float) -> None:
    """0.78 ulp and 0.80 ulp over the whole domain, near multiples of pi/2 too."""
    angles = spread(low, high, 1)
    outputs = run(Kind.SINCOS, angles)
    wide = angles.astype(np.float64)
    assert ulp(outputs[:, 0], np.sin(wide)) < ERROR_ULP[Kind.SINCOS]["float32"]
    assert ulp(outputs[:, 1], np.cos(wide)) < ERROR_ULP[Kind.SINCOS]["float32"]


def test_next_to_every_multiple_of_a_quarter_turn() -> None:
    """The floats around each n pi/2 up to 1e4, where the reduction cancels most."""
    near = (np.arange(-6366, 6367) * (np.pi / 2)).astype(np.float32)
    around = [near]
    for towards in (np.float32(np.inf), np.float32(-np.inf)):
        neighbour = near
        for _ in range(3):
            neighbour = np.nextafter(neighbour, towards)
            around.append(neighbour)
    angles = np.concatenate(around)
    outputs = run(Kind.SINCOS, angles)
    wide = angles.astype(np.float64)
    assert ulp(outputs[:, 0], np.sin(wide)) < ERROR_ULP[Kind.SINCOS]["float32"]
    assert ulp(outputs[:, 1], np.cos(wide)) < ERROR_ULP[Kind.SINCOS]["float32"]


def test_sine_is_odd_and_cosine_even() -> None:
    """Bit for bit: the exhaustive test runs positive angles only."""
    angles = np.abs(spread(1e-45, 1e4, 2))
    plus, minus = run(Kind.SINCOS, angles), run(Kind.SINCOS, -angles)
    assert np.array_equal(plus[:, 0], -minus[:, 0])
    assert np.array_equal(plus[:, 1], minus[:, 1])


def test_sine_and_cosine_never_exceed_one() -> None:
    """A radicand 1 - sin^2 cannot become negative by the kernel's error alone."""
    angles = np.concatenate([spread(1e-3, 1e4, 3), (np.arange(6367) * (np.pi / 2)).astype(np.float32)])
    assert np.abs(run(Kind.SINCOS, angles)).max() <= 1


@pytest.mark.parametrize(("low", "high"), [(1e-45, LARGEST), (1e-3, 1e3), (0.1, 10)])
def test_arctangent_is_within_its_error(low: float, high: float) -> None:
    """Below 1.8 ulp in all four quadrants; results below the normal range are counted in the last subnormal place."""
    y, x = spread(low, high, 4), spread(low, high, 5)
    assert (
        ulp(run(Kind.ATAN2, y, x)[:, 0], np.arctan2(y.astype(np.float64), x.astype(np.float64)))
        < ERROR_ULP[Kind.ATAN2]["float32"]
    )


@pytest.mark.parametrize(("low", "high"), [(1e-45, 1e-2), (1e-2, 0.5), (0.5, 1)])
@pytest.mark.parametrize(("kind", "reference"), [(Kind.ASIN, np.arcsin), (Kind.ACOS, np.arccos)])
def test_arcsine_and_arccosine_are_within_their_error(
    kind: Kind, reference: Reference, low: float, high: float
) -> None:
    """2.41 ulp just above 1/2, less elsewhere; 1.16 ulp."""
    ratios = spread(low, high, 6)
    assert ulp(run(kind, ratios)[:, 0], reference(ratios.astype(np.float64))) < ERROR_ULP[kind]["float32"]


def within(kind: Kind, low: float, high: float, seed: int) -> Floats:
    """Samples of the magnitudes between the ends, of both signs where the kernel takes them."""
    samples = spread(low, high, seed)
    return np.abs(samples) if kind is Kind.LOG else samples


@pytest.mark.parametrize(
    ("kind", "reference", "low", "high"),
    [
        (Kind.EXP, np.exp, 1e-9, 1),
        (Kind.EXP, np.exp, 1, 87),
        (Kind.LOG, np.log, 1.1754944e-38, LARGEST),
        (Kind.LOG, np.log, 0.5, 2),
        (Kind.TANH, np.tanh, 1e-45, 1e-2),
        (Kind.TANH, np.tanh, 1e-2, 12),
    ],
)
def test_exponentials_and_logarithms_are_within_their_error(
    kind: Kind, reference: Reference, low: float, high: float
) -> None:
    """0.94 ulp, 0.80 ulp next to the root of two, 2.5 ulp."""
    arguments = within(kind, low, high, 7)
    assert ulp(run(kind, arguments)[:, 0], reference(arguments.astype(np.float64))) < ERROR_ULP[kind]["float32"]


@pytest.mark.parametrize(("low", "high"), [(1e-45, 2), (2, 2**24), (2**24, LARGEST)])
def test_floor_is_exact(low: float, high: float) -> None:
    """Whole numbers, halves and what lies between."""
    values = spread(low, high, 8)
    values[::2] = np.round(2 * np.clip(values[::2], -1e9, 1e9)) / 2
    assert np.array_equal(run(Kind.FLOOR, values)[:, 0], np.floor(values))


@pytest.mark.parametrize(("low", "high"), [(1.1754944e-38, LARGEST), (0.5, 2), (0.999, 1.001)])
def test_power_is_within_its_error(low: float, high: float) -> None:
    """0.85 ulp: exponents that use all octaves, and bases next to one, where the exponent is large."""
    bases = np.abs(spread(low, high, 9))
    logarithms = np.log2(bases.astype(np.float64))
    octaves = np.random.default_rng(10).uniform(-126, 126, SAMPLES)
    exponents = np.clip(octaves / np.where(logarithms == 0, 1, logarithms), -LARGEST, LARGEST).astype(np.float32)
    inside = np.abs(exponents * logarithms) < 126
    bases, exponents = bases[inside], exponents[inside]
    truth = np.power(bases.astype(np.float64), exponents.astype(np.float64))
    assert ulp(run(Kind.POW, bases, exponents)[:, 0], truth) < ERROR_ULP[Kind.POW]["float32"]


@pytest.mark.parametrize("turns", [2.0**21, 1000.0, 3.0, 1e-9])
def test_rest_is_within_its_error(turns: float) -> None:
    """Exact, but for the rounding where the modulus is added to a negative number: C's fmod is exact."""
    moduli = np.abs(spread(1e-3, 1e3, 11))
    values = (moduli * np.random.default_rng(12).uniform(-turns, turns, SAMPLES)).astype(np.float32)
    made = run(Kind.MOD, values, moduli)[:, 0]
    rest = np.fmod(values.astype(np.float64), moduli.astype(np.float64))
    assert ulp(made, np.where(rest < 0, rest + moduli, rest)) <= ERROR_ULP[Kind.MOD]["float32"]
    assert ((made >= 0) & (made < moduli)).all()
    exact = (rest >= 0) & (made != np.float32(0))
    assert np.array_equal(made[exact], rest[exact].astype(np.float32))
