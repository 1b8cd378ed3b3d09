"""`kinefix show` as a user meets it."""

import io
import json
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from PIL import Image

from exporter.cli import kinefix
from exporter.errors import ModelError
from exporter.model.library import model_path

L1, L2 = 0.3, 0.4  # m, of the library's slider-crank
PIVOT = ".//{http://www.w3.org/2000/svg}g[@class='pivot']"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(kinefix, ["show", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def shown(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


@pytest.mark.parametrize("degrees", [45, 30, 200])
def test_both_modes_of_the_slider_crank_at_a_pose(degrees: int) -> None:
    """Closed form: s = l1 cos theta +- sqrt(l2^2 - l1^2 sin^2 theta); the exported one is on the right."""
    theta = math.radians(degrees)
    reach = math.sqrt(L2**2 - (L1 * math.sin(theta)) ** 2)
    modes = shown("slider_crank", "--at", f"theta={degrees} deg")["modes"]
    by_choice = {mode["chosen"]: mode["coordinates"]["s"] for mode in modes}
    assert by_choice == pytest.approx({True: L1 * math.cos(theta) + reach, False: L1 * math.cos(theta) - reach})
    assert all(mode["reachable"] for mode in modes)


def test_a_pose_out_of_the_workspace_is_told() -> None:
    """With s = 0.75 m the pin of the slider-crank is out of the rod's reach: l1 + l2 = 0.7 m."""
    text = run("slider_crank", "--independent", "s", "--at", "s=0.75 m")
    assert text.count("cannot be assembled here") == 2


def test_a_mechanism_without_a_title_is_told_by_its_name_alone(tmp_path: Path) -> None:
    text = model_path("slider_crank").read_text()
    (tmp_path / "plain.toml").write_text(re.sub(r"(?m)^title = .*$", "", text))
    assert run(str(tmp_path / "plain.toml")).splitlines()[0] == "slider_crank"
    assert run("slider_crank").splitlines()[0].startswith("slider_crank: ")


def test_the_text_holds_what_the_json_holds() -> None:
    facts, text = shown("four_bar"), run("four_bar")
    for function in facts["functions"]:
        assert re.search(rf"{function['name']}\s+{re.escape(function['cost_text'])}\n", text)
    for block in facts["blocks"]:
        assert f"{block['id']}  loop '{block['loop']}': {block['kind']}, degree {block['degree']}" in text
        assert all(line in text for _, line in block["steps"])
    for function in facts["functions"]:
        for name, places in function["conditions"].items():
            assert places
            assert all(re.search(rf"{name} +{re.escape(each)} .*{function['name']}", text) for each in places)
    assert "1 degree of freedom: alpha1" in text
    assert all(note in text for note in facts["notes"])


def test_other_independent_coordinates_give_another_solve_order() -> None:
    orders = {name: shown("slider_crank", "--independent", name)["blocks"] for name in ("theta", "s", "beta")}
    assert [orders[name][0]["coordinates"] for name in orders] == [["beta", "s"], ["theta", "beta"], ["theta", "s"]]


def test_the_picture_has_every_pivot_at_the_pose(tmp_path: Path) -> None:
    """Pin at l1 (cos, sin), piston at s on the x axis, as the closed form has them."""
    theta = math.radians(30)
    run("slider_crank", "--at", "theta=30 deg", "--picture", str(tmp_path / "a.svg"))
    pivots = {
        each.get("data-joint"): (float(each.get("data-x-m", "nan")), float(each.get("data-y-m", "nan")))
        for each in ET.parse(tmp_path / "a.svg").iterfind(PIVOT)
    }
    s = L1 * math.cos(theta) + math.sqrt(L2**2 - (L1 * math.sin(theta)) ** 2)
    assert pivots["theta"] == pytest.approx((0, 0), abs=1e-9)
    assert pivots["crank_pin"] == pytest.approx((L1 * math.cos(theta), L1 * math.sin(theta)), abs=1e-8)
    assert pivots["beta"] == pytest.approx((s, 0), abs=1e-8)


def test_all_modes_are_drawn_side_by_side(tmp_path: Path) -> None:
    """A PNG of both modes is twice as wide as that of one."""
    widths = []
    for number, words in enumerate(([], ["--modes"])):
        path = tmp_path / f"{number}.png"
        run("slider_crank", "--picture", str(path), *words)
        widths.append(Image.open(io.BytesIO(path.read_bytes())).width)
    assert widths[1] == 2 * widths[0]


def test_a_mechanism_whose_ranges_forbid_an_export_is_shown_all_the_same(tmp_path: Path) -> None:
    """At 1e30 rad/s the square of a rate overflows a float32; the solve order and the modes do not."""
    text = model_path("slider_crank").read_text(encoding="utf-8")
    assert 'theta = "500 rad/s"' in text
    path = tmp_path / "fast.toml"
    path.write_text(text.replace('theta = "500 rad/s"', 'theta = "1e30 rad/s"'), encoding="utf-8")
    facts = shown(str(path))
    assert "overflow" in facts["refused"]
    assert facts["functions"] == []
    assert facts["modes"] == shown("slider_crank")["modes"]
    assert f"no export at float32: {facts['refused']}" in run(str(path))
    assert shown(str(path), "--precision", "float64")["refused"] == ""


def test_names_are_of_a_picture(tmp_path: Path) -> None:
    """One sentence where there is none; joints' names where they are asked for, and nowhere else."""
    with pytest.raises(ModelError, match="--names is of a picture; say where to with --picture FILE"):
        run("slider_crank", "--names", "joints")
    texts = {}
    for number, words in enumerate(([], ["--names", "joints"], ["--names", "joints", "--names", "bodies"])):
        run("slider_crank", "--picture", str(tmp_path / f"{number}.svg"), *words)
        texts[number] = {
            text.text for text in ET.parse(tmp_path / f"{number}.svg").iter("{http://www.w3.org/2000/svg}text")
        }
    assert "crank" in texts[0]
    assert "crank_pin" not in texts[0]
    assert "crank_pin" in texts[1]
    assert "crank" not in texts[1]
    assert {"crank", "crank_pin"} <= texts[2]
