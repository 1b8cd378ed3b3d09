"""Formulas have their dimensions and a value, and masses are above zero, over the ranges of tunable parameters.

At the nominal parameters inertias are possible too.

In: a `Mechanism`. Out: nothing, or a `ModelError`.
"""

from collections.abc import Iterator
from fractions import Fraction

from exporter.errors import ModelError
from exporter.model.checks.dimensions import require_dimension
from exporter.model.evaluate import evaluate, names
from exporter.model.expression import ZERO, Expression, Number, Vector
from exporter.model.mechanism import Body, Frame, Mechanism
from exporter.model.parameter_sets import parameter_sets, set_text
from exporter.model.place import Place
from exporter.model.units import (
    ACCELERATION,
    ANGLE,
    INERTIA,
    LENGTH,
    MASS,
    Dimension,
    parse_unit,
)
from exporter.records import dataclass

MINOR_ROUNDING = Fraction(1, 10**30)  # of the trace: what roots to 60 digits may leave in a determinant
INERTIA_ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")

Entry = tuple[Place, Expression, Dimension]
Matrix = tuple[tuple[Fraction, Fraction, Fraction], ...]


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Dimension and nominal value of the names that formulas use."""

    dimensions: dict[str, Dimension]
    values: dict[str, Fraction]


def check_bodies(mechanism: Mechanism) -> None:
    """Refuse formulas without a value or of the wrong dimension, masses and inertias that no body has.

    Raises:
        ModelError: naming the formula and what was expected.
    """
    parameters = KnownNames(
        {parameter.name: parse_unit(parameter.unit).dimension for parameter in mechanism.parameters},
        mechanism.nominal_values(),
    )
    check_formulas(_geometry(mechanism), parameters)
    for body in mechanism.bodies:
        _check_mass(Place(key="bodies") / body.name, body, parameters.values)
    _check_over_ranges(mechanism)


def _check_over_ranges(mechanism: Mechanism) -> None:
    """What tunable parameters are part of has a value, and is a mass where it is one, at other values than nominal."""
    tunable = frozenset(mechanism.tunable_names())
    changing = [(place, each) for place, each, _ in _geometry(mechanism) if names(each) & tunable]
    for values in parameter_sets(mechanism)[1:] if changing else ():
        for place, expression in changing:
            with place.within():
                _check_value(place, expression, mechanism, values)


def _check_value(place: Place, expression: Expression, mechanism: Mechanism, values: dict[str, Fraction]) -> None:
    advice = f"at {set_text(mechanism, values)}; narrow their ranges, or freeze what the formula is made of"
    try:
        value = evaluate(expression, values)
    except ModelError as error:
        raise ModelError(f"{str(error).partition(';')[0]}, {advice}") from None
    if place.key.endswith(".mass") and value <= 0:
        raise ModelError(f"{float(value):g} kg is not above zero {advice}")


def check_formulas(entries: Iterator[Entry], known: KnownNames) -> None:
    """Refuse formulas of a wrong dimension, and those without a value at the known ones; of others nothing is known.

    Raises:
        ModelError: naming the formula and what was expected.
    """
    for place, expression, expected in entries:
        with place.within():
            if not isinstance(expression, Number):  # a quantity; its unit was seen by whoever wrote the number
                require_dimension(expression, expected, known.dimensions)
            if names(expression) <= known.values.keys():
                evaluate(expression, known.values)


def _geometry(mechanism: Mechanism) -> Iterator[Entry]:
    yield from components(Place(key="mechanism.gravity"), mechanism.gravity, ACCELERATION)
    for body in mechanism.bodies:
        place = Place(key="bodies") / body.name
        yield place / "mass", body.mass, MASS
        yield from components(place / "center_of_mass", body.center_of_mass, LENGTH)
        for entry, expression in zip(INERTIA_ENTRIES, body.inertia, strict=True):
            yield place / "inertia" / entry, expression, INERTIA
        for frame in body.frames:
            yield from _frame(place / frame.name.split(".")[-1], frame)
    for joint in mechanism.joints:
        yield from _frame(Place(key="joints") / joint.name / "parent", joint.parent)
        yield from _frame(Place(key="joints") / joint.name / "child", joint.child)


def _frame(place: Place, frame: Frame) -> Iterator[Entry]:
    yield from components(place, frame.at, LENGTH)
    for index, (_, angle) in enumerate(frame.rotation.turns):
        yield (place / "turns")[index], angle, ANGLE


def components(place: Place, vector: Vector, expected: Dimension) -> Iterator[Entry]:
    """The three formulas of a vector, with their places and the dimension that all have."""
    for index, expression in enumerate(vector):
        yield place[index], expression, expected


def _check_mass(place: Place, body: Body, values: dict[str, Fraction]) -> None:
    mass = evaluate(body.mass, values)
    if body.mass == ZERO and all(entry == ZERO for entry in body.inertia):
        return
    if mass <= 0:
        raise (place / "mass").error(
            f"{float(mass):g} kg is not above zero; write a positive mass, or leave mass and inertia out for a body "
            "without mass"
        )
    xx, yy, zz, xy, xz, yz = (evaluate(entry, values) for entry in body.inertia)
    _check_inertia(place / "inertia", ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def _check_inertia(place: Place, matrix: Matrix) -> None:
    diagonal = [matrix[index][index] for index in range(3)]
    if not _semidefinite(matrix):
        raise place.error(
            f"the matrix with the diagonal {_values_text(diagonal)} kg*m^2 has a negative moment about some axis; "
            "no body has that: check signs and products of inertia"
        )
    half_trace = sum(diagonal, Fraction(0)) / 2
    second_moments = tuple(
        tuple((half_trace if row == column else 0) - matrix[row][column] for column in range(3)) for row in range(3)
    )
    several = sum(entry != 0 for entry in diagonal) > 1  # a planar body may name zz alone
    if several and not _semidefinite(second_moments):  # type: ignore[arg-type]  # three by three
        raise place.error(
            f"one of the moments {_values_text(diagonal)} kg*m^2, or a principal one, is larger than the sum of the "
            "other two; no body has that: check the values"
        )


def _values_text(values: list[Fraction]) -> str:
    return ", ".join(f"{float(value):g}" for value in values)


def _semidefinite(matrix: Matrix) -> bool:
    """Whether all principal minors are at least zero, but for rounding."""
    scale = max(abs(entry) for row in matrix for entry in row)
    (a, d, e), (_, b, f), (_, _, c) = matrix
    first = (a, b, c)
    second = (a * b - d * d, a * c - e * e, b * c - f * f)
    third = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e)
    minors = [(1, minor) for minor in first] + [(2, minor) for minor in second] + [(3, third)]
    return all(minor >= -MINOR_ROUNDING * scale**order for order, minor in minors)
