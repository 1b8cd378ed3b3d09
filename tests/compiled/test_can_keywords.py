"""Keywords that send and expect CAN messages, on software over a virtual bus. Oracle: the same C on this computer."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from exporter.cli import main
from exporter.errors import KinefixError
from exporter.export import write_export
from hil.errors import BenchError
from hil.keywords import Keywords

pytestmark = pytest.mark.compiled

BENCH = """
schema = 1
[bench]
name = "messages"
target = "software"
export = "export"
function = "dostep"
[target.software]
kind = "sil"
[timing]
period = "1 ms"
"""
STATE, FORCE = {"theta_rad": 0.5, "theta_rate_rad_s": 2.0}, {"F_N": -12.5}


@pytest.fixture(scope="module")
def folder(
    tmp_path_factory: pytest.TempPathFactory,
    load_data_module: Callable[[str], ModuleType],
    require_tool: Callable[[str], str],
) -> Path:
    """Two bench files beside an export: over CAN, and not."""
    require_tool("gcc")
    place = tmp_path_factory.mktemp("messages")
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    write_export(program, place / "export", {})
    (place / "can.toml").write_text(BENCH + '[link.main]\nkind = "can"\n', encoding="utf-8")
    (place / "loop.toml").write_text(BENCH, encoding="utf-8")
    return place


@pytest.fixture
def robot(folder: Path) -> Iterator[Any]:
    """The library with the bench over CAN."""
    library: Any = Keywords()
    library.open_bench(str(folder / "can.toml"))
    yield library
    library.close_bench()


def right(robot: Any, force: float) -> dict[str, float]:
    """Outputs of the step from STATE, by name of the C field, from the host library."""
    runtime = robot.open_bench.__self__._state.bench()
    row = np.array([[*STATE.values(), force]], dtype=np.float32)
    outputs = runtime.library.call("dostep", row).outputs[0]
    return dict(zip((each.field for each in runtime.function.row_outputs), outputs.tolist(), strict=True))


def test_a_step_by_messages_gives_what_the_c_gives(robot: Any) -> None:
    """Sent, committed, expected and read by the names of the DBC, bit for bit."""
    robot.send_can_message("State1", **STATE)
    robot.send_can_message("Inputs1", **FORCE)
    assert robot.commit_can_step(with_state=True) == 0
    wanted = right(robot, -12.5)
    heard = robot.expect_can_message("Outputs1")
    assert heard == {name: wanted[name] for name in heard}
    assert robot.expect_can_message("Stepped")["status"] == 0
    first = next(iter(heard))
    robot.can_signal_should_be("Outputs1", first, wanted[first])
    assert robot.read_can_signal("Outputs1", first) == wanted[first]
    with pytest.raises(AssertionError, match=f"Outputs1.{first} is .* and should be .*; it is .* off, allowed are 0"):
        robot.can_signal_should_be("Outputs1", first, wanted[first] + 1.0)
    with pytest.raises(AssertionError, match="should be nan"):
        robot.can_signal_should_be("Outputs1", first, float("nan"), 1e9)


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("Inputs1", {"F_N": float("nan")}, "Inputs1.F_N is nan, which is no finite number; say invalid=yes where that"),
        ("Inputs1", {"F_N": 1e9}, "Inputs1.F_N is 1,000,000,000 N, outside -1,000 to 1,000; say invalid=yes"),
        ("Inputs1", {"F": 1.0}, "Inputs1 has no signal 'F'; it has F_N"),
        ("State1", {"theta_rad": 1.0}, "State1 needs all of its signals; theta_rate_rad_s is missing"),
        ("Input1", {"F_N": 1.0}, "the DBC has no message 'Input1'; it has Commit, ToEcu, State1, Inputs1"),
    ],
)
def test_what_cannot_be_meant_is_not_sent(robot: Any, name: str, values: dict[str, float], said: str) -> None:
    with pytest.raises(BenchError, match=said):
        robot.send_can_message(name, **values)
    with pytest.raises(BenchError, match=r"no message Outputs1 .* was heard"):
        robot.expect_can_message("Outputs1", 0.05)
    with pytest.raises(BenchError, match=r"no message Outputs1 .* was heard in this test; step the ECU first"):
        robot.read_can_signal("Outputs1", "x")


def test_a_step_is_committed_where_all_of_it_was_sent(robot: Any) -> None:
    """In the same test: what another one sent is not meant, and zeros are not either."""
    with pytest.raises(BenchError, match="Inputs1 was not sent in this test; send all messages of the step first"):
        robot.commit_can_step()
    robot.send_can_message("Inputs1", **FORCE)
    with pytest.raises(BenchError, match="State1 was not sent"):
        robot.commit_can_step(with_state=True)
    assert robot.commit_can_step() == 0
    robot.end_test(None, None)
    robot.start_test(None, None)
    with pytest.raises(BenchError, match="Inputs1 was not sent"):
        robot.commit_can_step()


def test_messages_are_heard_in_one_test_alone(robot: Any) -> None:
    """Neither expected nor read in the next one; there they are heard anew."""
    for _ in range(2):
        robot.start_test(None, None)
        for read in (
            lambda: robot.read_can_signal("Stepped", "status"),
            lambda: robot.expect_can_message("Stepped", 0.05),
        ):
            with pytest.raises(BenchError, match=r"no message Stepped \(0x\w+\) was heard"):
                read()
        robot.send_can_message("State1", **STATE)
        robot.send_can_message("Inputs1", **FORCE)
        assert robot.commit_can_step(with_state=True) == 0
        assert robot.expect_can_message("Stepped")["status"] == robot.read_can_signal("Stepped", "status") == 0
        robot.send_can_message("Inputs1", **FORCE)
        assert robot.commit_can_step() == 0
        robot.end_test(None, None)


def test_vectors_of_one_test_are_stepped_in_no_other(robot: Any) -> None:
    """Vectors of the suite's setup are there for all tests, whatever one of them generates."""
    robot.start_test(None, None)
    robot.generate_random_vectors(5)
    robot.run_test_vectors()
    robot.end_test(None, None)
    robot.start_test(None, None)
    with pytest.raises(BenchError, match="there are no vectors in this test, nor in the setup of its suite; call"):
        robot.run_test_vectors()
    robot.end_test(None, None)
    robot.generate_random_vectors(7)
    for _ in range(2):
        robot.start_test(None, None)
        robot.run_test_vectors()
        assert len(robot.open_bench.__self__._state.ran().rows) == 7
        robot.generate_random_vectors(5)
        robot.end_test(None, None)


