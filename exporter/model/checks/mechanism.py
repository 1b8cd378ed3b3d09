"""What must hold of every mechanism, however it was made: names, values, the tree of joints, bodies, coordinates.

In: a `Mechanism`. Out: nothing, or one `ModelError` whose sentence starts with the key. Whether the loops close and
what drives them is for the kinematics to find.
"""

from fractions import Fraction

from exporter.digits import digits
from exporter.model.checks.bodies import check_bodies
from exporter.model.checks.coordinates import check_coordinates
from exporter.model.checks.couplings import check_couplings
from exporter.model.checks.loads import check_loads
from exporter.model.checks.names import check_names
from exporter.model.checks.outputs import check_outputs
from exporter.model.checks.tree import check_tree
from exporter.model.mechanism import Input, Mechanism, Parameter
from exporter.model.place import Place
from exporter.model.units import LENGTH, MASS, parse_unit, si_unit


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
    check_loads(mechanism)
    check_coordinates(mechanism)
    check_couplings(mechanism)
    check_outputs(mechanism)


def _check_parameter(place: Place, parameter: Parameter) -> None:
    _check_unit(place, parameter.unit)
    _check_sign(place, parameter)
    low, high, value = parameter.minimum, parameter.maximum, parameter.value
    if low is None or high is None:
        if not parameter.frozen:
            raise place.error(
                "a tunable parameter needs a range; add range = [smallest, largest], or frozen = true to fix it"
            )
    elif not low <= value <= high:
        raise place.error(_outside(value, low, high, parameter.unit))
    if parameter.integer:
        _check_integer(place, parameter)


def _check_sign(place: Place, parameter: Parameter) -> None:
    """Masses are above zero, and so are lengths that do not say that they have a sign."""
    dimension = parse_unit(parameter.unit).dimension
    if parameter.signed and dimension != LENGTH:
        raise (place / "signed").error(f"only a length needs it, and this is in {parameter.unit}; leave the key out")
    if dimension not in (LENGTH, MASS) or parameter.signed:
        return
    for key, value in (("value", parameter.value), ("range", parameter.minimum)):
        if value is not None and value <= 0:
            kind = "mass" if dimension == MASS else "length"
            advice = "" if dimension == MASS else ", or add signed = true for an offset that may be negative"
            raise (place / key).error(
                f"{digits(value)} {parameter.unit} is not above zero, as a {kind} is; write a positive one{advice}"
            )


def _check_integer(place: Place, parameter: Parameter) -> None:
    if parameter.unit != "1":
        raise place.error(f"an integer has no unit, and this one is in {parameter.unit}; leave out `integer`")
    for value in (parameter.value, parameter.minimum, parameter.maximum):
        if value is not None and value.denominator != 1:
            raise place.error(f"{digits(value)} is no integer; write whole numbers, or leave out `integer`")


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
        f"{digits(value)} {unit} is outside its range from {digits(low)} to {digits(high)} {unit}; "
        "write a value within, or widen the range"
    )
