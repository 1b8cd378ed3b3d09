"""What must hold of every mechanism, however it was made: names, values, the tree of joints, bodies, coordinates.

In: a `Mechanism`. Out: nothing, or one `ModelError` whose sentence starts with the key. Whether the loops close and
what drives them is for the kinematics to find.
"""

from fractions import Fraction

from exporter.model.check_bodies import check_bodies
from exporter.model.check_coordinates import check_coordinates, check_outputs
from exporter.model.check_names import check_names
from exporter.model.check_tree import check_tree
from exporter.model.mechanism import Input, Mechanism, Parameter
from exporter.model.place import Place
from exporter.model.units import MASS, parse_unit, si_unit


def check_mechanism(mechanism: Mechanism) -> None:
    """Refuse a mechanism that cannot be right.

    Raises:
        ModelError: the first fault, with its key, value, limit and what to do.
    """
    check_names(mechanism)
    for parameter in mechanism.parameters:
        _check_parameter(Place(key="parameters") / parameter.name, parameter)
    for given in mechanism.inputs:
        _check_input(Place(key="inputs") / given.name, given)
    if mechanism.step.period <= 0:
        raise Place(key="step.period").error(
            f'{float(mechanism.step.period):g} s is not above zero; write one such as "1 ms"'
        )
    check_tree(mechanism)
    check_bodies(mechanism)
    check_coordinates(mechanism)
    check_outputs(mechanism)


def _check_parameter(place: Place, parameter: Parameter) -> None:
    _check_unit(place, parameter.unit)
    low, high, value = parameter.minimum, parameter.maximum, parameter.value
    if parse_unit(parameter.unit).dimension == MASS and (value <= 0 or (low is not None and low <= 0)):
        raise place.error(f"{float(value):g} kg, or its range, is not above zero; a mass is: write a positive one")
    if low is None or high is None:
        if not parameter.frozen:
            raise place.error(
                "a tunable parameter needs a range; add range = [smallest, largest], or frozen = true to fix it"
            )
    elif not low <= value <= high:
        raise place.error(_outside(value, low, high, parameter.unit))
    if parameter.integer:
        _check_integer(place, parameter)


def _check_integer(place: Place, parameter: Parameter) -> None:
    if parameter.unit != "1":
        raise place.error(f"an integer has no unit, and this one is in {parameter.unit}; leave out `integer`")
    for value in (parameter.value, parameter.minimum, parameter.maximum):
        if value is not None and value.denominator != 1:
            raise place.error(f"{float(value):g} is no integer; write whole numbers, or leave out `integer`")


def _check_input(place: Place, given: Input) -> None:
    _check_unit(place, given.unit)
    if not given.minimum <= given.nominal <= given.maximum:
        raise (place / "nominal").error(_outside(given.nominal, given.minimum, given.maximum, given.unit))


def _check_unit(place: Place, unit: str) -> None:
    with place.within():
        parsed = parse_unit(unit)
    if parsed.factor != 1:
        raise place.error(f'"{unit}" is not an SI unit; give the value in {si_unit(parsed.dimension)}')


def _outside(value: Fraction, low: Fraction, high: Fraction, unit: str) -> str:
    return (
        f"{float(value):g} {unit} is outside its range from {float(low):g} to {float(high):g} {unit}; "
        "write a value within, or widen the range"
    )