def test_what_is_meant_is_sent_and_flagged(robot: Any) -> None:
    """NaN with invalid=yes: the ECU rejects it and says so; the next step by inputs in force sets the state anew."""
    robot.send_can_message("State1", **STATE)
    robot.send_can_message("Inputs1", invalid=True, F_N=float("nan"))
    robot.step()
    assert robot.commit_can_step(with_state=True) != 0
    with pytest.raises(BenchError, match="nothing was stepped"):  # the step before is another one
        robot.status_should_be("ok")
    robot.step()
    robot.outputs_should_be_bit_identical()
    with pytest.raises(BenchError, match="Outputs1 has no signal 'x'; it has"):
        robot.read_can_signal("Outputs1", "x")
    for tolerance in (float("nan"), float("inf"), -1.0):  # none of which can fail, or pass
        with pytest.raises(KinefixError, match="a tolerance is finite and not negative"):
            robot.can_signal_should_be("Outputs1", "x", 1.0, tolerance)


def test_a_bench_over_another_link_has_no_messages(folder: Path) -> None:
    library: Any = Keywords()
    library.open_bench(str(folder / "loop.toml"))
    with pytest.raises(BenchError, match=r"the bench runs over loop, not over CAN; write kind = .can. under"):
        library.send_can_message("Inputs1", **FORCE)
    library.close_bench()


def test_a_log_is_stepped_again_at_its_parameters(
    folder: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """By the command: told, in the report, and not in force afterwards. The log is of another bench file."""
    (folder / "logged.toml").write_text(f"{BENCH}[link.main]\nkind = 'can'\nlog = 'FRAMES.ASC'\n", encoding="utf-8")
    library: Any = Keywords()
    library.open_bench(str(folder / "logged.toml"))
    library.set_parameter("l1", "250 mm")
    library.step(3)
    library.close_bench()
    library.open_bench(str(folder / "can.toml"))
    assert library.load_test_vectors(str(folder / "FRAMES.ASC")) == 3
    assert "FRAMES.ASC: the steps of the log were done at l1 = 0.25 m" in caplog.text
    library.close_bench()
    again = ["hil", str(folder / "can.toml"), "--vectors", str(folder / "FRAMES.ASC"), "--free-run", "0"]
    with pytest.raises(SystemExit, match=r"^0$"):
        main([*again, "--report", str(folder / "report")])
    told = capsys.readouterr().out
    assert "3 vectors in lockstep, 0 wrong" in told
    assert "note: the steps of the log were done at l1 = 0.25 m" in told
    report = json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))
    assert report["identity"]["parameters in lockstep"] == "l1 = 0.25"
    assert "the steps of the log were done at l1 = 0.25 m" in report["notes"]
    with pytest.raises(SystemExit, match=r"^0$"):
        main([*again, "--parameter", "l1=200 mm", "--report", str(folder / "report")])
    report = json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))
    assert report["identity"]["parameters in lockstep"] == "l1 = 0.2"


