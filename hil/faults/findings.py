"""What a run under faults shows: its verdicts, and its numbers in words.

In: a `FaultRun`. Out: verdicts for the report, and lines for people. Where no fault happened nothing was shown.
"""

from hil.bench import Bench
from hil.check_names import BenchCheck
from hil.faults.kinds import Direction, Kind
from hil.faults.steps import FaultRun
from hil.stimulus import replay_command
from sil.figures import count_text
from sil.verdict import Verdict, not_judged


def judge_under_faults(run: FaultRun, bench: Bench, function: str) -> list[Verdict]:
    """Whether all accepted answers are right, all steps were done, and the device stepped once for each of them."""
    replay = replay_command(bench, 0, 0, run.stimulus, run.file.path)
    happened = fault_counts_text(run) if run.log else _no_fault_text(run)
    first = "" if run.first_wrong is None else f"; the first wrong one is step {run.first_wrong:,}"
    return [
        Verdict(
            BenchCheck.UNDER_FAULTS, function, float(run.wrong), 0.0, "steps",
            f"{count_text(run.steps, 'step')}, outputs and status against the same C on this computer; "
            f"{happened}{first}",
            worst=run.first_wrong, replay=replay, compared=run.steps if run.log else 0,
        ),
        Verdict(
            BenchCheck.DONE, function, float(run.file.steps - run.steps), 0.0, "steps",
            f"the conversation ended {run.ended}" if run.ended else f"{count_text(run.steps, 'step')}; {happened}",
            replay=replay, compared=run.file.steps if run.log else 0,
        ),
        _once_per_step(run, function, happened, replay),
    ]  # fmt: skip


def _no_fault_text(run: FaultRun) -> str:
    return f"no fault in {count_text(total_frames(run), 'frame')}: raise rate or steps"


def _once_per_step(run: FaultRun, function: str, happened: str, replay: str) -> Verdict:
    if not run.has_state:
        reason = f"{function} has no state: a step that is done twice leaves no trace"
        return not_judged(BenchCheck.ONCE, function, reason, happened, replay)
    return Verdict(
        BenchCheck.ONCE, function, float(run.off), 0.0, "readings",
        f"{count_text(run.readings, 'reading')} of the device's state against this computer, bit for bit; in "
        f"{run.telling:,} of them a step more or one less would have left another state; {happened}",
        replay=replay, compared=run.telling if run.log else 0,
    )  # fmt: skip


def total_frames(run: FaultRun) -> int:
    """Frames of both directions."""
    return sum(run.frames.values())


def fault_counts_text(run: FaultRun) -> str:
    """How many faults of which kinds, in words."""
    found = {kind: sum(by_way.values()) for kind, by_way in run.counts.items()}
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in found.items() if number)
    return f"{count_text(len(run.log), 'fault')} in {count_text(total_frames(run), 'frame')}: {kinds or 'none'}"


def headline_under_faults(run: FaultRun) -> str:
    """What the first line says of it."""
    faults = f"{count_text(len(run.log), 'fault')} in {count_text(total_frames(run), 'frame')}"
    return f"{count_text(run.steps, 'step')} under faults, {run.wrong:,} wrong, {faults}"


def table_of(run: FaultRun) -> list[tuple[Kind, int, int]]:
    """Kind, faults to the device, faults to the host."""
    return [(kind, ways[Direction.TO_DEVICE], ways[Direction.TO_HOST]) for kind, ways in run.counts.items()]
