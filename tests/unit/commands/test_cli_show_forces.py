"""`kinefix show` tells what acts, by which law, and how large it is: against forces computed here by hand."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from model_texts import CART

from exporter.cli import kinefix
from exporter.functions.program import program_of_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret

ROOT = Path(__file__).resolve().parents[3]
EVERY = ROOT / "tests" / "data" / "pictures" / "every_element.toml"
X, PHI = 0.25, 0.5  # m and rad, the pose in that file
GAS = (
    CART
    + """[inputs]
pull = { range = ["-50 N", "50 N"], nominal = "3 N" }
[elements.gas]
type = "gas_spring"
along = "x"
force = "40 N"
at = "0.1 m"
column = "0.7 m"
exponent = "2"
damping = "5 N*s/m"
[loads.pull]
type = "force"
on = "cart"
value = ["2*pull", "0", "0"]
[coordinates]
independent = ["x"]
pose = { x = "0.2 m" }
ranges = { x = ["-0.5 m", "0.5 m"] }
rates = { x = "4 m/s" }
"""
)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(kinefix, ["show", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def forces(*arguments: str) -> dict[str, Any]:
    return {each["name"]: each for each in json.loads(run(*arguments, "--json"))["forces"]}


def test_elements_have_the_forces_of_the_closed_form() -> None:
    """Cart at x, arm's joint at (x, 0.1 m), tip 0.4 m from it, hook at (-0.3 m, 0.3 m); stiffnesses as in the file."""
    found = forces(str(EVERY))
    rope = math.hypot(X + 0.4 * math.cos(PHI) + 0.3, 0.1 + 0.4 * math.sin(PHI) - 0.3)
    expected = {"rope": -100 * (rope - 0.3), "slide_spring": -100 * X, "coil": -PHI, "buffer": 0, "rub": 0, "ram": 0}
    assert {name: found[name]["force"][0] for name in expected} == pytest.approx(expected, abs=1e-12)
    assert (found["rope"]["x"], found["coil"]["x"]) == pytest.approx((rope, PHI))
    assert [found[name][unit] for name in ("rope", "coil") for unit in ("x_unit", "unit")] == ["m", "N", "rad", "N*m"]


def test_forces_follow_the_pose_that_is_looked_at() -> None:
    """Beyond the stop at 0.4 m it pushes back with 1 kN/m."""
    found = forces(str(EVERY), "--at", "x=430 mm")
    assert found["buffer"]["force"] == pytest.approx([-30])
    assert found["slide_spring"]["force"] == pytest.approx([-43])


def test_the_forces_are_those_that_dynamics_uses(tmp_path: Path) -> None:
    """Acceleration of a cart of 2 kg at rest: gas of F = 40 (0.7 / 0.8)^2 N and the nominal pull of 2 * 3 N."""
    (tmp_path / "gas.toml").write_text(GAS, encoding="utf-8")
    found = forces(str(tmp_path / "gas.toml"))
    assert found["gas"]["force"] == pytest.approx([40 * (0.7 / 0.8) ** 2])
    assert found["pull"]["force"] == pytest.approx([6, 0, 0])
    (dynamics,) = program_of_mechanism(parse_mechanism(GAS, "gas"), "float64", only=["dynamics"]).functions
    result = interpret(dynamics, np.array([[0.2, 0.0, 3.0]]))
    names = [output.signal.name for output in dynamics.outputs]
    total = found["gas"]["force"][0] + found["pull"]["force"][0]
    assert float(result.outputs[0, names.index("x.acceleration")]) == pytest.approx(total / 2)


def test_the_text_has_places_laws_and_values() -> None:
    """Text of a spring with damping along a coordinate, and of a torque."""
    text = run(str(EVERY))
    assert "forces at x = 0.25 m, phi = 0.5 rad (28.6479 deg), at rest, inputs nominal\n" in text
    assert (
        "  slide_spring: spring along x\n"
        "      x = 0.25 m, F = -25 N\n"
        "      F = -(stiffness * x) - damping * v\n"
        "      stiffness = 100 N/m, damping = 3 N*s/m\n"
    ) in text
    assert "  twist: torque on arm, ground axes\n      F = (0, 0, 0) N*m\n      F = (0, 0, -m)\n" in text


def test_values_that_follow_from_parameters_are_told_by_both() -> None:
    """The strut of the quarter car carries 220.5 kg."""
    found = forces("quarter_car")["strut"]
    assert found["values"]["preload"] == {
        "formula": "body_mass * g",
        "value": pytest.approx(220.5 * 9.81),
        "unit": "N",
    }
    assert found["force"] == pytest.approx([220.5 * 9.81])
    assert found["acts"] == "between wheel and body"
    assert "preload = body_mass * g = 2163.11 N" in run("quarter_car")


def test_where_nothing_can_be_assembled_no_force_has_a_value() -> None:
    """The slider-crank driven by its piston, out of reach of the rod; its push is told all the same."""
    (push,) = forces("slider_crank", "--independent", "s", "--at", "s=0.75 m").values()
    assert push["law"] == ["F", "0", "0"]
    assert push["force"] is None
    assert "F = no value here" in run("slider_crank", "--independent", "s", "--at", "s=0.75 m")


def test_what_has_neither_loads_nor_elements_has_no_such_part() -> None:
    assert "forces at" not in run(str(ROOT / "tests" / "data" / "mechanisms" / "same_name.toml"))


def test_the_page_quotes_what_is_printed(tmp_path: Path) -> None:
    """The strut of the flap in docs/model-file.md."""
    page = (ROOT / "docs" / "model-file.md").read_text(encoding="utf-8")
    (tmp_path / "flap.toml").write_text(page.split("<!-- elements -->\n```toml\n")[1].split("```")[0], encoding="utf-8")
    quoted = page.split("images/flap.svg)\n\n```text\n")[1].split("```")[0]
    assert quoted in run(str(tmp_path / "flap.toml"))
