"""The HTML page of a campaign, in one file: style and pictures inside."""

from collections.abc import Mapping
from itertools import groupby

from exporter.drawing.charts.svg import SMALL_SHEET, chart_svg
from exporter.drawing.templating import Filters, render
from sil.campaign import Campaign
from sil.figures import figure
from sil.merged_verdicts import rank
from sil.report.document import document
from sil.report.plots import plots_of
from sil.verdict import Outcome

MARKS = {Outcome.PASSED.value: "pass", Outcome.FAILED.value: "FAIL"}


def page(campaign: Campaign) -> str:
    """The page's text."""
    drawn = {
        function: [
            (plot.title, chart_svg(plot, SMALL_SHEET)) for series in group for plot in plots_of(campaign, series)
        ]
        for function, group in groupby(campaign.series, key=lambda series: series.function)
    }
    worst = sorted(
        (each for each in campaign.verdicts if each.measured and each.worst is not None and each.inputs),
        key=rank,
    )
    return render(
        "report.html.j2",
        package="sil.report",
        filters=FILTERS,
        report=document(campaign),
        plots=drawn,
        worst=worst[:12],
        manifest=campaign.manifest,
    )


def _figure(number: float | str | None) -> str:
    """As people write it; a dash for what does not exist."""
    if number is None:
        return "–"
    return figure(float(number))


def _mark(verdict: Mapping[str, str]) -> str:
    return MARKS.get(verdict["outcome"], verdict["outcome"])


FILTERS: Filters = {"figure": _figure, "mark": _mark, "thousands": "{:,}".format}
