"""Pictures of spatial mechanisms put every joint where the reference has it, seen from a stated side."""

import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from PIL import Image

from exporter.commands.overview import own_signs
from exporter.drawing.png import png
from exporter.drawing.scene import Scene
from exporter.drawing.spatial_scene import spatial_scene
from exporter.drawing.svg import svg
from exporter.drawing.views import Name
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.modes import modes_of
from exporter.kinematics.spatial.engine import SpatialSolution
from exporter.model.library import model_path
from exporter.model.mechanism import Joint, Mechanism
from exporter.model.toml.reader import read_mechanism
from sil.reference.mechanism import reference_of
from sil.reference.motion import body_poses, configuration

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["gough_stewart", "double_wishbone_front", "spatial_four_bar", "five_link", "arm_6r"]
ISO = np.array(
    [[1 / 2**0.5, 1 / 2**0.5, 0], [-1 / 6**0.5, 1 / 6**0.5, 2 / 6**0.5], [1 / 3**0.5, -1 / 3**0.5, 1 / 3**0.5]]
)
"""Rows: to the right, up, towards the eye."""
MATRICES: dict[Name, np.ndarray] = {
    "iso": ISO,
    "front": np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "side": np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    "top": np.eye(3),
}
FILLS = {"revolute": "#ffffff", "prismatic": "#ffffff", "spherical": "#222222", "universal": "#ffffff"}


@pytest.fixture(scope="module", params=NAMES)
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    return read(str(request.param))


def scene(mechanism: Mechanism, view: Name) -> Scene:
    """The exported mode at the design pose."""
    return spatial_scene(mechanism, coordinates(mechanism.name), view)


@cache
def coordinates(title: str) -> dict[str, float]:
    """All coordinates as the engine solves them, by the mechanism's own name."""
    mechanism = next(each for each in map(read, NAMES) if each.name == title)
    solved = solved_mechanism(mechanism)
    assert isinstance(solved, SpatialSolution)
    mode = next(mode for mode in modes_of(solved, mechanism.pose) if mode.signs == own_signs(solved))
    assert mode.reachable
    return mode.coordinates


@cache
def read(name: str) -> Mechanism:
    return read_mechanism(model_path(name))


def frames(mechanism: Mechanism) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Both frames of every joint in ground axes, from Newton on the original closures."""
    reference = reference_of(mechanism)
    pose = body_poses(reference.skeleton, configuration(reference.design[None, :]))
    joints = {joint.coordinates[0]: joint.name for joint in mechanism.joints if joint.coordinates}
    pairs = {
        joints[reference.coordinates[link.motions[0].coordinate]]: (link.parent, link.child)
        for link in reference.skeleton.links
    }
    pairs |= {closing.name: (closing.parent, closing.child) for closing in reference.skeleton.closings}
    return {
        name: (np.broadcast_to(pose.point(one), (1, 3))[0], np.broadcast_to(pose.point(other), (1, 3))[0])
        for name, (one, other) in pairs.items()
    }


def place_of(joint: Joint, ends: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """A slide in the middle between its frames, a free joint at its child's, all others where both are."""
    if joint.type == "prismatic":
        return np.asarray((ends[0] + ends[1]) / 2)
    return ends[1]


def symbols(picture: str) -> Iterator[tuple[str, str, list[float], str | None]]:
    """Joint, type, pixels and filling of every symbol."""
    for group in ET.fromstring(picture).iter(f"{SVG}g"):
        if group.get("class") != "pivot":
            continue
        circle, paths = group.find(f"{SVG}circle"), group.findall(f"{SVG}path")
        if circle is not None:
            place, drawn = [float(circle.get("cx", "nan")), float(circle.get("cy", "nan"))], circle
        else:
            place, drawn = [float(word.lstrip("M")) for word in paths[-1].get("d", "").split()[:2]], paths[-1]
        yield group.get("data-joint", ""), group.get("data-type", ""), place, drawn.get("fill")


