"""Five thousand dependent steps pass every stage of a sequence: no stage recurses along the chain."""

import sys
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from exact_interpreter import interpret_exact

from exporter.sequence.builder import Builder, Value
from exporter.sequence.cost import cost
from exporter.sequence.guards import checked_input
from exporter.sequence.hoist import hoist_parameters
from exporter.sequence.interpreter import interpret
from exporter.sequence.intervals import analyse
from exporter.sequence.operations import Group, OperationSequence, Signal

STEPS = 5000
RECURSION_LIMIT = 400  # frames: far less than the chain is long
PARAMETER = Signal("gain", "1", "", Fraction(1, 10), Fraction(1, 2), Fraction(1, 4), group=Group.PARAMETER)


@pytest.fixture(autouse=True)
def shallow_stack() -> Iterator[None]:
    """A stage that recursed along the chain would fail here."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(RECURSION_LIMIT)
    yield
    sys.setrecursionlimit(before)


def step(builder: Builder, number: int, x: Value, gain: Value) -> Value:
    """x -> gain x + 1/(number + 1) or gain / (1 + x^2)."""
    with builder.step(f"E{number}", "the next x"):
        return builder.select(x < 0, x * gain + Fraction(1, number + 1), gain / (1 + builder.square(x)))


@pytest.fixture(scope="module")
def chain() -> OperationSequence:
    builder = Builder("chain", "float64")
    x = checked_input(builder, Signal("x", "1", "", Fraction(-1), Fraction(1), Fraction(0)))
    gain = checked_input(builder, PARAMETER)
    for number in range(STEPS):
        x = step(builder, number, x, gain)
        gain = gain * Fraction(99, 100) + Fraction(1, 1000)
    builder.output(Signal("last", "1", group=Group.OUTPUT), x)
    return builder.finish()


def expected(x: float, gain: float) -> float:
    """What the chain of steps gives in plain Python floats."""
    for number in range(STEPS):
        x = gain * x + float(Fraction(1, number + 1)) if x < 0 else gain / (1 + x * x)
        gain = gain * float(Fraction(99, 100)) + float(Fraction(1, 1000))
    return x


def test_interpreter_runs_the_chain(chain: OperationSequence) -> None:
    """Bit for bit what Python's floats give."""
    result = interpret(chain, np.array([[-0.3, 0.2], [0.7, 0.5]]))
    assert list(result.outputs[:, 0]) == [expected(-0.3, 0.2), expected(0.7, 0.5)]
    assert list(result.status) == [0, 0]


def test_cost_counts_the_chain(chain: OperationSequence) -> None:
    """A division per step."""
    assert cost(chain).div == STEPS


def test_exact_interpreter_runs_the_chain(chain: OperationSequence) -> None:
    """Close to the floats, and unrounded."""
    outputs, status = interpret_exact(chain, [Fraction(-3, 10), Fraction(1, 5)], 30)
    assert float(outputs[0]) == pytest.approx(expected(-0.3, 0.2), rel=1e-12)
    assert status == 0


def test_intervals_enclose_the_chain(chain: OperationSequence) -> None:
    """The last value is positive and below its gain's bound."""
    last = analyse(chain).of(chain.outputs[0].operation)
    assert last.low <= expected(0.7, 0.5) <= last.high


def test_hoisting_keeps_the_chain(chain: OperationSequence) -> None:
    """Recalibrate takes the gains, the function keeps the divisions, and the results keep their bits."""
    recalibrate, (function,) = hoist_parameters((chain,), (PARAMETER,))
    assert recalibrate is not None
    assert cost(recalibrate).div == 0
    assert cost(function).div == STEPS
    derived = interpret(recalibrate, np.array([[0.2]]))
    names = [output.signal.name for output in recalibrate.outputs]
    row = [-0.3, *(derived.outputs[0][names.index(signal.name)] for signal in function.inputs[1:])]
    assert interpret(function, np.array([row])).outputs[0, 0] == expected(-0.3, 0.2)
