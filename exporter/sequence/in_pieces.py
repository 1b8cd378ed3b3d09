"""Proves what one box of ranges cannot: the ranges that decide pivots, roots and angles are taken in pieces.

In: a sequence with guarded inputs. Out: enclosures that hold over all pieces, narrower than those over one box, and the
comparisons that every piece decides alike. An operation that has no bounds by pieces has those of the box everywhere.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.errors import NotProven
from exporter.sequence import pieces as piecewise
from exporter.sequence import refinement
from exporter.sequence.enclosure import Enclosure
from exporter.sequence.intervals import Analysis, Intervals, analyse
from exporter.sequence.operations import Group, Kind, Operation, OperationSequence
from exporter.sequence.pieces import Pieces
from exporter.sequence.shared_bounds import SharedBounds, Tables

CUTS = {1: 4096, 2: 64, 3: 16, 4: 8}
"""Into how many pieces each range is cut, by the number of ranges; more ranges are not cut."""
_DECISIVE = {Kind.SINCOS: slice(0, 1), Kind.DIV: slice(1, 2), Kind.SQRT: slice(0, 1)}
"""Operands whose range decides whether an operation is defined, or how large it is."""
_FLAGS = frozenset({Kind.LESS, Kind.LESS_EQUAL, Kind.FLAG_AND, Kind.FLAG_OR, Kind.FLAG_NOT, Kind.FLAG_CONSTANT})

_UNKNOWN = np.zeros(1, dtype=np.int8)
"""A flag of which nothing is known in any piece."""


def bounds_of(sequence: OperationSequence, shared: SharedBounds | None = None) -> Intervals:
    """The enclosures over one box of ranges, or over pieces where the box does not show that all is finite.

    What is `shared` with functions that were bounded before is taken from there.

    A function that was proven by other pieces, before guards and parameters left it, may have more or fewer ranges to
    cut now: all ways to cut them are tried.

    Raises:
        NotProven: no pieces show it either.
    """
    try:
        return analyse(sequence, shared)
    except NotProven:
        for analysis in _analyses_in_pieces(sequence, shared):
            with suppress(NotProven):
                return analysis.whole()
        raise


def analysis_in_pieces(sequence: OperationSequence, shared: SharedBounds | None = None) -> "PiecewiseAnalysis | None":
    """An analysis over pieces of the ranges that decide most; None where there are none, or too many of them."""
    return next(_analyses_in_pieces(sequence, shared), None)


def _analyses_in_pieces(sequence: OperationSequence, shared: SharedBounds | None) -> Iterator["PiecewiseAnalysis"]:
    """By all inputs that decide something, where they are few, and by those of angles alone."""
    for kinds in (tuple(_DECISIVE), (Kind.SINCOS,)):
        axes = _decisive_inputs(sequence, kinds)
        if len(axes) in CUTS:
            yield PiecewiseAnalysis(sequence, axes, shared)


def _decisive_inputs(sequence: OperationSequence, kinds: Collection[Kind]) -> tuple[int, ...]:
    """The checked inputs that decisive operands of these kinds depend on: the operations that check them."""
    operations, seen, found = sequence.operations, set[int](), []
    waiting = [k for op in operations if op.kind in kinds for k in op.operands[_DECISIVE[op.kind]]]
    while waiting:
        index = waiting.pop()
        if index in seen:
            continue
        seen.add(index)
        if _is_checked_input(sequence, index):
            found.append(index)
        else:
            waiting.extend(operations[index].operands)
    return tuple(sorted(found))


def _is_checked_input(sequence: OperationSequence, index: int) -> bool:
    """Whether it is one of a row: parameters leave the function afterwards, and come back by their ranges alone."""
    operation = sequence.operations[index]
    given = sequence.operations[operation.operands[1]] if operation.kind is Kind.SELECT else operation
    if operation.kind is not Kind.SELECT or given.kind is not Kind.INPUT:
        return False
    return sequence.inputs[int(given.value or 0)].group not in (Group.PARAMETER, Group.DERIVED)


_ARITHMETIC: Mapping[Kind, Callable[..., Pieces]] = {
    Kind.ADD: piecewise.add,
    Kind.SUB: piecewise.sub,
    Kind.MUL: piecewise.mul,
    Kind.DIV: piecewise.div,
    Kind.SQRT: piecewise.sqrt,
    Kind.NEG: piecewise.negative,
    Kind.ABS: piecewise.magnitude,
}


def _defined(kind: Kind, operands: Sequence[Pieces]) -> bool:
    """Whether no piece divides by zero or takes the root of a negative number."""
    if kind is Kind.DIV:
        return float(operands[1].smallest.min()) > 0
    return kind is not Kind.SQRT or float(operands[0].low.min()) >= 0


class PiecewiseAnalysis(Analysis):
    """The enclosures found so far, over pieces where they are narrower."""

    def __init__(self, sequence: OperationSequence, axes: tuple[int, ...], shared: SharedBounds | None = None) -> None:
        super().__init__(sequence)
        self.shared = None if shared is None else shared.of(sequence, axes)
        self.axes = axes  # checked inputs that are cut
        self.real: Any = np.float32 if sequence.precision == "float32" else np.float64
        self.pieces: dict[int, Pieces] = {}
        self.flags: dict[int, NDArray[np.int8]] = {}  # in each piece 1, -1 or 0: it holds, it fails, nobody knows

    def _tables(self) -> Tables:
        return self.known, self.pieces, self.flags

    def _enclose(self, index: int) -> None:
        operation = self.sequence.operations[index]
        if operation.kind in _FLAGS:
            self._flag(index, operation)
            return
        with np.errstate(all="ignore"):
            found = self._in_pieces(index, operation)
        if found is None:
            super()._enclose(index)
            if index in self.axes:
                self.pieces[index] = self._cut(self.axes.index(index), self.known[index])
        else:
            self._keep(index, operation, found)

    def _keep(self, index: int, operation: Operation, found: Pieces) -> None:
        """Bounds by pieces; those of a select, whose flag tells more, within those of the box."""
        if operation.kind not in _ARITHMETIC:
            found = found.within(self._checked(index, operation))
        hull = found.hull
        if not hull.largest <= self.largest:
            raise self.overflow(operation)
        self.pieces[index], self.known[index] = found, hull

    def clamp(self, index: int, bound: float) -> None:
        """Take an operation as limited to [-bound, bound]."""
        super().clamp(index, bound)
        if index in self.pieces:
            known, limit = self.pieces[index], self.real(bound)
            away = None if known.away is None else np.minimum(known.away, limit)
            self.pieces[index] = Pieces(np.clip(known.low, -limit, limit), np.clip(known.high, -limit, limit), away)

    def changed(self, index: int, before: Enclosure | None) -> bool:
        """Whether more may be known than before: pieces get narrower also where their hull does not."""
        return index in self.pieces or super().changed(index, before)

    def decided(self) -> Mapping[int, int]:
        """The flags that every piece decides alike."""
        return {k: int(flags[0] > 0) for k, flags in self.flags.items() if flags[0] and (flags == flags[0]).all()}

    def _cut(self, axis: int, known: Enclosure) -> Pieces:
        """The pieces of one range, for the pieces of all."""
        count = CUTS[len(self.axes)]
        parts = np.linspace(0.0, 1.0, count + 1)
        edges = (known.low * (1.0 - parts) + known.high * parts).astype(self.real)
        shape = [1] * len(self.axes)
        shape[axis] = count
        ends = [
            np.broadcast_to(part.reshape(shape), (count,) * len(self.axes)).ravel() for part in (edges[:-1], edges[1:])
        ]
        return Pieces(ends[0], ends[1]).within(known)

    def _of(self, index: int) -> Pieces:
        """Bounds by pieces, or those of the box in every piece."""
        found = self.pieces.get(index)
        return piecewise.everywhere(self.known[index], next(iter(self.pieces.values()))) if found is None else found

    def _in_pieces(self, index: int, operation: Operation) -> Pieces | None:
        """Bounds of an operation by those of its operands; None where pieces tell nothing of it."""
        match operation.kind:
            case Kind.SELECT:
                return self._chosen(operation)
            case Kind.SINE | Kind.COSINE:
                return self._wave(operation)
            case Kind.REAL_OF:
                return self._with_copied_sign(index)
        if not self._told(operation.operands):
            return None
        return self._arithmetic_in_pieces(operation, [self._of(operand) for operand in operation.operands])

    def _told(self, operands: Sequence[int]) -> bool:
        """Whether all are bounded, and pieces tell something of one of them."""
        known, pieces = self.known, self.pieces
        if pieces.keys().isdisjoint(operands):
            return False
        return all(k in pieces or (k in known and known[k].bounded) for k in operands)

    def _arithmetic_in_pieces(self, operation: Operation, operands: list[Pieces]) -> Pieces | None:
        match operation.kind:
            case Kind.MUL if operation.operands[0] == operation.operands[1]:
                return piecewise.square(operands[0])
            case Kind.MUL if (factor := self._factor(operation)) is not None:
                return piecewise.scaled(*factor)
            case Kind.ADD if (part := refinement.positive_part(self.sequence, operation)) is not None:
                return piecewise.twice_positive(self._of(part))
            case Kind.SUB if (part := refinement.negative_part(self.sequence, operation)) is not None:
                return piecewise.twice_positive(piecewise.negative(self._of(part)))
        if not _defined(operation.kind, operands):
            return None
        return _ARITHMETIC[operation.kind](*operands) if operation.kind in _ARITHMETIC else None

    def _factor(self, operation: Operation) -> tuple[Pieces, float] | None:
        """Bounds of one factor, and the other one, if that is one number."""
        for one, other in (operation.operands, operation.operands[::-1]):
            if self.sequence.operations[other].kind is Kind.CONSTANT and one in self.pieces:
                return self.pieces[one], self.known[other].low
        return None

    def _chosen(self, operation: Operation) -> Pieces | None:
        flag, one, zero = operation.operands
        if not self._told((one, zero)):
            return None
        arms = self._of(one), self._of(zero)
        return piecewise.chosen(self.flags[flag], *arms) if flag in self.flags else piecewise.union(*arms)

    def _wave(self, operation: Operation) -> Pieces | None:
        pair = self.sequence.operations[operation.operands[0]]
        angle = self.pieces.get(pair.operands[0])
        if angle is None or self.leaves_domain(pair):
            return None
        wave = piecewise.cosine if operation.kind is Kind.COSINE else piecewise.sine
        return wave(angle, self.sequence.precision)

    def _with_copied_sign(self, index: int) -> Pieces | None:
        copied = refinement.copied_sign(self.sequence, index)
        if copied is None or not self._told(copied):
            return None
        return piecewise.with_sign_of(*(self._of(k) for k in copied))

    def _flag(self, index: int, operation: Operation) -> None:
        """What a flag is in every piece; nothing where it may be anything."""
        match operation.kind:
            case Kind.LESS | Kind.LESS_EQUAL:
                found = self._compared(operation)
            case Kind.FLAG_CONSTANT:
                found = np.full(1, 1 if operation.value else -1, dtype=np.int8)
            case Kind.FLAG_NOT:
                flags = self.flags.get(operation.operands[0])
                found = None if flags is None else -flags
            case _:
                found = self._joined(operation)
        if found is not None:
            self.flags[index] = found

    def _compared(self, operation: Operation) -> NDArray[np.int8] | None:
        left, right = operation.operands
        if not self._told(operation.operands):
            return None
        return piecewise.compared(self._of(left), self._of(right), equal=operation.kind is Kind.LESS_EQUAL)

    def _joined(self, operation: Operation) -> NDArray[np.int8] | None:
        """Flags joined by and or or: the less, or the more certain to hold."""
        one, other = (self.flags.get(operand, _UNKNOWN) for operand in operation.operands)
        return (np.minimum if operation.kind is Kind.FLAG_AND else np.maximum)(one, other)
