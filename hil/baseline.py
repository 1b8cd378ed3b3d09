"""Holds execution time, start jitter and misses against an earlier report of the same model on the same clock.

In: the earlier `report.json`, and the statistics of this run. Out: `Change`, one for each quantity, with its verdict.
"""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.check_names import BenchCheck
from hil.duration_statistics import DurationStatistics
from hil.errors import BenchError
from hil.report.names import REPORT_KIND
from hil.report.report_data import read_report, wrong_keys
from hil.timebase import Timebase
from sil.figures import figure
from sil.verdict import Verdict, not_judged

TIMES = {"longest duration": "greatest_us", "p99 of durations": "p99_us", "start jitter": "jitter_us"}
"""Quantities that are times, each with its key in a section of the report."""
MISSES = "missed deadlines"
BASELINE_KEYS: Mapping[str, type] = {"setting": dict, "sections": list}


@dataclass(frozen=True, slots=True)
class Baseline:
    """An earlier report."""

    path: Path
    sha256: str
    title: str
    passed: bool
    setting: Mapping[str, str]
    sections: Mapping[str, Mapping[str, Any]]  # by name

    @property
    def warning(self) -> str:
        """What the first line must say of it; empty where it had passed."""
        return "" if self.passed else "; the baseline itself had FAILED"


@dataclass(frozen=True, slots=True)
class Change:
    """One quantity, then and now."""

    quantity: str
    section: str
    unit: str
    before: float | None  # None: not in the baseline
    now: float | None  # None: not in this run
    verdict: Verdict

    @property
    def percent(self) -> float | None:
        """How much more it is now; None where that cannot be said in percent."""
        if self.before is None or self.now is None or not self.before > 0:
            return None
        return 100 * (self.now - self.before) / self.before

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "quantity": self.quantity,
            "section": self.section,
            "unit": self.unit,
            "before": self.before,
            "now": self.now,
            "percent": self.percent,
            "limit": None if math.isnan(self.verdict.limit) else self.verdict.limit,
            "outcome": self.verdict.outcome.value,
        }


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms two runs are compared."""

    function: str
    part: float  # of an earlier time, by which a later one may be longer
    tick_us: float  # of the counter: what is less is no difference
    replay: str


def read_baseline(path: Path) -> Baseline:
    """Read an earlier report.

    Raises:
        BenchError: there is none, it is none of `kinefix hil`, or it is of a version that is not read.
    """
    data = read_report(path)
    document = data.document
    if data.kind != REPORT_KIND:
        raise BenchError(f"{path} is a report of {data.kind}; --baseline takes a report.json of kinefix hil")
    if wrong := wrong_keys(document, BASELINE_KEYS):
        raise BenchError(f"{path} cannot be a baseline: {wrong}; run again what wrote it")
    sections = {str(each.get("name")): each for each in document["sections"] if isinstance(each, dict)}
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Baseline(path, digest, document["title"], document["passed"], document["setting"], sections)


def require_comparable(baseline: Baseline, setting: Mapping[str, str], base: Timebase) -> None:
    """See that times of both runs can be compared; raises `BenchError` naming the first difference."""
    if not base.moves:
        raise BenchError(f"{base.label}: nothing can be held against a baseline; take a target with a counter")
    for name, now in setting.items():
        before = baseline.setting.get(name, "not known")
        if before != now:
            raise BenchError(
                f"{baseline.path} is no baseline for this run: its {name} is {before}, here it is {now}; "
                "give a report of the same model, target, clock and timing"
            )


def changes_since(baseline: Baseline, rows: Sequence[DurationStatistics], terms: Terms) -> tuple[Change, ...]:
    """Every quantity of both runs, judged; what one of them lacks is not judged."""
    now = {row.name: row.as_dict() for row in rows}
    names = dict.fromkeys((*now, *baseline.sections))
    found = (_changes(name, baseline.sections.get(name), now.get(name), terms) for name in names)
    return tuple(change for changes in found for change in changes)


def _changes(
    section: str, before: Mapping[str, Any] | None, now: Mapping[str, Any] | None, terms: Terms
) -> Iterator[Change]:
    if before is None or now is None:
        reason = f"{'the baseline' if before is None else 'this run'} has none"
        check = f"{BenchCheck.SLOWER} in {_mode(section)}"
        yield Change("all", section, "us", None, None, not_judged(check, terms.function, reason, replay=terms.replay))
        return
    for quantity, key in TIMES.items():
        if before.get(key) is not None or now.get(key) is not None:
            yield _time(quantity, section, (_number(before.get(key)), _number(now.get(key))), terms)
    if now.get("misses") is not None:
        yield _misses(section, (_number(before.get("misses")), _number(now["misses"])), terms)


def _time(quantity: str, section: str, values: tuple[float | None, float | None], terms: Terms) -> Change:
    before, now = values
    check = f"{BenchCheck.SLOWER} in {_mode(section)}: {quantity}"
    if before is None or now is None:
        return Change(quantity, section, "us", before, now, _unmeasured(check, before, terms))
    limit = before * (1 + terms.part) + terms.tick_us
    detail = (
        f"{figure(before)} us in the baseline, {figure(now)} us now; "
        f"{100 * terms.part:g} % more and a tick of the counter are allowed"
    )
    verdict = Verdict(check, terms.function, now, limit, "us", detail, replay=terms.replay)
    return Change(quantity, section, "us", before, now, verdict)


def _misses(section: str, values: tuple[float | None, float | None], terms: Terms) -> Change:
    before, now = values
    check = f"{BenchCheck.MORE_MISSES} in {_mode(section)}"
    if before is None or now is None:
        return Change(MISSES, section, "activations", before, now, _unmeasured(check, before, terms))
    detail = f"{before:,.0f} in the baseline, {now:,.0f} now"
    verdict = Verdict(check, terms.function, now, before, "activations", detail, replay=terms.replay)
    return Change(MISSES, section, "activations", before, now, verdict)


def _unmeasured(check: str, before: float | None, terms: Terms) -> Verdict:
    reason = f"{'the baseline' if before is None else 'this run'} measured nothing"
    return not_judged(check, terms.function, reason, replay=terms.replay)


def _mode(section: str) -> str:
    """The first word of a section's name: lockstep, free run."""
    return section.partition(":")[0]


def _number(value: Any) -> float | None:
    """A number that is one; None for what JSON has in its place."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
