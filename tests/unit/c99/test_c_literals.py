"""Literals: rounded once, straight from the exact rational, in a spelling that reads back as the same float."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporter.c99.literals import real_literal
from exporter.errors import ModelError
from exporter.sequence.operations import Precision

RATIONALS = st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**12)
FORM = {
    "float32": re.compile(r"\(?-?\d\d*\.\d+(e-?\d+)?F\)?"),
    "float64": re.compile(r"\(?-?\d\d*\.\d+(e-?\d+)?\)?"),
}


def value_of(literal: str) -> Fraction:
    """The decimal that a literal spells."""
    return Fraction(Decimal(literal.strip("()").removesuffix("F")))


def is_nearest(real: type[np.floating], found: np.floating, number: Fraction) -> bool:
    """Whether no float is nearer to the number: both neighbours are at least as far away."""
    distance = abs(Fraction(float(found)) - number)
    neighbours = (np.nextafter(found, real(np.inf)), np.nextafter(found, real(-np.inf)))
    return all(abs(Fraction(float(each)) - number) >= distance for each in neighbours)


@pytest.mark.parametrize(("precision", "real", "digits"), [("float32", np.float32, 9), ("float64", np.float64, 17)])
@given(number=RATIONALS)
def test_a_literal_names_the_nearest_float(
    number: Fraction, precision: Precision, real: type[np.floating], digits: int
) -> None:
    """Reading the decimal gives a float to which no neighbour of it is preferable."""
    literal = real_literal(number, precision)
    assert FORM[precision].fullmatch(literal)
    assert len(re.sub(r"e.*|\D", "", literal).strip("0")) <= digits
    assert is_nearest(real, real(str(Decimal(literal.strip("()F")))), number)


def test_float32_is_not_rounded_by_way_of_float64() -> None:
    """1 + 2^-24 + 2^-60 lies above the middle; by way of a double it would become the tie, and 1."""
    literal = real_literal(1 + Fraction(1, 2**24) + Fraction(1, 2**60), "float32")
    assert literal == "1.00000012F"


@pytest.mark.parametrize(
    ("number", "precision", "literal"),
    [
        (Fraction(1), "float32", "1.0F"),
        (Fraction(0), "float64", "0.0"),
        (Fraction(-1, 2), "float32", "(-0.5F)"),
        (Fraction(1, 1000), "float32", "0.001F"),
        (Fraction(10**4), "float32", "10000.0F"),
        (Fraction(1, 3), "float32", "0.333333343F"),
        (Fraction(1, 3), "float64", "0.33333333333333331"),
        (Fraction(1, 2**60), "float32", "8.67361738e-19F"),
        (Fraction(3 * 10**20), "float64", "3.0e20"),
    ],
)
def test_a_literal_always_has_a_point_and_the_suffix_of_its_type(
    number: Fraction, precision: Precision, literal: str
) -> None:
    """Never an integer: 1/2 in C is 0."""
    assert real_literal(number, precision) == literal
    assert value_of(literal) != 0 or number == 0


def test_a_constant_beyond_the_range_is_refused_and_never_becomes_infinity() -> None:
    """No INFINITY token reaches the C text."""
    with pytest.raises(ModelError, match="exceeds the range of float32"):
        real_literal(Fraction(10**39), "float32")
