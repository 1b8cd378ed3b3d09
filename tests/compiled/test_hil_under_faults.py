"""Steps under faults against software devices: a sound one, some that were made wrong on purpose, and one that is slow.

What a device really did is told by the device itself: it counts its steps.
"""

import json
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from exporter.cli import main
from exporter.export import Export, write_export
from hil.bench import Bench, LinkSettings, read_bench
from hil.bench_runtime import BenchRuntime
from hil.can.faulty import FaultyCan
from hil.can.layout import layout_of
from hil.can.link import CanLink
from hil.can.reaching import both_links
from hil.check_names import BenchCheck
from hil.errors import BenchError, FramingError
from hil.exchange import WaitLimits
from hil.faults.fault_file import FaultFile, Rule
from hil.faults.findings import judge_under_faults
from hil.faults.kinds import CAN_KINDS, SERIAL_KINDS, Direction, Kind
from hil.faults.steps import FaultRun, run_under_faults
from hil.framing import DELIMITER, cobs_decode, wrap
from hil.identity import expected_identity
from hil.links.faulty import FaultyLink
from hil.links.loop import loop_pair
from hil.loopback import LoopDevice, start_loop_device
from hil.protocol import HEADER, Flag, Packet, Type, pack
from hil.session import Session
from hil.timebase import Timebase
from hil.waiting import BY_THE_CLOCK
from sil.verdict import Outcome
from targets.python.host import HostLibrary, build_host
from targets.rows import function_of, nominal_parameters

pytestmark = pytest.mark.compiled

EVERYTHING = Rule(0.1)
LOSSES = Rule(0.3, kinds=(Kind.DROP, Kind.DELAY, Kind.TRUNCATE, Kind.REORDER))
FOR_EVER_S = 1e6
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "faults.toml"
BENCH = """
schema = 1
[bench]
name = "under faults"
target = "software"
export = "export"
function = "{function}"
[target.software]
kind = "sil"
[timing]
period = "1 ms"
[timeouts]
retries = 20
"""


@dataclass
class Model:
    """An export, its library, and a bench file beside it."""

    export: Export
    library: HostLibrary
    folder: Path

    def bench(self, function: str = "dostep") -> Bench:
        """The bench file, read."""
        path = self.folder / "bench.toml"
        path.write_text(BENCH.format(function=function), encoding="utf-8")
        return read_bench(path)


@pytest.fixture(scope="module")
def model(
    tmp_path_factory: pytest.TempPathFactory,
    load_data_module: Callable[[str], ModuleType],
    require_tool: Callable[[str], str],
) -> Model:
    """The hand-written slider-crank with a tunable crank."""
    require_tool("gcc")
    place = tmp_path_factory.mktemp("faults")
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    export = write_export(program, place / "export", {})
    return Model(export, build_host(export, place / "host"), place)


@dataclass(slots=True)
class StepsAgain(LoopDevice):
    """A device that serves a request that comes again instead of giving the answer that it kept."""

    def _take(self, stuffed: bytes) -> None:
        if self.kept is not None and DELIMITER + stuffed + DELIMITER == wrap(pack(self.kept[0])):
            self._answer(self.kept[0])
        else:
            LoopDevice._take(self, stuffed)


@dataclass(slots=True)
class LooksAtNoNumbers(StepsAgain):
    """A device that serves whatever request of its session comes, in whatever order."""

    def _check(self, request: Packet) -> Any:
        return LoopDevice._check(self, replace(request, sequence=(self.last + 1) & 0xFFFF))


@dataclass(slots=True)
class LooksAtNoCrc(LoopDevice):
    """A device that takes a damaged request for a sound one, where it can be read at all."""

    def _take(self, stuffed: bytes) -> None:
        try:
            body = cobs_decode(stuffed)[:-4]
            _, kind, session, flags, sequence = HEADER.unpack_from(body)
            request = Packet(Type(kind), session, Flag(flags), sequence, body[HEADER.size :])
        except (FramingError, ValueError, struct.error):
            LoopDevice._take(self, b"\1")
            return
        known = self.kept is not None and request == self.kept[0]
        if known or request.type is Type.HELLO or self._check(request) is not None:
            LoopDevice._take(self, stuffed)
        else:
            self._answer(request)


