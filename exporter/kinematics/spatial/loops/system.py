"""Which loops are solved together: the smallest set of constraints that tells as many unknowns as it has.

In: the constraints of a mechanism in numbers at its assembled design pose, and what is known so far. Out: a
`LoopSystem`: unknowns and equations in the order of elimination. Equations beyond the rank are left out.
"""

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np

from exporter.kinematics.closures.rank import rank
from exporter.kinematics.seeded.ordered_elimination import Order, elimination_order
from exporter.kinematics.spatial.loops.constraint import (
    Array,
    Constraint,
    LoopNumbers,
    closing_constraints,
    coupling_constraints,
    link_constraints,
)
from exporter.model.mechanism import Mechanism
from exporter.model.size import length_of
from exporter.records import dataclass

MOST_TRIED = 3000  # sets of constraints that are tried
LEAST_PIVOT = 1e-5  # of the loops at the design pose, in units of the coordinates


@dataclass(frozen=True, slots=True)
class LoopSystem:
    """Constraints that are solved together; unknowns and equations (constraint, number) in the order of elimination."""

    constraints: tuple[Constraint, ...]
    unknowns: tuple[str, ...]
    equations: tuple[tuple[int, int], ...]
    order: Order
    depends: frozenset[str]  # unknown and known coordinates that the equations depend on
    centers: tuple[tuple[str, float], ...] = ()  # design values of known angles that couplings read, rad

    @property
    def title(self) -> str:
        """The constraints in words."""
        return ", ".join(dict.fromkeys(each.name for each in self.constraints))


@dataclass(frozen=True)
class LoopSearch:
    """A mechanism whose loops may be solved by Newton steps, and all its coordinates at the design pose.

    Couplings whose coordinates only loops tell are solved together with these.
    """

    mechanism: Mechanism
    design: dict[str, float]
    alone: bool = False  # without the blocks of the library

    def smallest(self, known: Collection[str], waiting: Collection[str]) -> LoopSystem | None:
        """The system of the fewest unknowns among the sets that are tried; None where there is none."""
        pool = [k for k, each in enumerate(self.numbers.constraints) if self._is_open(each, k, known, waiting)]
        found: tuple[int, ...] | None = None
        fewest = 0
        for tried, chosen in enumerate(_sets(pool)):
            if tried > MOST_TRIED and chosen != tuple(pool):
                continue
            names = self._unknowns(chosen, known)
            if (found is None or len(names) < fewest) and self._is_told(chosen, names):
                found, fewest = chosen, len(names)
        return None if found is None else self._system(found, self._unknowns(found, known))

    @cached_property
    def numbers(self) -> LoopNumbers:
        """All constraints."""
        loops = (*closing_constraints(self.mechanism), *link_constraints(self.mechanism))
        return LoopNumbers(self.mechanism, (*loops, *coupling_constraints(self.mechanism.following().waiting)))

    @cached_property
    def row(self) -> Array:
        """All coordinates at the design pose, (c,)."""
        return np.array([self.design[name] for name in self.mechanism.coordinates()])

    @cached_property
    def _jacobian(self) -> Array:
        return np.asarray(self.numbers.at(self.row[None])[1][0])

    def _is_open(self, constraint: Constraint, number: int, known: Collection[str], waiting: Collection[str]) -> bool:
        needed = constraint.ends is None or constraint.name in waiting
        return needed and bool(self._unknowns((number,), known))

    def _unknowns(self, chosen: Sequence[int], known: Collection[str]) -> tuple[str, ...]:
        names = {name for each, _, _, names in self.numbers.patterns if each in chosen for name in names}
        return tuple(name for name in self.mechanism.coordinates() if name in names and name not in known)

    def _rows(self, chosen: Sequence[int]) -> list[int]:
        return [row for row, pattern in enumerate(self.numbers.patterns) if pattern[0] in chosen]

    def _matrix(self, chosen: Sequence[int], names: Sequence[str]) -> Array:
        columns = [self.mechanism.coordinates().index(name) for name in names]
        return self._jacobian[np.ix_(self._rows(chosen), columns)]

    def _is_told(self, chosen: Sequence[int], names: Sequence[str]) -> bool:
        if not names or len(self._rows(chosen)) < len(names):
            return False
        matrix = self._matrix(chosen, names)
        return rank(matrix) == len(names) and np.linalg.svd(matrix, compute_uv=False)[-1] > LEAST_PIVOT

    def _system(self, chosen: Sequence[int], names: Sequence[str]) -> LoopSystem:
        rows = self._rows(chosen)
        length = length_of(self.mechanism)
        units = [length if self.mechanism.is_displacement(name) else Fraction(1) for name in names]
        row_units = [length ** self.numbers.powers[row] for row in rows]
        scale = np.outer([float(each) for each in row_units], [1 / float(each) for each in units])
        order = elimination_order(self._matrix(chosen, names) * scale, row_units, units)
        equations = tuple(
            (chosen.index(self.numbers.patterns[rows[k]][0]), self.numbers.patterns[rows[k]][1]) for k in order.rows
        )
        constraints = tuple(self.numbers.constraints[each] for each in chosen)
        read = {name for each in constraints if each.coupling is not None for name in each.coupling.coordinates}
        centers = ((name, self.design[name]) for name in self.mechanism.coordinates() if name in read - set(names))
        return LoopSystem(
            constraints,
            tuple(names[column] for column in order.columns),
            equations,
            order,
            frozenset(name for row in rows for name in self.numbers.patterns[row][3]),
            tuple(each for each in centers if self.mechanism.is_angle(each[0])),
        )


def _sets(pool: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Sets of constraints, the small ones first; everything comes at the end."""
    for count in range(1, len(pool) + 1):
        yield from combinations(pool, count)
        if count > 2 and 2 ** len(pool) > 2 * MOST_TRIED and count < len(pool):
            break
    yield tuple(pool)
