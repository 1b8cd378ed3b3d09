"""Operation counts of the planar systems stay within ci/budgets.toml: mul-and-div / add / sqrt, lengths frozen."""

import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from exporter.kinematics.planar.complex_value import Complex
from exporter.kinematics.planar.solution import solve_pose
from exporter.kinematics.planar.triangular import triangular_form
from exporter.kinematics.protocol.scope import Scope
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder, Value
from exporter.sequence.cost import cost
from exporter.sequence.operations import Group, Signal
from exporter.sequence.shared_sums import share_sums

BUDGETS = tomllib.loads((Path(__file__).resolve().parents[4] / "ci" / "budgets.toml").read_text())["planar"]


@pytest.mark.parametrize("name", BUDGETS)
def test_count_is_the_budget(name: str) -> None:
    """Exactly the budget: more is a regression, fewer wants the budget lowered."""
    entry = BUDGETS[name]
    mechanism = read_mechanism(model_path(entry["model"]))
    pose = {key: Fraction(str(value)) for key, value in entry.get("pose", {}).items()}
    chosen = tuple(entry.get("independent", mechanism.independent))
    form = triangular_form(replace(mechanism, independent=chosen, pose={**mechanism.pose, **pose}))
    builder = Builder("position", "float64", contract=False)
    inputs = {each: builder.input(Signal(each, "1")) for each in form.independent}
    solved, _ = solve_pose(form, builder, Scope(builder, form.mechanism), inputs)
    units: list[Complex] = [solved.unit(body) for body in entry.get("directions", ())]
    units += [solved.relative(each) for each in entry.get("angles", ())]
    slides: list[Value] = [solved.slide[each] for each in entry.get("displacements", ())]
    for number, value in enumerate([*(part for unit in units for part in (unit.re, unit.im)), *slides]):
        builder.output(Signal(f"value{number}", "1", group=Group.OUTPUT), value)
    counted = cost(share_sums(builder.finish()))
    assert [counted.mul + counted.div, counted.add, counted.sqrt] == entry["count"]
