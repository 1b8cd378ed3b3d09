"""Inputs are set, steps run, and claims on outputs, limits and the status hold; a reset starts anew.

Oracles: the closed form of the slider-crank, and the device's own answer to GETSTATE.
"""

import math
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from driven_bench import MM, N, piston_m, state_of

from exporter.export import load_export
from hil.driving.bench_fixture import OpenBench
from hil.driving.measure import parse_measure
from hil.driving.span import parse_span
from hil.duration import parse_duration
from hil.errors import BenchError
from hil.keywords import Keywords

pytestmark = pytest.mark.compiled


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
