"""Symbolic models with states: steps against the difference equations by hand, limits, sample times, resets."""

import math
from collections.abc import Callable, Sequence
from types import ModuleType

import numpy as np
import pytest
import sympy as sp

from exporter.c99.files import program_files
from exporter.c99.rows import interpret_rows
from exporter.errors import ModelError
from exporter.sequence.operations import Precision
from exporter.sequence.program import Program
from exporter.sequence.status import BITS
from exporter.symbolic import SymbolicModel, define, given, output, solve, state
from exporter.symbolic.canonical import canonical, from_canonical, model_hash
from exporter.symbolic.program import program_of_symbolic

LIMITED, REJECTED = 1 << BITS["LIMITED"][0], 1 << BITS["ARG_REJECTED"][0]
x, e = sp.symbols("x e")


@pytest.fixture(scope="module")
def models(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    return load_data_module("controllers")


def stepped(program: Program, inputs: Sequence[Sequence[float]]) -> tuple[np.ndarray, list[int]]:
    """Rows of (state, outputs) after each step from the start, and their status."""
    made = interpret_rows(program, "startup", np.empty((1, 0))).outputs[0]
    width, rows, status = len(made), [], []
    for given_now in inputs:
        ran = interpret_rows(program, "dostep", np.array([[*made, *given_now]]))
        made = ran.outputs[0, :width]
        rows.append(ran.outputs[0].astype(np.float64))
        status.append(int(ran.status[0]))
    return np.array(rows), status


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_pi_controller_freezes_its_integral_at_the_limit(models: ModuleType, precision: Precision) -> None:
    """u = clip(2 e + i), i grows by 0.02 e while |2 e + i| <= 5: by hand in doubles; a reset puts i back to 0.2."""
    inputs = [(1.0, 0.0)] * 30 + [(8.0, 0.0)] * 5 + [(-2.0, 0.0)] * 10 + [(1.0, 1.0)] + [(1.0, 0.0)] * 3
    made, status = stepped(program_of_symbolic(models.pi_controller(), precision), inputs)
    integral, expected = 0.2, []
    for error, reset in inputs:
        raw = 2 * error + integral
        integral = 0.2 if reset > 0.5 else integral + (0.02 * error if abs(raw) <= 5 else 0)
        expected.append((integral, max(-5.0, min(5.0, raw))))
    assert made == pytest.approx(np.array(expected), abs=1e-12 if precision == "float64" else 2e-6)
    assert not any(status)


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("rk4", 4)])
def test_a_rate_is_integrated_by_the_method(models: ModuleType, method: str, order: int) -> None:
    """x' = 3 (e - x) has x = e + (x0 - e) exp(-3 t); one step multiplies x - e by the exponential's Taylor sum."""
    made, _ = stepped(program_of_symbolic(models.lag(method), "float64"), [(1.0,)] * 5)
    factor = sum((-0.3) ** n / math.factorial(n) for n in range(order + 1))
    assert made[:, 0] == pytest.approx([1 - 0.5 * factor ** (n + 1) for n in range(5)], rel=1e-14)
    assert made[:, 1] == pytest.approx([2 * (1 - 0.5 * factor**n) for n in range(5)], rel=1e-14)
    assert abs(made[4, 0] - (1 - 0.5 * math.exp(-1.5))) < (1e-4 if order == 4 else 0.1)


def test_outputs_belong_to_the_state_before_the_step(models: ModuleType) -> None:
    made, _ = stepped(program_of_symbolic(models.lag(), "float64"), [(1.0,)])
    assert made[0, 1] == 1.0


def test_a_state_of_a_slower_sample_time_changes_at_every_third_step(models: ModuleType) -> None:
    """Additions of 1, 2, 3, ... count at steps 0, 3 and 6; the clock runs 1, 2, 0."""
    made, status = stepped(program_of_symbolic(models.counter(), "float32"), [(n + 1.0, 0.0) for n in range(4)])
    assert made[:, 0].tolist() == [1, 1, 1, 5]
    assert made[:, 1].tolist() == [1, 2, 0, 1]
    assert not any(status)


def test_a_state_that_would_leave_its_range_stays_at_the_limit_and_says_so(models: ModuleType) -> None:
    made, status = stepped(program_of_symbolic(models.counter(1), "float64"), [(5.0, 0)] * 3 + [(-5.0, 0)] * 3)
    assert made[:, 0].tolist() == [5, 9, 9, 4, 0, 0]
    assert [bool(word & LIMITED) for word in status] == [False, True, True, False, True, True]


def test_a_stage_beyond_the_range_is_limited_too() -> None:
    """x' = 100 from 0.9 within [-1, 1]: every stage of RK4 is at the limit, and the state ends there."""
    model = SymbolicModel(
        "fast", (given("e", 0, 1),), (output("y", x),), states=(state("x", -1, 1, rate=100 * e),), period="100 ms"
    )
    ran = interpret_rows(program_of_symbolic(model, "float64"), "dostep", np.array([[0.9, 1.0], [0.9, 0.0]]))
    assert ran.outputs[:, 0].tolist() == [1.0, 0.9]
    assert ran.status.tolist() == [LIMITED, 0]


def test_a_reset_acts_at_every_step_even_on_a_slow_state(models: ModuleType) -> None:
    inputs = [(3.0, 0), (3.0, 1.0), (3.0, 0), (3.0, 0)]
    made, _ = stepped(program_of_symbolic(models.counter(to=sp.Integer(7)), "float64"), inputs)
    assert made[:, 0].tolist() == [3, 7, 7, 9]


