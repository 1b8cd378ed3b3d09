"""Bounds under conditions hold for every number that a sequence computes, and a wrong rule is found."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.sequence import narrowing
from exporter.sequence.builder import Builder, Flag, Value
from exporter.sequence.enclosure import union
from exporter.sequence.guards import checked_input
from exporter.sequence.interpreter import interpret
from exporter.sequence.intervals import analyse
from exporter.sequence.operations import Kind, OperationSequence, Output, Precision, Signal, Sort

SEEDS = range(120)


def random_sequence(seed: int, precision: Precision) -> OperationSequence:
    """Sums, products, magnitudes and selects of three inputs, compared with each other and with small constants."""
    draw = Random(seed)
    builder = Builder(f"r{seed}", precision)
    values = [checked_input(builder, Signal(name, "1", "", *bounds, 0)) for name, bounds in _ranges(draw).items()]
    values += [builder.real(draw.choice([-1, 0, 1, 2])) for _ in range(2)]
    flags: list[Flag] = []
    for _ in range(12):
        values.append(_next(draw, builder, values[-6:], flags))
        flags.append(_compared(draw, values[-6:], flags))
    builder.output(Signal("out", "1"), values[-1])
    return builder.finish()


def _ranges(draw: Random) -> dict[str, tuple[int, int]]:
    return {name: (draw.choice([-3, -1, 0]), draw.choice([1, 2, 3])) for name in ("a", "b", "c")}


def _next(draw: Random, builder: Builder, values: list[Value], flags: list[Flag]) -> Value:
    one, other = draw.choice(values), draw.choice(values)
    match draw.randrange(6 if flags else 4):
        case 0:
            return one + other
        case 1:
            return one - other
        case 2:
            return draw.choice([abs(one), -one])
        case 3:
            return builder.mul(one, draw.choice([one, builder.real(2)]))
    return builder.select(draw.choice(flags[-4:]), one, other)


def _compared(draw: Random, values: list[Value], flags: list[Flag]) -> Flag:
    one, other = draw.choice(values), draw.choice([*values, 0, 1])
    flag = draw.choice([one < other, one <= other])
    if flags and draw.random() < 0.5:
        before = draw.choice(flags)
        flag = draw.choice([flag & before, flag | before, ~flag])
    return flag


def escaping(sequence: OperationSequence) -> Iterator[int]:
    """Operations that compute a number outside their bounds, on random rows and on whole numbers."""
    bounds = analyse(sequence).enclosures
    reals = [k for k in range(len(sequence.operations)) if sequence.sort(k) is Sort.REAL]
    every = replace(sequence, outputs=tuple(Output(Signal(f"o{k}", "1"), k) for k in reals))
    generator = np.random.default_rng(7)
    shape = (300, len(sequence.inputs))
    rows = np.concatenate([generator.uniform(-3, 3, shape), generator.integers(-3, 4, shape).astype(float)])
    values = interpret(every, rows).outputs
    for column, index in enumerate(reals):
        known, made = bounds[index], values[:, column]
        inside = (made >= known.low) & (made <= known.high) & (np.abs(made) >= known.away)
        if known.bounded and not inside.all():
            yield index


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_no_number_leaves_its_bounds(precision: Precision) -> None:
    """In random sequences with nested conditions, on random rows and where values are equal."""
    assert [seed for seed in SEEDS if any(escaping(random_sequence(seed, precision)))] == []


def test_the_conditions_of_random_sequences_narrow_many_arms() -> None:
    """Bounds that were the hull of both arms would say nothing of the rule."""
    narrower = total = 0
    for seed in SEEDS:
        sequence = random_sequence(seed, "float64")
        bounds = analyse(sequence).enclosures
        for index, operation in enumerate(sequence.operations):
            if operation.kind is Kind.SELECT and all(bounds[arm].bounded for arm in operation.operands[1:]):
                total += 1
                narrower += bounds[index] != union(*(bounds[arm] for arm in operation.operands[1:]))
    assert narrower > total / 4 > 20


@pytest.mark.parametrize("rule", ["turned round", "and for or", "magnitudes as numbers"])
def test_a_wrong_rule_is_found(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison read the wrong way, alternatives taken together, and |x| taken for x let numbers escape."""
    arm = narrowing._Arm
    right = {name: getattr(arm, name) for name in ("_compared", "_within")}
    wrong = {
        "turned round": ("_compared", lambda self, operation, holds: right["_compared"](self, operation, not holds)),
        "and for or": ("_few", lambda alternatives: [sum(alternatives, ())]),
        "magnitudes as numbers": ("_within", lambda self, index, bound: self.bound_below(index, bound)),
    }
    name, function = wrong[rule]
    monkeypatch.setattr(narrowing if name == "_few" else arm, name, function)
    assert any(_found(random_sequence(seed, "float64")) for seed in SEEDS)


def _found(sequence: OperationSequence) -> bool:
    """A number outside its bounds, or a checked input that is bounded no longer."""
    try:
        return any(escaping(sequence))
    except ModelError:
        return True
