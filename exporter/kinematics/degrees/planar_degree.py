"""How many assemblies a planar mechanism has in complex numbers, loops that must be solved together included.

In: a mechanism with a choice of independent coordinates. Out: its systems in solve order with the number of
solutions of each at random values of what is known and of tunable parameters. In the plane a direction is D = c + i s
with the inverse E = c - i s; a closure gives one equation that is linear in the D, its conjugate one in the E; D E = 1.
"""

import random
from collections.abc import Iterable, Mapping
from fractions import Fraction

from exporter.kinematics.degrees.linear_elimination import PRIME, Polynomial
from exporter.kinematics.degrees.solutions_modulo import number_of_solutions
from exporter.kinematics.planar.decomposition import System, Unknown, decompose
from exporter.kinematics.planar.directions import Direction, directions
from exporter.kinematics.planar.model import Closure, PlanarModel, planar_model
from exporter.kinematics.protocol.linear_sums import LinearSum
from exporter.model.evaluate import evaluate
from exporter.model.joints import GROUND
from exporter.model.mechanism import Mechanism
from exporter.model.parameter_sets import generic
from exporter.records import dataclass

SEED = 1965  # of the random specialisation
ROOT_OF_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)  # 2 is no square modulo PRIME


@dataclass(frozen=True, slots=True)
class JoinedLoops:
    """Loops that are solved together."""

    loops: tuple[str, ...]
    unknowns: tuple[str, ...]
    degree: int | None  # complex solutions; None where the count is too large


def joined_loops(mechanism: Mechanism) -> tuple[JoinedLoops, ...]:
    """The systems of a planar mechanism in solve order, each with its degree.

    Raises:
        ModelError: the coordinates cannot drive the mechanism, or it is not planar.
    """
    model = planar_model(mechanism)
    direction = directions(model, mechanism.independent)
    known_slides = {name for name in model.slides if name in mechanism.independent}
    specialised = _Specialised(model, direction)
    return tuple(_join_loops(specialised, system) for system in decompose(model, direction, known_slides))


def _join_loops(specialised: "_Specialised", system: System) -> JoinedLoops:
    equations, variables = specialised.equations(system)
    return JoinedLoops(
        tuple(closure.name for closure in system.closures),
        tuple(f"{unknown.kind} of {unknown.name}" for unknown in system.unknowns),
        number_of_solutions(equations, variables),
    )


class _Specialised:
    """The closures modulo PRIME with random values for whatever is known."""

    def __init__(self, model: PlanarModel, direction: Mapping[str, Direction]) -> None:
        self.model, self.direction = model, direction
        self.lengths = generic(model.mechanism).nominal_values()
        self.random = random.Random(SEED)
        self.known: dict[str, int] = {}

    def value(self, name: str) -> int:
        """A random number that is not zero, the same at every call: exp(i angle), or a displacement."""
        if name not in self.known:
            self.known[name] = self.random.randrange(2, PRIME - 1)
        return self.known[name]

    def equations(self, system: System) -> tuple[list[Polynomial], int]:
        """Two equations per closure and one per direction; variables D, E of every direction, then displacements."""
        place: dict[Unknown, int] = {}
        count = 0
        for unknown in system.unknowns:
            place[unknown] = count
            count += 2 if unknown.kind == "direction" else 1
        found = [self._closure(closure, place, count, sign) for closure in system.closures for sign in (1, -1)]
        for unknown, position in place.items():
            if unknown.kind == "direction":
                pair = tuple(int(k in (position, position + 1)) for k in range(count))
                found.append({pair: 1, (0,) * count: PRIME - 1})
        return found, count

    def _closure(self, closure: Closure, place: Mapping[Unknown, int], count: int, sign: int) -> Polynomial:
        """The closure (sign 1) or its conjugate (-1)."""
        total: Polynomial = {}
        for term in closure.terms:
            direction = self.direction[term.body]
            factor = self._number(term.vector.re) + sign * ROOT_OF_MINUS_ONE * self._number(term.vector.im)
            for name, turns in direction.turns:
                factor = factor * pow(self.value(name), sign * turns, PRIME)
            exponents = [0] * count
            root = Unknown("direction", direction.root)
            if root in place:
                exponents[place[root] + (sign < 0)] += 1
            elif direction.root != GROUND:
                factor = factor * pow(self.value(f"direction of {direction.root}"), sign, PRIME)
            if term.slide:
                slide = Unknown("slide", term.slide)
                if slide in place:
                    exponents[place[slide]] += 1
                else:
                    factor = factor * self.value(term.slide)
            monomial = tuple(exponents)
            total[monomial] = (total.get(monomial, 0) + factor) % PRIME
        return {monomial: value for monomial, value in total.items() if value}

    def _number(self, parts: LinearSum) -> int:
        return sum((_modulo(factor * evaluate(part, self.lengths)) for factor, part in parts), 0)


def _modulo(number: Fraction) -> int:
    return number.numerator * pow(number.denominator, -1, PRIME) % PRIME


def product_of(degrees: Iterable[int | None]) -> int | None:
    """The number of assemblies in all, None where one is not known."""
    total = 1
    for degree in degrees:
        if degree is None:
            return None
        total *= degree
    return total
