"""Constants of frames: roots and turns as rationals, against mpmath at 90 digits."""

from fractions import Fraction

import mpmath
import pytest

from exporter.kinematics.protocol.frames import FULL_TURN, RATIONAL_DECIMALS, square_root


def rounded(number: mpmath.mpf) -> Fraction:
    return Fraction(int(mpmath.nint(number * mpmath.mpf(10) ** RATIONAL_DECIMALS)), 10**RATIONAL_DECIMALS)


def test_a_full_turn_has_all_its_decimals() -> None:
    with mpmath.workdps(90):
        assert rounded(2 * mpmath.pi) == FULL_TURN


@pytest.mark.parametrize("value", ["0", "4", "2", "1/3", "1e-12", "12345678.9", "49/144", "0.0004"])
def test_a_root_is_rounded_to_the_nearest_decimal(value: str) -> None:
    number = Fraction(value)
    with mpmath.workdps(90):
        assert square_root(number) == rounded(mpmath.sqrt(mpmath.mpf(number.numerator) / number.denominator))


def test_the_root_of_a_decimal_square_is_exact() -> None:
    assert square_root(Fraction("0.0225")) == Fraction("0.15")
