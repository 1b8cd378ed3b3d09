"""Values are limited where a sequence could not be proven finite otherwise, and nowhere else."""

from fractions import Fraction

import numpy as np
import pytest

from exporter.errors import NotProven
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder, Value
from exporter.sequence.cost import cost
from exporter.sequence.guards import checked_input, limitable
from exporter.sequence.interpreter import interpret
from exporter.sequence.limiting import limit_where_needed
from exporter.sequence.operations import Group, OperationSequence, Signal
from exporter.sequence.proven import drop_proven_guards
from exporter.sequence.status import BITS

BIG = Fraction(10**20)


def started() -> tuple[Builder, Value]:
    """A float32 sequence of an x in [-1e20, 1e20]."""
    builder = Builder("f", "float32")
    signal = Signal("x", "1", minimum=-BIG, maximum=BIG, nominal=Fraction(1))
    return builder, checked_input(builder, signal)


def finished(builder: Builder, value: Value) -> OperationSequence:
    builder.output(Signal("y", "1", group=Group.OUTPUT), value)
    return drop_proven_guards(builder.finish())


def values(sequence: OperationSequence, *inputs: float) -> list[float]:
    return interpret(sequence, np.array([[x] for x in inputs], dtype=np.float32)).outputs[:, 0].tolist()


def limits_in(sequence: OperationSequence) -> int:
    """Selects beyond the one that checks the argument."""
    return cost(sequence).select - 1


def test_what_overflows_is_limited_with_its_condition() -> None:
    """x^2 of 1e20 overflows float32; within the bound nothing changes, beyond it the bound counts and is flagged."""
    builder, x = started()
    sequence = finished(builder, builder.square(limitable(builder, x, Fraction(1000), "x is beyond its limit")))
    assert values(sequence, 3.0, -1000.0, 1e10, -1e10) == [9.0, 1e6, 1e6, 1e6]
    near = BITS["NEAR_SINGULAR"][0]
    status = interpret(sequence, np.array([[1000.0], [1001.0]], dtype=np.float32)).status
    assert [int(word) >> near & 1 for word in status] == [0, 1]
    assert "x is beyond its limit" in next(c.about for c in sequence.conditions if c.name == "NEAR_SINGULAR")


def test_what_stays_finite_is_not_limited() -> None:
    """A bound that nothing needs costs nothing and flags nothing."""
    builder, x = started()
    sequence = finished(builder, limitable(builder, x, Fraction(1000)) * 2)
    assert limits_in(sequence) == 0
    assert values(sequence, 1e10) == [pytest.approx(2e10)]


def test_only_the_factor_that_is_farthest_beyond_its_bound_is_limited() -> None:
    """The second factor of x * (x * 1e10) makes the overflow: the first one stays."""
    builder, x = started()
    large = limitable(builder, x * 10**10, Fraction(10**6), "the product is beyond its limit")
    sequence = finished(builder, limitable(builder, x, Fraction(10**6)) * large)
    assert limits_in(sequence) == 1
    assert values(sequence, 1e19) == [pytest.approx(1e25)]


def test_of_two_bounds_the_wide_one_is_taken_unless_the_tight_one_is_needed() -> None:
    """One value, limited for two uses."""
    found = []
    for power in (2, 3):
        builder, x = started()
        limitable(builder, x, Fraction(10**5))
        limitable(builder, x, Fraction(10**15))
        product = x
        for _ in range(power - 1):
            product = product * x
        found += values(finished(builder, product), 1e20)
    assert found == [pytest.approx(1e30), pytest.approx(1e15)]


def test_the_bound_of_a_value_holds_for_its_negative() -> None:
    """-(a - b) becomes b - a when the sequence is finished; its bound comes along."""
    builder, x = started()
    difference = limitable(builder, -(x - x * 3 - 7), Fraction(10**6))
    sequence = finished(builder, builder.square(difference))
    assert limits_in(sequence) == 1
    assert values(sequence, 1e15) == [pytest.approx(1e12)]


def test_an_iterate_is_limited_without_a_condition() -> None:
    """What a Newton step comes by says nothing of its result."""
    builder, x = started()
    with builder.iterate("N1"):
        sequence_value = builder.square(limitable(builder, x, Fraction(1000)))
    sequence = finished(builder, sequence_value)
    assert limits_in(sequence) == 1
    assert [condition.name for condition in sequence.conditions] == ["ARG_REJECTED"]


def test_a_value_that_counts_outside_of_the_iterate_too_has_its_condition() -> None:
    """The first offer of its bound was made where no condition is told."""
    builder, x = started()
    with builder.iterate("N1"):
        limitable(builder, x, Fraction(1000))
    sequence = finished(builder, builder.square(limitable(builder, x, Fraction(1000), "x is beyond its limit")))
    assert {condition.name for condition in sequence.conditions} == {"ARG_REJECTED", "NEAR_SINGULAR"}


def test_what_has_no_bound_is_refused_by_name() -> None:
    """Nothing is limited that was not offered."""
    builder, x = started()
    with pytest.raises(NotProven, match=r"mul of \[-1e\+20, 1e\+20\]"):
        finished(builder, builder.square(x))


LIMITED = [
    ("four_bar", "acceleration", False),
    ("excavator", "acceleration", False),
    ("backhoe", "acceleration", False),
    ("excavator", "dynamics", True),
    ("gough_stewart", "dynamics", True),
]


@pytest.mark.parametrize(("model", "function", "limited"), LIMITED)
def test_a_mechanism_is_limited_only_where_its_loops_multiply(model: str, function: str, limited: bool) -> None:
    """Loops in a chain are proven by pieces of the ranges; of many values that may be limited few are in dynamics."""
    solved = solved_mechanism(read_mechanism(model_path(model)))
    written = getattr(functions, function)(solved, "float32", contract=True)
    made, _ = limit_where_needed(written)
    added = cost(made).select - cost(written).select
    assert (added > 0) == limited
    assert added < len(written.limits) / 10


def test_a_limited_mechanism_computes_the_same_where_it_flags_nothing() -> None:
    """Rows of the excavator's dynamics without a flag: bit for bit what the sequence without limits gives."""
    solved = solved_mechanism(read_mechanism(model_path("excavator")))
    written = functions.dynamics(solved, "float32", contract=True)
    generator = np.random.Generator(np.random.Philox(5))
    rows = np.array([generator.uniform(float(s.minimum), float(s.maximum), 2000) for s in written.inputs], np.float32).T
    before, after = interpret(written, rows), interpret(drop_proven_guards(written), rows)
    unflagged = after.status == 0
    assert unflagged.sum() > 1000
    assert before.outputs[unflagged].tobytes() == after.outputs[unflagged].tobytes()
