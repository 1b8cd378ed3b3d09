"""What a bench refuses, each beside its sound twin: boards, flash commands, runs, ports, links and reports."""

import os
import pty
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import hil.device
from exporter.cli import main
from exporter.errors import KinefixError
from exporter.export import load_export
from exporter.time_limits import Limit
from hil.bench import read_bench
from hil.bench_runtime import BenchRuntime, open_bench
from hil.campaign import Plan, run_campaign
from hil.check_names import BenchCheck
from hil.emulator import require_free_port
from hil.errors import BenchError, FrameTimeout, FramingError, LinkError
from hil.faults.fault_file import read_faults
from hil.faults.steps import run_under_faults
from hil.freerun import run_free
from hil.links.loop import loop_pair
from hil.links.serial_link import SerialLink
from hil.links.socket_link import SocketLink
from hil.links.witnessed import WitnessedLink
from hil.messages import RunState
from hil.protocol import Type
from hil.report.document import run_document
from sil.verdict import Outcome

ROOT = Path(__file__).resolve().parents[3]
PLAN = Plan(lockstep=0, free_run=20, vectors=8, seed=1)


@pytest.fixture
def board(board_export: Path, wire: ModuleType) -> Iterator[Any]:
    """A board that is right until a test changes it."""
    with wire.board_of(load_export(board_export)) as board:
        yield board


@pytest.fixture
def runtime(board: Any, wire: ModuleType, tmp_path: Path) -> Iterator[BenchRuntime]:
    """A session with the board."""
    with open_bench(read_bench(wire.bench_file(board, tmp_path, more="[timeouts]\nrun = '0.2 s'\n"))) as runtime:
        yield runtime


def free_run(runtime: BenchRuntime, vectors: int = 8) -> Any:
    """Twenty activations."""
    return run_free(runtime, 20, runtime.bench.timing, vectors, seed=1)


WRONG_BOARDS = {
    "fewer vectors kept than given": (
        {"hello": {"vector_slots": 4}}, BenchError, "the device keeps 4 vectors, 8 were given; lower",
    ),
    "no whole number of timer ticks": (
        {"hello": {"timer_hz": 24_999_999}}, BenchError, "is 24,999.999 ticks of the 24,999,999 Hz timer",
    ),
    "no counter that moves": ({"hello": {"counter_moves": 0}}, BenchError, "no counter that moves"),
    "another counter": (
        {"hello": {"counter": 3}}, BenchError, "'timer' was asked for, the device measures with: SysTick",
    ),
    "a run without an end": (
        {"silent_end": True, "summary": {"state": RunState.RUNNING}}, FrameTimeout, "the free run came to activation",
    ),
    "records of another run": (
        {"summary": {"requested": 21}}, FramingError, "20 activations were asked for, the device tells of a run of 21",
    ),
    "records that end early": (
        {"summary": {"histogram_used": 3}}, FramingError, "STATS HISTOGRAM ended after 1 of 3 entries",
    ),
}  # fmt: skip


@pytest.mark.compiled
@pytest.mark.parametrize("name", WRONG_BOARDS)
def test_a_board_that_cannot_be_judged_is_refused(board: Any, wire: ModuleType, tmp_path: Path, name: str) -> None:
    """The right board runs first; then it claims something else."""
    claims, error, words = WRONG_BOARDS[name]
    file = wire.bench_file(board, tmp_path, more="counter = 'timer'\n[timeouts]\nrun = '0.2 s'\n")
    for is_right in (True, False):
        if not is_right:
            vars(board).update({**claims, "hello": wire.CLOCK | claims.get("hello", {})})
        with nullcontext() if is_right else pytest.raises(error, match=words), open_bench(read_bench(file)) as runtime:
            assert free_run(runtime).analysis.passed


@pytest.mark.compiled
def test_a_run_whose_last_word_was_lost_is_fetched_all_the_same(board: Any, runtime: BenchRuntime) -> None:
    """After the limit the board is asked; one that still ran would be refused, see above."""
    board.silent_end = True
    assert free_run(runtime).analysis.passed


@pytest.mark.compiled
def test_parameters_that_change_although_refused_are_seen(board: Any, runtime: BenchRuntime) -> None:
    """Out of range is refused by the right board, and what was in force stays; a wrong one holds something else."""
    assert runtime.try_parameters({"l1": 0.2}) == 0
    assert runtime.try_parameters({"l1": 90.0}) != 0
    assert runtime.parameters == {"l1": 0.2}
    board.payload = lambda asked, payload: (
        payload[:8] + struct.pack("<f", 0.25) if asked.type is Type.PARAMETERS else payload
    )
    with pytest.raises(BenchError, match=r"refused parameters .* and holds others than before"):
        runtime.try_parameters({"l1": 90.0})


VERDICTS = {
    BenchCheck.MISSED: {"missed": 1},
    BenchCheck.RELEASED: {"ran": 19, "duration_sum": 0},
    BenchCheck.RESPONSE: {"response_max": 10_001},
    BenchCheck.DURATION: {"duration_max": 10_001},
    BenchCheck.RESULTS: {"digest": 1},
    BenchCheck.CONSTANCY: {"duration_min": 298},
}
HISTOGRAMS = {BenchCheck.RELEASED: {300: 19}, BenchCheck.DURATION: {10_001: 20}}


