"""A run as data, for `report.json`: versioned, without a value that JSON cannot hold."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from hil.baseline import Baseline
from hil.campaign import BenchResult
from hil.digest import flag_names
from hil.faults.steps import FaultRun
from hil.freerun import TimedRun, fault_text
from hil.report.names import REPORT_KIND, VERSION
from hil.report.violations import shown_latest, shown_violations


def run_document(result: BenchResult) -> dict[str, Any]:
    """Everything that was found, for JSON."""
    latest = shown_latest(result)
    document = {
        "report": REPORT_KIND,
        "version": VERSION,
        "title": result.bench.name,
        "headline": result.headline,
        "passed": result.passed,
        "time_base": result.timebase.label,
        "setting": dict(result.coverage.setting),
        "coverage": result.coverage.as_dict(),
        "command": result.command,
        "identity": result.identity,
        "verdicts": [verdict.as_dict() for verdict in result.verdicts],
        "sections": [each.as_dict() for each in result.duration_statistics],
        "baseline": None if result.baseline is None else _baseline(result, result.baseline),
        "free_run": None if result.timed is None else _free_run(result.timed, result.status_bits),
        "faults": None if result.under_faults is None else _under_faults(result.under_faults),
        "latest_finish": None if latest is None else latest.as_dict(),
        "violations": [shown.as_dict() for shown in shown_violations(result)],
        "traffic": result.traffic.as_dict() | {"unstable": result.traffic.unstable},
        "notes": list(result.notes),
    }
    plain: dict[str, Any] = _plain(document)
    return plain


def _baseline(result: BenchResult, baseline: Baseline) -> dict[str, Any]:
    return {
        "file": str(baseline.path),
        "sha256": baseline.sha256,
        "title": baseline.title,
        "passed": baseline.passed,
        "max_slower": result.bench.max_slower,
        "changes": [each.as_dict() for each in result.changes],
    }


def _free_run(timed: TimedRun, bits: Mapping[str, int]) -> dict[str, Any]:
    analysis, summary, expected = timed.analysis, timed.records.summary, timed.expected
    return {
        "requested": analysis.requested,
        "ran": analysis.ran,
        "skipped": analysis.skipped,
        "missed": analysis.missed,
        "longest_run_of_misses": analysis.longest_run,
        "fault": fault_text(analysis),
        "invalid": analysis.invalid,
        "ticks": {
            "period": analysis.timing.period_ticks,
            "deadline": analysis.timing.deadline_ticks,
            "guard": analysis.timing.guard_ticks,
            "overhead": analysis.timebase.overhead_ticks,
            "durations": asdict(analysis.durations),
            "lateness": asdict(analysis.lateness),
            "worst_finish": analysis.response_ticks,
        },
        "worst_finish_at": analysis.response_index,
        "longest_at": analysis.worst_index,
        "status_flagged": timed.device_digest.flagged,
        "status_flagged_expected": None if expected is None else expected.flagged,
        "flags": list(flag_names(timed.device_digest.status_or, bits)),
        "flags_expected": None if expected is None else list(flag_names(expected.status_or, bits)),
        "digest": f"{timed.device_digest.digest:08x}",
        "digest_expected": None if expected is None else f"{expected.digest:08x}",
        "histogram_ticks": {str(ticks): count for ticks, count in timed.records.histogram.items()},
        "not_in_histogram": analysis.uncounted,
        "not_in_log": analysis.unlogged,
        "finish_envelope_ticks": [list(point) for point in timed.records.envelope],
        "envelope_block": summary.envelope_block,
        "longest": [
            {
                "index": each.index,
                "vector": each.vector,
                "ticks": each.duration_ticks,
                "row": [v.hex() for v in each.row],
            }
            for each in sorted(timed.records.worst, key=lambda each: (-each.duration_ticks, each.index))
        ],
    }


def _under_faults(run: FaultRun) -> dict[str, Any]:
    return {
        "file": run.file.path.name,
        "sha256": run.file.sha256,
        "seed": run.file.seed,
        "steps": run.steps,
        "ended": run.ended,
        "wrong": run.wrong,
        "readings_of_state": run.readings,
        "telling_readings": run.telling,
        "states_off": run.off,
        "frames": {way.value: count for way, count in run.frames.items()},
        "counts": {kind.value: {way.value: count for way, count in ways.items()} for kind, ways in run.counts.items()},
        "log": [fault.as_dict() for fault in run.log],
        "traffic": run.traffic.as_dict(),
    }


def _plain(value: Any) -> Any:
    """NaN and infinity become None: nothing was measured."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
