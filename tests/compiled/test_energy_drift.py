"""RK4 keeps the energy of mechanisms without losses: ten seconds of the compiled step, energies by the reference."""

import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from exporter.model.expression import ZERO
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = tomllib.loads((ROOT / "tests" / "data" / "systems.toml").read_text(encoding="utf-8"))["system"]
QUICK = ("quarter_car",)
ROUNDING = 1e-10  # of the energy: below, halving the period gains nothing


def with_masses() -> list[str]:
    names = dict.fromkeys(row["model"] for row in SYSTEMS)
    mechanisms = {name: read_mechanism(model_path(name)) for name in names}
    return [n for n, m in mechanisms.items() if any(b.mass != ZERO for b in m.bodies) and not m.alternative]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """benchmarks/energy_drift.py."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import energy_drift

    return energy_drift


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in with_masses()])
def test_energy_stays(require_tool, script: ModuleType, name: str) -> None:
    """Within 1e-9 where the mechanism is slow for the period; else a 25th with half the period, until rounding."""
    require_tool("gcc")
    whole, half, coarse = script.drift_facts(read_mechanism(model_path(name)))
    if whole.relative > 1e-9:
        assert half.relative < max(whole.relative / 25, ROUNDING)
    assert coarse.relative < 0.05


def test_a_step_that_loses_energy_is_seen(require_tool, script: ModuleType) -> None:
    """The quarter car by semi-implicit Euler changes its energy a thousand times more than by RK4."""
    require_tool("gcc")
    mechanism = read_mechanism(model_path("quarter_car"))
    found = {
        method: script.drift(mechanism, "float64", script.Fraction(1, 1000), method).relative
        for method in ("rk4", "semi_implicit_euler")
    }
    assert found["semi_implicit_euler"] > 1000 * found["rk4"]
