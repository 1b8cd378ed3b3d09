"""Weights of benchmarks/m4f_weights.py, on functions whose instructions are counted by hand."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
FUNCTION = "#include <math.h>\nvoid f(const double *in, double *out)\n{{\n    out[0] = {};\n}}\n"
COPY = 1 + 2 * 2  # a load, a store and the return


@pytest.fixture
def weights(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    sys.modules.pop("m4f_weights", None)
    import m4f_weights

    return m4f_weights


@pytest.mark.emulated
@pytest.mark.parametrize(
    ("value", "weight"),
    [
        ("2.0 * in[0]", COPY + 1),
        ("in[0] * in[1]", COPY + 2 + 1),
        ("in[0] / in[1]", COPY + 2 + 14),
        ("sqrt(in[0])", COPY + 14),
        ("pow(in[0], 2)", COPY + 1),
        ("in[0] * in[1] + in[2]", COPY + 4 + 2),
    ],
)
def test_a_small_function_weighs_what_its_instructions_do(
    weights: ModuleType, require_tool: Callable[[str], str], value: str, weight: int
) -> None:
    """In float, without a call, nothing fused."""
    require_tool("arm-none-eabi-gcc")
    from c_calls import on_arrays

    assert weights.weight(on_arrays(FUNCTION.format(value), "f", 1)) == weight
