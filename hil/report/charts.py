"""Geometry of the two charts of a free run; `chart_*.svg.j2` draws it. Times are in microseconds."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hil.deadlines import Analysis
from hil.messages import Outcome
from hil.report.axis import Axis, Mark, axis
from hil.session import FreeRun

WIDTH, HEIGHT = 896, 260
LEFT, RIGHT, TOP, BOTTOM = 64, 864, 18, 214
BINS = 160
HEADROOM = 1.04


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle in pixels."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Chart:
    """What both charts have."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    x_marks: tuple[Mark, ...]
    y_marks: tuple[Mark, ...]
    x_label: str
    y_label: str


@dataclass(frozen=True, slots=True)
class Histogram:
    """Durations: how often each occurred, on a logarithmic scale, with the deadline and the greatest marked."""

    frame: Chart
    bars: tuple[Bar, ...]
    deadline: Mark
    greatest: Mark


@dataclass(frozen=True, slots=True)
class Timeline:
    """Duration against activation: least and greatest per block, with the deadline and what missed it."""

    frame: Chart
    bars: tuple[Bar, ...]
    deadline: Mark
    misses: tuple[tuple[float, float], ...]  # pixels
    skips: tuple[float, ...]  # pixels along the axis


def histogram_chart(histogram: Mapping[int, int], analysis: Analysis) -> Histogram:
    """Chart of an exact histogram tick -> count."""
    us = _microseconds(analysis)
    limit, greatest = us(analysis.timing.deadline_ticks), us(analysis.durations.greatest)
    across = axis(0.0, max(limit, greatest) * HEADROOM, LEFT, RIGHT)
    counts = _binned({us(ticks): count for ticks, count in histogram.items()}, across)
    up = axis(-0.3, math.log10(max([1, *counts.values()])) + 0.3, BOTTOM, TOP)
    bars = tuple(_bar(across, up, number, count) for number, count in sorted(counts.items()))
    decades = tuple(Mark(up.at(power), f"{10**power:,}") for power in range(math.floor(up.greatest) + 1))
    frame = _frame(across.marks(), decades, "duration of the step in us", "activations")
    return Histogram(
        frame,
        bars,
        Mark(across.at(limit), f"deadline {limit:,.1f} us"),
        Mark(across.at(greatest), f"{greatest:,.1f} us"),
    )


def timeline_chart(run: FreeRun, analysis: Analysis) -> Timeline:
    """Chart of the envelope that the device kept."""
    us = _microseconds(analysis)
    limit = us(analysis.timing.deadline_ticks)
    greatest = max(limit, us(analysis.durations.greatest))
    across = axis(0.0, float(max(1, analysis.requested)), LEFT, RIGHT)
    up = axis(0.0, greatest * HEADROOM, BOTTOM, TOP)
    block = max(1, run.summary.envelope_block)
    frame = _frame(across.marks(), up.marks(5), "activation", "us")
    bars = tuple(
        _range_bar(across, up, number * block, min((number + 1) * block, analysis.requested), us(low), us(high))
        for number, (low, high) in enumerate(run.envelope)
        if low <= high
    )
    late = [each for each in analysis.violations if each.outcome is not Outcome.SKIPPED]
    skipped = [each for each in analysis.violations if each.outcome is Outcome.SKIPPED]
    return Timeline(
        frame, bars, Mark(up.at(limit), f"deadline {limit:,.1f} us"),
        tuple((across.at(each.index), up.at(us(each.duration_ticks))) for each in late),
        tuple(across.at(each.index) for each in skipped),
    )  # fmt: skip


def _microseconds(analysis: Analysis) -> Callable[[int], float]:
    """Ticks to microseconds."""
    base = analysis.timebase
    return lambda ticks: base.seconds(ticks) * 1e6


def _binned(counts: Mapping[float, int], across: Axis) -> dict[int, int]:
    """Counts per bin of equal width."""
    bins: dict[int, int] = {}
    for value, count in counts.items():
        number = min(BINS - 1, int(value / across.greatest * BINS))
        bins[number] = bins.get(number, 0) + count
    return bins


def _bar(across: Axis, up: Axis, number: int, count: int) -> Bar:
    left = across.at(across.greatest * number / BINS)
    width = round((RIGHT - LEFT) / BINS, 2)
    top = up.at(math.log10(count))
    return Bar(left, top, width, round(BOTTOM - top, 2))


def _range_bar(across: Axis, up: Axis, first: int, last: int, low: float, high: float) -> Bar:
    left, right, top, bottom = across.at(first), across.at(last), up.at(high), up.at(low)
    return Bar(left, round(top - 1, 2), round(max(0.8, right - left), 2), round(bottom - top + 2, 2))


def _frame(x_marks: Sequence[Mark], y_marks: Sequence[Mark], x_label: str, y_label: str) -> Chart:
    return Chart(WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM, tuple(x_marks), tuple(y_marks), x_label, y_label)