@contextmanager
def runtime(
    model: Model, rule: Rule, device: type[LoopDevice] = LoopDevice, *, steps: int = 400, function: str = "dostep",
    before_step: Callable[[], object] = lambda: None, can: bool = False,
) -> Iterator[tuple[BenchRuntime, FaultFile, list[int]]]:  # fmt: skip
    """A bench with a software device of a class, and how many steps the device has done."""
    export, bench = model.export, model.bench(function)
    chosen = function_of(export.manifest, function)
    identity, done = expected_identity(export.manifest, chosen), [0]

    def step(rows: Any, parameters: Any) -> Any:
        before_step()
        done[0] += 1
        called = model.library.call(function, rows, {"l1": float(parameters[0])})
        return called.outputs, called.status

    closing = ExitStack()
    layout = layout_of(export.manifest, chosen)
    ours, theirs = both_links(LinkSettings("can"), layout, closing) if can else loop_pair()
    nominal = tuple(each.value for each in nominal_parameters(export.manifest))
    made = device(identity, 4, step, theirs, nominal)
    file = FaultFile(model.folder / "faults.toml", "0" * 64, (rule,), 1, steps)
    line = FaultyCan(ours, file) if isinstance(ours, CanLink) else FaultyLink(ours, file)
    limits = WaitLimits(FOR_EVER_S, FOR_EVER_S, 20, line.clock(BY_THE_CLOCK))
    with closing:
        thread = start_loop_device(made)
        closing.callback(thread.join, 20.0)
        closing.callback(made.stopping.set)
        link = line if isinstance(line, FaultyLink) else ours
        session = closing.enter_context(Session(link, limits, by_row=can))
        session.open(identity)
        base = Timebase("none", 0, 0, 0, False, None)
        yield BenchRuntime(bench, export, chosen, model.library, session, base, {}, identity, closing, line), file, done


def exit_code(*arguments: str) -> int:
    """How the command line ends."""
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


def outcomes(run: FaultRun, bench: BenchRuntime) -> dict[str, Outcome]:
    """How each verdict on a run ended, by its check."""
    return {verdict.check: verdict.outcome for verdict in judge_under_faults(run, bench.bench, bench.function.name)}


def ended(right: Outcome, done: Outcome, once: Outcome) -> dict[str, Outcome]:
    """The three verdicts."""
    return {BenchCheck.UNDER_FAULTS: right, BenchCheck.DONE: done, BenchCheck.ONCE: once}


ALL_PASSED = ended(Outcome.PASSED, Outcome.PASSED, Outcome.PASSED)
NOTHING = ended(*[Outcome.NOTHING_COMPARED] * 3)


@pytest.mark.parametrize("rule", [EVERYTHING, LOSSES, *(Rule(0.2, kinds=(kind,)) for kind in SERIAL_KINDS)])
def test_a_sound_device_passes_amid_every_kind_of_fault(model: Model, rule: Rule) -> None:
    """The device counts one step for each that was asked. No wait ends by time: the limit is eleven days."""
    steps = {EVERYTHING: 400, LOSSES: 120}.get(rule, 80)
    with runtime(model, rule, steps=steps) as (bench, file, done):
        run = run_under_faults(bench, file, seed=3)
        assert outcomes(run, bench) == ALL_PASSED
        assert (run.steps, run.wrong, run.off, done[0]) == (steps, 0, 0, steps)
    assert {fault.kind for fault in run.log} == set(rule.kinds or SERIAL_KINDS)
    assert {fault.direction for fault in run.log} == set(Direction)
    assert len(run.log) > 0.5 * rule.rate * sum(run.frames.values())
    assert run.telling > 0.9 * steps / 40


@pytest.mark.parametrize("rule", [EVERYTHING, *(Rule(0.1, kinds=(kind,)) for kind in CAN_KINDS)])
def test_a_sound_device_passes_over_can_amid_every_kind_of_fault(model: Model, rule: Rule) -> None:
    """Frames are lost, doubled, late, out of order, changed, cut and foreign; each step is done once."""
    steps = 400 if rule is EVERYTHING else 80
    with runtime(model, rule, steps=steps, can=True) as (bench, file, done):
        run = run_under_faults(bench, file, seed=3)
        assert outcomes(run, bench) == ALL_PASSED
        assert (run.steps, run.wrong, run.off, done[0]) == (steps, 0, 0, steps)
    assert {fault.kind for fault in run.log} == set(rule.kinds or CAN_KINDS)
    assert {fault.direction for fault in run.log} == set(Direction)
    assert len(run.log) > 0.5 * rule.rate * sum(run.frames.values())


