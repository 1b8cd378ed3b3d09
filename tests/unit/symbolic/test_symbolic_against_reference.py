"""Every symbolic model of the tests, the examples and the documentation against the reference of SIL.

The oracle walks the SymPy expressions by itself, in mpmath, and bounds what rounding may do; it shares no code with the
sequence or its builder.
"""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import sympy as sp

from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Precision
from exporter.symbolic import Pivot, Radicand, Ratio, SymbolicModel, given, load, output
from exporter.symbolic.canonical import canonical, from_canonical
from exporter.symbolic.program import sequence_of_symbolic
from sil.reference.symbolic import symbolic_reference_of

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
UNITS: dict[Precision, float] = {"float32": 2.0**-24, "float64": 2.0**-53}
SLACK = 4.0
"""The bound is of first order and of one association."""
NAMES = (
    "reciprocal_powers",
    "awkward_names",
    "gear_ratio",
    "bearing",
    "versine",
    "arrays",
    "reflection",
    "conditional",
    "clips",
    "float_mix",
    "guarded_mix",
    "dense_4",
    "growth",
)


def markers() -> SymbolicModel:
    """Each marker once."""
    x, y = sp.symbols("x y")
    value = y / Pivot(x, "0.001") + sp.sqrt(Radicand(1 - x**2 - y**2)) + sp.asin(Ratio(x + y))
    return SymbolicModel("markers", (given("x", -1, 1), given("y", -1, 1)), (output("f", value),))


@pytest.fixture(scope="module")
def models(load_data_module: Callable[[str], ModuleType]) -> dict[str, SymbolicModel]:
    module = load_data_module("symbolic_models")
    examples = {name: load(f"{EXAMPLES / name}.py:model") for name in ("linear_delta", "double_pendulum")}
    return {name: getattr(module, name)() for name in NAMES} | examples | {"markers": markers()}


@pytest.mark.parametrize("precision", list(UNITS))
@pytest.mark.parametrize("name", [*NAMES, "linear_delta", "double_pendulum", "markers"])
def test_model_stays_within_its_rounding_bound(
    models: dict[str, SymbolicModel], name: str, precision: Precision
) -> None:
    """40 random rows; those with a flag are not judged, and at least five are left."""
    model = models[name]
    reference = symbolic_reference_of(from_canonical(canonical(model)))
    sequence = sequence_of_symbolic(model, precision)
    rows = random_rows(model, precision)
    result = interpret(sequence, rows)
    regular = np.flatnonzero(result.status == 0)
    names = [signal.name for signal in sequence.inputs]
    for row in regular:
        right = reference.evaluate(dict(zip(names, map(float, rows[row]), strict=True)), UNITS[precision])
        for place, made in enumerate(result.outputs[row]):
            answer = right[sequence.outputs[place].signal.name]
            bound = SLACK * (float(answer.error) + UNITS[precision] * abs(float(made)))
            assert abs(float(made) - float(answer.value)) <= bound
    assert len(regular) >= 5


def test_angle_on_the_cut_is_not_judged(models: dict[str, SymbolicModel]) -> None:
    """atan2(0, -1) is pi or -pi by the sign of zero, which mpmath does not have; off the cut it is judged."""
    reference = symbolic_reference_of(models["bearing"])
    assert reference.evaluate({"y": -0.0, "x": -1.0}, 2.0**-53)["angle"].error == np.inf
    assert reference.evaluate({"y": 1e-300, "x": -1.0}, 2.0**-53)["angle"].error < 1e-14


def random_rows(model: SymbolicModel, precision: Precision) -> np.ndarray:
    inputs = sequence_of_symbolic(model, precision).inputs
    random = np.random.default_rng(1)
    low, high, nominal = (
        np.array([float(getattr(signal, bound)) for signal in inputs]) for bound in ("minimum", "maximum", "nominal")
    )
    rows = low + (high - low) * random.uniform(0.01, 0.99, (40, len(inputs)))
    fixed = [signal.group is Group.PARAMETER for signal in inputs]
    rows[:, fixed] = nominal[fixed]
    return rows.astype(np.float32 if precision == "float32" else np.float64).astype(np.float64)
