"""The mechanism without its couplings, driven by what follows by them too.

In: a mechanism with couplings. Out: `Driven`: the mechanism that an engine solves, and what gives its coordinates. Pose
and ranges of what follows are those of the independent coordinates, taken through the couplings.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from exporter.errors import NoForm, Unsolved
from exporter.model.complete import completed
from exporter.model.couplings import Coupling, coupling_text
from exporter.model.evaluate import evaluate
from exporter.model.mechanism import CoordinateRange, Mechanism, StepOptions
from exporter.model.parameter_sets import parameter_sets

Values = Mapping[str, Fraction]
Ranges = Mapping[str, CoordinateRange]
SPARE = Fraction(1, 1000)  # of a range that has no width


@dataclass(frozen=True, slots=True)
class Driven:
    """A mechanism and the one that is solved instead."""

    mechanism: Mechanism
    inner: Mechanism  # without couplings
    order: tuple[Coupling, ...]  # what follows, each solved for its follower, after all that it needs


def driven(mechanism: Mechanism) -> Driven:
    """The mechanism to solve.

    Raises:
        Unsolved: independent coordinates are tied to each other.
        NoForm: a coupling is among coordinates of which loops give more than one.
    """
    found = mechanism.following()
    if found.tied:
        raise Unsolved(
            f"{mechanism.name}: {', '.join(mechanism.independent)} are tied to each other by the coupling "
            f"{coupling_text(found.tied[0])}; they cannot all be independent coordinates"
        )
    if found.waiting:
        raise NoForm(
            f"{mechanism.name}: with {', '.join(mechanism.independent)} independent, the coupling "
            f"{coupling_text(found.waiting[0])} is among coordinates that loops give, and must be solved together with "
            "them"
        )
    inner = replace(
        mechanism,
        couplings=(),
        independent=(*mechanism.independent, *found.names),
        alternative=(),
        pose={**mechanism.pose, **followed(found.order, mechanism.nominal_values(), mechanism.pose)},
        ranges={**mechanism.ranges, **_ranges(mechanism, found.order)},
        elements=(),
        loads=(),
        reactions={},
        step=StepOptions(),
    )
    return Driven(mechanism, completed(inner), found.order)


def followed(order: tuple[Coupling, ...], parameters: Values, given: Mapping[str, Fraction | float]) -> Values:
    """What follows from given coordinates, rad and m."""
    known = {name: Fraction(value) for name, value in given.items()}
    for coupling in order:
        total = evaluate(coupling.offset, parameters)
        for name, ratio in coupling.ratios.items():
            total += evaluate(ratio, parameters) * known[name]
        known[coupling.follower] = total
    return {coupling.follower: known[coupling.follower] for coupling in order}


def _ranges(mechanism: Mechanism, order: tuple[Coupling, ...]) -> dict[str, CoordinateRange]:
    """Where what follows may get to, and how fast, at the tried values of tunable parameters."""
    ranges = {name: mechanism.ranges[name] for name in mechanism.independent}
    for coupling in order:
        ranges[coupling.follower] = _range(coupling, ranges, list(parameter_sets(mechanism)))
    return {coupling.follower: ranges[coupling.follower] for coupling in order}


def _range(coupling: Coupling, ranges: Ranges, sets: list[dict[str, Fraction]]) -> CoordinateRange:
    ends = [value for values in sets for value in _ends(coupling, ranges, values)]
    low, high = min(ends), max(ends)
    spare = SPARE if low == high else Fraction(0)
    rate = max(_rate(coupling, ranges, values) for values in sets)
    return CoordinateRange(low - spare, high + spare, rate)


def _ends(coupling: Coupling, ranges: Ranges, values: Values) -> Iterator[Fraction]:
    """The least and the largest value at these parameters."""
    offset = evaluate(coupling.offset, values)
    parts = [
        sorted(evaluate(ratio, values) * end for end in (ranges[name].minimum, ranges[name].maximum))
        for name, ratio in coupling.ratios.items()
    ]
    yield offset + sum((low for low, _ in parts), Fraction(0))
    yield offset + sum((high for _, high in parts), Fraction(0))


def _rate(coupling: Coupling, ranges: Ranges, values: Values) -> Fraction:
    rates = ((ranges[name].rate or Fraction(1), ratio) for name, ratio in coupling.ratios.items())
    return sum((abs(evaluate(ratio, values)) * rate for rate, ratio in rates), Fraction(0))