@pytest.mark.parametrize(
    ("device", "rule"),
    [
        (StepsAgain, Rule(0.1, kinds=(Kind.DOUBLE, Kind.DROP))),
        (LooksAtNoNumbers, Rule(0.1, kinds=(Kind.LATE_COPY,))),
        (LooksAtNoCrc, Rule(0.1, (Direction.TO_DEVICE,), (Kind.FLIP, Kind.WRONG_DLC), ("STEP",))),
    ],
)
def test_a_device_that_was_made_wrong_fails_over_can(model: Model, device: type[LoopDevice], rule: Rule) -> None:
    """Steps twice, steps late, takes a row of which a frame is missing: seen; without faults nothing is judged."""
    with runtime(model, rule, device, can=True) as (bench, file, _):
        found = outcomes(run_under_faults(bench, file, seed=3), bench)
        assert found[BenchCheck.UNDER_FAULTS] is found[BenchCheck.ONCE] is Outcome.FAILED
    with runtime(model, replace(rule, rate=1e-9), device, can=True) as (bench, file, done):
        run = run_under_faults(bench, file, seed=3)
        assert outcomes(run, bench) == NOTHING
        assert (run.wrong, run.off, done[0]) == (0, 0, run.steps)


def test_a_second_run_over_can_counts_apart(model: Model) -> None:
    """Frames and faults of the run before are not told again: a run of a quarter of its steps has fewer."""
    with runtime(model, EVERYTHING, steps=80, can=True) as (bench, file, _):
        first, second = (run_under_faults(bench, replace(file, steps=steps), seed=3) for steps in (80, 20))
    assert sum(second.frames.values()) < sum(first.frames.values())
    assert 0 < len(second.log) < len(first.log)
    assert (second.steps, second.wrong, second.off) == (20, 0, 0)


@pytest.mark.parametrize(
    ("kind", "can", "said"),
    [
        (Kind.GARBAGE, True, "'garbage' cannot happen on this bench, which runs over CAN; choose of flip"),
        (Kind.FOREIGN, False, "'foreign' cannot happen on this bench, which runs over a line of bytes; choose of flip"),
        (Kind.WRONG_DLC, False, "'wrong_dlc' cannot happen"),
    ],
)
def test_faults_of_another_kind_of_link_are_refused(model: Model, kind: Kind, can: bool, said: str) -> None:
    with pytest.raises(BenchError, match=said), runtime(model, Rule(0.1, kinds=(kind,)), can=can):
        pass


def test_a_stuck_bus_ends_the_conversation(model: Model) -> None:
    """Nothing arrives from some step on: the verdict names the step; no time decides."""
    rule = Rule(1.0, kinds=(Kind.DROP,), requests=("GETSTATE",))
    with runtime(model, rule, can=True) as (bench, file, _):
        run = run_under_faults(bench, file, seed=3)
        assert outcomes(run, bench)[BenchCheck.DONE] is Outcome.FAILED
        assert "no answer to GETSTATE from CAN virtual" in run.ended


@pytest.mark.parametrize(
    ("device", "rule"),
    [
        (StepsAgain, Rule(0.2, kinds=(Kind.DOUBLE, Kind.DROP))),
        (LooksAtNoNumbers, Rule(0.2, kinds=(Kind.LATE_COPY,))),
        (LooksAtNoCrc, Rule(0.3, (Direction.TO_DEVICE,), (Kind.FLIP,), ("STEP", "SETSTATE"))),
    ],
)
def test_a_device_that_was_made_wrong_fails(model: Model, device: type[LoopDevice], rule: Rule) -> None:
    """Steps twice, steps late, takes damaged rows: both verdicts say so; without faults the same device passes both."""
    with runtime(model, rule, device) as (bench, file, done):
        run = run_under_faults(bench, file, seed=3)
        found = outcomes(run, bench)
        assert found[BenchCheck.UNDER_FAULTS] is found[BenchCheck.ONCE] is Outcome.FAILED
        assert run.first_wrong is not None
        assert (done[0] > run.steps) is (device is not LooksAtNoCrc)
    with runtime(model, replace(rule, rate=1e-9), device) as (bench, file, done):
        run = run_under_faults(bench, file, seed=3)
        assert outcomes(run, bench) == NOTHING
        assert (run.wrong, run.off, done[0]) == (0, 0, run.steps)


