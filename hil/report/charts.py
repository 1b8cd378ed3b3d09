"""The two charts of a free run: how often each duration occurred, and durations in their course. In microseconds."""

from collections.abc import Callable, Mapping

from exporter.drawing.charts.bins import bars_up_to, counts
from exporter.drawing.charts.chart import Bar, Chart, Mark, Panel, Point
from exporter.drawing.charts.scale import Scale, linear
from hil.deadlines import Analysis
from hil.messages import Outcome
from hil.session import FreeRun

BINS = 160  # of the histogram of durations
HEADROOM = 1.04  # of an axis, over what is greatest on it
LEAST_ON_LOG_AXIS = 0.5  # activations, where a logarithmic axis of counts starts


def histogram_chart(histogram: Mapping[int, int], analysis: Analysis) -> Chart:
    """An exact histogram tick -> count, on a logarithmic scale, with the deadline and the greatest marked."""
    us = _microseconds(analysis)
    limit, longest = us(analysis.timing.deadline_ticks), us(analysis.durations.greatest)
    across = linear(0.0, max(limit, longest) * HEADROOM)
    found = counts([us(ticks) for ticks in histogram], across, BINS, list(histogram.values()))
    up = Scale(LEAST_ON_LOG_AXIS, 2.0 * max(1, int(found.max())), logarithmic=True)
    marks = (
        Mark(limit, f"deadline {limit:,.1f} us", is_written=True),
        Mark(longest, f"longest {longest:,.1f} us", look="found", is_written=True),
    )
    panel = Panel("activations", bars=bars_up_to(found, across, LEAST_ON_LOG_AXIS), marks=marks, y=up)
    title = "Histogram of durations with the deadline"
    caption = f"{int(found.sum()):,} activations, the longest {longest:,.1f} us, deadline {limit:,.1f} us"
    return Chart(title, caption, "duration of the step in us", (), (panel,), scale=across)


def timeline_chart(run: FreeRun, analysis: Analysis) -> Chart:
    """Duration against activation: the envelope that the device kept, with the deadline and what missed it."""
    us = _microseconds(analysis)
    limit = us(analysis.timing.deadline_ticks)
    across = linear(0.0, float(max(1, analysis.requested)))
    block = max(1, run.summary.envelope_block)
    bars = tuple(
        Bar(number * block, min((number + 1) * block, analysis.requested), us(low), us(high))
        for number, (low, high) in enumerate(run.envelope)
        if low <= high
    )
    late = [each for each in analysis.violations if each.outcome is not Outcome.SKIPPED]
    skipped = [each for each in analysis.violations if each.outcome is Outcome.SKIPPED]
    panel = Panel(
        "duration of the step in us",
        bars=bars,
        points=tuple(Point(each.index, us(each.duration_ticks)) for each in late),
        marks=(
            *(Mark(each.index, f"activation {each.index:,} never ran", look="pale") for each in skipped),
            Mark(limit, f"deadline {limit:,.1f} us", axis="y", is_written=True),
        ),
        y=linear(0.0, max(limit, us(analysis.durations.greatest)) * HEADROOM),
    )
    title = "Duration against activation with the deadline"
    caption = (
        f"{analysis.requested:,} activations, deadline {limit:,.1f} us; a dot is an activation that missed it, "
        "a pale line one that never ran"
    )
    return Chart(title, caption, "activation", (), (panel,), scale=across)


def _microseconds(analysis: Analysis) -> Callable[[int], float]:
    """Ticks to microseconds."""
    base = analysis.timebase
    return lambda ticks: base.seconds(ticks) * 1e6
