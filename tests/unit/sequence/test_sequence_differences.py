"""Differences from a part of a sum, minus signs and equal operations. Oracle: exact rationals, counts by hand."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from written_values import finished, start

from exporter.sequence.builder import Builder, Value
from exporter.sequence.cost import Cost, cost
from exporter.sequence.differences import MOST_ADDENDS, _differences, _Plan, _Sums, differences_first
from exporter.sequence.guards import checked_input, limitable
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Kind, Operation, OperationSequence, Signal
from exporter.sequence.passes import live, merge_equal, renumber
from exporter.sequence.pipeline import Pass
from exporter.sequence.pipeline import finished as proven
from exporter.sequence.signs import signs_outward

NAMES = "xyzabc"


def sums(found: Cost) -> int:
    """Additions, subtractions and minus signs."""
    return found.add + found.negate


def test_an_arm_is_written_before_the_place() -> None:
    """The place x + a + b and its difference from x: a + b and x, two additions in place of three."""
    builder, (x, _, _, a, b, _) = start(NAMES)
    place = (x + a) + b
    sequence = finished(builder, place, place - x)
    taken = differences_first(sequence)
    assert (sums(cost(sequence)), sums(cost(taken))) == (3, 2)
    assert interpret(taken, np.array([[1e16, 0, 0, 1.0, 2.0, 0]])).outputs[0].tolist() == [1e16 + 4, 3.0]


def test_two_arms_share_what_their_places_did() -> None:
    """(x - a + b) + c and (x - a + b) - c, both less x: b - a once."""
    builder, (x, _, _, a, b, c) = start(NAMES)
    corner = (x - a) + b
    places = corner + c, corner - c
    sequence = finished(builder, *places, *(place - x for place in places))
    taken = differences_first(sequence)
    assert (sums(cost(sequence)), sums(cost(taken))) == (6, 5)
    outputs = interpret(taken, np.array([[5.0, 0, 0, 1.0, 3.0, 7.0]])).outputs[0]
    assert outputs.tolist() == [14, 0, 9, -5]


LEFT: dict[str, Callable[[list[Value]], tuple[Value, ...]]] = {
    "what is subtracted in the sum": lambda v: ((v[1] - v[0]) + v[2], ((v[1] - v[0]) + v[2]) - v[0]),
    "a constant": lambda v: ((2 + v[0]) + v[1], ((2 + v[0]) + v[1]) - 2),
    "a sum that is needed with its part": lambda v: (v[0] - v[1], (v[0] - v[1]) * v[2], (v[0] - v[1]) - v[0]),
    "what is multiplied": lambda v: ((v[0] + v[1]) * v[2], (v[0] + v[1]) * v[2] - v[0]),
}


@pytest.mark.parametrize("write", LEFT.values(), ids=LEFT)
def test_left_as_written(write: Callable[[list[Value]], tuple[Value, ...]]) -> None:
    builder, inputs = start(NAMES)
    sequence = finished(builder, *write(inputs))
    assert differences_first(sequence) == sequence


@pytest.mark.parametrize("limited", ["a sum on the way", "the sum", "the difference"])
def test_what_a_proof_may_limit_is_left(limited: str) -> None:
    """x + y z 10^30 + z less x, squared, is too large for float32 but where it is limited to 10."""
    builder = Builder("f", "float32")
    one = Fraction(1)
    signals = [Signal(name, "1", "", -one, one, Fraction(0)) for name in "xyz"]
    x, y, z = (checked_input(builder, signal) for signal in signals)

    def limit(value: Value, of: str) -> Value:
        return limitable(builder, value, Fraction(10)) if limited == of else value

    whole = limit(limit(x + y * z * 10**30, "a sum on the way") + z, "the sum")
    difference = limit(whole - x, "the difference")
    sequence = finished(builder, whole, difference * difference)
    assert differences_first(sequence) == sequence
    passes = ({Pass.PROOF}, {Pass.SUMS, Pass.PROOF})
    assert len({len(proven(sequence, each).operations) for each in passes}) == 1


def test_the_work_for_one_difference_is_bounded() -> None:
    """A sum of more addends than are looked through is left."""
    for addends, taken in ((MOST_ADDENDS // 2 - 2, True), (MOST_ADDENDS, False)):
        builder, (x, y, *_) = start(NAMES)
        total = x
        for number in range(addends):
            total = total + y * (number + 2)
        sequence = finished(builder, total, total - x)
        assert (len(differences_first(sequence).operations) < len(sequence.operations)) is taken


def signed_product(*last: Operation) -> OperationSequence:
    """(-a) b and operations on it, which is number 7; a builder writes no such signs, so they are put in by hand."""
    builder, inputs = start(NAMES)
    sequence = finished(builder, *inputs)
    added = (Operation(Kind.NEG, (3,)), Operation(Kind.MUL, (6, 4)), *last)
    outputs = (*sequence.outputs, replace(sequence.outputs[0], operation=7 + len(last)))
    return replace(sequence, operations=(*sequence.operations, *added), outputs=outputs)


def test_signs_inside_sums_and_products_move_outwards() -> None:
    """c + (-a) b is c - a b; -(a b) - c is -(a b + c), which has as many operations and is left."""
    sequence = signed_product(Operation(Kind.ADD, (5, 7)))
    moved = signs_outward(sequence)
    assert [operation.kind for operation in moved.operations[6:]] == [Kind.MUL, Kind.SUB]
    row = np.array([[0, 0, 0, 3.0, 5.0, 7.0]])
    assert interpret(moved, row).outputs.tolist() == interpret(sequence, row).outputs.tolist()
    left = signed_product(Operation(Kind.SUB, (7, 5)))
    assert signs_outward(left) is left


def test_equal_operations_become_one() -> None:
    """b a is a b; a - b and b - a are not equal."""
    builder, (x, y, *_) = start(NAMES)
    sequence = finished(builder, x * y, x - y)
    product, difference = (output.operation for output in sequence.outputs)
    count = len(sequence.operations)
    twins = (Operation(Kind.MUL, (1, 0)), Operation(Kind.SUB, (0, 1)), Operation(Kind.SUB, (1, 0)))
    outputs = tuple(replace(sequence.outputs[0], operation=count + k) for k in range(3))
    merged = merge_equal(
        replace(sequence, operations=(*sequence.operations, *twins), outputs=(*sequence.outputs, *outputs))
    )
    assert [output.operation for output in merged.outputs] == [product, difference, product, difference, count]


def assert_counted(sequence: OperationSequence) -> None:
    """What a plan counts is left, also where it saves nothing."""
    sums = _Sums(sequence)
    plan = _Plan(sequence, sums)
    for part, found in _differences(sequence, sums).items():
        for difference in found:
            plan.take(difference, part)
            written = renumber(sequence, list(plan.written()))
            assert plan.left == len(live(written))


@pytest.mark.parametrize("seed", range(40))
def test_values_stay(seed: int) -> None:
    """Random sums and differences of random parts of them: exact values, and never more operations."""
    random = np.random.default_rng(seed)
    builder, inputs = start(NAMES)
    row = [int(number) for number in random.integers(-10, 11, len(inputs))]
    known = [(value, number) for value, number in zip(inputs, row, strict=True)]
    for _ in range(30):
        (left, exact), (right, other) = (known[k] for k in random.integers(0, len(known), 2))
        match random.integers(0, 6):
            case 0 | 1:
                known.append((left + right, exact + other))
            case 2 | 3:
                known.append((left - right, exact - other))
            case 4:
                known.append((-left, -exact))
            case _:
                known.append((left * 3, exact * 3))
    chosen = [known[k] for k in random.integers(6, len(known), 8)]
    sequence = finished(builder, *(value for value, _ in chosen))
    assert_counted(sequence)
    for change in (differences_first, signs_outward, lambda each: signs_outward(differences_first(each))):
        changed = change(sequence)
        assert interpret(changed, np.array([row], dtype=float)).outputs[0].tolist() == [exact for _, exact in chosen]
        assert len(changed.operations) <= len(sequence.operations)
