"""Every independent coordinate is marked once, where it is, in the sense in which it grows, with its value."""

import math
import re
import xml.etree.ElementTree as ET
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from exporter.drawing.of_solution import picture_scene
from exporter.drawing.quantities import angle_text, length_text
from exporter.drawing.svg import svg
from exporter.drawing.views import Name
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.modes import exported_mode
from exporter.model.complete import with_independent
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import read_mechanism

PRACTICE = Path(__file__).resolve().parents[2] / "data" / "practice"
COUPLINGS = PRACTICE.parent / "couplings"
SVG = "{http://www.w3.org/2000/svg}"


@cache
def read(name: str) -> Mechanism:
    path = PRACTICE / f"{name}.toml"
    return read_mechanism(path if path.exists() else model_path(name))


@cache
def drivers(name: str, view: Name | None = None) -> list[ET.Element]:
    solved = solved_mechanism(read(name))
    mechanism = solved.mechanism
    pose = exported_mode(solved, {each: mechanism.pose[each] for each in mechanism.independent}).coordinates
    root = ET.fromstring(svg((picture_scene(solved, pose, "", view),)))
    return [group for group in root.iter(f"{SVG}g") if group.get("class") == "driver"]


def lines(group: ET.Element) -> list[np.ndarray]:
    """Points (n, 2) of every line, y upwards."""
    numbers = [re.findall(r"-?[\d.]+(?:e-?\d+)?", path.get("d", "")) for path in group.iter(f"{SVG}path")]
    return [np.array([float(word) for word in words]).reshape(-1, 2) * [1, -1] for words in numbers]


def named(name: str, coordinate: str, view: Name | None = None) -> ET.Element:
    return next(group for group in drivers(name, view) if group.get("data-name") == coordinate)


def swept(group: ET.Element) -> float:
    """The angle (rad) of an arc about the middle of its ellipse, counter-clockwise."""
    arc = lines(group)[0]
    middle = (arc.max(axis=0) + arc.min(axis=0)) / 2
    angle = np.unwrap(np.arctan2(*(arc - middle).T[::-1]))
    return float(angle[-1] - angle[0])


@pytest.mark.parametrize("name", ["slider_crank", "excavator", "gough_stewart", "corner_front", "irb360"])
def test_every_independent_coordinate_has_one_arrow(name: str) -> None:
    """One group with one head each, in the order of the file."""
    found = [group.get("data-name") for group in drivers(name)]
    assert found == list(read(name).independent)
    for group in drivers(name):
        assert sum(len(line) == 3 for line in lines(group)) == 1


def test_planar_mechanisms_behind_gears_or_driven_otherwise_keep_their_plane_and_their_drivers() -> None:
    """A gripper's fingers are solved without its gears, a six-bar's loops driven by another crank: neither is drawn."""
    gripper = read_mechanism(COUPLINGS / "gripper.toml")
    ranges = {"beta1": CoordinateRange(Fraction("0.3"), Fraction("1.45"), Fraction(30))}
    for mechanism in (gripper, with_independent(read("stephenson_iii"), ["beta1"], ranges=ranges)):
        solved = solved_mechanism(mechanism)
        pose = exported_mode(solved, {each: mechanism.pose[each] for each in mechanism.independent}).coordinates
        groups = list(ET.fromstring(svg((picture_scene(solved, pose),))).iter(f"{SVG}g"))
        assert [each.get("data-name") for each in groups if each.get("class") == "driver"] == [*mechanism.independent]
        assert not [each for each in groups if each.get("class") == "axis"]


def test_values_are_in_degrees_and_millimetres() -> None:
    """Poses of the files: 45 deg, 0 m and 0 rad; 2.2 m of a machine that is larger than a metre."""
    assert [str(named("slider_crank", "theta").findtext(f"{SVG}text"))] == ["theta = 45°"]
    assert named("corner_front", "rack").findtext(f"{SVG}text") == "rack = 0 mm"
    assert named("excavator", "p1").findtext(f"{SVG}text") == "p1 = 2.2 m"
    assert (angle_text(-math.pi / 6), length_text(-0.0, 0.3)) == ("-30°", "0 mm")
    assert length_text(0.0123, 0.3) == "12.3 mm"


def test_arrows_point_the_way_that_displacements_grow() -> None:
    """The rack moves along y of the ground: to the right from the side, right and up from (1, -1, 1)."""
    for view, expected in (("side", (1, 0)), ("iso", (math.sqrt(3) / 2, 0.5)), ("top", (0, 1))):
        line, head = lines(named("corner_front", "rack", view))  # type: ignore[arg-type]
        along = head[0] - line[0]
        np.testing.assert_allclose(along / np.hypot(*along), expected, atol=1e-3)


def test_rings_turn_the_way_that_angles_grow() -> None:
    """The crank about z that points to the eye; the lower arm about x, and flatter from (1, -1, 1)."""
    assert swept(named("slider_crank", "theta")) > 3
    axes = [joint.axis for joint in read("double_wishbone_front").joints if joint.name == "lower"]
    assert float(axes[0][0]) > 0.99
    assert swept(named("double_wishbone_front", "lower", "side")) > 3
    assert swept(named("double_wishbone_front", "lower", "iso")) > 2
    ring = lines(named("double_wishbone_front", "lower", "iso"))[0]
    start = ring - ring.mean(axis=0)
    singular = np.linalg.svd(start, compute_uv=False)
    assert singular[1] / singular[0] < 0.8
