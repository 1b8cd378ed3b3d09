"""Inputs and outputs by name and unit, tables, restarts: claims hold, and what is wrong is told in a sentence.

Oracles: the closed form of the slider-crank, the device's own answer to GETSTATE, and text that is read back by `csv`.
"""

import csv
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from robot.api import SkipExecution

from exporter.errors import KinefixError
from exporter.export import load_export
from hil.driving.bench_fixture import OpenBench
from hil.driving.measure import parse_measure
from hil.driving.span import MOST_STEPS, parse_span
from hil.duration import parse_duration
from hil.errors import BenchError
from hil.keywords import Keywords

pytestmark = pytest.mark.compiled

CRANK_M, ROD_M = 0.3, 0.4
FAULTS = 'schema = 1\nseed = 1\nsteps = 80\n[[fault]]\nrate = 0.2\nkinds = ["double"]\n'
SOFTWARE = """
schema = 1
[bench]
name = "driving"
target = "software"
export = "{export}"
work = "{work}"
function = "dostep"
[target.software]
kind = "sil"
[timing]
period = "1 ms"
"""
MM, N = parse_measure("1 mm"), parse_measure("200 N")


def piston_m(theta: float) -> float:
    """Where the piston is, from the crank's pivot."""
    return CRANK_M * math.cos(theta) + math.sqrt(ROD_M**2 - (CRANK_M * math.sin(theta)) ** 2)


