"""A table of bars: one row for each name, one column for each quantity, side by side.

In: the extents of every quantity. Out: SVG text; the same table gives the same bytes. What differs from call
to call has a paler bar from its least to its greatest value.
"""

from exporter.drawing.charts.scale import Scale
from exporter.drawing.charts.sheet import Ruler
from exporter.drawing.templating import render
from exporter.records import dataclass

NAMES, COLUMN, GAP, LINE, TOP = 260.0, 190.0, 90.0, 22.0, 48.0  # pixels
BAR_SPACING = 8.0  # pixels between two bars


@dataclass(frozen=True, slots=True)
class Extent:
    """From the least to the greatest value of a quantity, and what is written behind its bar."""

    least: float
    greatest: float
    text: str


@dataclass(frozen=True, slots=True)
class Column:
    """One quantity of all rows; its bars begin at the low end of the scale."""

    title: str
    extents: tuple[Extent, ...]
    scale: Scale


@dataclass(frozen=True, slots=True)
class BarTable:
    """A picture."""

    title: str
    caption: str  # for those who do not see the picture
    names: tuple[str, ...]
    columns: tuple[Column, ...]


def bar_table_svg(table: BarTable) -> str:
    """The picture as SVG."""
    return render(
        "bar_table.svg.j2",
        title=table.title,
        caption=table.caption,
        width=NAMES + len(table.columns) * (COLUMN + GAP),
        height=TOP + LINE * len(table.names) + 12,
        names=[(TOP + LINE * row, name) for row, name in enumerate(table.names)],
        columns=[_column(number, column) for number, column in enumerate(table.columns)],
        bar=LINE - BAR_SPACING,
    )


def _column(number: int, column: Column) -> dict[str, object]:
    x = Ruler(column.scale, 0.0, COLUMN)
    bars = [
        {"y": TOP + LINE * row, "least": x.within(each.least), "greatest": x.within(each.greatest), "text": each.text}
        for row, each in enumerate(column.extents)
    ]
    return {"x": NAMES + number * (COLUMN + GAP), "title": column.title, "bars": bars}
