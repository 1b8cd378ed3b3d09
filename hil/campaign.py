"""Runs a bench from end to end: identity, lockstep, free run, verdicts. What `kinefix hil` and the keywords do.

In: a `Bench` and how much to run. Out: `BenchResult`, everything that a report says.
"""

from collections.abc import Callable
from dataclasses import dataclass

from exporter import __version__
from hil.bench import Bench
from hil.deadlines import headline
from hil.freerun import TimedRun, judge_free, run_free
from hil.lockstep import Lockstep, judge_lockstep, random_vectors, run_lockstep
from hil.opened import OpenBench, open_bench
from hil.section import Section, free_section, lockstep_section
from hil.timebase import Timebase
from hil.traffic import Traffic
from sil.verdict import Verdict, all_pass

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to run."""

    lockstep: int
    free_run: int
    vectors: int
    seed: int


@dataclass(frozen=True, slots=True)
class BenchResult:
    """One run of a bench."""

    bench: Bench
    plan: Plan
    command: str
    identity: dict[str, str]
    timebase: Timebase
    headline: str
    verdicts: tuple[Verdict, ...]
    sections: tuple[Section, ...]
    timed: TimedRun | None
    traffic: Traffic
    notes: tuple[str, ...]
    input_names: tuple[str, ...]  # of a row, with units
    status_bits: dict[str, int]

    @property
    def passed(self) -> bool:
        """Whether a verdict passed and none stands against it; a run without any verdict does not."""
        return all_pass(self.verdicts)


def plan_of(bench: Bench, lockstep: int | None, free_run: int | None, seed: int | None) -> Plan:
    """The bench file's plan, with what the command line says instead."""
    runs = bench.runs
    return Plan(
        lockstep=runs.lockstep if lockstep is None else lockstep,
        free_run=runs.free_run if free_run is None else free_run,
        vectors=runs.vectors,
        seed=runs.seed if seed is None else seed,
    )


def run_campaign(bench: Bench, plan: Plan, progress: Progress = lambda _: None) -> BenchResult:
    """Open the bench, run the plan, close it."""
    progress("building and starting the device")
    with open_bench(bench) as opened:
        lockstep = timed = None
        if plan.lockstep:
            progress(f"stepping {plan.lockstep:,} vectors in lockstep")
            lockstep = run_lockstep(opened, random_vectors(opened, plan.lockstep, plan.seed).rows)
        if plan.free_run and opened.timebase.moves:
            progress(f"{plan.free_run:,} activations, {bench.timing.period.text} apart")
            timed = run_free(opened, plan.free_run, bench.timing, plan.vectors, plan.seed)
        return result_of(opened, plan, lockstep, timed)


def result_of(opened: OpenBench, plan: Plan, lockstep: Lockstep | None, timed: TimedRun | None) -> BenchResult:
    """Judge what was run and say on what."""
    command = replay_command(opened.bench, plan.lockstep, plan.free_run, plan.seed)
    operations = sum(opened.function.cost.values())
    verdicts: list[Verdict] = []
    sections: list[Section] = []
    if lockstep is not None:
        verdicts.append(judge_lockstep(opened, lockstep, command))
        sections.append(lockstep_section(lockstep.durations, opened.timebase, operations))
    if timed is not None:
        verdicts += judge_free(opened, timed, command)
        sections.append(free_section(timed.analysis, operations))
    elif plan.free_run:
        verdicts.append(_not_measured(opened, command))
    fields = opened.function.row_inputs
    return BenchResult(
        bench=opened.bench,
        plan=plan,
        command=command,
        identity=_identity(opened, plan),
        timebase=opened.timebase,
        headline=_headline(lockstep, timed),
        verdicts=tuple(verdicts),
        sections=tuple(sections),
        timed=timed,
        traffic=opened.session.traffic,
        notes=honesty(opened.timebase),
        input_names=tuple(f"{each.name} [{each.unit}]" for each in fields),
        status_bits=dict(opened.export.manifest.status),
    )


def replay_command(bench: Bench, lockstep: int, free_run: int, seed: int) -> str:
    """The command that does the same again."""
    return f"kinefix hil {bench.path.name} --lockstep {lockstep} --free-run {free_run} --seed {seed}"


def _not_measured(opened: OpenBench, command: str) -> Verdict:
    detail = f"{opened.timebase.label}: a free run shows nothing without a counter"
    return Verdict("missed deadlines", opened.function.name, float("nan"), 0.0, "activations", detail, replay=command)


def _headline(lockstep: Lockstep | None, timed: TimedRun | None) -> str:
    if timed is not None:
        return headline(timed.analysis)
    count = 0 if lockstep is None else len(lockstep.rows)
    wrong = 0 if lockstep is None else int(lockstep.wrong.sum())
    return f"{count:,} vectors in lockstep, {wrong:,} wrong; no free run, so nothing is said about deadlines"


def _identity(opened: OpenBench, plan: Plan) -> dict[str, str]:
    manifest, hello, base = opened.export.manifest, opened.session.hello, opened.timebase
    timing = opened.bench.timing
    counter = "none" if not base.moves else (
        f"{base.counter}, {base.counter_hz / 1e6:g} MHz, {base.counter_bits} bits, one tick {base.tick_s * 1e9:g} ns"
    )  # fmt: skip
    return {
        "model": f"{manifest.title} ({manifest.name})",
        "model SHA-256": manifest.model_hash,
        "export": f"{manifest.export_id:08x}, {manifest.real}",
        "export flags": " ".join(manifest.flags),
        "device build": f"{hello.build_id:08x}",
        **opened.facts,
        "counter": counter,
        "overhead of measuring": f"{base.overhead_ticks} ticks, contained in every duration",
        "time base": base.label,
        "period": timing.period.text,
        "deadline": timing.deadline.text,
        "guard": timing.guard.text if timing.guard else "none",
        "vectors": f"{plan.lockstep:,} in lockstep, a ring of {plan.vectors:,} in free run, seed {plan.seed}",
        "bench file": f"{opened.bench.path.name}, SHA-256 {opened.bench.sha256}",
        "kinefix": __version__,
    }


def honesty(base: Timebase) -> tuple[str, ...]:
    """What the numbers do not say."""
    notes = ["A measured maximum is the longest that was seen; it is no proof of the longest that can be."]
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
