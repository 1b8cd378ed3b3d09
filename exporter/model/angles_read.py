"""What loads and elements read of the state by its value: an angle counts by whole turns there, in sines it does not.

Used by: the checks of a file, and those of dependent angles over the ranges.
"""

from collections.abc import Iterator

from exporter.model.expression import Call, Expression, Name, arguments_of
from exporter.model.mechanism import Mechanism
from exporter.model.place import Place

BY_VALUE = ("spring", "gas_spring", "end_stop")
"""Elements whose laws read the coordinate that they act along."""


def formulas_of_forces(mechanism: Mechanism) -> Iterator[tuple[Place, Expression]]:
    """Every formula that may read an angle, with its place; an element reads what it acts along."""
    for load in mechanism.loads:
        yield from ((Place(key="loads") / load.name / "value", part) for part in load.value)
    for element in mechanism.elements:
        place = Place(key="elements") / element.name
        if element.type in BY_VALUE and "force" not in element.values:
            yield place / "along", Name(element.along)
        yield from ((place / key, formula) for key, formula in element.values.items())


def read_by_value(formula: Expression) -> frozenset[str]:
    """The names that a formula reads, but for those that it takes a sine or cosine of."""
    match formula:
        case Name(name):
            return frozenset({name})
        case Call("sin" | "cos", (Name(),)):
            return frozenset()
    return frozenset().union(*(read_by_value(part) for part in arguments_of(formula)))
