"""The deadline report as one HTML page with its charts inside; needs no network and no script."""

import math
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from exporter.drawing.characters import css_text, readable
from exporter.drawing.charts.svg import STRIP_SHEET, WIDE_SHEET, chart_svg
from hil.faults.findings import table_of as fault_table_of
from hil.freerun import TimedRun, fault_text
from hil.report.charts import histogram_chart, timeline_chart, window_chart
from hil.report.columns import table_of
from hil.report.report import Report
from hil.report.violations import MOST_SHOWN, ShownViolation, shown_latest, shown_violations
from sil.figures import NO_MEASUREMENT
from sil.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from jinja2 import Environment

NUMBER = r"-?\d[\d.,]*(e[-+]\d+)?"
QUANTITY = re.compile(rf"(about )?{NUMBER}( (of|to) {NUMBER})?( \S+)?")
SHOWN_FAULTS = 100
"""Of those on the link; report.json has all."""

TEMPLATES = Path(__file__).parent


def page_text(report: Report) -> str:
    """The page."""
    result = report.result
    timed = result.timed
    is_drawn = timed is not None and timed.analysis.is_measured
    violations, latest = shown_violations(result), shown_latest(result)
    charts = None
    if timed is not None and is_drawn:
        charts = {
            "histogram": chart_svg(histogram_chart(timed.records.histogram, timed.analysis), WIDE_SHEET),
            "timeline": chart_svg(timeline_chart(timed.records, timed.analysis), WIDE_SHEET),
        }
    return render_template(
        "report.html.j2",
        report=report,
        result=result,
        table=table_of(report.columns),
        analysis=timed.analysis if timed else None,
        charts=charts,
        violations=[(each, _window(each, timed)) for each in violations[:MOST_SHOWN]],
        latest=(latest, _window(latest, timed)) if latest else None,
        left_out=len(violations) - MOST_SHOWN,
        fault=fault_text(timed.analysis) if timed else "",
        unlogged=timed.analysis.unlogged if timed else 0,
        fault_table=fault_table_of(result.under_faults) if result.under_faults else (),
        shown_faults=SHOWN_FAULTS,
    )


def _window(shown: ShownViolation, timed: TimedRun | None) -> str:
    if timed is None or not timed.analysis.is_measured:
        return ""
    return chart_svg(window_chart(shown.window, timed.analysis), STRIP_SHEET)


def render_template(name: str, **context: object) -> str:
    """Text of a page of this folder, as every reader takes it."""
    return readable(_environment().get_template(name).render(**context))


@cache
def _environment() -> "Environment":
    from jinja2 import ChoiceLoader, FileSystemLoader, PackageLoader  # noqa: PLC0415 - not for --help

    from exporter.template_environment import environment  # noqa: PLC0415

    templates = environment(
        ChoiceLoader([FileSystemLoader(TEMPLATES), PackageLoader("exporter.drawing")]), autoescape=True
    )
    templates.filters |= {"us": _us, "number": _number, "percent": _percent, "whole": _whole, "mark": _mark}
    templates.filters |= {"is_quantity": _is_quantity, "css_text": css_text}
    return templates


def _us(value: float | None) -> str:
    """Two decimals; three significant digits below one, where decimals would lose them."""
    if value is None:
        return "–"
    if not math.isfinite(value):
        return "not measured"
    return f"{value:.3g}" if 0.0 < abs(value) < 1.0 else f"{value:,.2f}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) and value == int(value) else _us(value)


def _percent(part: float | None) -> str:
    return "–" if part is None else f"{100 * part:.1f} %"


def _whole(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _is_quantity(text: str) -> bool:
    """Whether it is a number, perhaps of another one and with a unit: what a line must not break."""
    return QUANTITY.fullmatch(text) is not None


def _mark(verdict: Verdict) -> str:
    if verdict.measured and math.isnan(verdict.value):
        return NO_MEASUREMENT
    return {Outcome.PASSED: "pass", Outcome.FAILED: "fail"}.get(verdict.outcome, verdict.outcome.value)
