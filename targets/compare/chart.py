"""The comparison as a picture: bars of operations, residuals and instructions, one panel each.

In: facts of methods. Out: SVG text; the same facts give the same bytes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from targets.compare.methods import MethodFacts
from targets.compare.table import decade, name_of

NAMES, PANEL, GAP, LINE, TOP = 190.0, 190.0, 60.0, 22.0, 48.0
SMALLEST = 1e-17  # where an axis of residuals starts


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar with what is written behind it."""

    y: float
    width: float
    text: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One quantity of all methods."""

    x: float
    title: str
    bars: tuple[Bar, ...]


def chart(title: str, methods: Sequence[MethodFacts], target: str = "arm-m4f") -> str:
    """The picture of the methods that fit."""
    fitting = [facts for facts in methods if not facts.refused]
    operations = [float(sum(facts.operations.values())) for facts in fitting]
    columns = [("operations of one call, guards included", operations, [f"{value:.0f}" for value in operations])]
    for precision in ("float64", "float32"):
        residuals = [facts.accuracy[precision].residual if facts.accuracy else 0.0 for facts in fitting]
        lengths = [max(math.log10(max(each, SMALLEST) / SMALLEST), 0.0) for each in residuals]
        columns.append((f"closure residual, {precision} (logarithmic)", lengths, [decade(each) for each in residuals]))
    counts = [float(facts.instructions.get(target, 0)) for facts in fitting]
    if any(counts):
        columns.append((f"instructions, {target}", counts, [f"{value:.0f}" if value else "none" for value in counts]))
    environment = Environment(
        loader=PackageLoader("targets.compare"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    return environment.get_template("compare.svg.j2").render(
        title=title,
        width=NAMES + len(columns) * (PANEL + GAP),
        height=TOP + LINE * len(fitting) + 12,
        names=[(TOP + LINE * k, name_of(facts)) for k, facts in enumerate(fitting)],
        panels=[_panel(k, *column) for k, column in enumerate(columns)],
        bar=LINE - 8,
    )


def _panel(number: int, title: str, values: Sequence[float], texts: Sequence[str]) -> Panel:
    largest = max(values, default=0.0) or 1.0
    bars = [
        Bar(TOP + LINE * k, round(PANEL * value / largest, 1), text)
        for k, (value, text) in enumerate(zip(values, texts, strict=True))
    ]
    return Panel(NAMES + number * (PANEL + GAP), title, tuple(bars))
