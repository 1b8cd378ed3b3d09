"""The bench against an emulated Cortex-M4F: deadlines met and missed, faults, identity, damaged links.

What is expected comes from arithmetic (an instruction lasts 64 ns, a tick 40 ns) and from what was put into the
firmware behind the host's back.
"""

import json
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from seeded_stall import build_with_stall

from exporter.cli import main
from exporter.export import Export, write_export
from hil.bench import Bench, Target, read_bench
from hil.bench_runtime import BenchRuntime, open_bench
from hil.campaign import Plan, run_campaign
from hil.deadlines import headline
from hil.duration import parse_duration
from hil.errors import RefusedRequest, WrongFirmware
from hil.freerun import ring_of, run_free, run_free_with
from hil.lockstep import random_vectors, run_lockstep
from hil.messages import Counter, Fault, Outcome, RunRequest
from hil.report.violations import sentence

pytestmark = pytest.mark.emulated

PERIOD_TICKS = 25_000  # 1 ms at 25 MHz
BENCH = """
schema = 1
[bench]
name = "emulated"
target = "emulated"
export = "export"
function = "dostep"
[target.emulated]
kind = "emulated"
profile = "arm-m4f"
icount_shift = 6
[link.main]
kind = "tcp"
[timing]
period = "1 ms"
deadline = "400 us"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, load_data_module: Callable[[str], ModuleType]) -> Path:
    """A bench file beside an export of the hand-written slider-crank."""
    place = tmp_path_factory.mktemp("bench")
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    write_export(program, place / "export", {})
    (place / "bench.toml").write_text(BENCH, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def bench(folder: Path) -> Bench:
    """The bench file."""
    return read_bench(folder / "bench.toml")


@pytest.fixture(scope="module")
def runtime(bench: Bench, needs_tools: None) -> Iterator[BenchRuntime]:  # noqa: ARG001 - skips
    """One emulator for all tests that leave it as they found it."""
    with open_bench(bench) as device:
        yield device


@pytest.fixture(scope="module")
def needs_tools(require_tool: Callable[[str], str]) -> None:
    """Compiler and emulator, looked for once."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)


def export_of(folder: Path) -> Export:
    """The export of the bench."""
    from exporter.export import load_export

    return load_export(folder / "export")


def test_sixty_thousand_activations_at_a_kilohertz_miss_nothing(runtime: BenchRuntime) -> None:
    """A minute of virtual time: every release served in time, every output right, the verdict in virtual time."""
    timed = run_free(runtime, 60_000, runtime.bench.timing, 256, seed=1)
    analysis = timed.analysis
    assert (analysis.ran, analysis.all_missed, timed.records.summary.coalesced) == (60_000, 0, 0)
    assert analysis.passed
    assert timed.device_digest == timed.expected
    assert sum(timed.records.histogram.values()) == 60_000
    assert headline(analysis).startswith("60,000 activations, 0 missed, worst ")
    assert headline(analysis).endswith("virtual time (64 ns per instruction)")


def test_the_counter_is_one_that_moves(runtime: BenchRuntime) -> None:
    """The core's cycle counter stands still on this emulator, so the firmware took a timer and says so."""
    hello = runtime.session.hello
    assert (hello.counter, hello.counter_moves, hello.counter_hz, hello.counter_bits) == (
        Counter.TIMER,
        1,
        25_000_000,
        32,
    )
    assert hello.overhead_ticks > 0


def test_overload_gives_three_misses_their_skips_and_a_fault(runtime: BenchRuntime) -> None:
    """A period below the cost of a step: three late activations, skips between them, then silence, and a live link."""
    cost = runtime.session.step(np.zeros((1, 3), dtype=np.float32), with_state=True).ticks[0]
    period = replace(runtime.bench.timing, period=parse_duration(f"{int(cost) * 2 // 3} cycles"))
    timing = replace(period, deadline=period.period)
    timed = run_free(runtime, 10_000, timing, 16, seed=1)
    analysis = timed.analysis
    assert (analysis.missed, analysis.ran, analysis.fault) == (3, 3, Fault.OVERRUNS)
    late = [each for each in analysis.violations if each.outcome is not Outcome.SKIPPED]
    skips = [each for each in analysis.violations if each.outcome is Outcome.SKIPPED]
    assert len(late) == 3
    assert sum(each.count for each in skips) == analysis.skipped > 0
    served = {each.index for each in late} | {each.index + i for each in skips for i in range(each.count)}
    assert served == set(range(late[-1].index + 1)), "every release up to the fault is accounted for, once"
    assert not analysis.passed
    assert runtime.session.fault() is Fault.OVERRUNS
    with pytest.raises(RefusedRequest, match="a fault is latched"):
        runtime.session.start(timed.request)
    assert run_free(runtime, 100, runtime.bench.timing, 16, seed=1).analysis.passed, "cleared, it runs again"


