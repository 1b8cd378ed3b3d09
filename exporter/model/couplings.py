"""Couplings of coordinates: gears, belts, racks, screws and mimic joints, each one linear equation.

In: formulas that are linear in coordinates. Out: a `Coupling`, its terms by coordinate; and, for given independent
coordinates, which coordinates follow by couplings alone, in an order in which each needs only earlier ones. Ratios and
offsets are formulas of parameters. Inside them the radian counts as 1, so that a rack moves by r * angle.
"""

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction

from exporter.errors import ModelError
from exporter.model.evaluate import evaluate, names
from exporter.model.expression import ONE, ZERO, Binary, Expression, Name, Number, Operator
from exporter.model.formula_text import formula_text
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class Coupling:
    """follower = sum of ratio * other coordinate + offset, in rad and m."""

    follower: str
    ratios: dict[str, Expression]  # by coordinate, the follower not among them
    offset: Expression = ZERO

    @property
    def coordinates(self) -> tuple[str, ...]:
        """All that it ties to each other, the follower first."""
        return (self.follower, *self.ratios)

    def solved_for(self, unknown: str) -> "Coupling":
        """This equation with another coordinate on its left."""
        if unknown == self.follower:
            return self
        pivot = self.ratios[unknown]
        others = {name: negative(quotient(ratio, pivot)) for name, ratio in self.ratios.items() if name != unknown}
        return Coupling(
            unknown, {self.follower: quotient(ONE, pivot), **others}, negative(quotient(self.offset, pivot))
        )


@dataclass(frozen=True, slots=True)
class Following:
    """What couplings say where some coordinates are given."""

    order: tuple[Coupling, ...]  # each solved for what follows, after all that it needs
    tied: tuple[Coupling, ...]  # those whose coordinates are all given: they cannot be given freely
    waiting: tuple[Coupling, ...]  # those with two unknown coordinates or more: loops have to tell them

    @property
    def names(self) -> tuple[str, ...]:
        """What follows, in order."""
        return tuple(each.follower for each in self.order)


def following(couplings: Collection[Coupling], given: Collection[str]) -> Following:
    """What follows from given coordinates by couplings alone."""
    known, order, tied, waiting = set(given), list[Coupling](), list[Coupling](), list(couplings)
    while True:
        ready = next((each for each in waiting if len(_unknown(each, known)) <= 1), None)
        if ready is None:
            return Following(tuple(order), tuple(tied), tuple(waiting))
        waiting.remove(ready)
        unknown = _unknown(ready, known)
        if unknown:
            order.append(ready.solved_for(unknown[0]))
            known.add(unknown[0])
        else:
            tied.append(ready)


def _unknown(coupling: Coupling, known: Collection[str]) -> list[str]:
    return [name for name in coupling.coordinates if name not in known]


# -- from formulas ---------------------------------------------------------------------------------------------------

Parts = tuple[dict[str, Expression], Expression]
"""Ratios by coordinate, and the rest."""
Scale = Callable[[Expression], Expression]


def linear_parts(formula: Expression, coordinates: Collection[str]) -> Parts:
    """A formula as a sum of ratio times coordinate and an offset.

    Raises:
        ModelError: it is not linear in the coordinates.
    """
    if not names(formula) & set(coordinates):
        return {}, formula
    match formula:
        case Name(name):
            return {name: ONE}, ZERO
        case Binary("+" | "-" as operator, left, right):
            return _sum(operator, linear_parts(left, coordinates), linear_parts(right, coordinates))
        case Binary("*", left, right):
            one, other = linear_parts(left, coordinates), linear_parts(right, coordinates)
            if not one[0]:
                return _scaled(other, lambda part: product(left, part))
            if not other[0]:
                return _scaled(one, lambda part: product(right, part))
        case Binary("/", left, right) if not names(right) & set(coordinates):
            return _scaled(linear_parts(left, coordinates), lambda part: quotient(part, right))
    told = ", ".join(sorted(names(formula) & set(coordinates)))
    raise ModelError(
        f'"{formula_text(formula)}" is not linear in {told}; a coupling is a sum of ratio * coordinate and an offset, '
        "its ratios of numbers and parameters"
    )


def _sum(operator: Operator, left: Parts, right: Parts) -> Parts:
    ratios = dict(left[0])
    for name, ratio in right[0].items():
        ratios[name] = added(operator, ratios.get(name, ZERO), ratio)
    return ratios, added(operator, left[1], right[1])


def _scaled(parts: Parts, scale: Scale) -> Parts:
    return {name: scale(ratio) for name, ratio in parts[0].items()}, scale(parts[1])


# -- arithmetic of formulas, numbers taken together ------------------------------------------------------------------


def added(operator: Operator, left: Expression, right: Expression) -> Expression:
    """left + right or left - right."""
    if right == ZERO:
        return left
    if left == ZERO and operator == "+":
        return right
    return _folded(Binary(operator, left, right))


def product(left: Expression, right: Expression) -> Expression:
    """left * right."""
    if ZERO in (left, right):
        return ZERO
    if left == ONE:
        return right
    return left if right == ONE else _folded(Binary("*", left, right))


def quotient(left: Expression, right: Expression) -> Expression:
    """left / right."""
    if left == ZERO or right == ONE:
        return left
    return _folded(Binary("/", left, right))


def negative(part: Expression) -> Expression:
    """-part."""
    match part:
        case Number(value):
            return Number(-value)
        case Binary("-", left, right) if left == ZERO:
            return right
    return Binary("-", ZERO, part)


def _folded(formula: Binary) -> Expression:
    both = isinstance(formula.left, Number) and isinstance(formula.right, Number)
    return Number(evaluate(formula, {})) if both else formula


def coupling_text(coupling: Coupling) -> str:
    """The equation as a file has it: "wheel = -2 * pinion + phase"."""
    total: Expression = ZERO
    for name, ratio in coupling.ratios.items():
        total = added("+", total, product(ratio, Name(name)))
    return f"{coupling.follower} = {formula_text(added('+', total, coupling.offset))}"


def ratio_values(coupling: Coupling, values: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The ratios at values of the parameters, by coordinate."""
    return {name: evaluate(ratio, values) for name, ratio in coupling.ratios.items()}
