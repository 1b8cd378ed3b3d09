"""The mechanism without its couplings, driven by what follows by them too.

In: a mechanism with couplings. Out: `Driven`: the mechanism that an engine solves, and what gives its coordinates. Pose
and ranges of what follows are those of the independent coordinates, taken through the couplings.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction

from exporter.errors import NoForm, Unsolved
from exporter.kinematics.closures.assemblies import near_pose
from exporter.kinematics.closures.closing import looped_coordinates
from exporter.model.complete import completed
from exporter.model.couplings import Coupling, coupling_text, following
from exporter.model.evaluate import evaluate
from exporter.model.mechanism import CoordinateRange, Mechanism, StepOptions
from exporter.model.parameter_sets import parameter_sets
from exporter.records import dataclass

Values = Mapping[str, Fraction]
Ranges = Mapping[str, CoordinateRange]
SPARE = Fraction(1, 1000)  # of a range that has no width


@dataclass(frozen=True, slots=True)
class Driven:
    """A mechanism and the one that is solved instead."""

    mechanism: Mechanism
    inner: Mechanism  # without couplings
    order: tuple[Coupling, ...]  # what follows, each solved for its follower, after all that it needs
    centers: dict[str, Fraction] = field(default_factory=dict)  # design values of what couplings read of loops

    def read_of_loops(self, coupling: Coupling) -> tuple[str, ...]:
        """The coordinates that a coupling reads and that loops give."""
        return tuple(name for name in coupling.ratios if name in self.centers)

    @property
    def is_direct(self) -> bool:
        """Whether couplings read nothing that loops give."""
        return not self.centers


def driven(mechanism: Mechanism) -> Iterator[Driven]:
    """The mechanism to solve; where couplings read what loops give, one for each choice of what follows by them.

    Raises:
        Unsolved: independent coordinates are tied to each other.
        NoForm: a coupling is among coordinates that loops give, and reads none that they give without it.
    """
    found = mechanism.following()
    if found.tied:
        raise Unsolved(
            f"{mechanism.name}: {', '.join(mechanism.independent)} are tied to each other by the coupling "
            f"{coupling_text(found.tied[0])}; they cannot all be independent coordinates"
        )
    if found.waiting:
        yield from _behind_loops(mechanism)
        return
    yield beside_loops(mechanism)


def beside_loops(mechanism: Mechanism) -> Driven:
    """The mechanism driven by what follows from the independent coordinates; couplings that loops tell remain."""
    found = mechanism.following()
    pose = {**mechanism.pose, **followed(found.order, mechanism.nominal_values(), mechanism.pose)}
    return Driven(mechanism, _without_couplings(mechanism, found.order, pose, found.waiting), found.order)


def together(mechanism: Mechanism, coupling: Coupling) -> NoForm:
    """That a coupling is no equation to be solved in turn."""
    return NoForm(
        f"{mechanism.name}: with {', '.join(mechanism.independent)} independent, the coupling "
        f"{coupling_text(coupling)} is among coordinates that loops give, and must be solved together with them"
    )


def _without_couplings(
    mechanism: Mechanism, order: tuple[Coupling, ...], pose: dict[str, Fraction], waiting: tuple[Coupling, ...] = ()
) -> Mechanism:
    inner = replace(
        mechanism,
        couplings=waiting,
        independent=(*mechanism.independent, *(coupling.follower for coupling in order)),
        alternative=(),
        pose=pose,
        ranges={**mechanism.ranges, **_ranges(mechanism, order, pose)},
        elements=(),
        loads=(),
        reactions={},
        step=StepOptions(),
    )
    return completed(inner)


def _behind_loops(mechanism: Mechanism) -> Iterator[Driven]:
    """Couplings that read what loops give; at the assembly next to the pose."""
    near = near_pose(mechanism)
    if near is None:
        raise together(mechanism, mechanism.following().waiting[0])
    design = {name: Fraction(value) for name, value in near.coordinates.items()}
    given = {name: mechanism.pose[name] for name in mechanism.independent}
    for order, read in _orders(mechanism.couplings, frozenset(mechanism.independent), looped_coordinates(mechanism)):
        inner = _without_couplings(mechanism, order, {**mechanism.pose, **design, **given})
        yield Driven(mechanism, inner, order, {name: design[name] for name in mechanism.coordinates() if name in read})


Order = tuple[tuple[Coupling, ...], frozenset[str]]
"""Couplings, each solved for its follower, and what they read of loops."""


def _orders(waiting: tuple[Coupling, ...], known: frozenset[str], held: frozenset[str]) -> Iterator[Order]:
    """Every choice of what follows by couplings that read what loops give.

    What loops do not hold, as a motor before its screw, comes first, then the left sides of the file.
    """
    found = following(waiting, known)
    known |= set(found.names)
    if not found.waiting:
        yield found.order, frozenset()
        return
    first, rest = found.waiting[0], found.waiting[1:]
    unknown = [name for name in first.coordinates if name not in known]
    for follower in sorted(unknown, key=lambda name: name in held):
        solved = first.solved_for(follower)
        read = frozenset(solved.ratios) - known
        for order, more in _orders(rest, known | set(first.coordinates), held):
            yield (*found.order, solved, *order), read | more


def followed(order: tuple[Coupling, ...], parameters: Values, given: Mapping[str, Fraction | float]) -> Values:
    """What follows from given coordinates, rad and m."""
    known = {name: Fraction(value) for name, value in given.items()}
    for coupling in order:
        total = evaluate(coupling.offset, parameters)
        for name, ratio in coupling.ratios.items():
            total += evaluate(ratio, parameters) * known[name]
        known[coupling.follower] = total
    return {coupling.follower: known[coupling.follower] for coupling in order}


def _ranges(
    mechanism: Mechanism, order: tuple[Coupling, ...], pose: Mapping[str, Fraction]
) -> dict[str, CoordinateRange]:
    """Where what follows may get to, and how fast, at the tried values of tunable parameters."""
    ranges = {name: mechanism.ranges[name] for name in mechanism.independent}
    for coupling in order:
        for name in coupling.ratios:
            room = Fraction(1, 10)  # of what loops give, rad or m: nothing but a start for searches
            ranges.setdefault(
                name, CoordinateRange(pose.get(name, Fraction(0)) - room, pose.get(name, Fraction(0)) + room)
            )
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
