"""Which independent angles a step brings back by whole turns: those that may turn on and on, where nothing notices.

What follows an angle by a coupling notices a whole turn of it, unless it is itself an angle that turns by whole turns
then: a rack, a screw's nut or a wheel behind a ratio of 1.5 stand elsewhere. Such an angle is not brought back: it
stays within its range as a displacement does.
"""

from fractions import Fraction

from exporter.model.angles_read import formulas_of_forces, read_by_value
from exporter.model.couplings import Coupling
from exporter.model.evaluate import evaluate, names
from exporter.model.mechanism import Mechanism
from exporter.model.units import PI


def is_wrapped(mechanism: Mechanism, name: str) -> bool:
    """Whether an independent coordinate is brought back by whole turns."""
    bounds = mechanism.ranges.get(name)
    if bounds is None or not mechanism.is_angle(name):
        return False
    return bounds.minimum <= -PI and bounds.maximum >= PI and not _notices(mechanism, name)


def _notices(mechanism: Mechanism, name: str) -> bool:
    """Whether a whole turn of an angle moves something that follows it, or changes a force that reads what does."""
    if name not in mechanism.coupled():
        return False
    found, moved = mechanism.following(), {name: Fraction(1)}
    for coupling in found.order:
        turns = _turns(mechanism, coupling, moved)
        if turns is None or (turns and not mechanism.is_angle(coupling.follower)):
            return True
        if turns:
            moved[coupling.follower] = turns
    read = frozenset[str]().union(*(read_by_value(formula) for _, formula in formulas_of_forces(mechanism)))
    return any(name in moved for each in found.waiting for name in each.coordinates) or bool(read & moved.keys())


def _turns(mechanism: Mechanism, coupling: Coupling, moved: dict[str, Fraction]) -> Fraction | None:
    """By how many turns a follower turns; None where it is no whole number, or a tunable parameter sets it."""
    total, tunable = Fraction(0), frozenset(mechanism.tunable_names())
    for name, ratio in coupling.ratios.items():
        if name in moved:
            if names(ratio) & tunable:
                return None
            total += evaluate(ratio, mechanism.nominal_values()) * moved[name]
    return total if total.denominator == 1 else None