def stalling(folder: Path, bench: Bench, at: int, ticks: int) -> Bench:
    """The bench with a firmware that stalls."""
    firmware = build_with_stall(export_of(folder), "dostep", folder / f"stall_{at}", at, ticks)
    return replace(bench, target=replace(bench.target, elf=firmware.elf))


@pytest.mark.parametrize(
    ("at", "ticks", "behind"),
    [
        (1_234, 12_500, []),
        (77, 62_500, [(78, Outcome.SKIPPED), (79, Outcome.LATE_START)]),
    ],
)
def test_a_stall_unknown_to_the_host_is_named(
    folder: Path, bench: Bench, needs_tools: None, at: int, ticks: int, behind: list[tuple[int, Outcome]]
) -> None:
    """Half a period and two and a half, seeded behind the host's back: this activation, this much longer.

    The stall ends when it sees the counter pass its end, so it may be one look (a dozen instructions) longer. The long
    one takes release 78 with it and leaves half a period of lateness to release 79, above the deadline of 0.4 periods.
    """
    assert needs_tools is None
    result = run_campaign(stalling(folder, bench, at, ticks), Plan(lockstep=0, free_run=2_000, vectors=64, seed=1))
    assert result.timed is not None
    analysis = result.timed.analysis
    violation = analysis.violations[0]
    assert (violation.index, violation.outcome) == (at, Outcome.OVERRUN)
    assert 0 <= violation.excess_ticks - ticks <= 20
    assert [each.index for each in violation.before] == [at - 3, at - 2, at - 1]
    latest, finishes = analysis.latest, result.timed.records.envelope
    assert latest is not None
    assert (latest.index, latest.before) == (at, violation.before)
    assert [each.index for each in latest.after] == ([79, 80] if behind else [at + 1, at + 2, at + 3])
    place = at // result.timed.request.envelope_block
    assert max(high for _, high in finishes) == finishes[place][1] == latest.over_ticks + analysis.timing.deadline_ticks
    assert [(each.index, each.outcome) for each in analysis.violations[1:]] == behind
    assert analysis.skipped == sum(outcome is Outcome.SKIPPED for _, outcome in behind)
    assert f"activation {at:,} " in sentence(analysis, violation)
    assert f"({violation.excess_ticks:,} ticks) longer than the median" in sentence(analysis, violation)
    assert not result.passed


@pytest.mark.slow
def test_ten_stalls_in_ten_minutes_are_those_ten(folder: Path, bench: Bench, needs_tools: None) -> None:
    """600,000 activations at 1 kHz of virtual time, seeded at places that nobody tells the host."""
    assert needs_tools is None
    drawn = np.random.Generator(np.random.Philox(10)).choice(600_000, 10, replace=False)
    at = sorted(int(each) for each in drawn)
    firmware = build_with_stall(export_of(folder), "dostep", folder / "ten_stalls", at, 12_500)
    stalling = replace(bench, target=replace(bench.target, elf=firmware.elf))
    result = run_campaign(stalling, Plan(lockstep=0, free_run=600_000, vectors=256, seed=1))
    assert result.timed is not None
    analysis = result.timed.analysis
    assert (analysis.ran, analysis.missed, analysis.skipped) == (600_000, 10, 0)
    assert [(each.index, each.outcome) for each in analysis.violations] == [(index, Outcome.OVERRUN) for index in at]
    assert all(0 <= each.excess_ticks - 12_500 <= 20 for each in analysis.violations)