@pytest.mark.compiled
@pytest.mark.parametrize("check", VERDICTS)
def test_each_verdict_of_a_free_run_fails_alone_where_it_is_wrong(
    board: Any, wire: ModuleType, tmp_path: Path, check: BenchCheck
) -> None:
    """One number of the records is changed; the right board passes all."""
    bench = read_bench(wire.bench_file(board, tmp_path, more="spread = '0.04 us'\n"))
    assert run_campaign(bench, PLAN).passed
    board.summary, board.histogram = VERDICTS[check], HISTOGRAMS.get(check)
    failed = [each.check for each in run_campaign(bench, PLAN).verdicts if each.outcome is Outcome.FAILED]
    assert any(name.startswith(check) for name in failed)


@pytest.mark.compiled
def test_wrong_results_are_told_of_the_device_and_of_this_computer(
    board: Any, wire: ModuleType, tmp_path: Path
) -> None:
    """In the verdict and, number by number, in the data."""
    bench = read_bench(wire.bench_file(board, tmp_path))
    right = run_document(run_campaign(bench, PLAN))["free_run"]
    board.summary = {"digest": 1, "flagged": 2, "status_or": 1 << 22}
    wrong = run_campaign(bench, PLAN)
    (verdict,) = (each for each in wrong.verdicts if each.check == BenchCheck.RESULTS)
    assert verdict.value == 3
    assert "the device has digest 00000001, 2 flagged (ARG_REJECTED)" in verdict.detail
    assert f"this computer has digest {right['digest']}, 0 flagged" in verdict.detail
    told = run_document(wrong)["free_run"]
    assert (told["digest"], told["status_flagged"], told["flags"]) == ("00000001", 2, ["ARG_REJECTED"])
    for key in ("digest", "status_flagged", "flags"):
        assert told[f"{key}_expected"] == right[f"{key}_expected"] == right[key]


@pytest.mark.compiled
@pytest.mark.parametrize("lost", [0, 5])
def test_a_log_that_lost_records_is_told_where_they_are_missed(
    board: Any, wire: ModuleType, tmp_path: Path, lost: int
) -> None:
    """Skipped activations are known by the log alone: without it, the results are neither right nor wrong."""
    bench = read_bench(wire.bench_file(board, tmp_path))
    board.summary, board.histogram = {"ran": 18, "skipped": 2, "log_lost": lost, "duration_sum": 0}, {300: 18}
    (verdict,) = (each for each in run_campaign(bench, PLAN).verdicts if each.check == BenchCheck.RESULTS)
    reason = "the log on the device lost 5 records, which may have told the activations that were skipped"
    assert (verdict.outcome is Outcome.FAILED) == bool(lost)
    assert (f"wrong results of the free run: no measurement ({reason}), limit 0" in verdict.sentence()) == bool(lost)
    assert (f"what is right is not known: {reason}" in verdict.detail) == bool(lost)


@pytest.mark.compiled
def test_faults_are_of_a_bench_that_was_opened_for_them(runtime: BenchRuntime) -> None:
    """Without a faults file nobody on the link makes faults; `kinefix hil --faults` opens the bench with one."""
    with pytest.raises(BenchError, match="the bench was opened without a faults file; name it when opening"):
        run_under_faults(runtime, read_faults(ROOT / "examples" / "faults.toml"), seed=1)


COMMANDS = {
    "not installed": (["no_such_flasher", "a.elf"], "'no_such_flasher' is not installed; the bench file runs it as"),
    "failed": ([sys.executable, "-c", "import sys; sys.exit('no probe')"], "ended with exit code 1: no probe"),
    "endless": ([sys.executable, "-c", "while True: pass"], "while True: pass'.*take less"),
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", COMMANDS)
def test_a_flash_command_that_fails_ends_in_one_sentence(
    board: Any, wire: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """One that does its work goes before, and the board is reached."""
    done = f"flash = {[sys.executable, '-c', '']}"
    with open_bench(read_bench(wire.bench_file(board, tmp_path, done))) as runtime:
        assert runtime.facts["device"].startswith("board at socket://")
    command, words = COMMANDS[name]
    if name == "endless":
        monkeypatch.setattr(hil.device, "FLASH", Limit(0.05, 1e5, "take less"))
    with pytest.raises(KinefixError, match=words):
        open_bench(read_bench(wire.bench_file(board, tmp_path, f"flash = {command}")))


@pytest.mark.compiled
def test_a_profile_without_an_emulator_is_refused(board: Any, wire: ModuleType, tmp_path: Path) -> None:
    """A computer is no board to emulate; arm-m4f gets as far as looking for its program."""
    file = wire.bench_file(board, tmp_path, "profile = 'host-gcc'")
    file.write_text(file.read_text(encoding="utf-8").replace('kind = "board"', 'kind = "emulated"'), encoding="utf-8")
    with pytest.raises(BenchError, match="'host-gcc' has no emulator; choose one of arm-m3, arm-m4f, arm-m7"):
        open_bench(read_bench(file))
    file.write_text(file.read_text(encoding="utf-8").replace("host-gcc", "arm-m9"), encoding="utf-8")
    with pytest.raises(BenchError, match=r"profile: 'arm-m9' is no profile; choose one of arm-m3, arm-m4f, arm-m7"):
        open_bench(read_bench(file))


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("q = 1", r"\[parameters\]: 'q' is no tunable parameter of .*; tunable: l1; name one of them"),
        ("l1 = '1 kg'", r"\[parameters\]: parameter l1: '1 kg' is a mass"),
        ("l1 = 9", r"l1 = 9 m \(from .*\); the parameters before stay in force; give values of these ranges"),
    ],
)
def test_parameters_of_a_bench_file_are_refused_with_what_to_do(
    board: Any, wire: ModuleType, tmp_path: Path, said: str, words: str
) -> None:
    """A value of the range is taken."""
    sound = wire.bench_file(board, tmp_path, more="[parameters]\nl1 = '200 mm'\n")
    with open_bench(read_bench(sound)) as runtime:
        assert runtime.parameters == {"l1": 0.2}
    file = wire.bench_file(board, tmp_path, more=f"[parameters]\n{said}\n")
    with pytest.raises(BenchError, match=words):
        open_bench(read_bench(file))


