"""Formulas of loads and elements have their dimensions, distances their two ends, and elements values that can be.

In: a `Mechanism`. Out: nothing, or a `ModelError`.
"""

from collections.abc import Iterator
from fractions import Fraction

from exporter.model.angles_read import formulas_of_forces, read_by_value
from exporter.model.checks.bodies import Entry, KnownNames, check_formulas, components
from exporter.model.elements import ABOVE_ZERO, NOT_NEGATIVE, element_dimensions
from exporter.model.evaluate import evaluate, names
from exporter.model.expression import Expression
from exporter.model.mechanism import Distance, Element, Load, Mechanism
from exporter.model.nearest import list_words, nearest
from exporter.model.parameter_sets import parameter_sets, set_text
from exporter.model.place import Place
from exporter.model.units import ANGLE, FORCE, TORQUE, Dimension, parse_unit
from exporter.model.wrapping import is_wrapped


def check_loads(mechanism: Mechanism) -> None:
    """Refuse loads, distances and elements that cannot be.

    Raises:
        ModelError: naming the key, the value and what was expected.
    """
    for name, distance in mechanism.distances.items():
        _check_distance(Place(key="distances") / name, distance)
    check_formulas(_formulas(mechanism), _known_names(mechanism))
    for place, formula in formulas_of_forces(mechanism):
        _check_angles(place, formula, mechanism)
    for element in mechanism.elements:
        _check_element(Place(key="elements") / element.name, element, mechanism)
    _check_step(Place(key="step"), mechanism)


def _check_step(place: Place, mechanism: Mechanism) -> None:
    """What a linearly implicit step is to know."""
    step, known = mechanism.step, [element.name for element in mechanism.elements]
    for name in step.implicit:
        if name not in known:
            raise (place / "implicit").error(
                f'"{name}" is not an element{nearest(name, known)}; it has {list_words(known)}'
            )
    if step.implicit and step.method != "linearly_implicit":
        raise (place / "implicit").error(
            f'{step.method} knows no slopes; write method = "linearly_implicit", or leave the key out'
        )
    if step.method == "linearly_implicit" and mechanism.alternative:
        raise (place / "method").error("a step that switches between two choices of coordinates is explicit; write rk4")


def _known_names(mechanism: Mechanism) -> KnownNames:
    inputs = mechanism.inputs
    units = {**{p.name: p.unit for p in mechanism.parameters}, **{given.name: given.unit for given in inputs}}
    dimensions = {name: parse_unit(unit).dimension for name, unit in units.items()}
    return KnownNames(
        {**dimensions, **mechanism.state_dimensions()},
        {**mechanism.nominal_values(), **{given.name: given.nominal for given in inputs}},
    )


def _formulas(mechanism: Mechanism) -> Iterator[Entry]:
    coordinates = mechanism.dimensions()
    for load in mechanism.loads:
        place = Place(key="loads") / load.name / "value"
        yield from components(place, load.value, _load_dimension(load, coordinates, place))
    state = mechanism.state_dimensions()
    for element in mechanism.elements:
        place = Place(key="elements") / element.name
        if element.along not in state:
            raise (place / "along").error(
                f'"{element.along}" is neither a distance nor a coordinate{nearest(element.along, state)}'
            )
        dimensions = element_dimensions(state[element.along])
        for key, formula in element.values.items():
            yield place / key, formula, dimensions[key]


def _load_dimension(load: Load, coordinates: dict[str, Dimension], place: Place) -> Dimension:
    if load.type != "coordinate":
        return FORCE if load.type == "force" else TORQUE
    if load.coordinate not in coordinates:
        raise place.error(f'"{load.coordinate}" is not a coordinate; known are {", ".join(coordinates)}')
    return TORQUE if coordinates[load.coordinate] == ANGLE else FORCE


def _check_distance(place: Place, distance: Distance) -> None:
    if distance.start.body == distance.end.body:
        raise place.error(
            f"{distance.start.name} and {distance.end.name} are points of one body and stay as far apart as they are; "
            "name points of two bodies"
        )


# -- angles that are wrapped -----------------------------------------------------------------------------------------


def _check_angles(place: Place, formula: Expression, mechanism: Mechanism) -> None:
    """An angle that may turn on and on is brought back by a whole turn: only its sine and cosine mean something."""
    for name in sorted(read_by_value(formula)):
        if name in mechanism.dimensions() and is_wrapped(mechanism, name):
            raise place.error(
                f"{name} may turn on and on (its range is a full turn and more) and is brought back by whole turns, so "
                f"that a force of {name} itself would jump; narrow its range, or write sin({name}), cos({name})"
            )


# -- values of elements ----------------------------------------------------------------------------------------------


def _check_element(place: Place, element: Element, mechanism: Mechanism) -> None:
    fixed = {key: formula for key, formula in element.values.items() if key != "force"}
    for values in parameter_sets(mechanism):
        found = {key: evaluate(formula, values) for key, formula in fixed.items() if names(formula) <= values.keys()}
        told = set_text(mechanism, values)
        _check_signs(place, found, f" at {told}" if told else "")


def _check_signs(place: Place, found: dict[str, Fraction], where: str) -> None:
    for key, value in found.items():
        if key in ABOVE_ZERO and value <= 0:
            raise (place / key).error(f"{float(value):g} is not above zero{where}; write a positive {key}")
        if key in NOT_NEGATIVE and value < 0:
            raise (place / key).error(f"{float(value):g} is negative{where}, and would add energy; write zero or more")
    if {"lower", "upper"} <= found.keys() and found["lower"] >= found["upper"]:
        raise (place / "upper").error(
            f"{float(found['upper']):g} is not above lower, {float(found['lower']):g}{where}; exchange them"
        )
