"""Pictures of mechanisms in space stand as gravity says, and are seen from where joints do not hide each other."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from exporter.drawing.placed import Placed
from exporter.drawing.spatial_scene import spatial_scene
from exporter.drawing.svg import svg
from exporter.drawing.upright import TURNS, usual_view
from exporter.drawing.views import NAMES, Name, seen
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.modes import exported_mode
from exporter.model.expression import Number
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism

PRACTICE = Path(__file__).resolve().parents[2] / "data" / "practice"
SVG = "{http://www.w3.org/2000/svg}"
EYES = {"iso": (1, -1, 1), "iso_left": (-1, -1, 1), "front": (0, -1, 0), "side": (1, 0, 0), "top": (0, 0, 1)}


@cache
def solved(name: str) -> tuple[Mechanism, dict[str, float]]:
    path = PRACTICE / f"{name}.toml"
    found = solved_mechanism(read_mechanism(path if path.exists() else model_path(name)))
    mechanism = found.mechanism
    pose = exported_mode(found, {each: mechanism.pose[each] for each in mechanism.independent}).coordinates
    return mechanism, pose


def with_up(axis: str) -> Mechanism:
    """The double wishbone with gravity against an axis; without any where it is empty."""
    pull = [Number(Fraction(-9 if name == axis else 9 if f"-{name}" == axis else 0)) for name in "xyz"]
    return replace(solved("double_wishbone_front")[0], gravity=(pull[0], pull[1], pull[2]))


def picture(axis: str, view: Name) -> ET.Element:
    return ET.fromstring(svg((spatial_scene(with_up(axis), solved("double_wishbone_front")[1], view),)))


def axes(root: ET.Element) -> dict[str, np.ndarray]:
    """The lines of the ground's axes, y upwards, by their names."""
    found = {}
    for group in (each for each in root.iter(f"{SVG}g") if each.get("class") == "axis"):
        line = group.find(f"{SVG}line")
        assert line is not None
        x1, y1, x2, y2 = (float(line.get(key, "nan")) for key in ("x1", "y1", "x2", "y2"))
        found[str(group.findtext(f"{SVG}text"))] = np.array([x2 - x1, y1 - y2])
    return found


@pytest.mark.parametrize("axis", list(TURNS))
def test_up_is_where_gravity_comes_from(axis: str) -> None:
    """The axis is named and vertical from the front and the side, and a mirror image is no view."""
    rows = np.array(TURNS[axis])
    assert np.linalg.det(rows) == pytest.approx(1)
    name = axis.removeprefix("-")
    for view in ("front", "side"):
        shown = axes(picture(axis, view))
        label = f"{name} up" if axis == name else name
        assert shown[label][0] == 0
        assert np.sign(shown[label][1]) == (1 if axis == name else -1)


def test_z_is_up_where_there_is_no_gravity() -> None:
    """As it always was, and no axis is said to be up."""
    assert set(axes(picture("", "iso"))) == {"x", "y", "z"}
    assert axes(picture("", "front")).keys() == {"x", "z"}


def test_with_y_up_the_front_has_x_to_the_right_and_joints_where_the_ground_axes_have_them() -> None:
    """As CAD programs have it: x and y of every joint, seen from +z."""
    root = picture("y", "front")
    placed = Placed(with_up("y"), solved("double_wishbone_front")[1])
    for group in (each for each in root.iter(f"{SVG}g") if each.get("class") == "pivot"):
        joint = next(each for each in placed.mechanism.joints if each.name == group.get("data-joint"))
        shown = [float(group.get(key, "nan")) for key in ("data-right-m", "data-up-m")]
        np.testing.assert_allclose(shown, placed.joint(joint)[:2], atol=1e-8)
    assert "seen from +z" in [text.text for text in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("view", NAMES)
def test_views_are_seen_from_where_they_say(view: Name) -> None:
    """The eye's direction is a point in the picture, and the text has its axes."""
    assert seen(view, EYES[view]) == (0, 0)
    words = ", ".join(f"{'+' if part > 0 else '-'}{name}" for name, part in zip("xyz", EYES[view], strict=True) if part)
    texts = [text.text for text in picture("", view).iter(f"{SVG}text")]
    assert f"seen from {words}" in texts


def test_the_usual_view_hides_fewer_joints() -> None:
    """A delta robot's balls are one heap from (1, -1, 1): it is seen from the top. A double wishbone is not."""
    assert usual_view(Placed(*solved("irb360"))) == "top"
    assert usual_view(Placed(*solved("double_wishbone_front"))) == "iso"
