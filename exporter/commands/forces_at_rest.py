"""What acts on a mechanism, by which law, and how large it is at a pose at rest with nominal inputs.

In: a mechanism and all coordinates of one assembly. Out: `ForceFacts` of every load and element, in the order of the
file. The laws are those that dynamics writes into the sequence.
"""

from collections.abc import Mapping

from exporter.drawing.placed import Placed
from exporter.dynamics.element_law import LAWS
from exporter.errors import ModelError
from exporter.model.elements import element_dimensions
from exporter.model.evaluate import evaluate
from exporter.model.expression import Expression, Name, Number
from exporter.model.formula_text import formula_text
from exporter.model.mechanism import Element, Load, Mechanism
from exporter.model.units import si_unit
from exporter.records import dataclass

FORMULA_ALONE = ("spring", "damper", "actuator")
"""Types whose force may be a formula of its own, which is the law then."""


@dataclass(frozen=True, slots=True)
class ValueFacts:
    """A value of an element: its formula, empty where it is a number, and what it is worth there, SI units."""

    formula: str
    value: float | None
    unit: str


@dataclass(frozen=True, slots=True)
class ForceFacts:
    """A load or an element; None where the mechanism cannot be assembled, or the law has no value.

    A load has one component along a coordinate, else three.
    """

    name: str
    type: str  # "force", "torque", or the type of the element in words
    acts: str  # "along theta"
    law: tuple[str, ...]  # of x and v for elements; of the names of the file for loads
    values: dict[str, ValueFacts]  # of the names in an element's law
    x: float | None  # the length or coordinate that it acts along; of a force or torque on a body none
    x_unit: str
    force: tuple[float, ...] | None
    unit: str


def forces_at_rest(mechanism: Mechanism, coordinates: Mapping[str, float] | None) -> tuple[ForceFacts, ...]:
    """Every load and every element; without numbers where there is no pose."""
    scales = _Scales(None if coordinates is None else Placed(mechanism, coordinates))
    loads = (_load(mechanism, load, scales) for load in mechanism.loads)
    return (*loads, *(_element(mechanism, element, scales) for element in mechanism.elements))


class _Scales:
    """Values of formulas at the pose, at rest."""

    def __init__(self, placed: Placed | None) -> None:
        self.state = None if placed is None else placed.at_rest()

    def value(self, formula: Expression) -> float | None:
        """None where there is no pose, or the formula has no value there."""
        if self.state is None:
            return None
        try:
            return float(evaluate(formula, self.state))
        except ModelError:  # such as a root of what is negative at this pose
            return None

    def all(self, formulas: tuple[Expression, ...]) -> tuple[float, ...] | None:
        """All values, or None of them."""
        values = tuple(value for each in formulas if (value := self.value(each)) is not None)
        return values if len(values) == len(formulas) else None


def _load(mechanism: Mechanism, load: Load, scales: _Scales) -> ForceFacts:
    along = load.coordinate
    parts = load.value[:1] if along else load.value
    turns = mechanism.is_angle(along) if along else load.type == "torque"
    return ForceFacts(
        load.name,
        "torque" if turns else "force",
        f"along {along}" if along else _on(load),
        tuple(formula_text(part) for part in parts),
        {},
        scales.value(Name(along)) if along else None,
        mechanism.unit_of(along) if along else "",
        scales.all(parts),
        "N*m" if turns else "N",
    )


def _on(load: Load) -> str:
    where = "" if load.on is None else load.on.name
    return f"on {where}, {'ground axes' if load.axes is None else f'axes of {load.axes.name}'}"


def _element(mechanism: Mechanism, element: Element, scales: _Scales) -> ForceFacts:
    dimension = mechanism.state_dimensions()[element.along]
    units = {key: si_unit(each) for key, each in element_dimensions(dimension).items()}
    law = LAWS[element.type](element.values, Name(element.along), Name(f"{element.along}.rate"))
    alone = element.type in FORMULA_ALONE and "force" in element.values
    return ForceFacts(
        element.name,
        element.type.replace("_", " "),
        _acts(mechanism, element),
        (formula_text(law if alone else _named_law(element)),),
        {} if alone else _values(element, units, scales),
        scales.value(Name(element.along)),
        si_unit(dimension),
        scales.all((law,)),
        units["force"],
    )


def _acts(mechanism: Mechanism, element: Element) -> str:
    ends = mechanism.distances.get(element.along)
    if ends is None:
        return f"along {element.along}"
    own = "" if element.along == element.name else f", along {element.along}"
    return f"between {ends.start.name} and {ends.end.name}{own}"


def _named_law(element: Element) -> Expression:
    """The law of x and v, with the names of its values; an exponent is a number."""
    names: dict[str, Expression] = {key: Name(key) for key in element.values if key != "exponent"}
    exponent = {key: value for key, value in element.values.items() if key == "exponent"}
    return LAWS[element.type](names | exponent, Name("x"), Name("v"))


def _values(element: Element, units: Mapping[str, str], scales: _Scales) -> dict[str, ValueFacts]:
    return {
        key: ValueFacts("" if isinstance(formula, Number) else formula_text(formula), scales.value(formula), units[key])
        for key, formula in element.values.items()
        if key != "exponent"
    }
