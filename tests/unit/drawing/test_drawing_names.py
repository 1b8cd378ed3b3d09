"""Names of a picture stand on no other name, bodies' outlines hold all their named points, slides look like slides."""

import xml.etree.ElementTree as ET
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from exporter.drawing import names
from exporter.drawing.names import Kind
from exporter.drawing.of_solution import picture_scene
from exporter.drawing.scene import Scene
from exporter.drawing.svg import svg
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.modes import exported_mode
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from sil.reference.mechanism import reference_of
from sil.reference.motion import body_poses, configuration
from sil.reference.skeleton import frame_place

PRACTICE = Path(__file__).resolve().parents[2] / "data" / "practice"
SVG = "{http://www.w3.org/2000/svg}"
EVERY: tuple[Kind, ...] = ("bodies", "joints", "points")
NAMES = [
    *("slider_crank", "four_bar", "excavator", "gough_stewart", "five_link", "double_wishbone_front", "corner_front"),
    *("scissor_lift", "irb360", "anymal_leg", "main_gear", "push_rod", "double_cardan", "swashplate"),
]


@cache
def read(name: str) -> Mechanism:
    path = PRACTICE / f"{name}.toml"
    return read_mechanism(path if path.exists() else model_path(name))


@cache
def scene(name: str) -> Scene:
    """The exported assembly at the design pose, as `show` draws it."""
    solved = solved_mechanism(read(name))
    mechanism = solved.mechanism
    pose = exported_mode(solved, {each: mechanism.pose[each] for each in mechanism.independent}).coordinates
    return picture_scene(solved, pose)


def texts(name: str, kinds: tuple[Kind, ...] = EVERY) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Every text in the picture's lower part, with what it takes at 6.5 pixels a character and 12 high."""
    found = []
    for text in ET.fromstring(svg((scene(name),), kinds)).iter(f"{SVG}text"):
        x, y = float(text.get("x", "nan")), float(text.get("y", "nan"))
        if text.get("font-size") is None and not (x == 20 and y < 90):  # the title and the caption
            found.append((str(text.text), (x, y - 10, x + 6.5 * len(str(text.text)), y + 2)))
    return found


def overlaps(boxes: list[tuple[str, tuple[float, float, float, float]]]) -> int:
    """Pairs of texts with pixels in common."""
    return sum(
        one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
        for (_, one), (_, other) in combinations(boxes, 2)
    )


@pytest.mark.parametrize("name", NAMES)
def test_no_name_lies_on_another(name: str) -> None:
    """Bodies, joints, points, loads, elements and axes together."""
    assert overlaps(texts(name)) == 0


def test_names_that_nobody_places_lie_on_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count above sees it: beside what they name, names of a delta robot cover each other."""
    monkeypatch.setattr(names, "label_place", lambda _, own, *__: (own.right, own.top))
    assert overlaps(texts("irb360")) > 10


def test_names_are_those_that_are_asked_for() -> None:
    """Bodies and points where nobody asks."""
    mechanism = read("push_rod")
    bodies, joints = {each.name for each in mechanism.bodies}, {each.name for each in mechanism.joints}
    usual = {text for text, _ in texts("push_rod", names.USUAL)}
    assert {"rocker", "wheel"} <= usual
    assert not (joints - bodies) & usual
    shown = {text for text, _ in texts("push_rod", ("joints",))}
    assert {"push_ball", "upper_ball"} <= shown
    assert "upright" not in shown
    assert not {text for text, _ in texts("push_rod", ("none",))} & (bodies | joints)


def test_an_outline_holds_every_named_point_of_its_body() -> None:
    """The excavator's, from Newton on the original closures: x and y of ground axes are the plane."""
    mechanism = read("excavator")
    reference = reference_of(mechanism)
    pose = body_poses(reference.skeleton, configuration(reference.design[None, :]))
    corners = {link.name: np.array(link.corners) for link in scene("excavator").links}
    named = 0
    for body in mechanism.bodies:
        for frame in body.frames:
            place = np.broadcast_to(pose.point(frame_place(reference.skeleton, frame)), (1, 3))[0]
            named += 1
            assert inside(corners[body.name], place[:2])
    assert named > 5


def inside(ring: np.ndarray, point: np.ndarray) -> bool:
    """Whether a point is within a convex ring, counter-clockwise, to a nanometre; within a bar of two corners too."""
    edges = np.roll(ring, -1, axis=0) - ring
    offset = point - ring
    return bool((edges[:, 0] * offset[:, 1] - edges[:, 1] * offset[:, 0] >= -1e-9).all())


def slide(name: str, joint: str) -> ET.Element:
    root = ET.fromstring(svg((scene(name),)))
    return next(g for g in root.iter(f"{SVG}g") if g.get("class") == "slide" and g.get("data-joint") == joint)


def test_a_slide_on_the_ground_is_a_block_on_a_hatched_rail_and_one_between_bodies_a_cylinder() -> None:
    """The slider-crank has a hatched line and one closed area; the excavator's rams have rod, barrel and piston."""
    paths = [path.get("d", "") for path in slide("slider_crank", "s")]
    assert sum(path.endswith("Z") for path in paths) == 1
    assert len(paths) > 10
    paths = [path.get("d", "") for path in slide("excavator", "p1")]
    assert sum(path.endswith("Z") for path in paths) == 2
    assert len(paths) == 4
