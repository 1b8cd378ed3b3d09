"""Every keyword that judges fails where the device is wrong, and passes on the same device when it is right."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from robot.api import SkipExecution

from exporter.export import load_export
from hil.duration import parse_duration
from hil.errors import BenchError
from hil.keywords import Keywords

pytestmark = pytest.mark.compiled

TOLERANCE = "[tolerance.default]\nrel = 2e-5\nabs = 1e-5\n[tolerance.theta]\nabs = 1e-3\n"


@pytest.fixture(scope="module")
def board(board_export: Path, wire: ModuleType) -> Iterator[Any]:
    """One board for all; a test leaves it right."""
    with wire.board_of(load_export(board_export)) as board:
        yield board


@pytest.fixture
def library(board: Any, wire: ModuleType, tmp_path: Path) -> Iterator[Keywords]:
    """The keywords with the board open, after 40 vectors in lockstep."""
    library = Keywords()
    library.open_bench(str(wire.bench_file(board, tmp_path, more=TOLERANCE)))
    library.generate_random_vectors(40, seed=7)
    library.run_test_vectors()
    yield library
    library.close_bench()


def changed(board: Any, **claims: Any) -> "Changed":
    """The board with other claims while a block runs."""
    return Changed(board, claims)


class Changed:
    """Sets attributes of a board and sets them back."""

    def __init__(self, board: Any, claims: dict[str, Any]) -> None:
        self._board, self._claims = board, claims
        self._right = {name: getattr(board, name) for name in claims}

    def __enter__(self) -> None:
        vars(self._board).update(self._claims)

    def __exit__(self, *_: object) -> None:
        vars(self._board).update(self._right)


def in_all(outputs: Any, status: Any) -> tuple[Any, Any]:
    """An output that is a tenth too large."""
    outputs[:, -1] += 0.1
    return outputs, status


def flagged(outputs: Any, status: Any) -> tuple[Any, Any]:
    """Every row with a status."""
    return outputs, status | np.uint32(1 << 17)


LOCKSTEP = {
    "a wrong output": ({"spoil": in_all}, lambda it: it.outputs_should_be_bit_identical(), "of 40 vectors differ"),
    "an output off the model": (
        {"spoil": in_all}, lambda it: it.outputs_should_match_reference(), "the reference says",
    ),
    "a status in every row": (
        {"spoil": flagged}, lambda it: it.outputs_should_match_reference(), "All 40 vectors carry a status",
    ),
    "a long call": (
        {"ticks": lambda _: 9000}, lambda it: it.worst_cycle_time_should_be_below(parse_duration("25 us")),
        "took 360 us, the limit is 25 us",
    ),
    "calls of two lengths": (
        {"ticks": lambda row: 300 + 2 * (row == 5)}, lambda it: it.cycle_count_should_not_depend_on_inputs(),
        "2 apart, allowed is 1",
    ),
    "a counter that stands": ({"ticks": lambda _: 0}, lambda it: it.measure_cycle_time(), "took 0 ticks"),
    "a call shorter than two reads": (
        {"ticks": lambda row: 300 if row else 4},
        lambda it: it.worst_cycle_time_should_be_below(parse_duration("25 us")),
        "No measurement: a call took 4 ticks, and two reads of the counter with nothing between take 5 ticks",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOCKSTEP)
def test_what_is_wrong_in_lockstep_fails(board: Any, library: Keywords, name: str) -> None:
    """Right first, wrong then, with both values in the sentence."""
    claims, judge, words = LOCKSTEP[name]
    judge(library)
    with changed(board, **claims):
        library.run_test_vectors()
    with pytest.raises(AssertionError, match=words):
        judge(library)


def test_a_counter_that_is_too_slow_to_see_a_call_skips(
    board: Any, library: Keywords, wire: ModuleType, tmp_path: Path
) -> None:
    """Calls of 0 ticks, as two reads of the counter are apart, show nothing; where a call took one tick, it is told."""
    with changed(board, hello=board.hello | {"overhead_ticks": 0}):
        library.open_bench(str(wire.bench_file(board, tmp_path, more=TOLERANCE)))
        library.generate_random_vectors(40, seed=7)
        for ticks in (1, 0):
            with changed(board, ticks=lambda row, most=ticks: most * (row == 5)):
                library.run_test_vectors()
            if ticks:
                assert "0 ns to 40 ns each" in library.measure_cycle_time()
        for judge in (library.measure_cycle_time, library.cycle_count_should_not_depend_on_inputs):
            with pytest.raises(SkipExecution, match="Not judged: the counter is too slow to see a call"):
                judge()


FREE = {
    "a miss": ({"summary": {"missed": 1}}, lambda it: it.no_deadline_should_be_missed(), "1 finished late"),
    "wrong results": ({"summary": {"digest": 1}}, lambda it: it.no_deadline_should_be_missed(), "with wrong results"),
    "wrong count of flagged ones": (
        {"summary": {"flagged": 7}}, lambda it: it.no_deadline_should_be_missed(), "7 flagged.*this computer.*1 flagged"
    ),
    "wrong flags": ({"summary": {"status_or": 1 << 17}}, lambda it: it.no_deadline_should_be_missed(), "NEAR_SINGULAR"),
    "a counter that stands": (
        {"summary": {"duration_max": 0}, "histogram": {0: 30}}, lambda it: it.no_deadline_should_be_missed(),
        "No measurement: a call took 0 ticks, and two reads of the counter",
    ),
    "no start that was timed": (
        {"summary": {"duration_max": 0}, "histogram": {0: 30}},
        lambda it: it.start_jitter_should_be_below(parse_duration("2 us")), "No measurement: a call took 0",
    ),
    "starts that spread": (
        {"summary": {"late_max": 200}}, lambda it: it.start_jitter_should_be_below(parse_duration("2 us")),
        "start jitter is 7.2 us, the limit is 2 us",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FREE)
def test_what_is_wrong_in_a_free_run_fails(board: Any, library: Keywords, name: str) -> None:
    """Thirty activations that the board tells right first, and wrong then."""
    claims, judge, words = FREE[name]
    library.run_in_real_time(30)
    judge(library)
    with changed(board, **claims):
        library.run_in_real_time(30)
    with pytest.raises(AssertionError, match=words):
        judge(library)


def test_another_firmware_in_mid_session_is_seen(board: Any, library: Keywords) -> None:
    """The keyword asks the device when it is called; what Open Bench saw may be over."""
    library.firmware_should_match_model()
    with (
        changed(board, hello=board.hello | {"model_hash": bytes(32)}),
        pytest.raises(AssertionError, match="runs model 0000000000000000, the export is of model"),
    ):
        library.firmware_should_match_model()
    library.run_test_vectors()
    library.outputs_should_be_bit_identical()


def test_equal_times_of_a_core_without_hardware_reals_show_nothing(board: Any, library: Keywords) -> None:
    """Routines that took equally long on these inputs need not on others."""
    library.cycle_count_should_not_depend_on_inputs()
    with changed(board, hello=board.hello | {"hardware_reals": 0}):
        library.firmware_should_match_model()
    with pytest.raises(AssertionError, match="These 40 calls took equally long, others need not: not fixed-time"):
        library.cycle_count_should_not_depend_on_inputs()


def test_operations_are_held_by_class(library: Keywords) -> None:
    cost = library.run_test_vectors.__self__._state.bench().function.cost
    library.operation_count_should_be(sum(cost.values()), **cost)
    with pytest.raises(AssertionError, match="99 operations of class sqrt were expected, the export has"):
        library.operation_count_should_be(sum(cost.values()), sqrt=99)


def test_counts_that_show_nothing_are_refused(library: Keywords, tmp_path: Path) -> None:
    """No vectors, no activations, one vector, nothing run: each with its least sound twin."""
    with pytest.raises(BenchError, match="0 vectors were asked for; at least 1 is needed"):
        library.generate_random_vectors(0)
    library.generate_random_vectors(1)
    library.run_test_vectors()
    with pytest.raises(BenchError, match="1 call was timed; at least 2 vectors are needed"):
        library.cycle_count_should_not_depend_on_inputs()
    with pytest.raises(BenchError, match="0 activations were asked for; at least 1 is needed"):
        library.run_in_real_time(0)
    with pytest.raises(BenchError, match="call Run In Real Time first"):
        library.no_deadline_should_be_missed()
    assert library.run_in_real_time(1).startswith("1 activation, 0 missed")
    library.no_deadline_should_be_missed()
    assert Path(library.save_deadline_report(str(tmp_path / "report"))).is_file()


def test_nothing_run_is_no_report(board: Any, wire: ModuleType, tmp_path: Path) -> None:
    library = Keywords()
    library.open_bench(str(wire.bench_file(board, tmp_path)))
    with pytest.raises(BenchError, match=r"nothing was run .*; call Run Test Vectors or Run In Real Time first"):
        library.save_deadline_report(str(tmp_path / "report"))
    library.generate_random_vectors(5)
    library.run_test_vectors()
    with pytest.raises(BenchError, match=r"neither \[tolerance.theta\] nor \[tolerance.default\]"):
        library.outputs_should_match_reference()
    library.close_bench()
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize(("name", "known"), [("thata", False), ("theta", True), ("default", True)])
def test_a_tolerance_of_no_output_is_refused(
    board: Any, wire: ModuleType, tmp_path: Path, name: str, known: bool
) -> None:
    """A misspelt output would silently be judged by the default; the outputs that exist are named."""
    library = Keywords()
    file = str(wire.bench_file(board, tmp_path, more=f"[tolerance.{name}]\nabs = 1e-3\n"))
    words = r"\[tolerance.thata\]: there is no output 'thata'; known: default, .*\btheta\b"
    with nullcontext() if known else pytest.raises(BenchError, match=words):
        library.open_bench(file)
    library.close_bench()


def test_a_keyword_that_is_not_there_is_named() -> None:
    with pytest.raises(AttributeError, match="no keyword 'close_everything'"):
        Keywords().close_everything()
