"""Comparison: units in the last place, floors, angles, zeros, types, and NaN, which always fails."""

import math

import numpy as np
import pytest

from exporter.errors import KinefixError
from sil.compare import Tolerance, angle_difference, different_bits, ulp_distance
from sil.verdict import Verdict, worst_of


def test_two_ulp_pass_under_four_ulp():
    """A public report's pair differs by exactly 2 ulp, which an absolute bound of 1.5e-15 called wrong."""
    left, right = np.array([-5.9978070150076865]), np.array([-5.9978070150076848])
    assert ulp_distance(left, right)[0] == 2.0
    assert Tolerance(ulp=4, absolute=1e-12).holds(left, right).all()
    assert not Tolerance(absolute=1.5e-15).holds(left, right).any()


def test_a_value_next_to_zero_is_judged_by_the_absolute_floor():
    """sin(float32 pi) is -8.7e-8 and lies 868 million ulp from 0."""
    made, right = np.array([-8.74227766e-08], dtype=np.float32), np.zeros(1, dtype=np.float32)
    assert ulp_distance(made, right)[0] > 8e8
    assert Tolerance(ulp=4, absolute=1e-7).holds(made, right).all()
    assert not Tolerance(ulp=4).holds(made, right).any()


def test_both_zeros_are_equal_as_numbers_and_differ_in_bits():
    plus, minus = np.array([0.0]), np.array([-0.0])
    assert ulp_distance(plus, minus)[0] == 0
    assert Tolerance(ulp=1).holds(plus, minus).all()
    assert different_bits(plus, minus).all()


def test_angles_are_compared_modulo_a_turn():
    assert Tolerance(absolute=1e-4, angle=True).holds(np.array([3.14159]), np.array([-3.14159])).all()
    assert not Tolerance(absolute=1e-4).holds(np.array([3.14159]), np.array([-3.14159])).any()


def test_a_number_too_large_for_an_angle_is_no_angle():
    """8e16 modulo a turn is not 1.0, although its spacing exceeds a turn."""
    assert abs(angle_difference(np.array([8.489085302541656e16]), np.array([1.0]))[0]) > 1e-3


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_never_passes(bad):
    tolerance = Tolerance(ulp=1e30, absolute=1e30, relative=1e30)
    assert not tolerance.holds(np.array([bad]), np.array([1.0])).any()


def test_a_neighbour_is_one_ulp_away_across_binades_and_in_both_types():
    for real in (np.float32, np.float64):
        values = np.array([1.0, 2.0, 1e-40, -1.0, 3.4e38], dtype=real)
        assert (ulp_distance(values, np.nextafter(values, real(0))) == 1).all()


def test_another_type_is_refused():
    """Promotion would judge something else: NumPy keeps float32 times a Python float in float32."""
    assert (np.float32(0.1) * 3.0).dtype == np.float32
    with pytest.raises(KinefixError, match="float64, not float32"):
        ulp_distance(np.zeros(1, dtype=np.float32), np.zeros(1))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_nothing_is_close_to_what_is_not_finite(bad):
    """Not even the same infinity, and whatever the tolerance."""
    for tolerance in (Tolerance(relative=1e-3), Tolerance(absolute=1e300), Tolerance()):
        assert not tolerance.holds(np.array([1.0, bad]), np.array([bad, bad])).any()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, -1e-9])
@pytest.mark.parametrize("name", ["ulp", "absolute", "relative"])
def test_a_tolerance_is_finite_and_not_negative(name, bad):
    with pytest.raises(KinefixError, match=f"'{name}' is .*finite and not negative"):
        Tolerance(**{name: bad})


def test_a_tolerance_of_zero_asks_for_every_bit():
    values = np.array([1.0, 0.0, -0.0])
    assert Tolerance().holds(values, values).all()
    assert not Tolerance().holds(values, np.array([np.nextafter(1.0, 2.0), -0.0, 0.0])).any()


def test_a_verdict_with_nan_fails():
    assert not Verdict("check", "position", math.nan, 1.0, "1", "").passed
    assert worst_of(np.array([0.1, math.nan, 7.0]))[1] == 1
