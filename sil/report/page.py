"""The HTML page of a campaign, in one file: style and pictures inside."""

from collections.abc import Mapping
from itertools import groupby

from exporter.drawing.templating import Filters, render
from sil.campaign import Campaign
from sil.figures import figure
from sil.merged import rank
from sil.report import plots
from sil.report.document import document
from sil.verdict import Outcome

MARKS = {Outcome.PASSED.value: "pass", Outcome.FAILED.value: "FAIL"}


def page(campaign: Campaign) -> str:
    """The page's text."""
    drawn = {
        function: [plot for series in group for plot in plots.plots_of(campaign, series)]
        for function, group in groupby(campaign.series, key=lambda series: series.function)
    }
    sheet = {"width": plots.WIDTH, "height": plots.HEIGHT, "left": plots.LEFT, "right": plots.WIDTH - plots.RIGHT}
    sheet |= {"top": plots.TOP, "bottom": plots.HEIGHT - plots.BOTTOM}
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
        sheet=sheet,
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
