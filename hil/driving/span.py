"""How long a device is stepped: "20 ms" as so many periods of the bench, or "200 steps".

In: text. Out: a number of steps. A time is a whole number of periods, or it is refused.
"""

import re
from dataclasses import dataclass

from hil.bench_runtime import BenchRuntime
from hil.duration import Duration, parse_duration
from hil.errors import BenchError

STEPS_PATTERN = re.compile(r"\s*(?P<count>[0-9]+)\s*(?:steps?)?\s*")
MOST_STEPS = 1_000_000  # of one keyword; all of them are kept


@dataclass(frozen=True, slots=True)
class Span:
    """A number of steps, or a time."""

    text: str
    steps: int | None  # None: by the time
    duration: Duration | None = None


def parse_span(text: str) -> Span:
    """Read "200 steps", "200" or "20 ms". Raises `BenchError` on zero, and on another form."""
    found = STEPS_PATTERN.fullmatch(text)
    if found is None:
        return Span(text.strip(), None, parse_duration(text, "time"))
    return Span(text.strip(), require_steps(int(found["count"])))


def require_steps(count: int) -> int:
    """The number itself, if it may be one of steps; raises `BenchError` where it is not."""
    if not 1 <= count <= MOST_STEPS:
        raise BenchError(f"{count:,} steps were asked for; give 1 to {MOST_STEPS:,}")
    return count


def periods_of(runtime: BenchRuntime, duration: Duration) -> int:
    """How many periods of the bench a time lasts; raises `BenchError` where that is no whole number."""
    period, counter_hz = runtime.bench.timing.period, runtime.timebase.counter_hz
    periods = duration.seconds(counter_hz) / period.seconds(counter_hz)
    if periods.denominator != 1:
        raise BenchError(
            f"'{duration.text}' is {float(periods):.9g} periods of {period.text}; in lockstep a time is a whole number "
            f"of periods, so write {int(periods)} or {int(periods) + 1} of them"
        )
    return require_steps(periods.numerator)


def steps_of(runtime: BenchRuntime, span: Span) -> int:
    """The number of steps of a span on this bench."""
    if span.duration is not None:
        return periods_of(runtime, span.duration)
    return require_steps(span.steps or 0)
