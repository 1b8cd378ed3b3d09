"""The snippets of docs/symbolic-models.md run, and what the page says of them holds."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exporter.sequence.interpreter import interpret
from exporter.sequence.status import BITS
from exporter.symbolic import SymbolicModel
from exporter.symbolic.program import program_of_symbolic

PAGE = Path(__file__).resolve().parents[3] / "docs" / "symbolic-models.md"


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What all Python snippets define, run in order."""
    namespace: dict[str, Any] = {}
    for snippet in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(snippet, str(PAGE), "exec"), namespace)
    return namespace


def test_every_model_on_the_page_exports(names: dict[str, Any]) -> None:
    models = [value for value in names.values() if isinstance(value, SymbolicModel)]
    for model in [*models, names["model"]()]:
        for precision in ("float32", "float64"):
            program_of_symbolic(model, precision)
    assert len(models) == 11


def test_first_model_has_the_fields_that_the_page_names(names: dict[str, Any]) -> None:
    program = program_of_symbolic(names["model"](), "float64")
    assert [signal.name for signal in program.functions[0].inputs if signal.group == "in"] == ["theta"]
    assert [signal.name for signal in program.parameters] == ["k"]
    assert program.recalibrate is not None


def test_markers_and_defaults_on_the_page_mean_the_same(names: dict[str, Any]) -> None:
    """At regular points, and where each of the three places is undefined."""
    rows = np.array([[0.5, 0.25], [0.0, 0.5], [1.5, 1.0]])
    marked, defaults = (
        interpret(program_of_symbolic(names[name], "float64").functions[0], rows) for name in ("marked", "defaults")
    )
    assert np.array_equal(marked.outputs, defaults.outputs)
    singular, outside = (1 << BITS[name][0] for name in ("NEAR_SINGULAR", "OUT_OF_WORKSPACE"))
    assert list(marked.status) == list(defaults.status) == [0, singular, outside]


def test_conditions_on_the_page_prove_their_arms(names: dict[str, Any]) -> None:
    """Removable singularity, height, angle, reciprocal; by hand."""
    function = program_of_symbolic(names["proven"], "float64").functions[0]
    result = interpret(function, np.array([[0.0], [1e-5], [0.6], [2.0]]))
    right = [[1, 1, 0, 4], [1, 1, 1e-5, 4], [np.sin(0.6) / 0.6, 0.8, np.arcsin(0.6), 1 / 0.6]]
    assert result.outputs == pytest.approx(np.array([*right, [np.sin(2) / 2, 0, np.pi / 2, 0.5]]), abs=1e-9)
    assert not result.status.any()


def test_the_angle_on_the_page_is_wrapped(names: dict[str, Any]) -> None:
    result = interpret(program_of_symbolic(names["wrapped"], "float64").functions[0], np.array([[4.7]]))
    assert result.outputs[0, 0] == pytest.approx(-1.58318530717959, abs=1e-13)
