"""Random quantities as a file writes them: units of every size, names of parameters, formulas.

In: a seeded generator. Out: `Drawn` numbers, each with its text; the number is what the text says. A
structured mechanism draws round lengths, right angles and lengths that are equal, since these are special cases.
"""

from dataclasses import dataclass, field
from math import cos, pi
from random import Random

from plain_numbers import factor_of, number_of

LENGTHS = ("m", "mm", "cm", "in", "ft", "km", "um")
ANGLES = ("rad", "deg", "mrad", "rev")
ROUND_LENGTHS = (0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
ROUND_ANGLES = (0.0, 0.0, 30.0, 45.0, 60.0, 90.0, 90.0, 180.0)  # deg
DIGITS = 15  # of what is computed so that a loop closes


@dataclass(frozen=True)
class Drawn:
    """A number and its text."""

    value: float
    text: str


ZERO = Drawn(0.0, "0")


def written(value: float, unit: str, digits: int) -> Drawn:
    """A value in SI units, written in a unit."""
    text = f"{value / factor_of(unit):.{digits}g} {unit}"
    return Drawn(float(number_of(text, {})), text)


@dataclass
class Quantities:
    """Draws numbers; keeps the parameters that some of them became."""

    random: Random
    structured: bool
    named: float  # probability that a number of the geometry becomes a formula of parameters
    tunable: float  # probability that such a parameter is tunable
    parameters: dict[str, dict[str, object]] = field(default_factory=dict)

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.random.random() < probability

    def length(self, scale: float = 1.0, zero: float = 0.1) -> Drawn:
        """A length of either sign, perhaps zero."""
        if self.chance(zero):
            return ZERO
        sign = self.random.choice((-1, 1))
        if self.structured and self.chance(0.8):
            return self.perhaps_named(written(sign * scale * self.random.choice(ROUND_LENGTHS), "m", 12), "m")
        value = sign * scale * self.random.uniform(0.15, 1.2)
        return self.perhaps_named(written(value, self.random.choice(LENGTHS), self.random.randint(3, 8)), "m")

    def angle(self, largest: float = pi, zero: float = 0.1) -> Drawn:
        """An angle of either sign, perhaps zero."""
        if self.chance(zero):
            return ZERO
        sign = self.random.choice((-1, 1))
        if self.structured and self.chance(0.8):
            value = sign * self.random.choice(ROUND_ANGLES) * pi / 180
            return self.perhaps_named(written(value if abs(value) <= largest else largest / 2, "deg", 12), "rad")
        value = self.random.uniform(-largest, largest)
        return self.perhaps_named(written(value, self.random.choice(ANGLES), self.random.randint(3, 8)), "rad")

    def coordinate(self, angle: bool, scale: float = 1.0) -> Drawn:
        """A coordinate of the design pose: a quantity, never a formula."""
        named, self.named = self.named, 0.0
        drawn = self.angle(zero=0.1 if self.structured else 0.02) if angle else self.length(0.6 * scale)
        self.named = named
        return drawn

    def exact(self, value: float, unit: str) -> Drawn:
        """A number that was computed, with all its digits."""
        if abs(value) < 1e-13:
            return ZERO
        return self.perhaps_named(written(value, unit, DIGITS), unit)

    def perhaps_named(self, drawn: Drawn, unit: str) -> Drawn:
        """The number, or a formula of parameters that has the same value."""
        if drawn.value == 0 or not self.chance(self.named):
            return drawn
        form = self.random.choice(("plain", "plain", "scaled", "turned", "sum"))
        if form == "plain" or unit != "m":
            return self._formula("{0}", (drawn,), unit)
        if form == "scaled":
            factor = self.random.choice((-1.0, 0.5, 2.0, -0.25))
            return self._formula(f"{factor:g}*{{0}}", (written(drawn.value / factor, "m", DIGITS),), unit)
        if form == "turned":
            angle = written(self.random.uniform(-1, 1), "rad", 4)
            length = written(drawn.value / cos(angle.value), "m", DIGITS)
            return self._formula("{0}*cos({1})", (length, angle), unit)
        part = written(drawn.value * self.random.uniform(0.2, 0.8), "m", 6)
        return self._formula("{0} + {1}", (part, written(drawn.value - part.value, "m", DIGITS)), unit)

    def _formula(self, form: str, parts: tuple[Drawn, ...], unit: str) -> Drawn:
        units = [unit, "rad"] if "cos" in form else [unit] * len(parts)
        names = [self.parameter(part, own) for part, own in zip(parts, units, strict=True)]
        text = form.format(*names)
        values = {name: part.value for name, part in zip(names, parts, strict=True)}
        return Drawn(float(number_of(text, values)), text)

    def parameter(self, drawn: Drawn, unit: str) -> str:
        """A new parameter of this value; its name."""
        name = f"a{len(self.parameters)}"
        entry: dict[str, object] = {"value": drawn.text}
        if unit == "m" and (drawn.value < 0 or self.chance(0.1)):
            entry["signed"] = True
        if self.chance(self.tunable):
            entry["range"] = self._range(drawn, unit)
        else:
            entry["frozen"] = True
        self.parameters[name] = entry
        return name

    def _range(self, drawn: Drawn, unit: str) -> list[str]:
        """Around the value, which is at one end at times."""
        spread = self.random.choice((0.01, 0.05, 0.1, 0.2)) * (abs(drawn.value) if unit != "rad" else 1.0)
        low, high = (self.random.uniform(0.3, 1) * spread for _ in range(2))
        ends = [f"{drawn.value - low:.9g} {unit}", f"{drawn.value + high:.9g} {unit}"]
        if self.chance(0.15):
            ends[self.random.randint(0, 1)] = drawn.text
        return ends
