"""Masses passed on to what rates are sums of, together or one by one. Oracle: C^T M C in exact rationals."""

from itertools import chain

import numpy as np
import pytest
from written_values import finished, start

from exporter.dynamics.elimination_cost import one_by_one, together
from exporter.dynamics.projection import Projection
from exporter.sequence.builder import Builder, Value
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Kind, OperationSequence


def by_name(names: str) -> tuple[Builder, dict[str, Value]]:
    builder, values = start(names, contract=False)
    return builder, dict(zip(names, values, strict=True))


def products(sequence: OperationSequence) -> int:
    return sum(operation.kind is Kind.MUL for operation in sequence.operations)


@pytest.mark.parametrize("seed", range(40))
def test_mass_matrices_are_those_of_exact_arithmetic(seed: int) -> None:
    """Three rates and their sums, and sums of those, with random products: what T is does not depend on the way."""
    random = np.random.default_rng(seed)
    builder, values = by_name("uvwabcd")
    base = np.eye(3, dtype=int)
    known = [(values[name], base[k]) for k, name in enumerate("uvw")]
    factors = [(values[name], k + 2) for k, name in enumerate("abcd")] + [(builder.real(n), n) for n in (1, -1, 2)]
    projection, exact = Projection(), np.zeros((3, 3), dtype=int)
    for _ in range(6):
        rate, row = builder.real(0), np.zeros(3, dtype=int)
        for k in random.choice(len(known), random.integers(1, 4), replace=False):
            factor, number = factors[random.integers(len(factors))]
            rate, row = rate + factor * known[k][0], row + number * known[k][1]
        known.append((rate, row))
    for _ in range(9):
        (one, left), (other, right) = (known[k] for k in random.integers(3, len(known), 2))
        mass = int(random.integers(1, 5))
        projection.add_product(one, other, builder.real(mass))
        exact += mass * (np.outer(left, right) + np.outer(right, left))
    matrix, _ = projection.onto(builder, [values[name] for name in "uvw"])
    row = np.array([[0, 0, 0, 2, 3, 4, 5]], dtype=float)
    found = interpret(finished(builder, *chain(*matrix)), row).outputs[0]
    assert found.reshape(3, 3).tolist() == exact.tolist()


def test_rates_of_a_point_are_passed_on_together() -> None:
    """M [1, -[r]x] of three velocities: M [r]x has 18 products, [r]x^T M [r]x twelve, of which three are among these.

    One velocity after the other takes 37.
    """
    builder, values = by_name("xyzuvwabcdefghi")
    velocity = [values[name] for name in "xyz"]
    turning, arm = [values[name] for name in "uvw"], [values[name] for name in "abc"]
    masses = [values[name] for name in "defghi"]
    projection = Projection()
    rates = [
        velocity[k] + (turning[(k + 1) % 3] * arm[(k + 2) % 3] - turning[(k + 2) % 3] * arm[(k + 1) % 3])
        for k in range(3)
    ]
    for (i, j), mass in zip([(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)], masses, strict=True):
        (projection.add_mass if i == j else projection.add_product)(*({rates[i]: 1, rates[j]: 1}), mass)
    matrix, _ = projection.onto(builder, [*velocity, *turning])
    assert products(finished(builder, *chain(*matrix))) == 27


def test_two_sums_of_three_rates_are_cheaper_together() -> None:
    """M C takes 2 * 2 * 3, C^T M C six entries of two; one by one 3 + 3 + 6, then 9 + 3 with their squares, and 9."""
    _, values = by_name("abc")
    a, b, c = (values[name] for name in "abc")
    group = {10: {1: a, 2: b, 3: c}, 9: {1: b, 2: c, 3: a}}
    coupled = {index: frozenset(group) for index in group}
    assert (together(group, coupled), one_by_one(group, coupled)) == (24, 33)


def test_three_multiples_of_other_rates_are_cheaper_one_by_one() -> None:
    """Each has two products with others and two of its own square; M C takes nine, and C^T M C six."""
    _, values = by_name("abc")
    group = {10 - k: {k: values[name]} for k, name in enumerate("abc")}
    coupled = {index: frozenset(group) for index in group}
    assert (together(group, coupled), one_by_one(group, coupled)) == (15, 12)
