"""The comparison as a picture: bars of operations, residuals and instructions, one column each.

In: facts of methods. Out: a table of bars; shorter bars are better in every column.
"""

import math
from collections.abc import Sequence

from exporter.drawing.charts.bar_table import BarTable, Column, Extent
from exporter.drawing.charts.scale import Scale, linear
from targets.compare.accuracy import PRECISIONS
from targets.compare.methods import MethodFacts
from targets.compare.table import constancy, decade, name_of

SMALLEST_POWER = -18  # power of ten where an axis of residuals starts
TARGET = "arm-m4f"
CAPTION = "Shorter bars are better; a paler bar is from the least to the greatest that a call needs."


def chart(title: str, methods: Sequence[MethodFacts]) -> BarTable:
    """The picture of the methods that fit."""
    fitting = [facts for facts in methods if not facts.refused]
    columns = [_operations(fitting), *(_residuals(fitting, precision) for precision in PRECISIONS)]
    columns += [_instructions(fitting)] if any(TARGET in facts.verdicts for facts in fitting) else []
    names = tuple(f"{name_of(facts)}: {constancy(facts)}" for facts in fitting)
    return BarTable(title, CAPTION, names, tuple(columns))


def _operations(methods: Sequence[MethodFacts]) -> Column:
    ends = [(facts.least_operations, sum(facts.operations.values())) for facts in methods]
    return _count_column("operations of one call, guards included", [Extent(*each, _range(*each)) for each in ends])


def _count_column(title: str, extents: Sequence[Extent]) -> Column:
    return Column(title, tuple(extents), linear(0.0, max((each.greatest for each in extents), default=0.0)))


def _range(least: int, greatest: int) -> str:
    return f"{least} to {greatest}" if least < greatest else str(greatest)


def _residuals(methods: Sequence[MethodFacts], precision: str) -> Column:
    """Whole decades, so that no last bit is drawn; nothing where there was no pose to measure at."""
    known = [facts.accuracy[precision].residual if precision in facts.accuracy else None for facts in methods]
    powers = [max(math.floor(math.log10(each)), SMALLEST_POWER) if each else SMALLEST_POWER for each in known]
    texts = ["not measured" if each is None else decade(each) for each in known]
    scale = Scale(10.0**SMALLEST_POWER, 10.0 ** max([SMALLEST_POWER + 1, *powers]), logarithmic=True)
    extents = tuple(Extent(10.0**power, 10.0**power, text) for power, text in zip(powers, texts, strict=True))
    return Column(f"closure residual, {precision} (logarithmic)", extents, scale)


def _instructions(methods: Sequence[MethodFacts]) -> Column:
    """What was run, or what was proved."""
    extents = []
    for facts in methods:
        proved = facts.instructions.get(TARGET, 0)
        least, greatest = facts.measured.get(TARGET, (proved, proved))
        extents.append(Extent(least, greatest, _range(least, greatest) if greatest else "none"))
    return _count_column(f"instructions, {TARGET}", extents)
