"""Units: text such as "0.3 m" or "30 deg" becomes an exact rational in SI units and a dimension.

In: text of a model file. Out: `Quantity`, `Unit`. Every factor is an exact rational; the only irrational one, pi (deg,
rev, rpm), is a rational with 70 correct digits. The radian is a dimension of its own here, so that "45" is no angle
and "50 Hz" no angular rate; inside a formula it counts as 1 (see `exporter.model.checks.dimensions`).
"""

import math
import re
from fractions import Fraction

from exporter.errors import ModelError
from exporter.model.nearest import nearest_word
from exporter.records import dataclass

PI = Fraction("3.141592653589793238462643383279502884197169399375105820974944592307816")
LARGEST_EXPONENT = 300  # of ten, in a decimal number
LONGEST_NUMBER = 200  # characters
LARGEST_POWER = 12  # of a unit

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?", re.ASCII)
_FACTOR = re.compile(r"\s*([A-Za-z_]\w*|1)\s*(?:\^\s*([+-]?\d+))?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Dimension:
    """Exponents of length, mass, time and angle."""

    length: int = 0
    mass: int = 0
    time: int = 0
    angle: int = 0

    def __mul__(self, other: "Dimension") -> "Dimension":
        return Dimension(
            self.length + other.length, self.mass + other.mass, self.time + other.time, self.angle + other.angle
        )

    def __truediv__(self, other: "Dimension") -> "Dimension":
        return self * other**-1

    def __pow__(self, exponent: int) -> "Dimension":
        return Dimension(self.length * exponent, self.mass * exponent, self.time * exponent, self.angle * exponent)

    def without_angle(self) -> "Dimension":
        """The dimension with the radian counted as 1, as in the SI."""
        return Dimension(self.length, self.mass, self.time)


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: how many SI units it is, and of which dimension."""

    factor: Fraction
    dimension: Dimension


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in SI units and its dimension."""

    value: Fraction
    dimension: Dimension


DIMENSIONLESS = Dimension()
LENGTH = Dimension(length=1)
MASS = Dimension(mass=1)
TIME = Dimension(time=1)
ANGLE = Dimension(angle=1)
FREQUENCY = TIME**-1
ACCELERATION = LENGTH / TIME**2
FORCE = MASS * ACCELERATION
TORQUE = FORCE * LENGTH
PRESSURE = FORCE / LENGTH**2
POWER = TORQUE / TIME
INERTIA = MASS * LENGTH**2

UNITS: dict[str, Unit] = {
    "m": Unit(Fraction(1), LENGTH),
    "km": Unit(Fraction(1000), LENGTH),
    "cm": Unit(Fraction(1, 100), LENGTH),
    "mm": Unit(Fraction(1, 1000), LENGTH),
    "um": Unit(Fraction(1, 10**6), LENGTH),
    "in": Unit(Fraction("0.0254"), LENGTH),
    "ft": Unit(Fraction("0.3048"), LENGTH),
    "rad": Unit(Fraction(1), ANGLE),
    "mrad": Unit(Fraction(1, 1000), ANGLE),
    "deg": Unit(PI / 180, ANGLE),
    "rev": Unit(2 * PI, ANGLE),
    "kg": Unit(Fraction(1), MASS),
    "g": Unit(Fraction(1, 1000), MASS),
    "t": Unit(Fraction(1000), MASS),
    "lb": Unit(Fraction("0.45359237"), MASS),
    "s": Unit(Fraction(1), TIME),
    "ms": Unit(Fraction(1, 1000), TIME),
    "us": Unit(Fraction(1, 10**6), TIME),
    "min": Unit(Fraction(60), TIME),
    "h": Unit(Fraction(3600), TIME),
    "N": Unit(Fraction(1), FORCE),
    "mN": Unit(Fraction(1, 1000), FORCE),
    "kN": Unit(Fraction(1000), FORCE),
    "lbf": Unit(Fraction("4.4482216152605"), FORCE),
    "Pa": Unit(Fraction(1), PRESSURE),
    "kPa": Unit(Fraction(1000), PRESSURE),
    "MPa": Unit(Fraction(10**6), PRESSURE),
    "GPa": Unit(Fraction(10**9), PRESSURE),
    "bar": Unit(Fraction(10**5), PRESSURE),
    "J": Unit(Fraction(1), TORQUE),
    "W": Unit(Fraction(1), POWER),
    "kW": Unit(Fraction(1000), POWER),
    "Hz": Unit(Fraction(1), FREQUENCY),
    "kHz": Unit(Fraction(1000), FREQUENCY),
    "rpm": Unit(PI / 30, ANGLE / TIME),
}

_DIMENSION_NAMES: dict[Dimension, tuple[str, str]] = {  # what a dimension is called, its SI unit
    DIMENSIONLESS: ("number without a unit", "1"),
    LENGTH: ("length", "m"),
    MASS: ("mass", "kg"),
    TIME: ("time", "s"),
    ANGLE: ("angle", "rad"),
    LENGTH / TIME: ("speed", "m/s"),
    ANGLE / TIME: ("angular rate", "rad/s"),
    ACCELERATION: ("acceleration", "m/s^2"),
    ANGLE / TIME**2: ("angular acceleration", "rad/s^2"),
    FORCE: ("force", "N"),
    TORQUE: ("torque", "N*m"),
    INERTIA: ("moment of inertia", "kg*m^2"),
    PRESSURE: ("pressure", "Pa"),
    POWER: ("power", "W"),
    FREQUENCY: ("frequency", "Hz"),
    FORCE / LENGTH: ("stiffness", "N/m"),
    FORCE * TIME / LENGTH: ("damping", "N*s/m"),
    TORQUE / ANGLE: ("torsional stiffness", "N*m/rad"),
    TORQUE * TIME / ANGLE: ("torsional damping", "N*m*s/rad"),
}


def si_unit(dimension: Dimension) -> str:
    """The SI unit of a dimension as text that `parse_unit` reads: "m", "N*m", "rad/s^2", "1"."""
    if dimension in _DIMENSION_NAMES:
        return _DIMENSION_NAMES[dimension][1]
    powers = {"kg": dimension.mass, "m": dimension.length, "rad": dimension.angle, "s": dimension.time}
    above = [_power(name, exponent) for name, exponent in powers.items() if exponent > 0]
    below = [_power(name, -exponent) for name, exponent in powers.items() if exponent < 0]
    return "/".join(["*".join(above) or "1", *below])


def _power(name: str, exponent: int) -> str:
    return name if exponent == 1 else f"{name}^{exponent}"


def describe(dimension: Dimension) -> str:
    """A dimension in words: "a length (m)", "an angle (rad)", "a number without a unit", "a quantity in kg/m^3"."""
    if dimension not in _DIMENSION_NAMES:
        return f"a quantity in {si_unit(dimension)}"
    name, unit = _DIMENSION_NAMES[dimension]
    article = "an" if name[0] in "aeiou" else "a"
    return f"{article} {name}" if dimension == DIMENSIONLESS else f"{article} {name} ({unit})"


def parse_number(text: str) -> Fraction:
    """The exact value of a decimal number such as "-1.5e-3".

    Raises:
        ModelError: not a finite decimal number, or too long, or beyond 1e300.
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise ModelError(f'"{text}" is not a finite decimal number; write digits, such as "0.3" or "-1.5e-3"')
    if len(text) > LONGEST_NUMBER or abs(int(match.group(1) or 0)) > LARGEST_EXPONENT:
        raise ModelError(
            f'"{text[:40]}" is longer than {LONGEST_NUMBER} characters or beyond 1e{LARGEST_EXPONENT}; '
            "write a number that a float can hold"
        )
    return Fraction(match.group().strip())


def parse_unit(text: str) -> Unit:
    """A unit: names joined by * and /, each with an optional integer power: "N*m", "kg*m^2", "m/s^2", "1/s", "1".

    Raises:
        ModelError: an unknown name (the nearest known one is suggested) or another form.
    """
    if not text.strip():
        raise ModelError('the unit is empty; write one such as "m", or "1" for a number without a unit')
    parts = re.split(r"([*/])", text.replace("**", "^"))
    unit = _unit_factor(parts[0], text)
    for operator, part in zip(parts[1::2], parts[2::2], strict=True):
        factor = _unit_factor(part, text)
        sign = 1 if operator == "*" else -1
        unit = Unit(unit.factor * factor.factor**sign, unit.dimension * factor.dimension**sign)
    return unit


def _unit_factor(part: str, text: str) -> Unit:
    match = _FACTOR.fullmatch(part)
    if match is None:
        raise ModelError(f'"{text}" is not a unit; join names by * and /, powers by ^, as in "kg*m^2" or "m/s^2"')
    name, power = match.group(1), int(match.group(2) or 1)
    if abs(power) > LARGEST_POWER:
        raise ModelError(f'the power {power} in the unit "{text}" is beyond {LARGEST_POWER}; write a smaller one')
    if name == "1":
        return Unit(Fraction(1), DIMENSIONLESS)
    if name not in UNITS:
        raise ModelError(f'unit "{name}" is not known; {_suggest_unit(name)}')
    return Unit(UNITS[name].factor ** power, UNITS[name].dimension ** power)


def _suggest_unit(name: str) -> str:
    for cut in range(1, len(name)):
        if name[:cut] in UNITS and name[cut:] in UNITS:
            return f'write "{name[:cut]}*{name[cut:]}" if that is meant'
    near = nearest_word(name, UNITS)
    known = ", ".join(UNITS)
    return f'did you mean "{near}"? known are {known}' if near else f"known are {known}"


def is_quantity(text: str) -> bool:
    """Whether the text is a number alone or a number with something like a unit behind it (not a formula)."""
    match = _NUMBER.match(text.strip())
    return match is not None and re.fullmatch(r"|\s+[A-Za-z1].*", text.strip()[match.end() :]) is not None


def parse_quantity(text: str) -> Quantity:
    """A number and, after white space, its unit; without one it is dimensionless.

    Raises:
        ModelError: no finite decimal number, or an unknown unit.
    """
    number, unit_text = split_quantity(text)
    value = parse_number(number)
    if not unit_text:
        return Quantity(value, DIMENSIONLESS)
    unit = parse_unit(unit_text)
    return Quantity(value * unit.factor, unit.dimension)


def split_quantity(text: str) -> tuple[str, str]:
    """The number and, after any white space, the unit as they are written; no unit is empty.

    Raises:
        ModelError: the text does not begin with a decimal number, or something follows it at once.
    """
    stripped = text.strip()
    match = _NUMBER.match(stripped)
    if match is None:
        raise ModelError(f'"{text}" does not start with a finite decimal number; write one such as "0.3 m"')
    number, rest = match.group(), stripped[match.end() :]
    if rest and not rest[0].isspace():
        raise ModelError(f'"{text}" needs a space between the number and its unit, as in "0.3 m"')
    return number, rest.strip()


def signed_float(value: Fraction, text: str) -> float:
    """The nearest float of a number that was written as `text`: a zero keeps its sign, which a fraction has not."""
    return float(value) if value else math.copysign(0.0, -1.0 if text.strip().startswith("-") else 1.0)
