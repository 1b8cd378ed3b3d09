"""A chart as SVG text: a file of its own, or a figure of an HTML page. The same chart gives the same bytes."""

from exporter.drawing.charts.chart import Chart
from exporter.drawing.charts.sheet import Sheet, draw_chart
from exporter.drawing.templating import render

PAGE_SHEET = Sheet(width=860, left=76, right=690, top=78, panel=190, gap=36, bottom=48, font=12, is_page=True)
WIDE_SHEET = Sheet(width=896, left=76, right=876, top=22, panel=192, gap=36, bottom=38, font=12, is_page=False)
STRIP_SHEET = Sheet(width=896, left=76, right=876, top=22, panel=118, gap=36, bottom=38, font=12, is_page=False)
SMALL_SHEET = Sheet(width=420, left=58, right=408, top=20, panel=156, gap=36, bottom=34, font=10.5, is_page=False)


def chart_svg(chart: Chart, sheet: Sheet = PAGE_SHEET) -> str:
    """The picture as SVG."""
    return render("chart.svg.j2", chart=chart, sheet=sheet, drawing=draw_chart(chart, sheet))
