"""Paths of points lie where Newton on the original closures puts the points, over the range of one driver at a time."""

import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from exporter.drawing.of_solution import picture_scene
from exporter.drawing.svg import svg
from exporter.drawing.trails import PLACES, Trail, followed_points, trails_of
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.modes import exported_mode
from exporter.kinematics.protocol.solution import Solution
from exporter.model.changes import Changes
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sources import mechanism_of
from sil.reference.mechanism import reference_of
from sil.reference.motion import body_poses, configuration
from sil.reference.skeleton import frame_place

PRACTICE = Path(__file__).resolve().parents[2] / "data" / "practice"
SVG = "{http://www.w3.org/2000/svg}"


def read(name: str) -> Mechanism:
    path = PRACTICE / f"{name}.toml"
    return read_mechanism(path if path.exists() else model_path(name))


def trails(mechanism: Mechanism) -> tuple[Solution, dict[str, float], tuple[Trail, ...]]:
    solved = solved_mechanism(mechanism)
    pose = exported_mode(solved, {name: mechanism.pose[name] for name in mechanism.independent}).coordinates
    return solved, pose, trails_of(solved, pose)


@pytest.mark.parametrize("name", ["double_wishbone_front", "excavator", "push_rod"])
def test_paths_are_where_the_reference_has_the_points(name: str) -> None:
    """To a nanometre, at 33 values of each driver."""
    mechanism = read(name)
    _, _, found = trails(mechanism)
    reference = reference_of(mechanism)
    points = dict(followed_points(mechanism))
    assert {trail.driver for trail in found} == set(mechanism.independent)
    for trail in found:
        bounds, column = mechanism.ranges[trail.driver], mechanism.independent.index(trail.driver)
        rows = np.tile([float(mechanism.pose[each]) for each in mechanism.independent], (PLACES, 1))
        rows[:, column] = np.linspace(float(bounds.minimum), float(bounds.maximum), PLACES)
        pose = body_poses(reference.skeleton, configuration(reference.positions(rows)))
        expected = np.broadcast_to(pose.point(frame_place(reference.skeleton, points[trail.point])), (PLACES, 3))
        gaps = np.linalg.norm(trail.places[:, None] - expected[None], axis=2)
        assert np.nanmin(gaps, axis=1).max() < 1e-9


def test_an_angle_without_an_end_goes_round_once() -> None:
    """The crank's pin of a range of 200 rad: a circle, each place once."""
    mechanism = read("slider_crank")
    assert float(mechanism.ranges["theta"].maximum - mechanism.ranges["theta"].minimum) > math.tau
    _, _, found = trails(mechanism)
    pin = next(trail for trail in found if trail.point == "crank_pin").places
    angle = np.unwrap(np.arctan2(pin[:, 1], pin[:, 0]))
    np.testing.assert_allclose(np.diff(angle), math.tau / (PLACES - 1), atol=1e-9)


MOTOR = """
[bodies.rotor]
[joints.motor]
type = "revolute"
parent = "ground"
child = "rotor"
[couplings]
"""


def geared(coupling: str, *, by_motor: bool) -> Mechanism:
    """The slider-crank with a rotor geared to its crank."""
    text = model_path("slider_crank").read_text() + MOTOR + coupling
    if by_motor:
        text = text.replace('independent = ["theta"]', 'independent = ["motor"]')
        text = text.replace('pose = { theta = "45 deg"', 'pose = { motor = "1.25 rev", theta = "45 deg"')
        text = text.replace('theta = ["-1e4 rad", "1e4 rad"]', 'motor = ["-8 rev", "12 rev"]')
        text = text.replace('rates = { theta = "500 rad/s"', 'rates = { motor = "500 rad/s"')
        text = re.sub(r"^branches = .*$", "", text, flags=re.MULTILINE)
    return parse_mechanism(text, "geared")


@pytest.mark.parametrize(("coupling", "by_motor"), [('theta = "motor/10"', True), ('motor = "40*theta"', False)])
def test_behind_gears_the_crank_goes_round_once(coupling: str, by_motor: bool) -> None:
    """By a motor that turns ten times as often, and where it turns a rotor forty times as often."""
    _, _, found = trails(geared(coupling, by_motor=by_motor))
    pin = next(trail for trail in found if trail.point == "crank_pin").places
    angle = np.unwrap(np.arctan2(pin[:, 1], pin[:, 0]))
    np.testing.assert_allclose(np.diff(angle), math.tau / (PLACES - 1), atol=1e-9)
    np.testing.assert_allclose(np.hypot(pin[:, 0], pin[:, 1]), 0.3, atol=1e-12)


def test_places_that_an_export_flags_are_left_out() -> None:
    """A piston driven from 0.05 m to 0.8 m: only where crank and rod reach, with the pin on both circles there."""
    mechanism = mechanism_of("slider_crank", Changes(independent=("s",)), "show")
    crank, rod = (float(mechanism.nominal_values()[name]) for name in ("l1", "l2"))
    _, _, found = trails(mechanism)
    given = np.linspace(0.05, 0.8, PLACES)
    reached = given[(given > abs(rod - crank)) & (given < rod + crank)]
    pin = np.concatenate([trail.places for trail in found if trail.point == "crank_pin"])
    assert 5 < len(pin) <= len(reached) < PLACES
    np.testing.assert_allclose(np.hypot(pin[:, 0], pin[:, 1]), crank, atol=1e-9)
    gaps = np.abs(np.hypot(pin[:, :1] - reached, pin[:, 1:2]) - rod).min(axis=1)
    assert gaps.max() < 1e-9


def test_paths_are_dotted_and_named_by_point_and_driver() -> None:
    """One group of dots for each, on the circle of the crank's pin."""
    solved, pose, found = trails(read("slider_crank"))
    root = ET.fromstring(svg((picture_scene(solved, pose),)))
    drawn = [path for path in root.iter(f"{SVG}path") if path.get("class") == "path"]
    assert [(path.get("data-point"), path.get("data-driver")) for path in drawn] == [
        (trail.point, trail.driver) for trail in found
    ]
    pin = next(path for path in drawn if path.get("data-point") == "crank_pin")
    dots = np.array([[float(word) for word in pair] for pair in re.findall(r"M([\d.]+) ([\d.]+)h0", pin.get("d", ""))])
    radius = np.hypot(*(dots - (dots.max(axis=0) + dots.min(axis=0)) / 2).T)
    assert np.ptp(radius) < 0.01 * radius.max()
    plain = ET.fromstring(svg((picture_scene(solved, pose, paths=False),)))
    assert not [path for path in plain.iter(f"{SVG}path") if path.get("class") == "path"]
