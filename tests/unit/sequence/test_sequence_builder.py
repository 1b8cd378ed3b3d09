"""The builder folds constants and signs, keeps association, shares what is equal; the passes keep the meaning."""

from fractions import Fraction

import numpy as np
import pytest

from exporter.sequence.builder import Builder, Value
from exporter.sequence.cost import Cost, cost
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Kind, OperationSequence, Signal


def signal(name: str) -> Signal:
    return Signal(name, "1", "", Fraction(-10), Fraction(10), Fraction(1))


def output(builder: Builder, name: str, value: Value) -> None:
    builder.output(Signal(name, "1", group=Group.OUTPUT), value)


def start() -> tuple[Builder, Value, Value]:
    builder = Builder("f", "float64")
    return builder, builder.input(signal("x")), builder.input(signal("y"))


def kinds(sequence: OperationSequence) -> list[Kind]:
    return [operation.kind for operation in sequence.operations if operation.kind is not Kind.INPUT]


def finished(builder: Builder, *values: Value) -> OperationSequence:
    for number, value in enumerate(values):
        output(builder, f"o{number}", value)
    return builder.finish()


def test_constants_fold_exactly() -> None:
    """1/3 + 1/6 is one half, not a sum of two rounded numbers."""
    builder, _, _ = start()
    assert (builder.real(Fraction(1, 3)) + builder.real(Fraction(1, 6))).constant == Fraction(1, 2)


def test_neutral_elements_vanish() -> None:
    """x*1, x+0, 0+x, x-0 and x/1 are x; x*0 and x-x are 0."""
    _, x, _ = start()
    assert x * 1 == x + 0 == 0 + x == x - 0 == x / 1 == x
    assert (x * 0).constant == (x - x).constant == 0


def test_association_stays_as_written() -> None:
    """(x + y) + 1 and x + (y + 1) are two different sums."""
    _, x, y = start()
    assert (x + y) + 1 != x + (y + 1)


def test_equal_operations_are_one() -> None:
    """Writing x*y and y*x gives one multiplication that serves both equations."""
    builder, x, y = start()
    with builder.serving("B"):
        first = x * y
    with builder.serving("A"):
        second = y * x
    sequence = finished(builder, first)
    assert first == second
    assert sequence.operations[-1].equations == ("A", "B")


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (lambda x, y: x + (-y), [Kind.SUB]),
        (lambda x, y: -x + y, [Kind.SUB]),
        (lambda x, y: x - (-y), [Kind.ADD]),
        (lambda x, y: (-x) * (-y), [Kind.MUL]),
        (lambda x, y: (-x) * y + x, [Kind.MUL, Kind.SUB]),
        (lambda x, y: -(x - y), [Kind.SUB]),
        (lambda x, y: x * Fraction(-1) + y, [Kind.SUB]),
        (lambda x, y: (-x) / (-y), [Kind.DIV]),
        (lambda x, y: (-x) * -1 + y, [Kind.ADD]),
    ],
)
def test_signs_are_absorbed(write: object, expected: list[Kind]) -> None:
    """A minus sign costs no operation where an addition can take it."""
    builder, x, y = start()
    value = write(x, y)  # type: ignore[operator]
    sequence = finished(builder, value)
    assert kinds(sequence) == expected


def test_negative_factor_of_a_polynomial_becomes_a_subtraction() -> None:
    """1 + x*(-3) is 1 - 3x: the constant is positive and nothing is negated."""
    builder, x, _ = start()
    sequence = finished(builder, 1 + x * -3)
    assert kinds(sequence) == [Kind.CONSTANT, Kind.MUL, Kind.CONSTANT, Kind.SUB]
    assert {operation.value for operation in sequence.operations if operation.kind is Kind.CONSTANT} == {1, 3}


def test_minus_moves_out_of_the_kernels_angle() -> None:
    """sin(-x) = -sin x and cos(-x) = cos x: one kernel call serves both signs."""
    builder, x, _ = start()
    sine, cosine = builder.sincos(x)
    minus_sine, same_cosine = builder.sincos(-x)
    assert minus_sine == -sine
    assert same_cosine == cosine


def test_reciprocals_are_shared() -> None:
    """x/y, 2/y and 1/y divide once and multiply twice."""
    builder, x, y = start()
    sequence = finished(builder, x / y, 2 / y, 1 / y)
    assert cost(sequence) == Cost(mul=2, div=1)
    row = interpret(sequence, np.array([[3.0, 4.0]])).outputs[0]
    assert list(row) == [0.75, 0.5, 0.25]


def test_a_single_division_stays_a_division() -> None:
    """Sharing never turns one division into a division and a multiplication."""
    builder, x, y = start()
    assert cost(finished(builder, x / y)) == Cost(div=1)


def test_division_by_a_constant_is_a_multiplication() -> None:
    """x/4 is x*(1/4)."""
    builder, x, _ = start()
    assert cost(finished(builder, x / 4)) == Cost(mul=1)


def test_dead_operations_vanish_and_inputs_stay() -> None:
    """What no output uses is not computed; the interface keeps both inputs."""
    builder, x, y = start()
    builder.sqrt(y)
    sequence = finished(builder, x + 1)
    assert cost(sequence) == Cost(add=1)
    assert [known.name for known in sequence.inputs] == ["x", "y"]


def test_a_difference_that_is_used_twice_keeps_its_negation() -> None:
    """-(x - y) may only become y - x where nothing else needs x - y."""
    builder, x, y = start()
    difference = x - y
    sequence = finished(builder, difference, -difference)
    assert kinds(sequence) == [Kind.SUB, Kind.NEG]


def test_steps_stand_before_their_first_operation() -> None:
    """The comment of a solve step points at its own operation after every pass."""
    builder, x, y = start()
    builder.sqrt(x)
    builder.step("L1.1", "first")
    first = x / y
    builder.step("L1.2", "second")
    second = builder.sqrt(first)
    sequence = finished(builder, second, first / y)
    places = {step.equation: step.first for step in sequence.steps}
    assert sequence.operations[places["L1.2"]].kind is Kind.SQRT
    assert places["L1.1"] < places["L1.2"]


def test_conditions_make_the_status_word() -> None:
    """Two conditions set their bits, alone and together."""
    builder, x, y = start()
    builder.condition("NEAR_SINGULAR", x < 0)
    builder.condition("ARG_REJECTED", y < 0)
    builder.condition("ARG_REJECTED", x < -5)
    sequence = finished(builder, x)
    rows = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-6.0, 1.0]])
    assert list(interpret(sequence, rows).status) == [0, 1 << 17, 1 << 22, (1 << 17) | (1 << 22)]


def test_an_input_is_declared_once() -> None:
    """Two inputs of one name in one group are refused by name."""
    builder, _, _ = start()
    with pytest.raises(ValueError, match="'x' is declared twice"):
        builder.input(signal("x"))


def test_the_same_text_builds_the_same_sequence() -> None:
    """Building is deterministic: equal operations, equations and order."""

    def build() -> OperationSequence:
        builder, x, y = start()
        with builder.serving("B", "A", "C"):
            sine, cosine = builder.sincos(x)
            return finished(builder, sine / y + cosine / y, -(x - y))

    assert build() == build()
