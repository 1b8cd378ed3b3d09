"""Units convert exactly. Oracle: the definitions of the units (SI, international inch and pound)."""

import math
from fractions import Fraction

import pytest

from exporter.errors import ModelError
from exporter.model.units import UNITS, Dimension, describe, parse_number, parse_quantity, parse_unit, si_unit

EXACT = [
    ("0.3 m", Fraction(3, 10)),
    ("12 mm", Fraction(12, 1000)),
    ("2.5 cm", Fraction(25, 1000)),
    ("1 in", Fraction(254, 10000)),
    ("400 g", Fraction(2, 5)),
    ("2 kN", Fraction(2000)),
    ("1 ms", Fraction(1, 1000)),
    ("3 MPa", Fraction(3_000_000)),
    ("1 lb", Fraction(45359237, 100_000_000)),
    ("100 N*mm", Fraction(1, 10)),
    ("36 km/h", Fraction(10)),
    ("1 kg*m^2/s^2", Fraction(1)),
    ("1 kg*m**2", Fraction(1)),
    ("2 mm^-1", Fraction(2000)),
    ("5 1/s", Fraction(5)),
    ("-1.5e-3 m", Fraction(-15, 10000)),
    ("7", Fraction(7)),
    (".5", Fraction(1, 2)),
]


@pytest.mark.parametrize(("text", "value"), EXACT)
def test_quantity_converts_exactly(text: str, value: Fraction) -> None:
    """No float is in between: the rational is that of the definition."""
    assert parse_quantity(text).value == value


@pytest.mark.parametrize(
    ("text", "radians"),
    [("180 deg", math.pi), ("1 rev", 2 * math.pi), ("60 rpm", 2 * math.pi), ("45 deg", math.pi / 4), ("2 mrad", 0.002)],
)
def test_angle_is_in_radians(text: str, radians: float) -> None:
    """Degrees, turns and turns per minute become radians, as good as a double can tell."""
    assert float(parse_quantity(text).value) == pytest.approx(radians, rel=1e-15)


def test_pi_has_sixty_correct_digits() -> None:
    """Machin's formula in integers gives the same 60 digits of pi."""
    scale = 10**75

    def inverse_tangent_of_inverse(x: int) -> int:
        term, total, n = scale // x, 0, 1
        while term:
            total += term // n if n % 4 == 1 else -(term // n)
            term, n = term // (x * x), n + 2
        return total

    machin = 4 * (4 * inverse_tangent_of_inverse(5) - inverse_tangent_of_inverse(239))
    assert abs(parse_quantity("180 deg").value - Fraction(machin, scale)) < Fraction(1, 10**60)


@pytest.mark.parametrize("name", sorted(UNITS))
def test_si_unit_reads_back_as_itself(name: str) -> None:
    """The SI unit of every known unit has factor 1 and the same dimension."""
    dimension = UNITS[name].dimension
    assert parse_unit(si_unit(dimension)).factor == 1
    assert parse_unit(si_unit(dimension)).dimension == dimension


@pytest.mark.parametrize(
    "dimension", [Dimension(1, 1, 1, 1), Dimension(-3, 1), Dimension(0, 0, -4, 2), Dimension(0, -1, 0, 0), Dimension()]
)
def test_si_unit_of_any_dimension_reads_back(dimension: Dimension) -> None:
    """Dimensions without a name of their own have a unit too."""
    assert parse_unit(si_unit(dimension)).dimension == dimension


@pytest.mark.parametrize("text", ["45", "45 Hz", "45 1/s"])
def test_a_number_or_a_frequency_is_no_angle_or_angular_rate(text: str) -> None:
    """The radian is kept apart, so that 2 pi cannot be lost."""
    angles = (parse_unit("rad").dimension, parse_unit("rad/s").dimension)
    assert parse_quantity(text).dimension not in angles


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.3 metre", 'unit "metre" is not known'),
        ("0.3 MM", 'did you mean "mm"'),
        ("6 Nm", 'write "N[*]m"'),
        ("0.3m", "needs a space"),
        ("inf m", "finite decimal number"),
        ("nan", "finite decimal number"),
        ("1e400 m", "beyond 1e300"),
        ("1 m^99", "beyond 12"),
        ("1 m m", "is not a unit"),
        ("1 m/", "is not a unit"),
        ("1 m^0.5", "is not a unit"),
        ("0x10 m", "needs a space"),
        ("", "finite decimal number"),
    ],
)
def test_bad_quantity_is_refused_in_words(text: str, said: str) -> None:
    """The sentence names what was found."""
    with pytest.raises(ModelError, match=said.replace("^", r"\^")):
        parse_quantity(text)


@pytest.mark.parametrize("text", ["1_000", "١", "1e", "--1", "1,5", "0b1", "1e5.5", "Infinity", "NaN"])
def test_text_that_is_no_number_is_refused(text: str) -> None:
    """What Python's own readers would take (underscores, other digits, infinity) is refused too."""
    with pytest.raises(ModelError):
        parse_number(text)


def test_dimension_is_described_with_its_unit() -> None:
    """Words and SI unit, or the unit alone."""
    assert describe(parse_unit("mm").dimension) == "a length (m)"
    assert describe(parse_unit("kg/m^3").dimension) == "a quantity in kg/m^3"
    assert describe(parse_unit("rad").dimension) == "an angle (rad)"
