"""The HTML page of a campaign, in one file: style and pictures inside."""

from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sil.campaign import Campaign
from sil.figures import figure
from sil.report import plots
from sil.report.document import document
from sil.verdict import Outcome

TEMPLATES = Path(__file__).parent / "templates"
MARKS = {Outcome.PASSED.value: "pass", Outcome.FAILED.value: "FAIL"}


def page(campaign: Campaign) -> str:
    """The page's text."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
        keep_trailing_newline=True,
    )
    environment.filters["figure"] = _figure
    environment.filters["mark"] = lambda each: MARKS.get(each["outcome"], each["outcome"])
    environment.filters["thousands"] = lambda number: f"{number:,}"
    drawn = {
        function: [plot for series in group for plot in plots.plots_of(campaign, series)]
        for function, group in groupby(campaign.series, key=lambda series: series.function)
    }
    sheet = {"width": plots.WIDTH, "height": plots.HEIGHT, "left": plots.LEFT, "right": plots.WIDTH - plots.RIGHT}
    sheet |= {"top": plots.TOP, "bottom": plots.HEIGHT - plots.BOTTOM}
    data = document(campaign)
    worst = sorted(
        (each for each in campaign.verdicts if each.measured and each.worst is not None and each.inputs),
        key=lambda verdict: (verdict.passed, -verdict.value / verdict.limit if verdict.limit else 0.0),
    )
    return environment.get_template("report.html.j2").render(
        report=data, plots=drawn, sheet=sheet, worst=worst[:12], manifest=campaign.manifest
    )


def _figure(number: float | str | None) -> str:
    """As people write it; a dash for what does not exist."""
    if number is None:
        return "–"
    return figure(float(number))
