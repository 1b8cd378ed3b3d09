"""Products that it takes to pass masses on from some rates to those that they are sums of: together, or one by one.

In: what each rate is a sum of, and which products of rates have a mass. Out: counts, without writing anything. Rates of
one point are cheaper together; rates that are each a multiple of one other are cheaper one by one, for fewer are left.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement

from exporter.dynamics.linear_graph import Terms
from exporter.sequence.builder import Value

Coupled = Mapping[int, frozenset[int]]
"""By a rate: those with which it has a product that has a mass, itself among them where its square has one."""


def together(group: Mapping[int, Terms], coupled: Coupled) -> int:
    """Products where all rates are replaced at once."""
    total = sum(len(coupled[index] - group.keys()) * _factors(terms) for index, terms in group.items())
    moved: dict[int, set[int]] = {}
    for index in group:
        inside = [group[other] for other in coupled[index] & group.keys()]
        moved[index] = {key for terms in inside for key in terms}
        total += sum(_factors(terms) for terms in inside)
    for one, other in _pairs(dict.fromkeys(key for terms in group.values() for key in terms)):
        sides = [
            sum(_is_factor(terms.get(two)) for index, terms in group.items() if key in moved[index])
            for key, two in ((one, other), (other, one))
        ]
        total += min(sides)
    return total


def one_by_one(group: Mapping[int, Terms], coupled: Coupled) -> int:
    """Products where each rate is replaced before the next."""
    rows = {index: set(coupled[index]) for index in group}
    total = 0
    for index, terms in group.items():
        row = rows.pop(index)
        for other in row - {index}:
            total += _factors(terms) + (other in terms)
            if other in rows:
                rows[other].discard(index)
                rows[other].update(terms)
        if index in row:
            total += _factors(terms) + sum(_is_factor(terms[other]) for _, other in _pairs(terms))
    return total


def _pairs(keys: Mapping[int, object]) -> Iterator[tuple[int, int]]:
    return combinations_with_replacement(keys, 2)


def _factors(terms: Terms) -> int:
    """Coefficients that are worth a product each."""
    return sum(_is_factor(factor) for factor in terms.values())


def _is_factor(factor: Value | None) -> bool:
    return factor is not None and abs(factor.constant or 0) != 1