@pytest.mark.compiled
def test_a_parameter_without_a_value_is_wrong_use(
    board: Any, wire: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Refused alone, the name runs with a value."""
    command = ["hil", str(wire.bench_file(board, tmp_path)), "--lockstep", "5", "--free-run", "0", "--parameter"]
    with pytest.raises(SystemExit) as ended:
        main([*command, "l1"])
    assert ended.value.code == 2
    assert '--parameter: "l1" is not of the form NAME=QUANTITY' in capsys.readouterr().err
    with suppress(SystemExit):
        main([*command, "l1=200 mm"])
    assert "bit agreement in lockstep" in capsys.readouterr().out


@pytest.mark.compiled
def test_a_report_where_a_file_stands_is_refused(
    board: Any, wire: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["hil", str(wire.bench_file(board, tmp_path)), "--lockstep", "5", "--free-run", "0", "--report"]
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    ended = []
    for folder in ("report", "taken"):
        with pytest.raises(SystemExit) as left:
            main([*command, str(tmp_path / folder)])
        ended.append(left.value.code)
    assert ended == [0, 2]
    assert (tmp_path / "report" / "report.html").is_file()
    assert "taken' cannot be written (it is a file)" in capsys.readouterr().err


def test_an_address_of_another_computer_cannot_be_listened_on() -> None:
    """192.0.2.1 is kept for documents (RFC 5737): no computer has it."""
    require_free_port("127.0.0.1", 0)
    with pytest.raises(LinkError, match=r"cannot listen on 192\.0\.2\.1:0 .*correct \[link.main\] host"):
        require_free_port("192.0.2.1", 0)
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(LinkError, match="port is busy"):
        require_free_port(*taken.getsockname())


def test_a_closed_loop_neither_reads_nor_writes() -> None:
    ours, theirs = loop_pair()
    ours.write(b"there")
    assert theirs.read() == b"there"
    for end in (ours, theirs):
        end.close()
        for use in (end.read, lambda: end.write(b"x")):  # noqa: B023 - called here
            with pytest.raises(LinkError, match="is closed"):
                use()


def test_a_serial_port_that_goes_away_is_named() -> None:
    """A pseudo terminal whose other end is closed."""
    theirs, ours = pty.openpty()
    link = SerialLink(os.ttyname(ours), 115200, 1.0)
    link.write(b"x")
    assert os.read(theirs, 1) == b"x"
    os.write(theirs, b"yz")
    assert link.read()
    os.close(theirs)
    with pytest.raises(LinkError, match="broke while reading"):
        link.read()
    with pytest.raises(LinkError, match="broke while writing"):
        link.write(b"x")
    link.close()
    os.close(ours)


def test_a_socket_that_is_closed_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        link = SocketLink(f"socket://127.0.0.1:{server.getsockname()[1]}", 5.0)
        theirs, _ = server.accept()
        theirs.sendall(b"there")
        link.write(b"x")
        assert link.read()
        link.close()
        with pytest.raises(LinkError, match="broke while reading"):
            link.read()
        with pytest.raises(LinkError, match="broke while writing"):
            link.write(b"x")
        theirs.close()


def test_what_an_emulator_said_stands_in_every_error_of_its_link() -> None:
    """Where it cannot be reached, and where it is written to."""

    def unreachable() -> Any:
        raise LinkError("nobody there")

    with pytest.raises(LinkError, match=r"^the link broke: it died$"):
        WitnessedLink(unreachable, lambda: "it died")
    ours, theirs = loop_pair()
    link = WitnessedLink(lambda: ours, lambda: "it died")
    link.write(b"x")
    assert theirs.read() == b"x"
    ours.close()
    for use in (link.read, lambda: link.write(b"x")):
        with pytest.raises(LinkError, match=r"^the link broke: it died$"):
            use()
