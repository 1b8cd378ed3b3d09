"""Draws formulas of forces that read the state, and the tables that they call.

In: a sketch whose bodies stand, names of coordinates and distances with their values at the design pose. Out:
text of the dimension that is asked for, parameters and tables beside it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log

from drawn_quantities import written
from sketch import Sketch


@dataclass(frozen=True)
class Length:
    """A coordinate or distance: its unit, and where it is at the design pose."""

    name: str
    unit: str
    value: float


@dataclass(frozen=True)
class Machine:
    """What formulas of a sketch may read, and how large forces are."""

    sketch: Sketch
    lengths: list[Length]
    scale: float  # N, N*m

    def spread(self, low: float, high: float) -> float:
        """Between the two, as likely in each decade."""
        return exp(self.sketch.quantities.random.uniform(log(low), log(high)))

    def given(self, value: float, unit: str) -> str:
        """A parameter of this value and unit; its name."""
        quantities = self.sketch.quantities
        return quantities.parameter(written(value, unit, quantities.random.randint(3, 7)), unit)

    def quantity(self, value: float, unit: str) -> str:
        """A value of this unit as a quantity, or as a parameter."""
        if self.sketch.quantities.chance(0.3):
            return self.given(value, unit)
        return written(value, unit, self.sketch.quantities.random.randint(3, 7)).text

    def length(self, *, distance: bool = False) -> Length:
        """What a term reads."""
        known = [each for each in self.lengths if not distance or each.name not in self.sketch.pose]
        return self.sketch.quantities.random.choice(known or self.lengths)


def drawn_formula(machine: Machine, unit: str) -> str:
    """One to three terms of a force (N) or a torque (N*m)."""
    random = machine.sketch.quantities.random
    count = random.choice((1, 1, 2, 3))
    terms = [_parenthesised(random.choice(TERMS)(machine, unit)) for _ in range(count)]
    return " - ".join(terms) if random.random() < 0.3 else " + ".join(terms)


def _parenthesised(term: str) -> str:
    return f"({term})" if term.startswith("-") else term


def _force(machine: Machine, unit: str) -> str:
    sign = machine.sketch.quantities.random.choice((-1, 1))
    return machine.given(sign * machine.scale * machine.spread(0.1, 3), unit)


def _elastic(machine: Machine, unit: str) -> str:
    x = machine.length()
    return f"-{machine.given(machine.scale * machine.spread(0.5, 20), f'{unit}/{x.unit}')}*{x.name}"


def _viscous(machine: Machine, unit: str) -> str:
    x = machine.length()
    return f"-{machine.given(machine.scale * machine.spread(0.02, 1), f'{unit}*s/{x.unit}')}*{x.name}.rate"


def _turning(machine: Machine, unit: str) -> str:
    angles = [each for each in machine.lengths if each.unit == "rad"]
    if not angles:
        return _elastic(machine, unit)
    random = machine.sketch.quantities.random
    return f"{_force(machine, unit)}*{random.choice(('sin', 'cos'))}({random.choice(angles).name})"


def _saturated(machine: Machine, unit: str) -> str:
    x = machine.length()
    return f"{_force(machine, unit)}*tanh({x.name}.rate/{machine.given(machine.spread(0.1, 3), f'{x.unit}/s')})"


def _limited(machine: Machine, unit: str) -> str:
    most = machine.given(machine.scale * machine.spread(0.3, 3), unit)
    return f"max(-{most}, min({_elastic(machine, unit)}, {most}))"


def _bell(machine: Machine, unit: str) -> str:
    x = machine.length()
    return f"{_force(machine, unit)}*exp(-({x.name}/{machine.given(machine.spread(0.3, 2), x.unit)})^2)"


def _power(machine: Machine, unit: str) -> str:
    x = machine.length(distance=True)
    width = machine.given(machine.spread(0.3, 2), x.unit)
    if x.name in machine.sketch.pose:
        return f"{_force(machine, unit)}*({x.name}/{width})^{machine.sketch.quantities.random.choice((2, 3))}"
    function = machine.sketch.quantities.random.choice(("pow({0}, 1.3)", "log({0})", "sqrt({0})", "1/({0} + 1)"))
    return f"{_force(machine, unit)}*{function.format(f'{x.name}/{width}')}"


def _drag(machine: Machine, unit: str) -> str:
    x = machine.length()
    drag = machine.given(machine.scale * machine.spread(0.02, 1), f"{unit}*s^2/{x.unit}^2")
    return f"-{drag}*abs({x.name}.rate)*{x.name}.rate"


def _asked(machine: Machine, unit: str) -> str:
    """An input, alone or turned by the state."""
    sketch = machine.sketch
    name, bound = sketch.name("u"), machine.scale * machine.spread(0.3, 3)
    sketch.document.setdefault("inputs", {})[name] = {"range": [f"{-bound:.4g} {unit}", f"{bound:.4g} {unit}"]}
    x = machine.length()
    width = machine.given(machine.spread(0.1, 2), f"{x.unit}/s")
    return sketch.quantities.random.choice((name, f"{name}*tanh({x.name}.rate/{width})", f"-{name}/2"))


def _looked_up(machine: Machine, unit: str) -> str:
    """A table of a length or a rate; of both at times."""
    random = machine.sketch.quantities.random
    x, v = machine.length(), machine.length()
    name, values = machine.sketch.name("t"), lambda: f"{machine.scale * random.uniform(-2, 2):.4g} {unit}"
    lengths = _knots(machine, x.value, x.unit)
    rates = _knots(machine, 0.0, f"{v.unit}/s")
    form = random.choice(("length", "length", "rate", "both"))
    if form == "both":
        entry = {"x": lengths, "y": rates, "z": [[values() for _ in rates] for _ in lengths]}
    else:
        knots = lengths if form == "length" else rates
        method = random.choice(("linear", "monotone_cubic"))
        entry = {"x": knots, "y": [values() for _ in knots], "method": method}
    machine.sketch.document.setdefault("tables", {})[name] = entry
    arguments = {"length": x.name, "rate": f"{v.name}.rate", "both": f"{x.name}, {v.name}.rate"}[form]
    return f"{name}({arguments})"


def _knots(machine: Machine, middle: float, unit: str) -> list[str]:
    random = machine.sketch.quantities.random
    count, width = random.randint(2, 6), machine.spread(0.3, 3)
    steps = [1.0] * count if random.random() < 0.5 else [random.uniform(0.3, 1) for _ in range(count)]
    at, found = round(middle - width / 2, 3), []
    for step in steps:
        found.append(f"{at:.6g} {unit}")
        at += step * round(width / count, 4)
    return found


Term = Callable[[Machine, str], str]
TERMS: tuple[Term, ...] = (
    _elastic, _elastic, _viscous, _viscous, _turning, _saturated, _limited, _bell, _power, _drag, _asked, _looked_up,
    _looked_up,
)  # fmt: skip
