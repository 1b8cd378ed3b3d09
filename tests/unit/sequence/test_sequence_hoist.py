"""What tunable parameters decide is computed once, in recalibrate; results and status keep their bits."""

from fractions import Fraction

import numpy as np
import pytest

from exporter.sequence.builder import Builder
from exporter.sequence.cost import cost
from exporter.sequence.guards import checked_input, clamped_radicand, positive_pivot
from exporter.sequence.hoist import hoist_parameters
from exporter.sequence.interpreter import interpret
from exporter.sequence.intervals import analyse
from exporter.sequence.operations import Group, Kind, OperationSequence, Signal


def parameter(name: str, low: int, high: int) -> Signal:
    return Signal(
        name, "m", f"length {name}", Fraction(low), Fraction(high), Fraction(low + high, 2), group=Group.PARAMETER
    )


CRANK, ROD, SPARE = parameter("crank", 1, 3), parameter("rod", 2, 8), parameter("spare", 1, 2)
PARAMETERS = (CRANK, ROD, SPARE)
ANGLE = Signal("theta", "rad", "", Fraction(-10), Fraction(10), Fraction(1))


def function(name: str) -> OperationSequence:
    """A slider's position, something divided by a pivot, and a number of the parameters alone."""
    builder = Builder(name, "float32")
    crank, rod = checked_input(builder, CRANK), checked_input(builder, ROD)
    theta = checked_input(builder, ANGLE)
    with builder.step("L1.1", "sine of the rod's angle"):
        sine, cosine = builder.sincos(theta)
        rod_sine = crank / rod * sine
    with builder.step("L1.2", "cosine of the rod's angle"):
        rod_cosine = builder.sqrt(clamped_radicand(builder, 1 - builder.square(rod_sine)))
        pivot = positive_pivot(builder, rod_cosine, Fraction(1, 1000))
    builder.output(Signal("slide", "m", group=Group.OUTPUT), crank * cosine + rod * rod_cosine)
    builder.output(Signal("slope", "1", group=Group.OUTPUT), cosine / pivot)
    builder.output(Signal("alone", "m", group=Group.OUTPUT), crank * crank + rod)
    return builder.finish()


@pytest.fixture(scope="module")
def hoisted() -> tuple[OperationSequence, tuple[OperationSequence, ...]]:
    recalibrate, functions = hoist_parameters((function("position"), function("velocity")), PARAMETERS)
    assert recalibrate is not None
    return recalibrate, functions


Hoisted = tuple[OperationSequence, tuple[OperationSequence, ...]]


def test_without_parameters_nothing_changes() -> None:
    """Functions pass through and there is no recalibrate."""
    functions = (function("position"),)
    assert hoist_parameters(functions, ()) == (None, functions)


def test_results_and_status_keep_their_bits(hoisted: Hoisted) -> None:
    """Recalibrate then position equals the original position, for good and rejected parameters and angles."""
    recalibrate, functions = hoisted
    rows = np.random.default_rng(5).uniform([0.5, 1, -12], [3.5, 9, 12], (5000, 3))
    rows[:3] = [[np.nan, 4, 1], [2, np.inf, 1], [2, 4, np.nan]]
    whole = interpret(function("position"), rows)
    derived = interpret(recalibrate, np.column_stack([rows[:, :2], np.full(len(rows), 1.5)]))
    names = [output.signal.name for output in recalibrate.outputs]
    columns = [rows[:, 2], *(derived.outputs[:, names.index(known.name)] for known in functions[0].inputs[1:])]
    parts = interpret(functions[0], np.column_stack(columns))
    assert np.array_equal(whole.outputs, parts.outputs)
    assert np.array_equal(whole.status, parts.status | derived.status)


def test_the_function_divides_by_no_parameter_any_more(hoisted: Hoisted) -> None:
    """crank/rod is divided in recalibrate; the function's one division is by its pivot."""
    recalibrate, functions = hoisted
    assert cost(recalibrate).div == 1
    assert all(cost(each).div == 1 for each in functions)


def test_no_function_reads_a_parameter(hoisted: Hoisted) -> None:
    """Derived inputs stand in their place, after the function's own inputs; recalibrate makes each of them."""
    recalibrate, functions = hoisted
    made = {output.signal.name for output in recalibrate.outputs}
    for each in functions:
        assert each.inputs[0] == ANGLE
        assert {known.group for known in each.inputs[1:]} == {Group.DERIVED}
        assert {known.name for known in each.inputs[1:]} <= made


def test_derived_constants_have_speaking_names(hoisted: Hoisted) -> None:
    """A parameter that crosses as it is keeps its name and unit; a quotient says so."""
    signals = {output.signal.name: output.signal for output in hoisted[0].outputs}
    assert signals["crank"].unit == "m"
    assert "d0_crank_per_rod" in signals
    assert sum(name.startswith("d") for name in signals) == 2


def test_derived_ranges_follow_from_the_parameters(hoisted: Hoisted) -> None:
    """crank/rod in [1/8, 3/2], 2/5 at the nominal lengths."""
    ratio = next(output.signal for output in hoisted[0].outputs if output.signal.name == "d0_crank_per_rod")
    assert (ratio.minimum, ratio.maximum) == (Fraction(1, 8), Fraction(3, 2))
    assert float(ratio.nominal or 0) == pytest.approx(0.4)


def test_a_parameter_that_nothing_reads_is_checked(hoisted: Hoisted) -> None:
    """`spare` out of range is rejected by recalibrate like any other."""
    recalibrate = hoisted[0]
    assert [known.name for known in recalibrate.inputs] == ["crank", "rod", "spare"]
    status = interpret(recalibrate, np.array([[2.0, 5, 1.5], [2, 5, 7], [9, 5, 1.5]])).status
    assert list(status) == [0, 1 << 22, 1 << 22]


def test_rejected_parameters_are_reported_once(hoisted: Hoisted) -> None:
    """The function's own ARG_REJECTED is about its angle alone."""
    _, functions = hoisted
    rejected = next(c for c in functions[0].conditions if c.name == "ARG_REJECTED")
    flag = functions[0].operations[rejected.operation]
    assert flag.kind is Kind.FLAG_NOT


def test_steps_stay_with_their_operations(hoisted: Hoisted) -> None:
    """In the function and in recalibrate, which has what parameters alone decide of them."""
    recalibrate, functions = hoisted
    assert [step.equation for step in functions[0].steps] == ["L1.1", "L1.2"]
    assert [step.equation for step in recalibrate.steps] == ["L1.1"]


def test_hoisted_functions_can_be_analysed(hoisted: Hoisted) -> None:
    """Ranges of derived constants are enough to prove every function total."""
    recalibrate, functions = hoisted
    for each in (recalibrate, *functions):
        analyse(each)
