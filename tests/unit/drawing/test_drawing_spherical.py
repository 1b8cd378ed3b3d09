"""Linkages whose hinges all meet in one point have no size: their hinges stand on a sphere about that point."""

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

from exporter.drawing.of_solution import picture_scene
from exporter.drawing.svg import svg
from exporter.drawing.views import Name
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.modes import exported_mode
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from sil.reference.mechanism import reference_of
from sil.reference.motion import body_poses, configuration
from sil.reference.skeleton import frame_place

PRACTICE = Path(__file__).resolve().parents[2] / "data" / "practice"
SVG = "{http://www.w3.org/2000/svg}"
MATRICES: dict[Name, np.ndarray] = {
    "front": np.array([[1, 0, 0], [0, 0, 1]]),
    "side": np.array([[0, 1, 0], [0, 0, 1]]),
    "top": np.array([[1, 0, 0], [0, 1, 0]]),
}


def drawn(path: Path, view: Name) -> ET.Element:
    solved = solved_mechanism(read_mechanism(path))
    mechanism = solved.mechanism
    pose = exported_mode(solved, {each: mechanism.pose[each] for each in mechanism.independent}).coordinates
    return ET.fromstring(svg((picture_scene(solved, pose, "", view),)))


def test_hinges_of_a_spherical_four_bar_stand_on_their_axes() -> None:
    """Half a metre along each axis, from Newton on the original closures; there is no scale, and a word why."""
    path = PRACTICE / "spherical_rocker.toml"
    mechanism = read_mechanism(path)
    reference = reference_of(mechanism)
    pose = body_poses(reference.skeleton, configuration(reference.design[None, :]))
    for view, matrix in MATRICES.items():
        root = drawn(path, view)
        groups = {str(g.get("data-joint")): g for g in root.iter(f"{SVG}g") if g.get("class") == "pivot"}
        assert len(groups) == 4
        for joint in mechanism.joints:
            place = frame_place(reference.skeleton, joint.parent)
            axis = place.turn @ np.array([float(part) for part in joint.axis])
            expected = matrix @ np.broadcast_to(pose.direction(place.body, axis), (1, 3))[0] / 2
            shown = [float(groups[joint.name].get(key, "nan")) for key in ("data-right-m", "data-up-m")]
            np.testing.assert_allclose(shown, expected, atol=1e-8)
        assert not [g for g in root.iter(f"{SVG}g") if g.get("class") == "scale"]
        assert any("meet in one point" in str(text.text) for text in root.iter(f"{SVG}text"))


def test_other_mechanisms_have_a_scale_and_no_such_word() -> None:
    root = drawn(model_path("double_wishbone_front"), "front")
    assert [g for g in root.iter(f"{SVG}g") if g.get("class") == "scale"]
    assert not any("meet in one point" in str(text.text) for text in root.iter(f"{SVG}text"))
