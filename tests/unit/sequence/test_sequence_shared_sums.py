"""Places that have two addends in common add them once. Oracle: the same sums in exact rationals, counts by hand."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from written_values import finished, start

from exporter.sequence.builder import Value
from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Kind, OperationSequence, Signal
from exporter.sequence.shared_sums import share_sums

NAMES = "xycs"


def additions(sequence: OperationSequence) -> tuple[int, int]:
    """Before and after sharing."""
    return cost(sequence).add, cost(share_sums(sequence)).add


def test_corners_of_one_body() -> None:
    """Two corners (-3, -2) and (3, -2) of a body at (x, y) turned by (c, s) have x + 2 s and y - 2 c in common."""
    builder, (x, y, c, s) = start(NAMES)
    corners = [part for h in (-3, 3) for part in (x + (h * c + 2 * s), y + (h * s - 2 * c))]
    assert additions(finished(builder, *corners)) == (8, 6)


def test_opposite_signs_are_shared() -> None:
    """x - 2 s and 5 c + 2 s - x have one difference in common."""
    builder, (x, _, c, s) = start(NAMES)
    assert additions(finished(builder, (x - 2 * s) + 7 * c, (5 * c + 2 * s) - x)) == (4, 3)


def test_a_whole_sum_is_a_pair() -> None:
    """x + 2 s is an output itself: the longer sum takes it."""
    builder, (x, _, c, s) = start(NAMES)
    assert additions(finished(builder, x + 2 * s, (x + 3 * c) + 2 * s)) == (3, 2)


def test_equal_sums_in_different_orders() -> None:
    """(x + 2 c) + 3 s and (x + 3 s) + 2 c: what is left after sharing is not less than one sum."""
    builder, (x, _, c, s) = start(NAMES)
    sequence = finished(builder, (x + 2 * c) + 3 * s, (x + 3 * s) + 2 * c)
    assert additions(sequence) == (4, 3)


LEFT: dict[str, Callable[[list[Value]], tuple[Value, Value]]] = {
    "squares": lambda v: ((v[0] * v[0] + v[1] * v[1]) - 2 * v[2], (v[0] * v[0] + 3 * v[3]) + v[1] * v[1]),
    "squares in one of them": lambda v: (((v[3] * v[3] - v[2] * v[2]) + v[0]) + 2 * v[1], (v[0] + 5 * v[2]) + 2 * v[1]),
    "multiples of squares": lambda v: (2 * (v[3] * v[3]) + v[0] + v[2], (2 * (v[3] * v[3]) + v[1]) + v[0]),
    "a constant": lambda v: ((v[0] + Fraction(1, 2)) + v[2], (v[0] + 2 * v[3]) + Fraction(1, 2)),
    "a negative": lambda v: (v[0] - 2 * v[3], 2 * v[3] - v[0]),
    "a product": lambda v: ((v[0] + 2 * v[3]) * v[1] + (v[0] + 2 * v[3]) * v[2], v[0] + 3 * v[2]),
}


@pytest.mark.parametrize("write", LEFT.values(), ids=LEFT)
def test_left_as_written(write: Callable[[list[Value]], tuple[Value, Value]]) -> None:
    """Order matters to rounding in sums with squares and next to constants; a minus sign costs what a sum costs."""
    builder, inputs = start(NAMES)
    sequence = finished(builder, *write(inputs))
    assert share_sums(sequence) == sequence


def test_a_sum_without_a_positive_addend() -> None:
    """-x - 2 s - 3 c keeps its minus sign, and its value."""
    builder, (x, _, c, s) = start(NAMES)
    sequence = finished(builder, (-x - 2 * s) - 3 * c, (4 * c - x) - 2 * s)
    assert additions(sequence) == (4, 3)
    row = np.array([[3.0, 0, 5.0, 7.0]])
    assert interpret(share_sums(sequence), row).outputs.tolist() == [[-32.0, 3.0]]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_no_minus_sign_is_added(order: tuple[int, int]) -> None:
    """(y - 2 s) - x and (y - 2 c) - x share y - x, whichever of x and y was written first."""
    builder, inputs = start(NAMES)
    x, y = (inputs[k] for k in order)
    sequence = finished(builder, (y - 2 * inputs[3]) - x, (y - 2 * inputs[2]) - x)
    shared = cost(share_sums(sequence))
    assert (additions(sequence), shared.negate) == ((4, 3), 0)


def test_parameters_stay_together() -> None:
    """What parameters alone make is computed when they change, not in every call."""
    builder, (x, y, *_) = start(NAMES)
    p, q = (builder.input(Signal(name, "1", group=Group.PARAMETER)) for name in ("p", "q"))
    sequence = finished(builder, (x + (p + q)) + 2 * y, (x + 3 * p) + 2 * y, (x + 5) + 2 * y)
    assert share_sums(sequence) == sequence


def test_a_shared_sum_is_of_the_first_step_that_takes_it() -> None:
    """What is left of either sum stays with its own."""
    builder, (x, _, c, s) = start(NAMES)
    with builder.step("L1.1", "first"):
        first = x + (2 * s + 3 * c)
    with builder.step("L2.1", "second"):
        second = x + (2 * s - 5 * c)
    shared = share_sums(finished(builder, first, second))
    sums = [operation for operation in shared.operations if operation.kind in (Kind.ADD, Kind.SUB)]
    assert [operation.step.equation for operation in sums if operation.step] == ["L1.1", "L1.1", "L2.1"]


@pytest.mark.parametrize("seed", range(30))
def test_values_stay(seed: int) -> None:
    """Random sums of random multiples: the values of exact arithmetic, and never more additions."""
    random = np.random.default_rng(seed)
    builder, inputs = start(NAMES)
    atoms = [(value * int(factor), n, int(factor)) for n, value in enumerate(inputs) for factor in (1, 2, 3)]
    row = [int(number) for number in random.integers(-10, 11, len(inputs))]
    sums, expected = [], []
    for _ in range(5):
        chosen = random.choice(len(atoms), random.integers(2, 7), replace=False)
        total, exact = builder.real(0), 0
        for k in chosen:
            atom, n, factor = atoms[k]
            sign = int(random.choice((-1, 1)))
            total, exact = total + sign * atom, exact + sign * factor * row[n]
        sums.append(total)
        expected.append(exact)
    sequence = finished(builder, *sums)
    shared = share_sums(sequence)
    assert interpret(shared, np.array([row], dtype=float)).outputs[0].tolist() == expected
    assert cost(shared).add <= cost(sequence).add
