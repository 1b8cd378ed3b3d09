"""Which outputs of its functions a mechanism chooses, and what is said of the others.

In: `Mechanism.chosen_outputs`, names or patterns as of files ("*.acceleration"); functions as they are written. Out:
the choice as a predicate of signals, refusals, a note.

An output answers to its own name, to the name of the signal that [outputs] calls so, and to the name of the quantity
that it is a part of: "theta" takes theta.sin and theta.cos, "hub.rate" the three components of a point's velocity.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import chain

from exporter.errors import ModelError
from exporter.model.mechanism import Mechanism
from exporter.model.nearest import list_words, nearest
from exporter.sequence.operations import Group, OperationSequence, Signal

PART = re.compile(r"\.(sin|cos|w|x|y|z)(?=\.|$)")
NEXT_SUFFIX = ".next"
"""What follows the coordinate in a solution that an iterative method gives for its next call."""
MOST_LISTED = 24
"""Quantities that a refusal lists."""


def chooses(mechanism: Mechanism) -> Callable[[Signal], bool]:
    """Whether a signal is given: an output that is chosen, or what the next call reads; all where nothing is chosen."""
    if not mechanism.chosen_outputs:
        return lambda _: True
    return lambda signal: _is_read_again(signal) or bool(_choosing(mechanism, signal.name))


def _is_read_again(signal: Signal) -> bool:
    """Whether the next call reads it: a state, or where an iteration goes on from."""
    return signal.group is not Group.OUTPUT or signal.name.endswith(NEXT_SUFFIX)


def quantity_of(name: str) -> str:
    """The quantity that an output is a part of: "theta" of theta.sin, "hub.rate" of hub.x.rate; else its own name."""
    return PART.sub("", name, count=1)


def _choosing(mechanism: Mechanism, output: str) -> list[str]:
    """The patterns that take an output."""
    names = {output, mechanism.outputs.get(output, output)}
    names |= {quantity_of(name) for name in names}
    return [each for each in mechanism.chosen_outputs if any(fnmatchcase(name, each) for name in names)]


def outputs_of(function: OperationSequence) -> tuple[str, ...]:
    """Names of all outputs beside the state, given or left out."""
    return (*_given_by(function), *function.left_out)


def gives_nothing(function: OperationSequence) -> bool:
    """Whether all that a function would give is left out."""
    return bool(function.left_out) and not function.outputs


def _given_by(function: OperationSequence) -> tuple[str, ...]:
    return tuple(each.signal.name for each in function.outputs if each.signal.group is Group.OUTPUT)


def require_chosen(
    mechanism: Mechanism,
    asked: Collection[str],
    written: Sequence[OperationSequence],
    others: Iterable[OperationSequence],
) -> None:
    """Refuse a pattern that takes no output of any function, and a function of whose outputs none is chosen.

    Args:
        mechanism: what is exported.
        asked: names of functions that are asked for; of others some may be left without outputs.
        written: the functions of the export.
        others: further ones that the mechanism offers, written as far as a pattern asks for them.

    Raises:
        ModelError: the pattern or the function, and what outputs there are.
    """
    _require_matches(mechanism, chain(written, others))
    for function in written:
        if function.name in asked and gives_nothing(function):
            raise ModelError(
                f'"{function.name}" gives none of the chosen outputs, {list_words(mechanism.chosen_outputs)}; leave '
                f"it out, or choose some of {list_words(_quantities(function.left_out))}"
            )


def _require_matches(mechanism: Mechanism, functions: Iterable[OperationSequence]) -> None:
    pending, outputs, taken = list(mechanism.chosen_outputs), dict[str, None](), set[str]()
    for function in functions if pending else ():
        outputs |= dict.fromkeys(outputs_of(function))
        taken |= {signal.name for signal in function.inputs}
        found = {pattern for name in outputs_of(function) for pattern in _choosing(mechanism, name)}
        pending = [each for each in pending if each not in found]
        if not pending:
            return
    if pending:
        raise ModelError(f"{mechanism.name}: {_refusal(pending[0], list(outputs), taken)}")


def _refusal(pattern: str, outputs: Sequence[str], taken: Collection[str]) -> str:
    if pattern in taken:
        return f'"{pattern}" goes into functions and none gives it as an output; leave it out of the chosen outputs'
    quantities = _quantities(outputs)
    listed, more = quantities[:MOST_LISTED], len(quantities) - MOST_LISTED
    told = f"{list_words(listed)}{f' and {more} more' if more > 0 else ''}"
    return f'no output matches "{pattern}"{nearest(pattern, (*quantities, *outputs))}; there is {told}'


def _quantities(outputs: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(quantity_of(name) for name in outputs))


def chosen_notes(mechanism: Mechanism, functions: Sequence[OperationSequence]) -> tuple[str, ...]:
    """How many outputs each function gives of how many, and which functions are left out for want of them."""
    if not mechanism.chosen_outputs:
        return ()
    counts = [
        f"{each.name} gives {len(_given_by(each))} of {len(outputs_of(each))}"
        for each in functions
        if outputs_of(each) and not gives_nothing(each)
    ]
    without = [each.name for each in functions if gives_nothing(each)]
    left = f"; without an output, and left out: {', '.join(without)}" if without else ""
    return (f"outputs are chosen by {', '.join(mechanism.chosen_outputs)}: {', '.join(counts)}{left}",)
