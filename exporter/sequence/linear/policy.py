"""What a linear solve does with its pivots, factors and unknowns: the part that differs between its callers.

In: values of an elimination and where they stand in it. Out: the values to go on with.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value


@dataclass(frozen=True, slots=True)
class Row:
    """What is left of one equation: coefficients of the unknowns that are left, then the right side."""

    entries: tuple[Value, ...]
    number: int  # of the equation, as the caller numbered it; BY_SELECT where selects may have exchanged it


BY_SELECT = -1


def in_given_order(rows: Sequence[Row], number: int) -> list[Row]:  # noqa: ARG001 - the same for every pivot
    """No pivoting: the first row is eliminated with."""
    return list(rows)


def unchanged(value: Value, *_: int) -> Value:
    """No limit."""
    return value


@dataclass(frozen=True, slots=True)
class Policy:
    """How a system is solved.

    A matrix that a policy cannot promise to be regular needs a `guarded` that keeps pivots away from zero; in a
    sequence that is to be finite everywhere, factors and unknowns need limits.
    """

    guarded: Callable[[Value, int, int], Value]
    """(pivot, row, column) -> the pivot for dividing by; row and column are those of the matrix that was given."""
    pivot_first: Callable[[Sequence[Row], int], list[Row]] = in_given_order
    """(rows, number of the pivot) -> the rows with that of the pivot first."""
    factor: Callable[[Value, int, int], Value] = unchanged
    """(factor, row, number of the pivot) -> the factor that a row is eliminated by."""
    unknown: Callable[[Value, int], Value] = unchanged
    """(unknown, its position) -> the unknown."""
    entry: Callable[[Value, int, int], Value] = unchanged
    """(what is left of an entry, row, column) -> the entry; of symmetric solves."""
    side: Callable[[Value, int], Value] = unchanged
    """(right side after forward substitution, its position) -> the side; of symmetric solves."""
    by_determinant: int = 0
    """Systems of up to so many unknowns, at most two, are solved by their determinant, the last of larger ones too."""
    by_reciprocal: bool = True
    """One division by a pivot and products after it; else a division for every quotient."""
    names: Sequence[str] = ()
    """What headings call the unknowns; without names a solve has none of its own."""

    def told(self, builder: Builder, label: str, number: int, how: str) -> AbstractContextManager[None]:
        """The heading over what is written for one unknown."""
        return builder.part(f"{label}{number + 1}", f"{self.names[number]}: {how}") if self.names else nullcontext()
