"""A number with its unit as a tester writes it: "30 deg", "200 mm".

In: text, and the signal that it is meant for. Out: the value in the signal's SI unit, or in the unit that was written.
"""

from dataclasses import dataclass
from fractions import Fraction

from exporter.errors import KinefixError
from exporter.manifest import Field
from exporter.model.units import DIMENSIONLESS, Unit, describe, parse_quantity, parse_unit, signed_float, split_quantity
from hil.errors import BenchError

SHOWN_DIGITS = 9  # tell two float32 apart


@dataclass(frozen=True, slots=True)
class Measure:
    """A number with its unit."""

    text: str  # as it was written
    value: Fraction  # in SI units
    unit: Unit
    unit_text: str  # "deg"; empty for a number alone

    def shown(self, value: float) -> str:
        """A value in SI units, told in the unit of this one: "29.998 deg"."""
        return f"{value / float(self.unit.factor):.{SHOWN_DIGITS}g} {self.unit_text}".rstrip()


def parse_measure(text: str) -> Measure:
    """Read "30 deg"; a number alone has no unit. Raises `KinefixError` where it is no finite number or no unit."""
    value = parse_quantity(text).value
    _, unit_text = split_quantity(text)
    return Measure(text.strip(), value, parse_unit(unit_text or "1"), unit_text)


def unit_for(signal: Field, text: str, what: str) -> Unit:
    """The unit `text` for a signal of this kind: `what` is "input" or "output".

    Raises `BenchError` where it is no unit, or one of another dimension.
    """
    try:
        unit, wanted = parse_unit(text), parse_unit(signal.unit).dimension
    except KinefixError as error:
        raise BenchError(f"{what} '{signal.name}': {error}") from error
    if unit.dimension != wanted:
        raise BenchError(
            f"{what} '{signal.name}': '{text}' is {_kind(unit)}, wanted is {describe(wanted)}; "
            f"write a unit such as {signal.unit}"
        )
    return unit


def si_value(signal: Field, measure: Measure, what: str) -> float:
    """The value in the SI unit of the signal; a signal with a unit takes no number alone.

    Raises `BenchError` where the unit is missing, or one of another dimension.
    """
    wanted = parse_unit(signal.unit).dimension
    if measure.unit.dimension != wanted:
        raise BenchError(
            f"{what} '{signal.name}': '{measure.text}' is {_kind(measure.unit)}, wanted is {describe(wanted)}; "
            f"write it with a unit, for example '{measure.text.split()[0]} {signal.unit}'"
        )
    return signed_float(measure.value, measure.text)


def _kind(unit: Unit) -> str:
    return "a number without a unit" if unit.dimension == DIMENSIONLESS else describe(unit.dimension)
