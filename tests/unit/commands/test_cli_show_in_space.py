"""`kinefix show` of spatial mechanisms as a user meets it."""

import json
import math
import re
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from exporter.cli import kinefix
from exporter.model.expression import ZERO
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

NAMES = ["gough_stewart", "double_wishbone_front", "spatial_four_bar", "five_link", "arm_6r"]
LINE = ".//{http://www.w3.org/2000/svg}g[@class='axis']"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(kinefix, ["show", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@cache
def shown(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


@pytest.mark.parametrize("name", NAMES)
def test_the_exported_mode_is_the_reference_s(name: str) -> None:
    """All coordinates at the design pose equal Newton's on the original closures, within 1e-9."""
    facts = shown(name)
    reference = reference_of(read_mechanism(model_path(name)))
    own = next(mode for mode in facts["modes"] if mode["chosen"])
    assert own["reachable"]
    for coordinate, value in zip(reference.coordinates, reference.design, strict=True):
        assert math.remainder(own["coordinates"][coordinate] - float(value), math.tau) == pytest.approx(0, abs=1e-9)
    assert len(facts["independent"]) == len(reference.skeleton.independent)
    heavy = any(body.mass != ZERO for body in reference.skeleton.mechanism.bodies)
    offered = ["position", "velocity", "acceleration", *(["dynamics", "startup", "dostep"] if heavy else [])]
    assert [function["name"] for function in facts["functions"]] == offered


@pytest.mark.parametrize(("name", "count"), [("spatial_four_bar", 4), ("double_wishbone_front", 8)])
def test_every_mode_that_is_offered_satisfies_the_original_closures(name: str, count: int) -> None:
    """Residual of the reference's closures below 1e-9 of the longest length; the modes differ from each other."""
    modes = shown(name)["modes"]
    reference = reference_of(read_mechanism(model_path(name)))
    rows = np.array([[mode["coordinates"][each] for each in reference.coordinates] for mode in modes])
    assert len({tuple(np.round(row, 6)) for row in rows}) == count
    assert all(mode["reachable"] for mode in modes)
    assert np.abs(reference.assembly.closures.residual(configuration(rows))).max() < 1e-9


def test_of_many_modes_those_nearest_to_the_exported_one_are_shown() -> None:
    """Six legs with two lengths and two attitudes each: 4,096 combinations, of which 16 are listed."""
    facts = shown("gough_stewart")
    assert facts["combinations"] == 4**6
    assert [mode["chosen"] for mode in facts["modes"]] == [True] + 15 * [False]
    own = facts["modes"][0]["signs"]
    differing = [sum(a != b for a, b in zip(own, mode["signs"], strict=True)) for mode in facts["modes"]]
    assert differing == [0] + 12 * [1] + 3 * [2]
    text = run("gough_stewart")
    assert "and 4,080 other combinations of roots, 4,096 in all" in text
    listed = text.split("what differs from it in others\n")[1].split("  and 4,080")[0].splitlines()
    assert listed[0] == "  L1-"
    assert listed[1].lstrip().startswith("alpha1 = ")
    assert len(listed) == 2 * 15


def test_a_pose_out_of_the_workspace_is_told() -> None:
    """With the crank of 1.5 m along x the tip of the follower is at least sqrt(1.5^2 + (5.2 - 1.5)^2) = 3.99 m away."""
    lengths = ("--set", "Lr=3.95 m", "--set", "Lf=1.5 m", "--set", "Lg=5.2 m")
    words = ("spatial_four_bar", *lengths, "--pose", "beta3=1.38 rad")  # the file's pose is between two assemblies
    assert {mode["reachable"] for mode in shown(*words)["modes"]} == {True}
    assert {mode["reachable"] for mode in shown(*words, "--at", "beta1=90 deg")["modes"]} == {False}
    assert run(*words, "--at", "beta1=90 deg").count("cannot be assembled here") == 4


def test_the_text_holds_what_the_json_holds() -> None:
    facts, text = shown("double_wishbone_front"), run("double_wishbone_front")
    assert "2 degrees of freedom: lower, rack" in text
    for function in facts["functions"]:
        assert re.search(rf"{function['name']}\s+{re.escape(function['cost_text'])}\n", text)
    for block in facts["blocks"]:
        assert f"{block['id']}  {block['kind']}, degree {block['degree']}" in text
        assert block["sign"] in (-1, 1)
        assert f"      {', '.join(block['unknowns'])}\n" in text
    assert all(note in text for note in facts["notes"])


def test_views_differ_and_show_two_axes_or_three(tmp_path: Path) -> None:
    """Iso by default; a planar mechanism is drawn in its plane unless a view is asked for."""
    drawn = {}
    for model, view in (("arm_6r", ""), ("arm_6r", "iso"), ("arm_6r", "side"), ("four_bar", ""), ("four_bar", "top")):
        path = tmp_path / f"{model}{view}.svg"
        run(model, "--picture", str(path), *(["--view", view] if view else []))
        drawn[model, view] = path.read_bytes(), len(ET.parse(path).findall(LINE))
    assert drawn["arm_6r", ""] == drawn["arm_6r", "iso"]
    assert [count for _, count in drawn.values()] == [3, 3, 2, 0, 2]


def test_a_view_without_a_picture_is_refused() -> None:
    result = CliRunner().invoke(kinefix, ["show", "arm_6r", "--view", "top"])
    assert result.exit_code != 0
    assert "--picture" in str(result.exception)
