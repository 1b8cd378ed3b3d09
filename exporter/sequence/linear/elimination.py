"""Gaussian elimination written into a sequence: the one for all systems that are not symmetric.

In: values of a matrix and of a right side, and a `Policy`. Out: values of the unknowns. Some 2 n^3 / 3 operations
(Golub & Van Loan, Matrix Computations, section 3.2). Entries that are zero in every pose cost nothing.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext

from exporter.sequence.builder import Value
from exporter.sequence.linear.policy import Policy, Row

Quotient = Callable[[Value], Value]
PAIR_OF_ROWS = 2


def solve(matrix: Sequence[Sequence[Value]], right: Sequence[Value], policy: Policy) -> list[Value]:
    """The unknowns (n,) of matrix (n, n) * x = right (n,)."""
    builder = right[0].builder
    rows = [Row((*row, side), k) for k, (row, side) in enumerate(zip(matrix, right, strict=True))]
    upper: list[tuple[Quotient, tuple[Value, ...]]] = []
    while len(rows) > policy.by_determinant:
        number = len(upper)
        with policy.told(builder, "E", number, "eliminated below"):
            first, *others = policy.pivot_first(rows, number)
            quotient = quotient_by(policy.guarded(first.entries[0], first.number, number), policy)
            upper.append((quotient, first.entries[1:]))
            rows = [_without_first(row, first, quotient, number, policy) for row in others]
    with policy.told(builder, "C", len(upper), "by the determinant") if rows else nullcontext():
        found = _by_determinant(rows, len(upper), policy)
    for number in reversed(range(len(upper))):
        with policy.told(builder, "B", number, "back-substituted"):
            quotient, (*entries, side) = upper[number]
            for entry, value in zip(entries, found, strict=True):
                side = side - entry * value
            found.insert(0, policy.unknown(quotient(side), number))
    return found


def pivots(matrix: Sequence[Sequence[Value]], policy: Policy) -> list[Value]:
    """The guarded pivots (n,) of matrix (n, n), whose product is its determinant."""
    rows, found = [Row(tuple(row), k) for k, row in enumerate(matrix)], []
    for number in range(len(matrix)):
        first, *others = policy.pivot_first(rows, number)
        found.append(policy.guarded(first.entries[0], first.number, number))
        quotient = quotient_by(found[-1], policy)
        rows = [_without_first(row, first, quotient, number, policy) for row in others]
    return found


def quotient_by(pivot: Value, policy: Policy) -> Quotient:
    """What divides by a pivot."""
    if not policy.by_reciprocal:
        return lambda value: value / pivot
    inverse = 1 / pivot
    return lambda value: value * inverse


def _without_first(row: Row, pivot: Row, quotient: Quotient, number: int, policy: Policy) -> Row:
    """A row without the unknown of the pivot."""
    head, *rest = row.entries
    if head.constant == 0:
        return Row(tuple(rest), row.number)
    factor = policy.factor(quotient(head), row.number, number)
    left = (entry - factor * above for entry, above in zip(rest, pivot.entries[1:], strict=True))
    return Row(tuple(left), row.number)


def _by_determinant(rows: Sequence[Row], number: int, policy: Policy) -> list[Value]:
    """The last unknowns; `number` are solved for already."""
    if not rows:
        return []
    if len(rows) < PAIR_OF_ROWS:
        (pivot, side), row = rows[0].entries, rows[0].number
        return [policy.unknown(side / policy.guarded(pivot, row, number), number)]
    (a, b, r), (c, d, s) = (row.entries for row in rows)
    quotient = quotient_by(policy.guarded(a * d - b * c, rows[0].number, number), policy)
    found = quotient(d * r - b * s), quotient(a * s - c * r)
    return [policy.unknown(value, number + k) for k, value in enumerate(found)]
