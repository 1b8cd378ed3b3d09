"""What a run did not show, each with its reason: the line on top of the report.

In: a run and the columns beside it. Out: `NotShown`, derived from what was run and how every check ended. A check that
was not judged, compared nothing or measured nothing is one of them.
"""

from collections.abc import Iterator, Sequence

from hil.bench import Target
from hil.campaign import BenchResult
from hil.check_names import BenchCheck
from hil.faults.kinds import CAN_KINDS, SERIAL_KINDS, Kind
from hil.faults.steps import FaultRun
from hil.freerun import TimedRun
from hil.report.columns import RUN_BY, SIL, Column, missing_kinds
from sil.check_names import Check
from sil.figures import count_text
from sil.not_shown import NotShown, not_shown_by


def not_shown(result: BenchResult, columns: Sequence[Column] = ()) -> tuple[NotShown, ...]:
    """Everything, what matters most first."""
    found = (
        *_of_target(result.bench.target, result.identity),
        *_of_modes(result),
        *(each for verdict in result.verdicts for each in not_shown_by(verdict)),
        *_of_extent(result),
        *(_of_timed(result.timed) if result.timed is not None else ()),
        *_of_others(result, columns),
    )
    return tuple(dict.fromkeys(found))


def _of_target(target: Target, identity: dict[str, str]) -> Iterator[NotShown]:
    if target.kind == "sil":
        yield NotShown("machine code of a target", "the C ran on this computer")
    if target.kind == "emulated":
        yield NotShown("time on hardware", "the device is emulated, its time is virtual")
    if target.kind == "board" and "firmware SHA-256" not in identity:
        yield NotShown("which firmware file the board runs", "the bench file names none")
    elif target.kind == "board" and not target.flash:
        yield NotShown("that the board runs the firmware file that is named", "the bench does not flash it")


def _of_modes(result: BenchResult) -> Iterator[NotShown]:
    if result.timed is None:
        why = "no free run" if result.timebase.moves else "the target has no counter that moves"
        yield NotShown("deadlines", why)
    elif not result.timed.analysis.is_measured:
        yield NotShown("deadlines", result.timed.analysis.invalid)
    if not result.coverage.vectors:
        yield NotShown("agreement with the same C and with the reference, vector by vector", "nothing ran in lockstep")
    elif not any(verdict.check.startswith(tuple(Check)) for verdict in result.verdicts):
        yield NotShown("agreement with the reference", "the run did not ask it")
    if result.coverage.vectors and result.coverage.tunable and not _has(result, BenchCheck.PARAMETERS):
        yield NotShown("which tunable parameters the device refuses", "the run did not ask")
    if result.under_faults is None:
        yield NotShown("behaviour under faults on the link", "no --faults")
    else:
        yield from _of_faults(result.under_faults, CAN_KINDS if result.bench.link.kind == "can" else SERIAL_KINDS)


def _has(result: BenchResult, check: BenchCheck) -> bool:
    return any(verdict.check == check for verdict in result.verdicts)


def _of_faults(run: FaultRun, kinds: Sequence[Kind]) -> Iterator[NotShown]:
    happened = {kind for kind, ways in run.counts.items() if any(ways.values())}
    if missing := [kind.value for kind in kinds if kind not in happened]:
        yield NotShown(f"faults of the kind{'' if len(missing) == 1 else 's'} {', '.join(missing)}", "none happened")


def _of_extent(result: BenchResult) -> Iterator[NotShown]:
    covered = result.coverage
    others = [name for name in covered.functions if name != result.function]
    if others:
        yield NotShown(f"function{'' if len(others) == 1 else 's'} {', '.join(others)}",
                       f"the device runs {result.function} alone")  # fmt: skip
    if covered.tunable and covered.vectors and covered.sets < 2:
        yield NotShown("lockstep at other tunable parameters", "one set of parameters was run")
    if covered.tunable and result.timed is not None:
        yield NotShown("deadlines at other tunable parameters", "a free run has one set of parameters")
    if covered.flagged and any(verdict.check.startswith(tuple(Check)) for verdict in result.verdicts):
        flagged = f"{covered.flagged:,} of {count_text(covered.vectors, 'vector')}"
        yield NotShown(f"outputs of {flagged} against the reference", "they are flagged")


def _of_timed(timed: TimedRun) -> Iterator[NotShown]:
    analysis = timed.analysis
    if analysis.ran < analysis.requested:
        left = count_text(analysis.requested - analysis.ran, "activation")
        yield NotShown(f"{left} of {analysis.requested:,}", "they did not run")
    if analysis.unlogged:
        yield NotShown(
            f"{count_text(analysis.unlogged, 'record')} around violations", "they found no room on the device"
        )
    if analysis.uncounted:
        yield NotShown(
            f"{count_text(analysis.uncounted, 'duration')} of the histogram", "they found no room on the device"
        )


def _of_others(result: BenchResult, columns: Sequence[Column]) -> Iterator[NotShown]:
    by_sil = [column.cells.get(RUN_BY, "") for column in columns if column.kind == SIL]
    if by_sil and set(by_sil) == {"interpreter"}:
        yield NotShown("SIL of the compiled C beside this run", "the interpreter ran alone")
    for words in missing_kinds(columns):
        yield NotShown(f"{words} beside this run", "no report of it for this model was given or found")
    if not result.changes and result.timed is not None:
        yield NotShown("change against an earlier run", "no --baseline")
