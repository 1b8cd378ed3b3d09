"""A model always gives the same interface and the same bytes, whatever the hash seed; data and back loses nothing."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import astuple, replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import sympy as sp

from exporter.c99.files import program_texts
from exporter.sequence.interpreter import interpret
from exporter.symbolic import SymbolicModel, define, given, load, output
from exporter.symbolic.canonical import canonical, from_canonical, model_hash
from exporter.symbolic.program import program_of_symbolic, sequence_of_symbolic

DATA = Path(__file__).resolve().parents[2] / "data" / "symbolic_models.py"
EVERY_MODEL = (
    "reciprocal_powers",
    "awkward_names",
    "gear_ratio",
    "bearing",
    "versine",
    "arrays",
    "reflection",
    "nested_400",
    "conditional",
    "float_mix",
    "guarded_mix",
    "dense_4",
)
PRINT_DIGEST = """
import hashlib, sys
from exporter.c99.files import program_texts
from exporter.symbolic import load
from exporter.symbolic.program import program_of_symbolic
for name in sys.argv[2:]:
    files = program_texts(program_of_symbolic(load(sys.argv[1] + ":" + name), "float32")).files
    print(name, *(hashlib.sha256(files[key].encode()).hexdigest() for key in sorted(files)))
"""


@pytest.fixture(scope="module")
def models(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    return load_data_module("symbolic_models")


def test_hash_seed_changes_nothing() -> None:
    """All files of models with arrays, conditionals, guards and solves, in fresh interpreters (sympy/sympy#13231)."""
    names = ("arrays", "guarded_mix", "reflection", "dense_4", "awkward_names")
    digests = {
        subprocess.run(
            [sys.executable, "-c", PRINT_DIGEST, str(DATA), *names],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (0, 7)
    }
    assert len(digests) == 1


def test_unused_elements_keep_their_place(models: ModuleType) -> None:
    """q, u and p keep all their elements in order, with p[4] used or not; outputs come in the order declared."""
    for use_last in (False, True):
        program = program_of_symbolic(models.arrays(use_last=use_last), "float64")
        function = program.functions[0]
        assert [signal.name for signal in function.inputs] == ["q[0]", "q[1]", "u[0]", "u[1]"]
        assert [output.signal.name for output in function.outputs] == ["acc[0]", "acc[1]", "lam[0]", "lam[1]"]
        assert [parameter.name for parameter in program.frozen] == [f"p[{i}]" for i in range(5)]


def test_using_an_element_changes_no_line_of_the_interface(models: ModuleType) -> None:
    """Apart from what follows from the content: hash, identity and cost."""

    def interface(use_last: bool) -> list[str]:
        header = program_texts(program_of_symbolic(models.arrays(use_last=use_last), "float64")).files["arrays.h"]
        return [line for line in header.splitlines() if "_t " in line or "#define ARRAYS_P" in line]

    assert interface(use_last=False) == interface(use_last=True)


def test_unused_tunable_parameter_stays_in_the_parameters() -> None:
    from exporter.symbolic import tunable

    x = sp.Symbol("x")
    model = SymbolicModel(
        "unused",
        (given("x", 0, 1), given("spare", 0, 1)),
        (output("y", x),),
        parameters=(tunable("a", 1, 0, 2), tunable("b", 1, 0, 2)),
    )
    program = program_of_symbolic(model, "float64")
    assert [signal.name for signal in program.parameters] == ["a", "b"]
    assert [signal.name for signal in program.functions[0].inputs if signal.group == "in"] == ["x", "spare"]


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_model_as_data_and_back_is_the_same_model(models: ModuleType, name: str) -> None:
    """Through JSON: same data, same hash, and the same sequence."""
    model = getattr(models, name)()
    data = json.loads(json.dumps(canonical(model)))
    again = from_canonical(data)
    assert canonical(again) == data
    assert model_hash(again) == model_hash(model)
    assert astuple(sequence_of_symbolic(again, "float32")) == astuple(sequence_of_symbolic(model, "float32"))


def test_hash_changes_with_a_value_and_with_a_formula() -> None:
    x = sp.Symbol("x")
    base = SymbolicModel("m", (given("x", 0, 1),), (output("y", x + 1),))
    wider = replace(base, inputs=(given("x", 0, 2),))
    other = replace(base, outputs=(output("y", x + 2),))
    assert len({model_hash(base), model_hash(wider), model_hash(other)}) == 3


def test_operations_name_the_step_or_output_that_they_were_written_for() -> None:
    """x^2 is of the definition, the product of the output that uses it, what both outputs need of the first."""
    x, s = sp.symbols("x s")
    model = SymbolicModel(
        "serving",
        (given("x", -1, 1),),
        (output("p", 3 * s + sp.sin(x)), output("r", sp.sin(x))),
        steps=(define("s", x**2),),
    )
    sequence = sequence_of_symbolic(model, "float64")
    told = [(each.kind.value, each.step.equation) for each in sequence.operations if each.step]
    assert [step for kind, step in told if kind == "mul"] == ["s", "p"]
    assert ("sincos", "p") in told
    assert ("add", "p") in told
    assert [str(step) for step in sequence.steps] == ["s: definition", "p: output"]


def test_load_gives_the_same_model_twice() -> None:
    first, second = (load(f"{DATA}:guarded_mix") for _ in range(2))
    assert model_hash(first) == model_hash(second)


def test_outputs_are_finite_on_every_bit_pattern(models: ModuleType) -> None:
    """Random 32-bit patterns, infinities and NaN among them, through every guard."""
    patterns = np.random.default_rng(3).integers(0, 2**32, (5000, 2), dtype=np.uint32).view(np.float32)
    patterns = np.vstack((patterns, np.random.default_rng(4).uniform(-2, 2, (5000, 2)).astype(np.float32)))
    result = interpret(sequence_of_symbolic(models.guarded_mix(), "float32"), patterns)
    assert np.isfinite(result.outputs).all()
    assert (result.status[:5000] != 0).mean() > 0.4
