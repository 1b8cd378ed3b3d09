"""The builder folds constants and signs, keeps association, shares what is equal; the passes keep the meaning."""

from dataclasses import astuple
from fractions import Fraction

import numpy as np
import pytest

from exporter.sequence.builder import Builder, Value
from exporter.sequence.cost import Cost, cost
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Kind, OperationSequence, Signal, Step


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
    """Writing x*y and y*x gives one multiplication, which is of the step that wrote it first."""
    builder, x, y = start()
    with builder.step("B", "the first"):
        first = x * y
    with builder.step("A", "the second"):
        second = y * x
    sequence = finished(builder, first)
    assert first == second
    assert sequence.operations[-1].step == Step("B", "the first")
    assert sequence.steps == (Step("B", "the first"),)


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


def test_operations_keep_their_step_through_every_pass() -> None:
    """Shared reciprocals are of the step that divides first; what is outside of steps stays there."""
    builder, x, y = start()
    with builder.step("L1.1", "first"):
        first = x / y
    with builder.step("L1.2", "second"):
        second = builder.sqrt(first)
    sequence = finished(builder, second, first / y)
    written = [operation for operation in sequence.operations if operation.operands]
    assert [(operation.kind, operation.step and operation.step.equation) for operation in written] == [
        (Kind.DIV, "L1.1"), (Kind.MUL, "L1.1"), (Kind.SQRT, "L1.2"), (Kind.MUL, None),
    ]  # fmt: skip


def test_a_step_inside_a_step_is_told_alone() -> None:
    """After it the outer one goes on; a part takes the outer one's name, an iterate stands before its steps."""
    builder, x, y = start()
    with builder.step("L1", "outer"):
        before = x + y
        with builder.step("L2", "inner"):
            inner = before * x
        with builder.part("E1", "row"), builder.iterate("L1"), builder.step("L3", "iterated"):
            iterated = inner * y
        with builder.part("E2", "row"):
            part = iterated + x
        after = part * y
    steps = [operation.step for operation in finished(builder, after).operations if operation.step]
    assert [str(step) for step in steps] == ["L1: outer", "L2: inner", "L1 L3: iterated", "L1.E2: row", "L1: outer"]
    assert [step.part for step in steps] == [False, False, True, True, False]


def test_conditions_make_the_status_word() -> None:
    """Two conditions set their bits, alone and together."""
    builder, x, y = start()
    builder.condition("NEAR_SINGULAR", x < 0)
    builder.condition("ARG_REJECTED", y < 0)
    builder.condition("ARG_REJECTED", x < -5)
    sequence = finished(builder, x)
    rows = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-6.0, 1.0]])
    assert list(interpret(sequence, rows).status) == [0, 1 << 17, 1 << 22, (1 << 17) | (1 << 22)]


def test_a_condition_joins_a_flag_once() -> None:
    """As that of a pivot which three rates divide by."""
    builder, x, y = start()
    small = x < 1
    for flag in (small, y < 0, small, small):
        builder.condition("NEAR_SINGULAR", flag)
    sequence = finished(builder, x)
    assert sum(operation.kind is Kind.FLAG_OR for operation in sequence.operations) == 1
    rows = np.array([[2.0, 1.0], [0.0, 1.0], [2.0, -1.0]])
    assert list(interpret(sequence, rows).status) == [0, 1 << 17, 1 << 17]


def test_an_input_is_declared_once() -> None:
    """Two inputs of one name in one group are refused by name."""
    builder, _, _ = start()
    with pytest.raises(ValueError, match="'x' is declared twice"):
        builder.input(signal("x"))


def test_the_same_text_builds_the_same_sequence() -> None:
    """Building is deterministic: equal operations, equations and order."""

    def build() -> OperationSequence:
        builder, x, y = start()
        with builder.step("B", "sums"):
            sine, cosine = builder.sincos(x)
            return finished(builder, sine / y + cosine / y, -(x - y))

    assert astuple(build()) == astuple(build())
