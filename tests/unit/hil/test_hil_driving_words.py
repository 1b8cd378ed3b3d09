"""Names, units and spans of keywords: what is wrong is told in a sentence, and the bench works on."""

import math

import pytest
from driven_bench import MM, N, state_of

from exporter.errors import KinefixError
from hil.driving.measure import parse_measure
from hil.driving.span import MOST_STEPS, parse_span
from hil.duration import parse_duration
from hil.errors import BenchError
from hil.keywords import Keywords

pytestmark = pytest.mark.compiled

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


@pytest.mark.parametrize(
    "text", ["nan", "inf mm", "30deg", "", "1e999 m", "3 mmm", "30 deg 5", "30\tdeg\t5", "30\u200bdeg"]
)
def test_a_measure_is_a_finite_number_with_a_known_unit(text: str) -> None:
    with pytest.raises(KinefixError):
        parse_measure(text)


def test_out_of_order_it_says_what_to_call_first() -> None:
    library = Keywords()
    library.close_bench()
    for call in (library.step, library.reset_inputs, library.reset_ecu, lambda: library.read_output("x")):
        with pytest.raises(BenchError, match="call Open Bench first"):
            call()
