"""What a report of a bench says in words: the first line, what was run on what, and what the numbers do not say."""

from collections.abc import Sequence

import numpy as np

from exporter import __version__
from hil.bench_runtime import BenchRuntime
from hil.constancy import why_not_fixed
from hil.deadlines import headline
from hil.faults.findings import headline_under_faults
from hil.faults.steps import FaultRun
from hil.freerun import TimedRun
from hil.lockstep import Lockstep
from hil.timebase import Timebase
from sil.evidence import flag_counts
from sil.figures import count_text


def soft_of(runtime: BenchRuntime) -> str:
    """Why calls may cost differently on this device by design; empty where they must not."""
    manifest, hello = runtime.export.manifest, runtime.session.hello
    steps = manifest.loop if manifest.iterates(runtime.function.name) else None
    tolerance = None if steps is None else steps.tolerance
    return why_not_fixed(manifest.real, hardware_reals=bool(hello.hardware_reals), tolerance=tolerance)


def headline_of(
    runtime: BenchRuntime,
    runs: Sequence[Lockstep],
    timed: TimedRun | None,
    under: FaultRun | None = None,
    interruption: Exception | None = None,
) -> str:
    """The line that is read first."""
    if interruption is not None:
        before = f"before, {_ended_headline(runtime, runs, timed, under)}" if runs or timed else "nothing had ended"
        return f"the run was cut short: {interruption}; {before}"
    return _ended_headline(runtime, runs, timed, under)


def _ended_headline(
    runtime: BenchRuntime, runs: Sequence[Lockstep], timed: TimedRun | None, under: FaultRun | None
) -> str:
    faults = "" if under is None else f"; {headline_under_faults(under)}"
    soft = f"; {soft_of(runtime)}" if soft_of(runtime) else ""
    flagged_too = _mostly_flagged(runtime, runs, timed)
    if timed is not None:
        return f"{headline(timed.analysis)}{faults}{soft}{flagged_too}"
    count, wrong = sum(len(run.rows) for run in runs), sum(int(run.wrong.sum()) for run in runs)
    told = f"{count_text(count, 'vector')} in lockstep, {wrong:,} wrong{faults}"
    if under is not None and not runs:
        told = headline_under_faults(under)
    return f"{told}; no free run, so nothing is said about deadlines{soft}{flagged_too}"


def _mostly_flagged(runtime: BenchRuntime, runs: Sequence[Lockstep], timed: TimedRun | None) -> str:
    """How many outputs are last-resort values, and by which conditions, where it is half of them or more."""
    manifest, told = runtime.export.manifest, ""
    if runs:
        status = np.concatenate([run.status for run in runs])
        words = ", ".join(f"{name} {number:,}" for name, number in flag_counts(manifest, status).items())
        number = int((status != 0).sum())
        told += (
            f"; {number:,} of {count_text(len(status), 'vector')} are flagged: {words}"
            if 2 * number >= len(status)
            else ""
        )
    if timed is not None and timed.records.summary.ran:
        summary = timed.records.summary
        words = ", ".join(flag_counts(manifest, np.array([summary.status_or], dtype=np.uint32)))
        if 2 * summary.flagged >= summary.ran:
            told += f"; {summary.flagged:,} of {count_text(summary.ran, 'activation')} are flagged: {words}"
    return told


def identity_of(
    runtime: BenchRuntime, runs: Sequence[Lockstep], timed: TimedRun | None, under: FaultRun | None = None
) -> dict[str, str]:
    """What was run on what, by name."""
    manifest, hello, base = runtime.export.manifest, runtime.session.hello, runtime.timebase
    timing = runtime.bench.timing
    counter = "none" if not base.moves else (
        f"{base.counter}, {base.counter_hz / 1e6:g} MHz, {base.counter_bits} bits, one tick {base.tick_s * 1e9:g} ns"
    )  # fmt: skip
    return {
        "model": f"{manifest.title} ({manifest.name})",
        "model SHA-256": manifest.model_hash,
        "export": f"{manifest.export_id:08x}, {manifest.real}",
        "export flags": " ".join(manifest.flags),
        "device build": f"{hello.build_id:08x}",
        "target": runtime.bench.target.words,
        "link": f"{runtime.bench.link_words}{_identifiers(runtime)}",
        **runtime.facts,
        "counter": counter,
        "overhead of measuring": f"{base.overhead_ticks} ticks, contained in every duration",
        "digest": _digest_cost(hello.digest_ticks, base),
        "time base": base.label,
        "period": timing.period.text,
        "deadline": timing.deadline.text,
        "guard": timing.guard.text if timing.guard else "none",
        **_stimulus_facts(runs, timed),
        **_fault_facts(under),
        "bench file": f"{runtime.bench.path.name}, SHA-256 {runtime.bench.sha256}",
        "kinefix": __version__,
    }


def _identifiers(runtime: BenchRuntime) -> str:
    """The identifiers of the bench's frames, where it runs over CAN."""
    if runtime.can is None:
        return ""
    layout = runtime.can_layout
    return f", identifiers 0x{layout.commit:X} to 0x{layout.last:X}"


def _digest_cost(ticks: int, base: Timebase) -> str:
    """What the evidence of a free run costs, and where."""
    if not base.moves:
        return "none without a counter"
    instructions = base.instructions(ticks)
    counted_in = "" if instructions is None else f" (about {instructions:,} instructions)"
    return f"CRC-32 over status and outputs, {ticks:,} ticks{counted_in} after each activation, in no duration"


def _stimulus_facts(runs: Sequence[Lockstep], timed: TimedRun | None) -> dict[str, str]:
    """With what each mode was fed."""
    told = {}
    if runs:
        count = count_text(sum(len(run.rows) for run in runs), "vector")
        told["lockstep"] = f"{count}, {runs[0].stimulus.source}"
        told["parameters in lockstep"] = "; ".join(dict.fromkeys(run.stimulus.tuned for run in runs))
    if timed is not None:
        activations, ring = count_text(timed.request.activations, "activation"), count_text(len(timed.ring), "vector")
        told["free run"] = f"{activations} through a ring of {ring}, {timed.stimulus.source}"
        told["parameters in free run"] = timed.stimulus.tuned
    return told


def _fault_facts(under: FaultRun | None) -> dict[str, str]:
    """What was stepped under which faults."""
    if under is None:
        return {}
    return {
        "faults": under.file.source,
        "under faults": f"{count_text(under.steps, 'step')}, vectors of {under.stimulus.source}",
        "parameters under faults": under.stimulus.tuned,
    }


def honesty_notes(base: Timebase, soft: str = "") -> tuple[str, ...]:
    """What the numbers do not say; `soft` is why no call costs the same."""
    notes = [f"{soft[0].upper()}{soft[1:]}, so no measured maximum bounds what other inputs take."] if soft else []
    notes += ["A measured maximum is the longest that was seen; it is no proof of the longest that can be."]
    if base.instruction_ns is not None:
        notes += [
            f"Time is virtual: every instruction lasts {base.instruction_ns} ns. It counts instructions, not cycles; "
            "flash wait states, caches and pipeline stalls are absent. This is no deadline pass of hardware.",
            "Between activations the emulated core stays awake, so that no wake-up time is part of the start.",
        ]
    if not base.moves:
        notes.append("The device has no counter that moves: nothing was timed, and nothing is claimed about time.")
    notes.append("Durations contain the overhead of reading the counter, which is listed above.")
    return tuple(notes)
