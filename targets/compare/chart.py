"""The comparison as a picture: bars of operations, residuals and instructions, one panel each.

In: facts of methods. Out: SVG text; the same facts give the same bytes. What is not the same on every input has a paler
bar from its least to its greatest; shorter bars are better in every panel.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from exporter.drawing.templating import render
from targets.compare.accuracy import PRECISIONS
from targets.compare.methods import MethodFacts
from targets.compare.table import constancy, decade, name_of

NAMES, PANEL, GAP, LINE, TOP = 260.0, 190.0, 90.0, 22.0, 48.0
SMALLEST = -18  # power of ten where an axis of residuals starts
TARGET = "arm-m4f"


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar with what is written behind it."""

    y: float
    least: float  # width of what is always there
    width: float  # of all of it
    text: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One quantity of all methods."""

    x: float
    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class _Quantity:
    title: str
    ends: Sequence[tuple[float, float]]  # least and greatest
    texts: Sequence[str]


def chart(title: str, methods: Sequence[MethodFacts]) -> str:
    """The picture of the methods that fit."""
    fitting = [facts for facts in methods if not facts.refused]
    quantities = [_operations(fitting), *(_residuals(fitting, precision) for precision in PRECISIONS)]
    quantities += [_instructions(fitting)] if any(TARGET in facts.verdicts for facts in fitting) else []
    return render(
        "compare.svg.j2",
        package="targets.compare",
        title=title,
        width=NAMES + len(quantities) * (PANEL + GAP),
        height=TOP + LINE * len(fitting) + 12,
        names=[(TOP + LINE * k, f"{name_of(facts)}: {constancy(facts)}") for k, facts in enumerate(fitting)],
        panels=[_panel(k, quantity) for k, quantity in enumerate(quantities)],
        bar=LINE - 8,
    )


def _operations(methods: Sequence[MethodFacts]) -> _Quantity:
    ends = [(facts.least_operations, sum(facts.operations.values())) for facts in methods]
    return _Quantity("operations of one call, guards included", ends, [_range(*each) for each in ends])


def _range(least: int, greatest: int) -> str:
    return f"{least} to {greatest}" if least < greatest else str(greatest)


def _residuals(methods: Sequence[MethodFacts], precision: str) -> _Quantity:
    """Decades on a logarithmic axis, so that no last bit is drawn; nothing where there was no pose to measure at."""
    known = [facts.accuracy[precision].residual if precision in facts.accuracy else None for facts in methods]
    lengths = [float(max(math.floor(math.log10(each)) - SMALLEST, 0)) if each else 0.0 for each in known]
    texts = ["not measured" if each is None else decade(each) for each in known]
    return _Quantity(f"closure residual, {precision} (logarithmic)", [(each, each) for each in lengths], texts)


def _instructions(methods: Sequence[MethodFacts]) -> _Quantity:
    """What was run, or what was proved."""
    ends, texts = [], []
    for facts in methods:
        proved = facts.instructions.get(TARGET, 0)
        least, greatest = facts.measured.get(TARGET, (proved, proved))
        ends.append((least, greatest))
        texts.append(_range(least, greatest) if greatest else "none")
    return _Quantity(f"instructions, {TARGET}", ends, texts)


def _panel(number: int, quantity: _Quantity) -> Panel:
    largest = max((greatest for _, greatest in quantity.ends), default=0.0) or 1.0
    bars = [
        Bar(TOP + LINE * k, round(PANEL * least / largest, 1), round(PANEL * greatest / largest, 1), text)
        for k, ((least, greatest), text) in enumerate(zip(quantity.ends, quantity.texts, strict=True))
    ]
    return Panel(NAMES + number * (PANEL + GAP), quantity.title, tuple(bars))
