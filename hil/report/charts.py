"""Charts of a free run: how often each duration occurred, finishes in their course, neighbouring activations.

All in microseconds. A deadline counts from the release; so does the axis of every chart that has its line.
"""

from collections.abc import Callable, Mapping, Sequence

from exporter.drawing.charts.bins import bars_up_to, counts
from exporter.drawing.charts.chart import Bar, Chart, Mark, Panel, Point
from exporter.drawing.charts.scale import Scale, linear
from hil.deadlines import Analysis
from hil.messages import Outcome, Record
from hil.session import FreeRun

BINS = 160  # of the histogram of durations
HEADROOM = 1.04  # of an axis, over what is greatest on it
BAR_PART = 0.7  # of the room of an activation that its bar takes
LEAST_ON_LOG_AXIS = 0.5  # activations, where a logarithmic axis of counts starts


def histogram_chart(histogram: Mapping[int, int], analysis: Analysis) -> Chart:
    """An exact histogram tick -> count, on a logarithmic scale, with the greatest and what fits marked.

    A duration counts from the start: behind the latest start that was seen, the deadline less that start is left.
    """
    us = _microseconds(analysis)
    room, longest = us(analysis.timing.deadline_ticks - analysis.lateness.greatest), us(analysis.durations.greatest)
    across = linear(0.0, max(room, longest) * HEADROOM)
    found = counts([us(ticks) for ticks in histogram], across, BINS, list(histogram.values()))
    up = Scale(LEAST_ON_LOG_AXIS, 2.0 * max(1, int(found.max())), logarithmic=True)
    left = f"deadline less latest start {room:,.1f} us"
    marks = (
        *((Mark(room, left, is_written=True),) if room > 0 else ()),
        Mark(longest, f"longest {longest:,.1f} us", look="found", is_written=True),
    )
    panel = Panel("activations", bars=bars_up_to(found, across, LEAST_ON_LOG_AXIS), marks=marks, y=up)
    title = "Histogram of durations"
    caption = f"{int(found.sum()):,} activations, the longest {longest:,.1f} us, {left}"
    return Chart(title, caption, "duration of the step in us", (), (panel,), scale=across)


def timeline_chart(run: FreeRun, analysis: Analysis) -> Chart:
    """Finish after the release against activation: the envelope that the device kept, the deadline, what missed it."""
    us = _microseconds(analysis)
    limit = us(analysis.timing.deadline_ticks)
    across = linear(0.0, float(max(1, analysis.requested)), whole=True)
    block = max(1, run.summary.envelope_block)
    bars = tuple(
        Bar(number * block, min((number + 1) * block, analysis.requested), us(low), us(high))
        for number, (low, high) in enumerate(run.envelope)
        if low <= high
    )
    late = [each for each in analysis.violations if each.outcome is not Outcome.SKIPPED]
    skipped = [each for each in analysis.violations if each.outcome is Outcome.SKIPPED]
    panel = Panel(
        "finish after the release in us",
        bars=bars,
        points=tuple(Point(each.index, us(each.over_ticks) + limit) for each in late),
        marks=(
            *(Mark(each.index, f"activation {each.index:,} never ran", look="pale") for each in skipped),
            Mark(limit, f"deadline {limit:,.1f} us", axis="y", is_written=True),
        ),
        y=linear(0.0, max(limit, us(analysis.response_ticks)) * HEADROOM),
    )
    title = "Finish after the release against activation with the deadline"
    caption = (
        f"{analysis.requested:,} activations, deadline {limit:,.1f} us; a dot is an activation that missed it, "
        "a pale line one that never ran"
    )
    return Chart(title, caption, "activation", (), (panel,), scale=across)


def window_chart(window: Sequence[Record], analysis: Analysis) -> Chart:
    """Neighbouring activations, each a bar from start to finish on an axis that counts from its release."""
    us = _microseconds(analysis)
    limit = us(analysis.timing.deadline_ticks)
    ran = [record for record in window if record.outcome is not Outcome.SKIPPED]
    skipped = [record for record in window if record.outcome is Outcome.SKIPPED]
    first, last = window[0].index, max(record.index + max(1, record.skipped) - 1 for record in window)
    latest = max((us(record.response_ticks) for record in ran), default=0.0)
    half = BAR_PART / 2
    panel = Panel(
        "activation",
        bars=tuple(
            Bar(us(record.late_ticks), us(record.response_ticks), record.index - half, record.index + half)
            for record in ran
        ),
        points=tuple(Point(us(each.response_ticks), each.index) for each in ran if each.outcome is not Outcome.IN_TIME),
        marks=(
            *(Mark(each.index, f"activation {each.index:,} never ran", "y", "pale") for each in skipped),
            Mark(limit, f"deadline {limit:,.1f} us", is_written=True),
        ),
        y=Scale(first - 0.5, last + 0.5, whole=True),
    )
    title = f"Start and finish of activations {first:,} to {last:,} after their releases"
    caption = f"deadline {limit:,.1f} us, the latest finish {latest:,.1f} us"
    across = linear(0.0, max(limit, latest) * HEADROOM)
    return Chart(title, caption, "us after the release", (), (panel,), scale=across)


def _microseconds(analysis: Analysis) -> Callable[[int], float]:
    """Ticks to microseconds."""
    base = analysis.timebase
    return lambda ticks: base.seconds(ticks) * 1e6
