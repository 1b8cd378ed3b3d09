"""The line on top that names what was not shown: each of its reasons appears where it holds, and only there."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from bench_result import CLOCK, result

from hil.baseline import Baseline, Terms, changes_since
from hil.bench import Target
from hil.campaign import BenchResult
from hil.check_names import BenchCheck
from hil.faults.fault_file import FaultFile
from hil.faults.kinds import CAN_KINDS, SERIAL_KINDS, Direction, Kind
from hil.faults.steps import FaultRun
from hil.faults.way import InjectedFault
from hil.freerun import TimedRun
from hil.report.columns import RUN_BY, Column
from hil.report.not_shown import not_shown
from hil.stimulus import Stimulus
from sil.verdict import Verdict, not_judged

BOARD = Target("board", "board", flash=("flash",))
EVERY_KIND = tuple(Column(kind, "t", "f", {}) for kind in ("SIL", "emulated", "board"))
GOOD = Verdict("closure residual", "dostep", 1.0, 2.0, "1", "all rows", compared=3)


def timed(**changes: object) -> TimedRun:
    """A free run without a miss."""
    found = result().timed
    assert found is not None
    right = {"requested": 1000, "ran": 1000, "skipped": 0, "missed": 0}
    return replace(found, analysis=replace(found.analysis, **(right | changes)))


def of_kinds(kinds: Sequence[Kind]) -> tuple[InjectedFault, ...]:
    """A fault of each kind."""
    return tuple(InjectedFault(0, Direction.TO_HOST, 0, "STEP", kind, "") for kind in kinds)


def under(*kinds: Kind) -> Callable[[BenchResult], BenchResult]:
    """Change of a run that gives it faults of these kinds."""
    return lambda found: replace(
        found, under_faults=replace(found.under_faults, log=of_kinds(kinds)) if found.under_faults else None
    )


def everything() -> BenchResult:
    """A run on a board that shows all that a report can."""
    found = result()
    path = found.bench.path
    sections = {row.name: row.as_dict() for row in found.duration_statistics}
    baseline = Baseline(path, "", "t", True, {}, sections)
    return replace(
        found,
        bench=replace(found.bench, target=BOARD),
        identity={"firmware SHA-256": "ab"},
        timebase=replace(CLOCK, instruction_ns=None),
        verdicts=(GOOD, replace(GOOD, check=BenchCheck.PARAMETERS)),
        timed=timed(),
        coverage=replace(found.coverage, functions=("dostep",), tunable=(), sets=1, flagged=0),
        under_faults=FaultRun(FaultFile(path, "", ()), Stimulus(seed=1), has_state=True, log=of_kinds(SERIAL_KINDS)),
        changes=changes_since(baseline, found.duration_statistics, Terms("dostep", 0.05, 0.04, "")),
    )


def covered(**changes: object) -> Callable[[BenchResult], BenchResult]:
    """Change of a run that gives it another coverage."""
    return lambda found: replace(found, coverage=replace(found.coverage, **changes))


def verdict(other: Verdict) -> Callable[[BenchResult], BenchResult]:
    """Change of a run that gives it one more verdict."""
    return lambda found: replace(found, verdicts=(*found.verdicts, other))


def on(target: Target) -> Callable[[BenchResult], BenchResult]:
    """Change of a run that puts it on another target."""
    return lambda found: replace(found, bench=replace(found.bench, target=target))


NAN = float("nan")
LACKING: dict[str, tuple[Callable[[BenchResult], BenchResult], str]] = {
    "software": (on(Target("s", "sil")), "machine code of a target (the C ran on this computer)"),
    "an emulator": (on(Target("e", "emulated")), "time on hardware (the device is emulated, its time is virtual)"),
    "an unknown firmware": (
        lambda found: replace(found, identity={}),
        "which firmware file the board runs (the bench file names none)",
    ),
    "a firmware that is not flashed": (
        on(replace(BOARD, flash=())),
        "that the board runs the firmware file that is named (the bench does not flash it)",
    ),
    "no free run": (lambda found: replace(found, timed=None), "deadlines (no free run)"),
    "no counter": (
        lambda found: replace(found, timed=None, timebase=replace(CLOCK, moves=False)),
        "deadlines (the target has no counter that moves)",
    ),
    "a free run that measured nothing": (
        lambda found: replace(found, timed=timed(invalid="no activation ran")),
        "deadlines (no activation ran)",
    ),
    "no lockstep": (
        covered(vectors=0),
        "agreement with the same C and with the reference, vector by vector (nothing ran in lockstep)",
    ),
    "no faults": (
        lambda found: replace(found, under_faults=None),
        "behaviour under faults on the link (no --faults)",
    ),
    "a kind of faults": (under(*SERIAL_KINDS[1:]), f"faults of the kind {SERIAL_KINDS[0].value} (none happened)"),
    "all other kinds of CAN": (
        lambda found: replace(
            under(*CAN_KINDS[:-2])(found), bench=replace(found.bench, link=replace(found.bench.link, kind="can"))
        ),
        f"faults of the kinds {CAN_KINDS[-2].value}, {CAN_KINDS[-1].value} (none happened)",
    ),
    "the reference": (
        lambda found: replace(found, verdicts=found.verdicts[1:]),
        "agreement with the reference (the run did not ask it)",
    ),
    "parameters that are refused": (
        lambda found: replace(covered(tunable=("l1",), sets=3)(found), timed=None, verdicts=found.verdicts[:1]),
        "which tunable parameters the device refuses (the run did not ask)",
    ),
    "a check that is not judged": (
        verdict(not_judged("cost depends on inputs", "dostep", "1 call: at least 2 are needed")),
        "dostep: cost depends on inputs (not judged, 1 call: at least 2 are needed)",
    ),
    "a check that compared nothing": (
        verdict(replace(GOOD, check="coordinates", compared=0)),
        "dostep: coordinates (nothing compared, all rows)",
    ),
    "a check that measured nothing": (
        verdict(replace(GOOD, check="missed deadlines", value=NAN, compared=None)),
        "dostep: missed deadlines (no measurement, all rows)",
    ),
    "a check that does not know what is right": (
        verdict(replace(GOOD, check="wrong results", value=NAN, unknown="the log lost 3 records")),
        "dostep: wrong results (no measurement, the log lost 3 records)",
    ),
    "vectors beyond the reference": (
        verdict(replace(GOOD, check="dynamics", beyond=3)),
        "dostep: dynamics on 3 vectors (beyond the reach of the reference)",
    ),
    "other functions": (
        covered(functions=("position", "dostep", "dynamics")),
        "functions position, dynamics (the device runs dostep alone)",
    ),
    "one set of parameters": (
        lambda found: replace(covered(tunable=("l1",))(found), timed=None),
        "lockstep at other tunable parameters (one set of parameters was run)",
    ),
    "a free run with parameters": (
        covered(tunable=("l1",), sets=3),
        "deadlines at other tunable parameters (a free run has one set of parameters)",
    ),
    "flagged vectors": (
        covered(flagged=20),
        "outputs of 20 of 200 vectors against the reference (they are flagged)",
    ),
    "activations that did not run": (
        lambda found: replace(found, timed=timed(ran=998)),
        "2 activations of 1,000 (they did not run)",
    ),
    "records without room": (
        lambda found: replace(found, timed=timed(unlogged=1)),
        "1 record around violations (they found no room on the device)",
    ),
    "durations without room": (
        lambda found: replace(found, timed=timed(uncounted=5)),
        "5 durations of the histogram (they found no room on the device)",
    ),
    "no baseline": (lambda found: replace(found, changes=()), "change against an earlier run (no --baseline)"),
}  # fmt: skip


def test_a_run_that_shows_everything_lacks_nothing() -> None:
    """On a board, with faults, a baseline, and a run of each kind beside it."""
    assert not_shown(everything(), EVERY_KIND) == ()


@pytest.mark.parametrize("case", LACKING)
def test_what_is_lacking_is_named_with_its_reason(case: str) -> None:
    """One change to the run that shows everything: this line is there."""
    change, line = LACKING[case]
    assert line in [each.text for each in not_shown(change(everything()), EVERY_KIND)]


@pytest.mark.parametrize("case", LACKING)
def test_nothing_else_is_named(case: str) -> None:
    """A run that lacks one thing has one line; without a free run, what needs one is not asked for."""
    change, line = LACKING[case]
    also = {key: {"deadlines (no free run)"} for key in ("one set of parameters", "parameters that are refused")}
    assert {each.text for each in not_shown(change(everything()), EVERY_KIND)} == {line} | also.get(case, set())


@pytest.mark.parametrize("number", range(3))
def test_a_missing_column_is_named(number: int) -> None:
    """SIL, an emulated ECU, or a board."""
    words = ("SIL", "an emulated ECU", "a board")[number]
    (line,) = not_shown(everything(), tuple(each for place, each in enumerate(EVERY_KIND) if place != number))
    assert line.text == f"{words} beside this run (no report of it for this model was given or found)"


def test_an_interpreter_is_no_sil_of_the_compiled_c() -> None:
    """One report of several is enough where the C ran in it."""
    ran = [Column("SIL", "t", "f", {RUN_BY: by}) for by in ("interpreter", "interpreter, host")]
    (line,) = not_shown(everything(), (ran[0], *EVERY_KIND[1:]))
    assert line.text == "SIL of the compiled C beside this run (the interpreter ran alone)"
    assert not_shown(everything(), (*ran, *EVERY_KIND[1:])) == ()
