"""Bounds of a select's arm under the condition that selects it: a clip, a guard or a Piecewise proves its own range.

In: operations, bounds of the real ones, and how the bounds of one operation follow from those of its operands.
Out: the bounds of an operation where a flag is 1, or where it is 0. A comparison that holds bounds both of its
sides; what an arm computes from them is bounded anew.
"""

from collections import ChainMap
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import field
from itertools import product

import numpy as np

from exporter.records import dataclass
from exporter.sequence.enclosure import (
    EMPTY,
    Enclosure,
    at_least,
    at_most,
    away_from_zero,
    intersection,
    union,
)
from exporter.sequence.operations import Kind, Operation, Precision

MOST_ALTERNATIVES = 8
"""A condition with more "or"s than this tells nothing of its arms."""
MOST_OPERATIONS = 64
"""An arm's operations beyond this number keep the bounds that they have without the condition."""
_DEEPEST_NESTING = 32
"""Conditions nested deeper than this in `and`, `or` and `not` tell nothing."""

Bounds = MutableMapping[int, Enclosure]
Alternative = tuple["OrderFact", ...]  # all of them hold


@dataclass(frozen=True, slots=True)
class OrderFact:
    """Operation `lower` is at most operation `upper`."""

    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What is known of all operations before a select.

    Attributes:
        operation: the operation at an index.
        known: bounds of every operation that yields a real.
        evaluate: bounds of one operation by those of its operands, which are looked up in the mapping.
        precision: of the operations.
    """

    operation: Callable[[int], Operation]
    known: Bounds
    evaluate: Callable[[int, Bounds], Enclosure]
    precision: Precision

    def select(self, index: int) -> Enclosure:
        """Bounds of a select: of each arm where its flag selects it."""
        return _Arm(self, {}).select(self.operation(index))

    def where(self, flags: Sequence[tuple[int, bool]], index: int) -> Enclosure:
        """Bounds of an operation where each of the flags has the value beside it."""
        return _Arm(self, {}).where(flags, index)


@dataclass(slots=True)
class _Arm:
    """Bounds of operations under some facts; each is computed at most once."""

    around: Narrowing
    narrowed: dict[int, Enclosure]  # by the facts themselves
    again: dict[int, Enclosure] = field(default_factory=dict)  # by operands that are narrower
    left: list[int] = field(default_factory=lambda: [MOST_OPERATIONS])  # shared with the arms inside

    def select(self, operation: Operation) -> Enclosure:
        flag, one, zero = operation.operands
        return union(self.where([(flag, True)], one), self.where([(flag, False)], zero))

    def where(self, flags: Sequence[tuple[int, bool]], index: int) -> Enclosure:
        together: list[Alternative] = [()]
        for flag, holds in flags:
            together = _both(together, self._alternatives(flag, holds, _DEEPEST_NESTING))
        result = EMPTY
        for facts in together:
            result = union(result, self._under(facts, index))
        return result

    def _under(self, facts: Alternative, index: int) -> Enclosure:
        if not facts:
            return self.of(index)
        arm = _Arm(self.around, dict(self.narrowed), left=self.left)
        for _ in facts:  # what one fact tells, another may pass on
            for fact in facts:
                arm.bound_above(fact.lower, arm.now(fact.upper).high)
                arm.bound_below(fact.upper, arm.now(fact.lower).low)
        return EMPTY if any(bounds.empty for bounds in arm.narrowed.values()) else arm.of(index)

    def now(self, index: int) -> Enclosure:
        """Bounds so far, without computing anything."""
        return self.narrowed.get(index) or self.again.get(index) or self.around.known[index]

    def of(self, index: int) -> Enclosure:
        """Bounds of an operation, computed again where its operands got narrower."""
        if index not in self.narrowed and index not in self.again and self._may_change(index):
            self.left[0] -= 1
            self.again[index] = self._again(index)
        return self.now(index)

    def _may_change(self, index: int) -> bool:
        return self.left[0] > 0 and any(index > narrowed for narrowed in self.narrowed)

    def _again(self, index: int) -> Enclosure:
        operation, before = self.around.operation(index), self.around.known[index]
        if operation.kind is Kind.SELECT:
            return intersection(before, self.select(operation))
        if operation.kind in (Kind.SINE, Kind.COSINE):
            operation = self.around.operation(operation.operands[0])
        reals = [operand for operand in operation.operands if operand in self.around.known]
        changed = [self.of(operand) for operand in reals if self.of(operand) != self.around.known[operand]]
        if any(bounds.empty for bounds in changed):
            return EMPTY
        if not changed:
            return before
        known = ChainMap(self.narrowed, self.again, self.around.known)
        return intersection(before, self.around.evaluate(index, known))

    def bound_above(self, index: int, bound: float) -> None:
        """Note that an operation is at most `bound`, and what that says of its operand."""
        operation = self.around.operation(index)
        self.narrowed[index] = at_most(self.now(index), bound)
        if operation.kind is Kind.NEG:
            self.bound_below(operation.operands[0], -bound)
        elif operation.kind is Kind.ABS:
            self._within(operation.operands[0], bound)
        elif operation.kind is Kind.MUL and operation.operands[0] == operation.operands[1] and 0 <= bound < np.inf:
            self._within(operation.operands[0], self._root(bound))

    def bound_below(self, index: int, bound: float) -> None:
        """Note that an operation is at least `bound`, and what that says of its operand."""
        operation = self.around.operation(index)
        self.narrowed[index] = at_least(self.now(index), bound)
        if operation.kind is Kind.NEG:
            self.bound_above(operation.operands[0], -bound)
        elif operation.kind is Kind.ABS and bound > 0:
            operand = operation.operands[0]
            self.narrowed[operand] = away_from_zero(self.now(operand), bound)

    def _within(self, index: int, bound: float) -> None:
        self.bound_above(index, bound)
        self.bound_below(index, -bound)

    def _root(self, bound: float) -> float:
        """A number that no number is above whose square, rounded, is at most `bound`: the root, or a few steps on."""
        real = np.float32 if self.around.precision == "float32" else np.float64
        limit = max(real(bound), np.finfo(real).tiny)  # below, squares lose digits
        root = np.sqrt(limit)
        for _ in range(4):
            above = np.nextafter(root, real(np.inf))
            root = above if above * above <= limit else root
        return float(root)

    def _alternatives(self, flag: int, holds: bool, depth: int) -> list[Alternative]:
        """Facts of which one set must have held; none where the flag cannot have this value.

        A comparison that failed tells something only where nothing is NaN.
        """
        operation = self.around.operation(flag)
        match operation.kind:
            case Kind.FLAG_CONSTANT:
                return [()] if bool(operation.value) == holds else []
            case Kind.FLAG_NOT if depth:
                return self._alternatives(operation.operands[0], not holds, depth - 1)
            case Kind.FLAG_AND | Kind.FLAG_OR if depth:
                one, other = (self._alternatives(operand, holds, depth - 1) for operand in operation.operands)
                together = (operation.kind is Kind.FLAG_AND) == holds
                return _both(one, other) if together else _few([*one, *other])
            case Kind.LESS | Kind.LESS_EQUAL:
                return self._compared(operation, holds)
        return [()]

    def _compared(self, operation: Operation, holds: bool) -> list[Alternative]:
        left, right = operation.operands
        if holds:
            return [(OrderFact(left, right),)]
        return [(OrderFact(right, left),)] if self.now(left).bounded and self.now(right).bounded else [()]


def _both(one: list[Alternative], other: list[Alternative]) -> list[Alternative]:
    return _few([(*a, *b) for a, b in product(one, other)])


def _few(alternatives: list[Alternative]) -> list[Alternative]:
    return alternatives if len(alternatives) <= MOST_ALTERNATIVES else [()]