def test_a_function_without_state_is_not_judged_for_steps_that_are_done_twice(model: Model) -> None:
    """Repeated steps leave no trace there; right answers are judged as ever."""
    with runtime(model, EVERYTHING, function="position", steps=200) as (bench, file, _):
        found = outcomes(run_under_faults(bench, file, seed=3), bench)
    assert found == ended(Outcome.PASSED, Outcome.PASSED, Outcome.NOT_JUDGED)


def test_the_same_faults_happen_again_however_busy_the_device_is(model: Model) -> None:
    """With a device that hesitates before every twentieth step the log is the same, entry by entry."""
    hesitating, count = threading.Event(), iter(range(10**6))
    logs = []
    for before in (lambda: None, lambda: next(count) % 20 == 0 and hesitating.wait(0.01)):
        with runtime(model, EVERYTHING, steps=240, before_step=before) as (bench, file, _):
            run = run_under_faults(bench, file, seed=3)
            logs.append(([fault.as_dict() for fault in run.log], run.frames, run.traffic.as_dict()))
    assert logs[0] == logs[1]
    assert len(logs[0][0]) > 20


def test_a_device_that_owes_an_answer_is_waited_for(model: Model) -> None:
    """The line is not silent while the device works, and silent once its answer was lost."""
    release, seen = threading.Event(), []
    rule = Rule(1.0, (Direction.TO_HOST,), (Kind.DROP,), ("STEP",))
    with runtime(model, rule, before_step=lambda: release.wait(20.0)) as (bench, _, _):
        line = bench.line
        assert line is not None
        line.arm()
        link_write = line.write
        line.write = lambda data: (link_write(data), seen.append(line.is_silent), release.set())  # type: ignore[method-assign]
        with pytest.raises(BenchError, match="asked 21 times"):
            bench.session.step_once((0.0,), with_state=False)
    assert seen[0] is False
    assert bench.session.traffic.timeouts == 21


def test_a_conversation_that_ends_fails(model: Model) -> None:
    """With the step, and how many faults there were; what was done up to there is told."""
    rule = Rule(1.0, kinds=(Kind.DROP,), requests=("BATCH",))
    with runtime(model, rule) as (bench, file, _):
        run = run_under_faults(bench, file, seed=3)
        assert outcomes(run, bench) == ended(Outcome.PASSED, Outcome.FAILED, Outcome.NOTHING_COMPARED)
        assert run.ended.startswith("at step 30, after 21 faults: no answer to BATCH")
        assert (run.steps, len(run.log)) == (30, 21)
        bench.line = None
        with pytest.raises(BenchError, match="opened without a faults file"):
            run_under_faults(bench, file, seed=3)


def test_the_command_tells_what_happened_and_repeats_it(
    model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the example's faults: headline, verdicts and log in the report; the replay command gives the same log."""
    bench, faults = model.bench().path, tmp_path / "faults.toml"
    example = EXAMPLE.read_text(encoding="utf-8")
    faults.write_text(example.replace("steps = 2_000", "steps = 700"), encoding="utf-8")
    more = ["--lockstep", "40", "--free-run", "0", "--faults", str(faults), "--report", str(tmp_path / "a")]
    assert exit_code("hil", str(bench), *more) == 0
    out = capsys.readouterr().out
    assert "80 vectors in lockstep, 0 wrong; 700 steps under faults, 0 wrong" in out
    assert "ok   dostep: wrong results accepted under faults 0 steps, limit 0 steps" in out
    first = json.loads((tmp_path / "a" / "report.json").read_text(encoding="utf-8"))
    found = first["faults"]
    assert sum(sum(ways.values()) for ways in found["counts"].values()) == len(found["log"]) > 5
    assert not first["traffic"]["unstable"]
    assert found["traffic"]["timeouts"] > 0
    assert "faults.toml" in first["identity"]["faults"]
    junit = (tmp_path / "a" / "report.xml").read_text(encoding="utf-8")
    assert all(check in junit for check in ALL_PASSED)
    assert "Under faults on the link" in (tmp_path / "a" / "report.html").read_text(encoding="utf-8")
    replay = next(each["replay"] for each in first["verdicts"] if each["check"] == BenchCheck.UNDER_FAULTS)
    assert exit_code(*replay.split()[1:], "--report", str(tmp_path / "b")) == 0
    second = json.loads((tmp_path / "b" / "report.json").read_text(encoding="utf-8"))
    assert second["faults"] == found
    assert second["headline"].startswith("700 steps under faults, 0 wrong")
