"""The passes, in their order: what becomes of a function between its writing and its printing. This is the one list.

In: functions as their builders finish them (`Builder.finish` has tidied them: reciprocals shared, negated differences
swapped, dead operations dropped). Out: functions as they are exported, and `recalibrate`.

SUMS   differences from a part of a sum are written without it, places that have two addends in common add these once,
       minus signs move outwards; the one pass that changes the order of additions
PROOF  the ranges prove that the function is defined and finite everywhere; guards that cannot fire are dropped
BOX    the same over one box of ranges, for parts of a composition: some of their inputs are no inputs there
HOIST  what depends on tunable parameters alone goes into `recalibrate`; over all functions of a program
"""

from collections.abc import Callable, Collection, Sequence
from enum import Enum, auto

from exporter.progress import say
from exporter.sequence.differences import differences_first
from exporter.sequence.hoist import hoist_parameters
from exporter.sequence.operations import OperationSequence, Signal
from exporter.sequence.proven import drop_guards_over_one_box, drop_proven_guards
from exporter.sequence.shared_bounds import SharedBounds
from exporter.sequence.shared_sums import share_sums
from exporter.sequence.signs import signs_outward


class Pass(Enum):
    """One pass."""

    SUMS = auto()
    PROOF = auto()
    BOX = auto()
    HOIST = auto()


ALL_PASSES = frozenset(Pass) - {Pass.BOX}
ARITHMETIC_PASSES = frozenset({Pass.SUMS, Pass.HOIST})
"""For counting what was written without guards: nothing is proven, and nothing may be used."""
WITHOUT_SUMS = frozenset({Pass.PROOF, Pass.HOIST})
"""Additions in the order in which they were written."""

OF_PARTS = frozenset({Pass.SUMS, Pass.BOX})
"""For what a composition is made of, which is proven again as a whole."""


def _sums_in_order(function: OperationSequence, _: SharedBounds | None) -> OperationSequence:
    return signs_outward(share_sums(differences_first(function)))


_OF_FUNCTIONS: Sequence[tuple[Pass, Callable[[OperationSequence, SharedBounds | None], OperationSequence]]] = (
    (Pass.SUMS, _sums_in_order),
    (Pass.PROOF, drop_proven_guards),
    (Pass.BOX, drop_guards_over_one_box),
)


def finished(
    function: OperationSequence, passes: Collection[Pass] = ALL_PASSES, shared: SharedBounds | None = None
) -> OperationSequence:
    """One function after the passes over single functions; bounds are `shared` with other functions of its program.

    Raises:
        NotProven: the ranges of its inputs do not show that it is defined and finite.
    """
    say(f"simplifying {function.name}")
    for each, run in _OF_FUNCTIONS:
        function = run(function, shared) if each in passes else function
    return function


def divide_functions(
    functions: tuple[OperationSequence, ...], parameters: tuple[Signal, ...], passes: Collection[Pass] = ALL_PASSES
) -> tuple[OperationSequence | None, tuple[OperationSequence, ...]]:
    """`recalibrate`, None without tunable parameters, and the functions that read what it derives.

    Raises:
        ModelError: what the parameters alone decide cannot be shown to be finite within their ranges.
    """
    return hoist_parameters(functions, parameters) if Pass.HOIST in passes else (None, functions)