def test_a_whole_state_is_rounded_and_a_broken_one_rejected(models: ModuleType) -> None:
    """0 + 1.6 rounds to 2; a state of 1.5 or NaN, or a clock of 0.5, is replaced by its start value."""
    program = program_of_symbolic(models.counter(), "float32")
    rows = np.array([[0, 0, 1.6, 0], [1.5, 0, 1, 0], [np.nan, 0, 1, 0], [2, 0.5, 1, 0], [10, 0, 1, 0]])
    ran = interpret_rows(program, "dostep", rows)
    assert ran.outputs[:, 0].tolist() == [2, 1, 1, 3, 1]
    assert ran.status.tolist() == [0, REJECTED, REJECTED, REJECTED, REJECTED]


def test_a_state_machine_goes_through_its_states(models: ModuleType) -> None:
    made, _ = stepped(program_of_symbolic(models.machine(), "float32"), [(e,) for e in (0.0, 3, 0, 0, -3, 0)])
    assert made[:, 0].tolist() == [0, 1, 2, 2, 0, 0]
    assert made[:, 1].tolist() == [0, 0, 0, 1, 1, 0]


def test_definitions_and_solve_steps_read_states_in_every_stage() -> None:
    """x'' = -4 x as v' = a with the step [1] a = [-4 x]: a quarter of the period pi brings (1, 0) to (0, -2)."""
    v, a = sp.symbols("v a")
    model = SymbolicModel(
        "oscillator",
        (),
        (output("twice", sp.Symbol("double")),),
        steps=(define("double", 2 * x), solve([a], [[1]], [-2 * sp.Symbol("double")])),
        states=(state("x", -2, 2, rate=v, start=1), state("v", -4, 4, rate=a)),
        period=sp.pi / 4 / 100,
    )
    made, status = stepped(program_of_symbolic(model, "float64"), [()] * 100)
    assert made[-1, :2] == pytest.approx([0, -2], abs=1e-8)
    assert not any(status)


def test_the_model_comes_back_from_its_data(models: ModuleType) -> None:
    for model in (models.pi_controller(), models.lag("euler"), models.counter(), models.machine()):
        assert model_hash(from_canonical(canonical(model))) == model_hash(model)


def test_a_model_without_states_has_the_data_that_it_always_had() -> None:
    model = SymbolicModel("plain", (given("x", 0, 1),), (output("y", x),))
    assert not {"states", "period", "method", "whole"} & set(canonical(model))


def test_the_header_tells_of_start_values_and_of_no_pose(models: ModuleType) -> None:
    """A controller has no pose; a rejected argument is replaced by its nominal value."""
    header = program_files(program_of_symbolic(models.counter(), "float32"))["counter.h"]
    assert "/* Set the state to its start values. */" in header
    assert "an argument is not finite or out of range; its nominal value was used" in header
    assert "pose" not in header


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: state("x", -1, 1), "says nothing of its change"),
        (lambda: state("x", -1, 1, next=x, rate=x), "has a next value and a rate"),
        (lambda: state("x", next=x), "has no range"),
        (lambda: state("x", 1, -1, next=x), "empty range"),
        (lambda: state("x", 1, 2, next=x), "start value of state 'x' is 0, outside of its range"),
        (lambda: state("x", 0, 1, next=x, start=3), "start value of state 'x' is 3, outside of its range"),
        (lambda: state("x", 0, 1, next=x, every=0), "at every 0 steps; give a whole number"),
        (lambda: state("x", 0, 1, next=x, every=1.5), "at every 1.5 steps; give a whole number"),
        (lambda: state("x", 0, 1, rate=x, every=2), "a rate is integrated at each step"),
        (lambda: state("x", 0, 1.5, next=x, integer=True), "give whole numbers"),
        (lambda: state("x", 0, 1, rate=x, integer=True), "declared integer and has a rate"),
        (lambda: state("x", 0, 1, next=x, to=0), "where a reset puts it and not when"),
        (lambda: state("x", 0, 1, next="x"), "the next value of state 'x' is 'x', which is no SymPy expression"),
        (lambda: state("x", "0 m", "1 s", next=x), "state 'x': '1 s' is"),
    ],
)
def test_a_state_that_cannot_be_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def exported(*states: object, outputs: object = None, **more: object) -> None:
    program_of_symbolic(
        SymbolicModel(
            "bad",
            (given("e", -1, 1),),
            outputs or (output("y", e),),  # type: ignore[arg-type]
            states=states,  # type: ignore[arg-type]
            **more,  # type: ignore[arg-type]
        ),
        "float32",
    )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: exported(state("x", 0, 1, rate=x)), "no period to integrate it over"),
        (lambda: exported(state("x", 0, 1, rate=x), period="0 s"), "has the period 0 s"),
        (lambda: exported(state("x", 0, 1, rate=x), period="1 mm"), "the period of 'bad'"),
        (lambda: exported(state("x", 0, 1, rate=x), period="1 ms", method="heun"), "choose one of euler, rk4"),
        (lambda: exported(state("e", 0, 1, next=e)), "name 'e' is given twice"),
        (lambda: exported(state("y", 0, 1, next=e)), "output 'y' has the name of a state"),
        (lambda: exported(state("x", 0, 1, next=sp.Symbol("z"))), "next value of state 'x' uses 'z'"),
        (lambda: exported(state("x", 0, 1, next=e, start=e)), "reads 'e', which is no parameter"),
        (lambda: exported(state("x", 0, 1, next=1 / e)), "next value of state 'x' divides by a value"),
        (lambda: exported(state("x", 0, 2**25, next=e, integer=True)), "integer state 'x' has the bound 33554432"),
        (lambda: exported(state("x", 0, 1, next=e, every=2**25)), "integer state 'clock.33554432'"),
        (lambda: exported(state("x", 0, 1, next=e, reset=e > sp.Symbol("w"))), "the reset of state 'x' uses 'w'"),
    ],
)
def test_a_model_whose_states_do_not_fit_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)
