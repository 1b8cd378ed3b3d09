"""A bench's result as a campaign makes it, without a device: 1,000 releases, one overrun, two skipped.

What is in it follows from the numbers here by arithmetic: a tick is 40 ns, an emulated instruction 64 ns.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from hil.bench import read_bench
from hil.campaign import BenchResult
from hil.coverage import Coverage
from hil.deadlines import Analysis, Timing, analyse, headline
from hil.digest import RunDigest
from hil.duration_statistics import free_run_statistics
from hil.freerun import TimedRun
from hil.messages import Outcome, Record, RunRequest, RunState, Summary
from hil.report.columns import column_of
from hil.report.document import run_document
from hil.report.form import Form
from hil.report.not_shown import not_shown
from hil.report.report import Report
from hil.session import FreeRun
from hil.stimulus import Stimulus
from hil.timebase import Timebase
from hil.traffic import Traffic
from hil.wording import honesty_notes
from sil.verdict import Verdict

ROOT = Path(__file__).resolve().parents[2]
CLOCK = Timebase("CMSDK APB timer", 25_000_000, 32, 5, True, 64)
LOG = (
    Record(498, 20, 300, 340, 0, 0, 50, Outcome.IN_TIME, (0.25, 1.5)),
    Record(499, 20, 300, 340, 0, 0, 51, Outcome.IN_TIME, (0.25, 1.5)),
    Record(500, 20, 12_000, 12_040, 1 << 22, 0, 52, Outcome.OVERRUN, (0.25, float("nan"))),
    Record(501, 20, 300, 340, 0, 0, 53, Outcome.IN_TIME, (0.25, 1.5)),
    Record(502, 0, 0, 0, 0, 2, 0, Outcome.SKIPPED, (0.0, 0.0)),
)


COVERAGE = Coverage(
    setting={
        "model SHA-256": "12" * 32, "number type": "float32", "function": "dostep", "target": "emulated",
        "core": "arm-m4f",
        "clock": "virtual time (64 ns per instruction)", "counter": "CMSDK APB timer, 25,000,000 Hz",
        "period": "1000 us", "deadline": "400 us",
    },
    functions=("position", "dostep"), tunable=("l1",), sets=3, vectors=200, flagged=20, ulp=0.0,
    hashes={"firmware": "ab" * 32}, export=ROOT / "examples",
)  # fmt: skip


def stalled() -> FreeRun:
    """1,000 releases: one overrun at 500, two skipped from 502."""
    summary = Summary(
        state=RunState.FINISHED, fault=0, requested=1000, ran=998, skipped=2, missed=1, longest_run=2, coalesced=0,
        period_ticks=25_000, deadline_ticks=10_000, latch_after=3, duration_min=300, duration_max=12_000,
        duration_sum=997 * 300 + 12_000, late_min=20, late_max=21, late_sum=998 * 20, response_max=12_040, flagged=1,
        status_or=1 << 22, digest=7, worst_index=500, latest_index=3, histogram_used=2, histogram_lost=0, log_used=5,
        log_lost=0, worst_used=1, envelope_used=2, envelope_block=500, response_index=500,
    )  # fmt: skip
    return FreeRun(summary, {300: 997, 12_000: 1}, LOG, (LOG[2],), ((340, 340), (340, 12_040)), LOG[:4])


def analysis_of(clock: Timebase = CLOCK) -> Analysis:
    """The analysis of the stalled run."""
    return analyse(stalled(), clock, Timing(25_000, 10_000), 64)


def result(clock: Timebase = CLOCK) -> BenchResult:
    """A result as a campaign makes it, without a device."""
    analysis = analysis_of(clock)
    request = RunRequest(1000, 25_000, 25_000, 10_000, 3, 500, 64)
    missed = Verdict("missed deadlines", "dostep", float(analysis.all_missed), 0.0, "activations", "3 of 1,000", 52)
    return BenchResult(
        bench=replace(read_bench(ROOT / "examples" / "bench.toml"), name="bench <one> & two"),
        command="kinefix hil bench.toml --lockstep 0 --free-run 1000 --seed 9",
        identity={"model": "slider-crank", "export": "0b7fd38e, float32", "link": "tcp", "kinefix": "0"},
        timebase=clock,
        headline=headline(analysis),
        verdicts=(missed if analysis.is_measured else replace(missed, value=float("nan")),),
        duration_statistics=(free_run_statistics(analysis, 64),),
        timed=TimedRun(request, analysis, stalled(), np.zeros((64, 1)), np.zeros(1), RunDigest(7), Stimulus(seed=9)),
        traffic=Traffic(requests=12, retries=1),
        notes=honesty_notes(clock),
        input_names=("theta [rad]", "F [N]"),
        status_bits={"ARG_REJECTED": 22, "NEAR_SINGULAR": 17},
        coverage=COVERAGE,
    )


FORM = Form(
    time="2026-01-02 03:04:05+01:00", station="bench 3", target="emulated arm-m4f", link="tcp",
    operator="A. Tester", unit="ECU 7", serial_number="0042",
    tools={"kinefix": "0"}, hashes={"firmware": "ab" * 32}, commits={"export": "not in git"},
    command_line="kinefix hil bench.toml", folder="/somewhere",
)  # fmt: skip


def report(found: BenchResult | None = None, form: Form = FORM) -> Report:
    """The report of a result, of the one above where none is given, with a form that was filled in."""
    found = result() if found is None else found
    columns = (column_of(run_document(found), "", "dostep"),)
    return Report(found, form, columns, not_shown(found, columns))
