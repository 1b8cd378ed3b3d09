"""Prints the functions of a layout: prototypes, what the header says about them, bodies.

In: a layout. Out: `PrintedFunction`s for the templates, each with the cost that was counted on its sequence.
"""

from exporter.c99.comments import comment_lines
from exporter.c99.drivers import Driver, driver_of
from exporter.c99.layout import Layout
from exporter.c99.signatures import signature
from exporter.c99.statements import print_sequence
from exporter.manifest import Function
from exporter.records import dataclass
from exporter.sequence.looped import cost_of_call, cost_text
from exporter.sequence.operations import OperationSequence
from exporter.sequence.status import BITS

SUMMARIES: dict[str, str] = {
    "recalibrate": "Fill the derived constants. Call once at start-up and after every change of a parameter.",
    "check_frozen": "Compare the caller's parameters with those that were substituted at export.",
    "position": "Dependent coordinates in solve order, then margins, from the independent coordinates.",
    "velocity": "Rates of the dependent coordinates from coordinates and rates of the independent ones.",
    "acceleration": "Accelerations of the dependent coordinates from the independent ones.",
    "dynamics": "Positions, rates and the accelerations of the independent coordinates under the inputs.",
    "newton_step": "One iteration: a better previous solution, and what the given one leaves open.",
    "startup": "Set the state to {start}.",
    "dostep": "Advance the state by one period under the inputs.",
}
"""First line of what the header says about a function that has one of these names."""

REAL = "real"
"""The real type within the source; the header's name for it, in every statement, was a third of the text."""


@dataclass(frozen=True, slots=True)
class PrintedFunction:
    """One function in C."""

    about: tuple[str, ...]  # the comment before the prototype in the header
    comment: tuple[str, ...]  # before the definition
    prototype: str  # of the header
    definition: str  # the same with const pointers
    lines: tuple[str, ...]  # the body, of a function that iterates: what follows the iterations
    driver: Driver | None = None  # of a function that iterates first


def every_function(layout: Layout) -> list[tuple[Function, OperationSequence]]:
    """Functions with their sequences in the order of the header."""
    derive = [(layout.recalibrate, layout.program.recalibrate)] if layout.recalibrate else []
    own = zip(layout.functions, layout.program.functions, strict=True)
    pairs = [*derive, (layout.check_frozen, layout.frozen_check), *own]
    return [(function, sequence) for function, sequence in pairs if function and sequence]


def printed_function(layout: Layout, function: Function, sequence: OperationSequence) -> PrintedFunction:
    """The text of one function."""
    spelled = [layout.reference(function, signal) for signal in sequence.inputs]
    printed = print_sequence(sequence, REAL, lambda position: spelled[position])
    stores = [
        f"    {layout.reference(function, output.signal)} = {printed.spelling[output.operation]};"
        for output in sequence.outputs
    ]
    word = "0U" if sequence.status is None else printed.spelling[sequence.status]
    parts = [_unread(function, sequence), list(printed.lines), stores, [f"    return {word};"]]
    return PrintedFunction(
        about=tuple(_about(layout, function, sequence)),
        comment=_cost_comment(layout, sequence),
        prototype=_prototype(layout, function, ""),
        definition=_prototype(layout, function, "const "),
        lines=_paragraphs(parts),
        driver=driver_of(layout, function, sequence),
    )


def _cost_comment(layout: Layout, sequence: OperationSequence) -> tuple[str, ...]:
    """On one line; wrapped where the function iterates."""
    if not cost_of_call(layout.program, sequence):
        return ()
    text = f"One call costs {cost_text(layout.program, sequence)}."
    return tuple(comment_lines(text, 0)) if layout.program.iterates(sequence.name) else (f"/* {text} */",)


def _paragraphs(parts: list[list[str]]) -> tuple[str, ...]:
    """Non-empty parts with a blank line between."""
    lines: list[str] = []
    for part in parts:
        if part:
            lines += [*([""] if lines else []), *part]
    return tuple(lines)


def _unread(function: Function, sequence: OperationSequence) -> list[str]:
    """An argument that the formulas do not need stays in the prototype."""
    used = {signal.group.value for signal in sequence.inputs} | {
        output.signal.group.value for output in sequence.outputs
    }
    return [f"    (void){each.name};" for each in function.arguments if each.name in {"derived", "par"} - used]


def _prototype(layout: Layout, function: Function, qualifier: str) -> str:
    """Return type, name and arguments; `qualifier` makes the pointers themselves const."""
    return signature(
        f"{layout.prefix}_status_t {function.symbol}",
        [f"{'const ' if each.const else ''}{each.struct} *{qualifier}{each.name}" for each in function.arguments],
    )


def _summary(layout: Layout, function: Function) -> str:
    """What the header says first of a function."""
    known = SUMMARIES.get(function.name)
    return f"{function.name} of {layout.program.title}." if known is None else known.format(start=layout.program.start)


def _about(layout: Layout, function: Function, sequence: OperationSequence) -> list[str]:
    text = [_summary(layout, function)]
    if function.left_out:
        text.append(f"Outputs that are not chosen, and not computed: {len(function.left_out)}.")
    always = "" if layout.program.iterates(sequence.name) else ", on every input"
    if cost_of_call(layout.program, sequence):
        text.append(f"One call costs {cost_text(layout.program, sequence)}{always}.")
    text += [
        f"{layout.macro}_{condition.name}: {condition.about}."
        for condition in sequence.conditions
        if condition.about != BITS[condition.name][1]
    ]
    wrapped = [line for sentence in text for line in comment_lines(sentence, 0)]
    return _join_comments(wrapped)


def _join_comments(lines: list[str]) -> list[str]:
    """Several comments as one block."""
    bare = [line.removeprefix("/* ").removeprefix(" * ").removesuffix(" */") for line in lines]
    block = [("/* " if number == 0 else " * ") + line for number, line in enumerate(bare)]
    block[-1] += " */"
    return block