def same_up_to_scale_and_shift(pixels: np.ndarray, metres: np.ndarray) -> None:
    """Pixels (n, 2), y downwards, within 0.01 px of one positive scale and a shift of metres (n, 2)."""
    pixels = pixels * [1, -1]
    pixels, metres = pixels - pixels.mean(axis=0), metres - metres.mean(axis=0)
    scale = (pixels * metres).sum() / (metres * metres).sum()
    assert scale > 0
    np.testing.assert_allclose(pixels, scale * metres, atol=0.01)


def test_every_joint_is_where_the_reference_has_it(mechanism: Mechanism) -> None:
    """Symbols of all joints in every view, projected by this test's own matrices."""
    expected = frames(mechanism)
    places = {joint.name: place_of(joint, expected[joint.name]) for joint in mechanism.joints}
    for view, matrix in MATRICES.items():
        found = {name: place for name, _, place, _ in symbols(svg((scene(mechanism, view),)))}
        assert found.keys() == places.keys()
        seen = np.array([matrix @ places[name] for name in found])[:, :2]
        same_up_to_scale_and_shift(np.array(list(found.values())), seen)


def test_views_look_along_right_handed_axes() -> None:
    """Right, up and towards the eye: rotations, so that no picture is a mirror image."""
    for matrix in MATRICES.values():
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-15)
        assert np.linalg.det(matrix) == pytest.approx(1)


def test_joints_are_drawn_by_their_kind(mechanism: Mechanism) -> None:
    """Types as in the file; spheres are filled, the others of these are not."""
    types = {joint.name: joint.type for joint in mechanism.joints}
    for name, kind, _, fill in symbols(svg((scene(mechanism, "iso"),))):
        assert types[name] == kind
        assert fill == FILLS.get(kind)


def test_guides_of_legs_run_from_frame_to_frame() -> None:
    """Each leg of the platform from its hip to its ball."""
    mechanism = read("gough_stewart")
    expected = frames(mechanism)
    lines = [line for line in ET.fromstring(svg((scene(mechanism, "iso"),))).iter(f"{SVG}line") if line.get("class")]
    assert len(lines) == 6
    ends = [[float(line.get(key, "nan")) for key in ("x1", "y1", "x2", "y2")] for line in lines]
    seen = [MATRICES["iso"] @ point for line in lines for point in expected[line.get("data-joint", "")]]
    same_up_to_scale_and_shift(np.array(ends).reshape(-1, 2), np.array(seen)[:, :2])


def test_bodies_reach_their_joints(mechanism: Mechanism) -> None:
    """Every corner of a body with two joints or more is one of its joints, or one of its points of interest."""
    at = {name: place for name, _, place, _ in symbols(svg((scene(mechanism, "front"),)))}
    drawn = {
        group.get("data-body"): group for group in ET.fromstring(svg((scene(mechanism, "front"),))).iter(f"{SVG}g")
    }
    for body in mechanism.bodies:
        polygon = drawn[body.name].find(f"{SVG}polygon")
        if (
            polygon is None
            or body.name in mechanism.outputs
            or any(f.name in mechanism.outputs.values() for f in body.frames)
        ):
            continue
        corners = [[float(part) for part in pair.split(",")] for pair in polygon.get("points", "").split()]
        own = [at[j.name] for j in mechanism.joints if body.name in (j.parent.body, j.child.body) and j.name in at]
        assert all(any(np.allclose(corner, place, atol=0.01) for place in own) for corner in corners)


def test_pictures_are_deterministic_and_png_has_the_same_layout() -> None:
    """Two SVGs have the same bytes; the PNG is twice as fine and has ink in every filled sphere."""
    one = (scene(read("double_wishbone_front"), "iso"),)
    assert svg(one) == svg(one)
    assert png(one) == png(one)
    image = Image.open(io.BytesIO(png(one)))
    root = ET.fromstring(svg(one))
    assert image.size == (2 * int(root.get("width", "0")), 2 * int(root.get("height", "0")))
    spheres = [place for _, kind, place, _ in symbols(svg(one)) if kind == "spherical"]
    assert len(spheres) == 3
    for x, y in spheres:
        assert image.getpixel((round(2 * x), round(2 * y))) == (0x22, 0x22, 0x22)