@pytest.fixture(scope="module")
def bench(board_export: Path) -> Path:
    """A bench file of the software target."""
    path = board_export.parent / "driving.toml"
    path.write_text(SOFTWARE.format(export="export", work="work"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def opened(bench: Path) -> Iterator[Keywords]:
    """The keywords with the bench open, for the module."""
    library = Keywords()
    library.open_bench(str(bench))
    yield library
    library.close_bench()


@pytest.fixture
def ecu(opened: Keywords) -> Keywords:
    """The keywords as after Open Bench."""
    opened.reset_parameters()
    opened.reset_inputs()
    return opened


def state_of(library: Keywords) -> Any:
    """What the keywords share."""
    return library.step.__self__._state


def test_an_output_follows_an_input_in_the_units_that_are_written(ecu: Keywords) -> None:
    """At 30 degrees the piston is where the closed form says, in metres, millimetres and as a claim."""
    ecu.set_state("theta", parse_measure("30 deg"))
    ecu.step()
    assert ecu.read_output("theta", "deg") == pytest.approx(30, abs=0.01)  # one period later; the piston as it was
    right = piston_m(math.pi / 6)
    assert ecu.read_output("piston_position") == pytest.approx(right, abs=1e-6)
    assert ecu.read_output("piston_position", "mm") == pytest.approx(1000 * right, abs=1e-3)
    ecu.output_should_be("piston_position", parse_measure(f"{1000 * right:.9f} mm"), parse_measure("0.001 mm"))
    ecu.status_should_be("ok")
    words = (
        r"^piston_position is 63\d\.\d+ mm, wanted is 600 mm within 1 mm: .* apart; "
        r"inputs theta \[rad\] = 0.5235.*status ok of the last step"
    )
    with pytest.raises(AssertionError, match=words):
        ecu.output_should_be("piston_position", parse_measure("600 mm"), MM)


def test_the_devices_own_state_goes_on_from_step_to_step(ecu: Keywords) -> None:
    """Twenty steps are twenty single ones and 20 ms; the device says that its state is the last output."""
    states = []
    for run in (
        lambda: ecu.step(20),
        lambda: [ecu.step() for _ in range(20)],
        lambda: ecu.run_for(parse_duration("20 ms")),
    ):
        ecu.reset_inputs()
        ecu.set_input("F", N)
        run()
        shared = state_of(ecu)
        states.append(shared.bench().session.get_state())
        assert states[-1] == tuple(shared.ran().outputs[-1, :2].tolist())
        assert sum(len(each.rows) for each in shared.driving().runs) == 20
        ecu.outputs_should_be_bit_identical()
    assert states[0] == states[1] == states[2]
    assert states[0][0] != pytest.approx(math.pi / 4, abs=1e-3)


def test_what_ran_in_between_does_not_move_the_state(ecu: Keywords) -> None:
    """Vectors leave the device in another state; the next step goes on from the one before them."""
    state_of(ecu).rows = None
    with pytest.raises(BenchError, match="there are no vectors in this test, nor in the setup of its suite"):
        ecu.run_test_vectors()
    ecu.step()
    before = state_of(ecu).ran().outputs[-1, :2].tolist()
    ecu.generate_random_vectors(30)
    ecu.run_test_vectors()
    ecu.step()
    assert state_of(ecu).ran().rows[0, :2].tolist() == before


def test_limits_hold_until_the_first_step_that_leaves_them(ecu: Keywords) -> None:
    """The step and its inputs are told; a limit that is NaN cannot be written, an output that is NaN is outside."""
    low, high = parse_measure("500 mm"), parse_measure("700 mm")
    ecu.output_should_stay_within("piston_position", low, high, parse_span("20 ms"))
    ecu.set_state("theta", parse_measure("0 deg"))
    ecu.set_state("theta.rate", parse_measure("600 rpm"))
    words = r"piston_position is 49\d\.\d* mm in step \d+ of 50, outside of 500 mm to 900 mm; .*were theta \[rad\] = "
    with pytest.raises(AssertionError, match=words):
        ecu.output_should_stay_within("piston_position", low, parse_measure("900 mm"), parse_span("50 steps"))
    values = state_of(ecu).ran().outputs[:, 4]
    assert (values >= 0.5).any()
    assert (values < 0.5).any()
    with pytest.raises(BenchError, match="the limits of 'piston_position' are 700 mm to 500 mm; give the lower one"):
        ecu.output_should_stay_within("piston_position", high, low, parse_span("1"))


def test_nan_is_never_right(board_export: Path, wire: ModuleType, tmp_path: Path) -> None:
    """A device that answers NaN fails a claim of any tolerance and any limits."""
    wide = parse_measure("1e300 m")
    library = Keywords()
    with wire.board_of(load_export(board_export)) as board:
        library.open_bench(str(wire.bench_file(board, tmp_path)))
        for spoiled in (False, True):
            if spoiled:
                board.spoil = lambda outputs, status: (np.full_like(outputs, np.nan), status)
            library.step()
            for claim in (
                lambda: library.output_should_be("piston_position", MM, wide),
                lambda: library.output_should_stay_within(
                    "piston_position", parse_measure("-1e300 m"), wide, parse_span("2 steps")
                ),
            ):
                if spoiled:
                    with pytest.raises(AssertionError, match=r"is nan mm|is nan m in step 1 of 2"):
                        claim()
                else:
                    claim()
        library.close_bench()


def test_the_status_is_exactly_that(ecu: Keywords) -> None:
    """What is no number is rejected, and told with its meaning; afterwards the status is ok again."""
    for bad in ("NaN", "Infinity", "-Infinity"):
        ecu.set_invalid_input("F", bad)
        ecu.step()
        ecu.status_should_be("ARG_REJECTED")
        with pytest.raises(
            AssertionError, match=r"status is ARG_REJECTED, wanted is ok; .*F \[N\] = .*not finite or out"
        ):
            ecu.status_should_be("ok")
    ecu.set_input("F", N)
    ecu.step()
    ecu.status_should_be("ok")
    with pytest.raises(AssertionError, match="status is ok, wanted is ARG_REJECTED"):
        ecu.status_should_be("ARG_REJECTED")
    for beyond in ("2 kN", "1e300 N"):
        ecu.set_input("F", parse_measure(beyond))
        ecu.step()
        ecu.status_should_be("ARG_REJECTED")
    ecu.reset_inputs()
    ecu.set_state("theta", parse_measure("1e300 rad"))
    ecu.step()
    ecu.status_should_be("ARG_REJECTED")


WRONG = {
    "no such input": (lambda it: it.set_input("f", N), "has no input 'f'; did you mean 'F'"),
    "state for input": (lambda it: it.set_input("theta", N), "'theta' is no input of .*use Set State"),
    "input for state": (lambda it: it.set_state("F", N), "'F' is no state of .*use Set Input"),
    "another dimension": (lambda it: it.set_input("F", MM), "input 'F': '1 mm' is a length .*wanted is a force"),
    "no unit": (lambda it: it.set_input("F", parse_measure("3")), "a number without a unit.*for example '3 N'"),
    "no such unit": (lambda it: it.read_output("piston_position", "mmm"), 'unit "mmm" is not known'),
    "unit of another kind": (lambda it: it.read_output("piston_position", "deg"), "'deg' is an angle .*such as m"),
    "no such output": (lambda it: it.read_output("piston"), "has no output 'piston'; .*it has theta, theta.rate"),
    "a negative tolerance": (
        lambda it: it.output_should_be("piston_position", MM, parse_measure("-1 mm")), "finite and not negative",
    ),
    "no condition": (lambda it: it.status_should_be(), "or 'ok' alone for none"),
    "ok and another": (lambda it: it.status_should_be("ok", "ARG_REJECTED"), "or 'ok' alone for none"),
    "an unknown condition": (lambda it: it.status_should_be("ARG_REJECT"), "did you mean 'ARG_REJECTED'"),
    "a number for what is none": (lambda it: it.set_invalid_input("F", "3"), "none of NaN, Infinity"),
    "part of a period": (lambda it: it.run_for(parse_duration("1.5 ms")), "1.5 periods of 1 ms.*write 1 or 2"),
    "no steps": (lambda it: it.step(0), "0 steps were asked for"),
    "too many steps": (lambda it: it.step(MOST_STEPS + 1), "give 1 to 1,000,000"),
    "no faults file": (lambda it: it.step_under_faults(), "opened without a faults file"),
    "nothing under faults": (lambda it: it.no_wrong_result_should_be_accepted(), "call Step Under Faults first"),
    "no such check": (lambda it: it.reference_checks_should_pass("residual"), "no check 'residual'.*closure residual"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_is_one_sentence(ecu: Keywords, name: str) -> None:
    """Name, value, what is wanted; the bench works as before."""
    call, words = WRONG[name]
    ecu.step()
    with pytest.raises(KinefixError, match=words):
        call(ecu)
    ecu.step()
    ecu.status_should_be("ok")


@pytest.mark.parametrize("text", ["0 steps", "0", "0 ms", "5 stops", "-1", "1e3 steps"])
def test_a_span_of_nothing_or_no_span_is_refused(text: str) -> None:
    with pytest.raises(KinefixError, match=r"is zero|no duration|0 steps were asked for"):
        parse_span(text)
    assert parse_span("200 steps").steps == parse_span(" 200 ").steps == 200


@pytest.mark.parametrize("space", [" ", "   ", "\t", "\u00a0", "\u202f", " \t"])
def test_any_white_space_stands_before_a_unit(ecu: Keywords, space: str) -> None:
    """As from a table or a text processor."""
    measure = parse_measure(f"30{space}deg")
    assert (measure.unit_text, measure.shown(math.pi / 6)) == ("deg", "30 deg")
    ecu.set_state("theta", measure)
    ecu.step()
    assert state_of(ecu).ran().rows[0, 0] == pytest.approx(math.pi / 6)
    with pytest.raises(BenchError, match="wanted is an angle"):
        ecu.set_state("theta", parse_measure(f"30{space}mm"))


def test_a_zero_is_fed_with_its_sign(ecu: Keywords, tmp_path: Path) -> None:
    """By name and from a table, in any unit; results lead back to the same bits."""
    ecu.set_state("theta.rate", parse_measure("-0 rpm"))
    ecu.set_input("F", parse_measure("-0.0 kN"))
    ecu.step()
    assert np.signbit(state_of(ecu).ran().rows[0, 1:]).tolist() == [True, True]
    ecu.save_results_to_csv(str(tmp_path / "results.csv"))
    text = (tmp_path / "results.csv").read_text(encoding="utf-8").replace("input ", "")
    head, told = [cells[1:4] for cells in csv.reader(text.splitlines())]
    (tmp_path / "again.csv").write_text("\n".join(map(",".join, (head, told))), encoding="utf-8")
    fed = state_of(ecu).ran().rows.astype(np.float32)
    ecu.load_test_vectors(str(tmp_path / "again.csv"))
    assert state_of(ecu).rows.astype(np.float32).tobytes() == fed.tobytes()


@pytest.mark.parametrize(
    "text", ["nan", "inf mm", "30deg", "", "1e999 m", "3 mmm", "30 deg 5", "30\tdeg\t5", "30\u200bdeg"]
)
def test_a_measure_is_a_finite_number_with_a_known_unit(text: str) -> None:
    with pytest.raises(KinefixError):
        parse_measure(text)


def test_an_input_without_a_nominal_value_is_asked_for(ecu: Keywords) -> None:
    driver = state_of(ecu).driving()
    function = driver.runtime.function
    fields = [replace(each, nominal=None) if each.name == "F" else each for each in function.row_inputs]
    driver.runtime.function = replace(function, row_inputs=tuple(fields))
    try:
        ecu.reset_inputs()
        with pytest.raises(BenchError, match="'F' has no nominal value and was not set"):
            ecu.step()
        ecu.set_input("F", N)
        ecu.step()
    finally:
        driver.runtime.function = function


def test_out_of_order_it_says_what_to_call_first() -> None:
    library = Keywords()
    library.close_bench()
    for call in (library.step, library.reset_inputs, library.reset_ecu, lambda: library.read_output("x")):
        with pytest.raises(BenchError, match="call Open Bench first"):
            call()


def test_a_reset_starts_the_device_anew(ecu: Keywords) -> None:
    """State, inputs and parameters are those of the beginning, and results are forgotten."""
    ecu.set_parameter("l1", "200 mm")
    ecu.set_input("F", N)
    ecu.step(30)
    ecu.reset_ecu()
    assert state_of(ecu).bench().parameters == {}
    with pytest.raises(BenchError, match=r"nothing was stepped .*; call Step"):
        ecu.read_output("theta")
    ecu.step()
    assert state_of(ecu).ran().rows[0].tolist() == pytest.approx([math.pi / 4, 0.0, 0.0])


def test_a_board_is_reset_by_its_command(board_export: Path, wire: ModuleType, tmp_path: Path) -> None:
    """The bench file says how; where it does not, nothing is claimed to be reset, and the bench stays open."""
    library = Keywords()
    with wire.board_of(load_export(board_export)) as board:
        library.open_bench(str(wire.bench_file(board, tmp_path)))
        with pytest.raises(BenchError, match=r"\[target.board\] has no 'reset'"):
            library.reset_ecu()
        library.step()
        marks = (
            f'flash = ["sh", "-c", "echo x >> {tmp_path}/flashed"]\nreset = ["sh", "-c", "echo x >> {tmp_path}/reset"]'
        )
        library.open_bench(str(wire.bench_file(board, tmp_path, marks)))
        library.reset_ecu()
        library.step()
        library.close_bench()
    assert (tmp_path / "flashed").read_text(encoding="utf-8") == "x\n"
    assert (tmp_path / "reset").read_text(encoding="utf-8") == "x\nx\n"


def test_a_table_is_read_by_name_and_unit(ecu: Keywords, tmp_path: Path) -> None:
    """In any order, with the state each row is a vector; without it the rows are steps one after another."""
    path = tmp_path / "vectors.csv"
    path.write_text("\ufefftheta.rate [rpm],F [kN], theta [deg]\r\n60,0.1,30\r\n0,-0.2,90\r\n", encoding="utf-8")
    assert ecu.load_vectors_from_csv(str(path)) == 2
    ecu.run_test_vectors()
    ecu.outputs_should_be_bit_identical()
    right = [[math.pi / 6, 2 * math.pi, 100.0], [math.pi / 2, 0.0, -200.0]]
    assert np.allclose(state_of(ecu).ran().rows, right, rtol=1e-7)
    ecu.load_test_vectors(str(path))
    assert np.allclose(state_of(ecu).rows, right, rtol=1e-15)
    path.write_text("F [N]\n100\n\n200\n", encoding="utf-8")
    ecu.reset_inputs()
    assert ecu.load_vectors_from_csv(str(path)) == 2
    ecu.run_test_vectors()
    run = state_of(ecu).ran()
    assert run.rows[:, 2].tolist() == [100.0, 200.0]
    assert run.rows[1, :2].tolist() == run.outputs[0, :2].tolist()
    page = Path(ecu.save_deadline_report(str(tmp_path / "report"))).read_text(encoding="utf-8")
    assert "file vectors.csv, SHA-256" in page
    assert "--vectors" not in page


TABLES = {
    "no header": ("", "has no header"),
    "no rows": ("F [N]\n", "has a header and no rows"),
    "not UTF-8": (b"F [N]\n\xff\n", "no CSV file in UTF-8"),
    "semicolons": ("theta [rad];F [N]\n1;2\n", "line 1: columns are separated by commas"),
    "unknown": ("F [N],G [N]\n1,2\n", r"line 1, column 2 'G \[N\]': slider_crank_dostep has no such input"),
    "misspelt": ("thata [rad]\n1\n", r"did you mean 'theta \[rad\]'"),
    "missing": ("theta [rad],F [N]\n1,2\n", r"line 1: there is no column for theta.rate; .*theta.rate \[rad/s\]"),
    "twice": ("F [N],F [kN]\n1,2\n", r"column 2 'F \[kN\]': 'F' has a column already"),
    "wrong unit": ("F [deg]\n1\n", r"column 1 'F \[deg\]': input 'F': 'deg' is an angle"),
    "no unit": ("F\n1\n", "column 1 'F': input 'F': '1' is a number without a unit"),
    "no known unit": ("F [Nn]\n1\n", 'unit "Nn" is not known'),
    "NaN": ("F [N]\n1\nnan\n", r"line 3, column 'F \[N\]': \"nan\" is not a finite decimal number"),
    "an empty cell": ("theta [rad],theta.rate [rad/s],F [N]\n1,,2\n", "line 2, column 'theta.rate"),
    "a cell too many": ("F [N]\n1,2\n", "line 2: 2 cells, and the header has 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_wrong_table_is_told_with_its_place(ecu: Keywords, tmp_path: Path, name: str) -> None:
    """File, line and column; the right twin is in the test above."""
    content, words = TABLES[name]
    path = tmp_path / "vectors.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BenchError, match=rf"(?s)vectors\.csv.*{words}"):
        ecu.load_vectors_from_csv(str(path))


def test_results_lead_back_to_the_same_bits(ecu: Keywords, tmp_path: Path) -> None:
    """Every step since the inputs were reset; an output in another unit where that is asked for."""
    path = tmp_path / "results.csv"
    with pytest.raises(BenchError, match="nothing was stepped since the inputs were reset"):
        ecu.save_results_to_csv(str(path))
    ecu.step(3)
    ecu.set_invalid_input("F", "NaN")
    ecu.step()
    assert ecu.save_results_to_csv(str(path), piston_position="mm") == 4
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    runs = state_of(ecu).driving().runs
    outputs = np.vstack([run.outputs for run in runs])
    assert [np.float32(line["output theta [rad]"]) for line in lines] == outputs[:, 0].tolist()
    assert [float(line["output piston_position [mm]"]) for line in lines] == pytest.approx(1000 * outputs[:, 4])
    assert [line["status"] for line in lines] == ["ok", "ok", "ok", "ARG_REJECTED"]
    assert lines[3]["input F [N]"] == "nan"
    assert [line["step"] for line in lines] == ["1", "2", "3", "4"]
    with pytest.raises(BenchError, match="has no output 'piston'"):
        ecu.save_results_to_csv(str(path), piston="mm")
    with pytest.raises(BenchError, match="cannot be written"):
        ecu.save_results_to_csv(str(path / "below.csv"))


def test_a_bench_in_python_does_what_the_keywords_do(bench: Path, tmp_path: Path) -> None:
    """Text in, claims out; what is new for each test, and what a reset leaves."""
    with OpenBench(bench) as device:
        with pytest.raises(BenchError, match="nothing was stepped; call step, run_for"):
            device.read_output("theta")
        device.set_parameter("l1", "200 mm")
        device.set_state("theta", "90 deg")
        device.set_input("F", "20 N")
        assert len(device.run_for("3 ms").rows) == 3
        device.status_should_be("ok")
        device.output_should_stay_within("piston_position", "300 mm", "400 mm", "5 steps")
        device.output_should_be("theta", "90 deg", "5 deg")
        assert device.save_results(tmp_path / "results.csv", theta="deg") == 8
        device.restore()
        device.set_raw_input("F", math.nan)
        device.step()
        device.status_should_be("ARG_REJECTED")
        assert device.read_output("piston_position", "m") == pytest.approx(piston_m(math.pi / 4), abs=1e-6)
        (tmp_path / "ramp.csv").write_text("F [N]\n1\n2\n", encoding="utf-8")
        assert device.run_vectors(tmp_path / "ramp.csv").rows[:, 2].tolist() == [1.0, 2.0]
        assert not device.run_random(20).wrong.any()
        device.reset_ecu()
        with pytest.raises(BenchError, match="nothing was stepped"):
            device.status_should_be("ok")


def test_there_is_no_table(ecu: Keywords, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"none\.csv.*theta \[deg\],F \[N\]"):
        ecu.load_vectors_from_csv(str(tmp_path / "none.csv"))


def in_all(outputs: Any, status: Any) -> tuple[Any, Any]:
    """An output that is a tenth too large."""
    outputs[:, 4] += 0.1
    return outputs, status


def test_faults_and_the_reference_find_a_wrong_device(board_export: Path, wire: ModuleType, tmp_path: Path) -> None:
    """The sound device passes both; one whose piston is a tenth too far fails both."""
    (tmp_path / "faults.toml").write_text(FAULTS, encoding="utf-8")
    library = Keywords()
    with wire.board_of(load_export(board_export)) as board:
        library.open_bench(str(wire.bench_file(board, tmp_path)), faults=str(tmp_path / "faults.toml"))
        library.generate_random_vectors(60)
        library.run_test_vectors()
        library.reference_checks_should_pass("closure residual")
        library.reference_checks_should_pass()
        said = library.step_under_faults(seed=3)
        assert "double" in said
        assert library.step_under_faults(seed=3) == said
        library.no_wrong_result_should_be_accepted()
        board.spoil = in_all
        library.run_test_vectors()
        with pytest.raises(AssertionError, match="coordinates"):
            library.reference_checks_should_pass()
        library.step_under_faults(seed=3)
        with pytest.raises(AssertionError, match="wrong results accepted under faults"):
            library.no_wrong_result_should_be_accepted()
        library.close_bench()


def test_a_conversation_that_ended_under_faults_fails_and_the_bench_goes_on(bench: Path, tmp_path: Path) -> None:
    """Every frame is lost, so no step is done; afterwards no fault happens any more."""
    (tmp_path / "faults.toml").write_text(FAULTS.replace("0.2", "1.0").replace("double", "drop"), encoding="utf-8")
    library = Keywords()
    library.open_bench(str(bench), faults=str(tmp_path / "faults.toml"))
    library.set_parameter("l1", "200 mm")
    library.step_under_faults()
    with pytest.raises(AssertionError, match=r"steps not done under faults 80 steps.*the conversation ended at step 0"):
        library.no_wrong_result_should_be_accepted()
    library.step(5)
    library.outputs_should_be_bit_identical()
    library.close_bench()


def test_what_has_no_model_is_not_judged(load_data_module: Any, require_tool: Any, tmp_path: Path) -> None:
    """A hand-written program has no reference: the test is skipped with that reason, and does not pass."""
    from exporter.export import write_export

    require_tool("gcc")
    write_export(load_data_module("sample_program").slider_crank_program("float32"), tmp_path / "export", {})
    (tmp_path / "bench.toml").write_text(SOFTWARE.format(export="export", work="work"), encoding="utf-8")
    library = Keywords()
    library.open_bench(str(tmp_path / "bench.toml"), target="software")
    library.step()
    with pytest.raises(SkipExecution, match="holds no model"):
        library.reference_checks_should_pass()
    library.close_bench()
    with pytest.raises(BenchError, match=r"there is no \[target.m4f\]; choose one of software"):
        library.open_bench(str(tmp_path / "bench.toml"), target="m4f")
