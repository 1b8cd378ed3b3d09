"""Depth and sharing: thousands of nested steps and shared nodes are nothing special at any stage."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType

import numpy as np
import pytest
import sympy as sp

from exporter.c99.files import program_texts
from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret
from exporter.symbolic import SymbolicModel, given, output
from exporter.symbolic.canonical import canonical, from_canonical
from exporter.symbolic.program import program_of_symbolic, sequence_of_symbolic

FIXED_POINT = 0.799792808503297
"""Of f = sin(f) cos(f) + 0.3, to 15 digits (mpmath)."""


@pytest.fixture(scope="module")
def models(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    return load_data_module("symbolic_models")


@pytest.mark.parametrize("depth", [20, 400])
@pytest.mark.parametrize("form", ["nested", "defined"])
def test_nested_steps_reach_their_fixed_point(models: ModuleType, form: str, depth: int) -> None:
    """SymPy's own ccode overflows the stack at 400."""
    sequence = sequence_of_symbolic(getattr(models, form)(depth), "float64")
    assert interpret(sequence, np.array([[0.3]])).outputs[0, 0] == pytest.approx(FIXED_POINT, abs=4e-15)


@contextmanager
def shallow_stack(limit: int) -> Iterator[None]:
    """Room for a few hundred frames only: what recurses on the model's depth fails."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def test_five_thousand_steps_need_no_recursion(models: ModuleType) -> None:
    """Model, hash, sequence, intervals, data and back."""
    model = models.nested(5000)
    with shallow_stack(300):
        program = program_of_symbolic(model, "float64")
        data = canonical(model)
    counted = cost(program.functions[0])
    assert (counted.add, counted.mul, counted.sincos) == (5000, 5000, 5000)
    assert canonical(from_canonical(data)) == data


def test_statements_of_the_c_text_are_linear_in_the_steps(models: ModuleType) -> None:
    """Six lines or so per step (two declarations, a call, a product, a sum); printed without recursion."""
    with shallow_stack(300):
        lines = [
            program_texts(program_of_symbolic(models.nested(depth), "float32")).files["nested.c"].count("\n")
            for depth in (100, 200, 400)
        ]
    assert lines[2] - lines[1] == 2 * (lines[1] - lines[0])
    assert 2 * 200 < lines[2] - lines[1] < 5 * 200  # sine and cosine, product, sum


def test_a_thousand_definitions_are_a_thousand_solve_steps(models: ModuleType) -> None:
    """Each with its own heading, and each product under that of its own definition; the output has no operation."""
    sequence = sequence_of_symbolic(models.defined(1000), "float64")
    assert [step.equation for step in sequence.steps] == [f"f{k}" for k in range(1, 1001)]
    products = [operation for operation in sequence.operations if operation.kind == "mul"]
    assert [product.step.equation for product in products if product.step] == [f"f{k}" for k in range(1, 1001)]


def test_shared_nodes_are_written_once() -> None:
    """s_{k+1} = s_k^2 + s_k doubles the tree at each of 60 levels; the sequence grows by two operations."""
    x = sp.Symbol("x")
    value: sp.Expr = x / 4
    for _ in range(60):
        value = sp.Add(sp.Pow(value, 2, evaluate=False), value, evaluate=False)
    model = SymbolicModel("shared", (given("x", -1, 0),), (output("y", value),))
    counted = cost(sequence_of_symbolic(model, "float64"))
    assert (counted.mul, counted.add) == (61, 60)
    assert len(canonical(model)["nodes"]) < 200


def test_equal_expressions_that_are_not_shared_are_written_once() -> None:
    """Two separately built copies of the same formula become the same operations."""
    copies = [sp.Mul(sp.sin(sp.Symbol("x"), evaluate=False), 3, evaluate=False) for _ in range(2)]
    model = SymbolicModel("copies", (given("x", -1, 1),), (output("a", copies[0]), output("b", copies[1])))
    sequence = sequence_of_symbolic(model, "float64")
    assert sequence.outputs[0].operation == sequence.outputs[1].operation
    assert cost(sequence).sincos == 1