@pytest.fixture
def logged(folder: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A bench file with a log of three steps, of 250 mm each, and that log."""
    bench, log = folder / f"{tmp_path.name}.toml", tmp_path / "frames.asc"
    bench.write_text(f"{BENCH}[link.main]\nkind = 'can'\nlog = '{log}'\n", encoding="utf-8")
    library: Any = Keywords()
    library.open_bench(str(bench))
    library.set_parameter("l1", "250 mm")
    library.step(3)
    library.close_bench()
    return bench, log


def test_the_keyword_steps_a_log_at_its_parameters_too(logged: tuple[Path, Path], folder: Path) -> None:
    """Earlier parameters are in force afterwards; what Set Parameter names goes before what the log states."""
    library: Any = Keywords()
    library.open_bench(str(folder / "can.toml"))
    runtime = library.open_bench.__self__._state.bench()
    library.load_test_vectors(str(logged[1]))

    def stepped_at() -> float:
        library.run_test_vectors()
        library.outputs_should_be_bit_identical()
        run = library.open_bench.__self__._state.ran()
        right = runtime.library.call("dostep", run.rows, run.stimulus.parameters)
        assert run.outputs.tobytes() == right.outputs.tobytes()
        return float(run.stimulus.parameters.get("l1", 0.3))

    assert (stepped_at(), runtime.parameters) == (0.25, {})
    library.set_parameter("l1", "200 mm")
    assert stepped_at() == 0.2
    library.reset_parameters()
    assert stepped_at() == 0.25
    library.close_bench()


def test_a_log_that_is_replayed_stays_as_it_is(logged: tuple[Path, Path], tmp_path: Path) -> None:
    """By keyword and command, under its name or that of a hard link; nothing else is left behind."""
    bench, log = logged
    before = log.read_bytes()
    (tmp_path / "link.asc").hardlink_to(log)
    for name in (log, tmp_path / "link.asc"):
        library: Any = Keywords()
        library.open_bench(str(bench))
        library.load_test_vectors(str(name))
        library.run_test_vectors()
        library.close_bench()
        with pytest.raises(SystemExit, match=r"^0$"):
            main(["hil", str(bench), "--vectors", str(name), "--free-run", "0"])
        assert log.read_bytes() == before
    assert {each.name for each in tmp_path.iterdir()} == {"frames.asc", "link.asc"}
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["hil", str(bench), "--lockstep", "2", "--free-run", "0"])
    assert log.read_bytes() != before, "a run of other vectors writes it anew"


def test_a_run_without_a_step_does_not_replace_a_log(logged: tuple[Path, Path], tmp_path: Path) -> None:
    """What was wrong was seen after the bench was open; its frames stand beside the log. A first log is kept anyhow."""
    bench, log = logged
    before = log.read_bytes()
    wrong = ["hil", str(bench), "--lockstep", "2", "--free-run", "0", "--parameter", "bogus=1"]
    for is_first in (False, True):
        with pytest.raises(SystemExit, match=r"^2$"):
            main(wrong)
        found = {each.name for each in tmp_path.iterdir()}
        assert found == {"frames-without-steps.asc", "frames.asc"}
        assert (log.read_bytes() == before) == (not is_first)
        log.unlink()


def test_a_report_over_can_names_interface_rate_identifiers_and_database(folder: Path) -> None:
    """The hash is that of the file that `kinefix dbc` writes; no fault is counted that a bus cannot have."""
    with pytest.raises(SystemExit):
        main(["dbc", str(folder / "export"), "--out", str(folder / "bus.dbc")])
    (folder / "faults.toml").write_text("schema = 1\nsteps = 3\n[[fault]]\nrate = 0.01\n", encoding="utf-8")
    with pytest.raises(SystemExit):
        main(
            [
                "hil",
                str(folder / "can.toml"),
                "--lockstep",
                "5",
                "--free-run",
                "0",
                "--faults",
                str(folder / "faults.toml"),
                "--report",
                str(folder / "report"),
            ]
        )
    document = json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))
    form = document["form"]
    assert form["target"] == "software on this computer"
    assert form["link"].startswith("CAN, virtual, 500,000 bit/s, identifiers 0x400 to 0x4")
    assert form["sha256"]["CAN database (DBC)"] == hashlib.sha256((folder / "bus.dbc").read_bytes()).hexdigest()
    on_a_bus = {"flip", "drop", "double", "delay", "late_copy", "reorder", "wrong_dlc", "foreign"}
    assert set(document["faults"]["counts"]) == on_a_bus
