"""Reads single values of a mechanism file: quantities, ranges, formulas, vectors.

In: text and the dimension that its place needs. Out: rationals in SI units and nodes; or a `ModelError` that says
where the text stands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction

from exporter.model.checks.dimensions import require_dimension
from exporter.model.evaluate import names
from exporter.model.expression import Expression, LookupTable, Number, Vector
from exporter.model.nearest import nearest
from exporter.model.parse import parse_expression
from exporter.model.place import Place
from exporter.model.units import Dimension, Quantity, describe, is_quantity, parse_quantity, si_unit
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """What a formula may use: names with their dimensions, and names that exist but have no place in it."""

    dimensions: Mapping[str, Dimension]
    refused: Mapping[str, str]  # name -> why
    tables: Mapping[str, LookupTable] = field(default_factory=dict)


def any_quantity(place: Place, text: str) -> Quantity:
    """A quantity of any dimension."""
    with place.within():
        return parse_quantity(text)


def quantity(place: Place, text: str, expected: Dimension) -> Fraction:
    """A quantity of the expected dimension, in SI units. Zero needs no unit."""
    found = any_quantity(place, text)
    if found.dimension != expected and not _bare_zero(found):
        raise place.error(
            f'"{text}" is {describe(found.dimension)}, but {describe(expected)} is needed here; '
            f'write it with a unit of that kind, such as "1 {si_unit(expected)}"'
        )
    return found.value


def _bare_zero(found: Quantity) -> bool:
    return found.value == 0 and found.dimension == Dimension()


def quantity_range(place: Place, texts: Sequence[str], expected: Dimension) -> tuple[Fraction, Fraction]:
    """Smallest and largest value.

    Raises:
        ModelError: the first is not below the second.
    """
    low, high = (quantity(place[index], text, expected) for index, text in enumerate(texts))
    if low >= high:
        raise place.error(f'"{texts[0]}" is not below "{texts[1]}"; write the smaller bound first')
    return low, high


def range_dimension(place: Place, texts: Sequence[str]) -> Dimension:
    """The dimension of a range: of its first bound that is not a bare zero."""
    found = [any_quantity(place[index], text) for index, text in enumerate(texts)]
    return next((bound.dimension for bound in found if not _bare_zero(bound)), Dimension())


def formula(place: Place, text: str, expected: Dimension, scope: Scope) -> Expression:
    """A quantity, or a formula of names, of the expected dimension."""
    if is_quantity(text):
        return Number(quantity(place, text, expected))
    with place.within():
        expression = parse_expression(text, scope.tables)
    _require_names(place, expression, scope)
    with place.within():
        require_dimension(expression, expected, scope.dimensions)
    return expression


def _require_names(place: Place, expression: Expression, scope: Scope) -> None:
    for name in sorted(names(expression)):
        if name in scope.refused:
            raise place.error(f'"{name}" {scope.refused[name]}')
        if name not in scope.dimensions:
            raise place.error(
                f'"{name}" is not a parameter or input{nearest(name, scope.dimensions)}; '
                "declare it under [parameters] (a quantity with a unit stands alone, without * or /)"
            )


def vector(place: Place, texts: Sequence[str], expected: Dimension, scope: Scope) -> Vector:
    """Three components of the expected dimension."""
    x, y, z = (formula(place[index], text, expected, scope) for index, text in enumerate(texts))
    return x, y, z
