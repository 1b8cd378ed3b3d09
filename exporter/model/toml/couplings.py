"""Reads the couplings of a mechanism file: `wheel = "-2 * pinion + phase"`.

In: the table [couplings], which fits the schema, the dimensions of all coordinates, and what formulas of the geometry
may use. Out: `Coupling`.
"""

from collections.abc import Mapping

from exporter.model.couplings import Coupling, linear_parts
from exporter.model.nearest import list_words, nearest
from exporter.model.place import Place
from exporter.model.toml.bodies import Table
from exporter.model.toml.values import Scope, formula
from exporter.model.units import Dimension

Dimensions = Mapping[str, Dimension]


def read_couplings(
    place: Place, table: Table, coordinates: Dimensions, closing: frozenset[str], scope: Scope
) -> tuple[Coupling, ...]:
    """All couplings in the order of the file; `scope` has the parameters, `closing` the joints without coordinates."""
    both = Scope({**scope.dimensions, **coordinates}, scope.refused, scope.tables)
    return tuple(_coupling(place, name, text, coordinates, closing, both) for name, text in table.items())


def _coupling(
    place: Place, name: str, text: str, coordinates: Dimensions, closing: frozenset[str], scope: Scope
) -> Coupling:
    if name not in coordinates:
        why = ", since this joint closes a loop; open the loop at another joint" if name in closing else ""
        near = why or nearest(name, coordinates)
        raise (place / name).error(f'"{name}" is not a coordinate{near}; known are {list_words(coordinates)}')
    found = formula(place / name, text, coordinates[name], scope)
    with (place / name).within():
        ratios, offset = linear_parts(found, coordinates)
    return Coupling(name, ratios, offset)