def test_a_printed_command_repeats_a_violation_from_another_folder(
    folder: Path, bench: Bench, needs_tools: None, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The bench file was given relative to its folder; the printed command sees the same activations and inputs."""
    assert needs_tools is None
    elf = stalling(folder, bench, 77, 62_500).target.elf
    text = BENCH.replace('profile = "arm-m4f"', f'elf = "{elf}"') + "[run]\nvectors = 64\n"
    (folder / "stalling.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    printed = ["kinefix", "hil", "stalling.toml", "--lockstep", "0", "--free-run", "200"]
    seen = []
    for _ in range(2):
        with pytest.raises(SystemExit, match="1"):
            main([*printed[1:], "--json"])
        document = json.loads(capsys.readouterr().out)
        seen.append([(each["index"], each["outcome"], each["inputs"]) for each in document["violations"]])
        printed = shlex.split(document["violations"][0]["replay"])
        monkeypatch.chdir(tmp_path)
    assert [index for index, _, _ in seen[0]] == [77, 78, 79]
    assert seen[1] == seen[0]


def test_lockstep_agrees_bit_for_bit_and_costs_the_same(runtime: BenchRuntime) -> None:
    """Invalid, subnormal and random rows: the same bits as the host, and the same number of ticks."""
    lockstep = run_lockstep(runtime, random_vectors(runtime, 400, seed=3).rows)
    assert not lockstep.wrong.any()
    assert lockstep.status.any(), "the mix has rows that are flagged"
    assert lockstep.durations.spread <= 1


def test_runs_repeat_to_the_tick(runtime: BenchRuntime) -> None:
    """One request made twice gives the same records: virtual time does not depend on this computer's load.

    An instruction lasts 1.6 ticks, so a run that begins at another fraction of a tick may count each duration one tick
    shorter or longer; where it begins depends on when the request came.
    """
    ring, state = ring_of(runtime, 32, seed=5)
    first, second = (run_free_with(runtime, 500, runtime.bench.timing, ring, state).records for _ in range(2))
    for end in (min, max):
        assert abs(end(first.histogram) - end(second.histogram)) <= 1
    assert first.summary.digest == second.summary.digest
    assert abs(first.summary.late_max - second.summary.late_max) <= 1


def test_requests_during_a_run_are_refused_or_answered_without_harm(runtime: BenchRuntime) -> None:
    """A step must wait, the summary may be asked for, and zero activations stop the run."""
    session = runtime.session
    ring, _ = ring_of(runtime, 16, seed=1)
    session.store_vectors(ring)
    hour = 3_600_000
    session.start(RunRequest(hour, PERIOD_TICKS, PERIOD_TICKS, PERIOD_TICKS, 3, hour, len(ring)))
    with pytest.raises(RefusedRequest, match="a free run is going on"):
        session.step(np.zeros((1, 3), dtype=np.float32), with_state=True)
    assert session.summary().requested == hour
    session.start(RunRequest(0, PERIOD_TICKS, PERIOD_TICKS, PERIOD_TICKS, 3, 1, len(ring)))
    assert 0 < session.summary().ran < hour


@pytest.mark.parametrize(
    "wrong",
    [
        RunRequest(10, 1, 1, 1, 3, 1, 16),
        RunRequest(10, 2**30, 2**30, 100, 3, 1, 16),
        RunRequest(10, PERIOD_TICKS, PERIOD_TICKS, 0, 3, 1, 16),
        RunRequest(10, PERIOD_TICKS, PERIOD_TICKS, 100, 0, 1, 16),
        RunRequest(10, PERIOD_TICKS, PERIOD_TICKS, 100, 3, 0, 16),
        RunRequest(10, PERIOD_TICKS, PERIOD_TICKS, 100, 3, 1, 0),
        RunRequest(10, PERIOD_TICKS, PERIOD_TICKS, 100, 3, 1, 60_000),
    ],
)
def test_a_run_out_of_range_is_refused(runtime: BenchRuntime, wrong: RunRequest) -> None:
    """Periods that the counter cannot tell, zero limits, vectors that are not there."""
    with pytest.raises(RefusedRequest, match="out of range"):
        runtime.session.start(wrong)


def test_firmware_of_another_model_is_refused(
    folder: Path, bench: Bench, needs_tools: None, load_data_module: Callable[[str], ModuleType]
) -> None:
    """An ELF of the frozen crank on a bench of the tunable one: one sentence, exit code 2, no step."""
    from targets.ecu.firmware import build_firmware

    assert needs_tools is None
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=False)
    other = write_export(program, folder / "other_export", {})
    firmware = build_firmware(other, "dostep", folder / "other_firmware", kind="bench")
    with pytest.raises(WrongFirmware, match="load the firmware that belongs to this export") as caught:
        open_bench(replace(bench, target=replace(bench.target, elf=firmware.elf)))
    assert caught.value.exit_code == 2


def test_the_same_over_a_pseudo_terminal(bench: Bench, needs_tools: None) -> None:
    """The link is exchangeable: a pty opened as a serial port carries lockstep and free run."""
    assert needs_tools is None
    over_pty = replace(bench, link=replace(bench.link, kind="pty"), target=Target("emulated", "emulated"))
    result = run_campaign(over_pty, Plan(lockstep=20, free_run=200, vectors=16, seed=2))
    assert result.passed
