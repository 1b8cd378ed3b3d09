"""Derivatives of values in a sequence. Oracle: rules by hand."""

from fractions import Fraction

import numpy as np

from exporter.kinematics.protocol.derivatives import Derivatives, Rules
from exporter.sequence.builder import Builder, Value
from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal


def inputs(builder: Builder, names: str) -> list[Value]:
    return [builder.input(Signal(name, "1", nominal=Fraction(1))) for name in names]


def finished(builder: Builder, value: Value) -> OperationSequence:
    builder.output(Signal("result", "1", group=Group.OUTPUT), value)
    return builder.finish()


def test_what_both_products_have_cancels() -> None:
    """d(a b' - b a') = a b'' - b a'': the a' b' of both products is never written."""
    builder = Builder("f", "float64")
    a, b, a1, b1, a2, b2 = inputs(builder, "abcdef")
    derivatives = Derivatives(Rules(builder), {a: a1, b: b1, a1: a2, b1: b2})
    sequence = finished(builder, derivatives.of(a * b1 - b * a1))
    assert (cost(sequence).mul, cost(sequence).add) == (2, 1)
    assert interpret(sequence, np.array([[2.0, 3, 5, 7, 11, 13]])).outputs.tolist() == [[2 * 13 - 3 * 11]]


def test_a_difference_of_sums_with_nothing_in_common() -> None:
    """d(a b - c d) has its four products."""
    builder = Builder("f", "float64")
    values = inputs(builder, "abcd")
    derivatives = Derivatives(Rules(builder), {value: value for value in values})
    a, b, c, d = values
    sequence = finished(builder, derivatives.of(a * b - c * d))
    assert interpret(sequence, np.array([[2.0, 3, 5, 7]])).outputs.tolist() == [[2 * 2 * 3 - 2 * 5 * 7]]
