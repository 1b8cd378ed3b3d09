"""Operation counts of the spatial systems stay within ci/budgets.toml: mul-and-div / add / sqrt, lengths frozen."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from exporter.kinematics.spatial.arithmetic import bare_position
from exporter.kinematics.spatial.form import unsigned_spatial_form
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.cost import cost

BUDGETS = tomllib.loads((Path(__file__).resolve().parents[4] / "ci" / "budgets.toml").read_text())["spatial"]


@pytest.mark.parametrize("name", BUDGETS)
def test_count_is_the_budget(name: str) -> None:
    """Exactly the budget: more is a regression, fewer wants the budget lowered."""
    entry = BUDGETS[name]
    mechanism = read_mechanism(model_path(entry["model"]))
    if "independent" in entry:  # what is left once these are known, whoever solved them
        form = unsigned_spatial_form(replace(mechanism, independent=tuple(entry["independent"])))
    else:
        form = spatial_form(mechanism)
    coordinates = entry.get("coordinates", form.dependent())
    counted = cost(bare_position(form, coordinates, entry.get("centers", ()), entry.get("rotations", ())))
    assert [counted.mul + counted.div, counted.add, counted.sqrt] == entry["count"]
