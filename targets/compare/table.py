"""The comparison as rows of words: for a terminal and for the documentation.

In: facts of methods. Out: a heading and one row per method.
"""

import math
from collections.abc import Sequence

from targets.compare.accuracy import PRECISIONS
from targets.compare.methods import MethodFacts

NO_FIGURE = "–"


def heading(targets: Sequence[str]) -> tuple[str, ...]:
    """Names of the columns."""
    accuracy = [f"residual {precision}" for precision in PRECISIONS]
    counts = [f"instr. {target}" for target in targets]
    classes = ("mul/div", "add", "sqrt", "sincos", "select", "all")
    return ("method", "unknowns", *classes, "count", *accuracy, "elsewhere", *counts)


def row(facts: MethodFacts, targets: Sequence[str]) -> tuple[str, ...]:
    """One method; a method that does not fit shows dashes."""
    arithmetic = facts.arithmetic
    counts = [str(arithmetic.get(name, NO_FIGURE)) for name in ("mul_div", "add", "sqrt", "sincos", "select")]
    total = str(sum(facts.operations.values())) if facts.operations else NO_FIGURE
    return (
        name_of(facts),
        unknowns_of(facts),
        *counts,
        total,
        constancy(facts),
        *(_residual(facts, precision) for precision in PRECISIONS),
        _elsewhere(facts),
        *(_instructions(facts, target) for target in targets),
    )


def name_of(facts: MethodFacts) -> str:
    """The method with its steps, or its tolerance."""
    if facts.tolerance:
        return f"{facts.method} to {facts.tolerance}"
    if not facts.steps:
        return facts.method
    return f"{facts.method}, {facts.steps} step{'s' if facts.steps > 1 else ''}"


def constancy(facts: MethodFacts) -> str:
    """Whether the count is the same on every input: proved by the audit, and as far as it was run."""
    fewest, most = facts.iterations
    if facts.tolerance:
        return f"{fewest} to {most} steps" if fewest < most else f"{most} step{'s' if most > 1 else ''} here, not fixed"
    if any(least < greatest for least, greatest in facts.measured.values()):
        return "varies"
    return "fixed"


def unknowns_of(facts: MethodFacts) -> str:
    """Sizes of the blocks: 6x3 for six of three."""
    sizes = facts.unknowns
    if not sizes:
        return NO_FIGURE
    if len(set(sizes)) == 1 and len(sizes) > 1:
        return f"{len(sizes)}x{sizes[0]}"
    return "+".join(str(size) for size in sizes)


def decade(number: float) -> str:
    """The power of ten that a residual stays below: what is printed does not depend on the last bits."""
    return "0" if number == 0 else f"< 1e{math.floor(math.log10(number)) + 1:+03d}"


def _residual(facts: MethodFacts, precision: str) -> str:
    return decade(facts.accuracy[precision].residual) if precision in facts.accuracy else NO_FIGURE


def _elsewhere(facts: MethodFacts) -> str:
    """Poses that are flagged, and poses of another assembly without a flag, in float64."""
    accuracy = facts.accuracy.get("float64")
    return NO_FIGURE if accuracy is None else f"{accuracy.flagged} flagged, {accuracy.elsewhere} silent"


def _instructions(facts: MethodFacts, target: str) -> str:
    verdict = facts.verdicts.get(target, NO_FIGURE)
    count = facts.instructions.get(target)
    least, greatest = facts.measured.get(target, (0, 0))
    if least < greatest:
        return f"{least} to {greatest}"
    return str(count) if count is not None and verdict == "single path" else verdict
