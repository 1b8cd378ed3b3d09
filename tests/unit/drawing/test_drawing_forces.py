"""Pictures draw every load and element by its symbol, where it acts, and name it where nothing else is named.

Places are from the closed form of the cart with an arm in tests/data/pictures/every_element.toml: the cart is at
(x, -0.2 m), the arm's joint 0.3 m above it, the arm's tip 0.4 m from there.
"""

import io
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from exporter.drawing.png import png
from exporter.drawing.scene import Scene, planar_form, scene_of
from exporter.drawing.spatial_scene import spatial_scene
from exporter.drawing.svg import svg
from exporter.drawing.views import Name
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.modes import exported_mode
from exporter.model.library import model_path
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.toml.reader import read_mechanism
from sil.reference.mechanism import reference_of
from sil.reference.motion import body_poses, configuration
from sil.reference.skeleton import frame_place

DATA = Path(__file__).resolve().parents[2] / "data" / "pictures"
SVG = "{http://www.w3.org/2000/svg}"
X, PHI = 0.25, 0.5  # m and rad, the pose in the file
JOINT = np.array([X, 0.1])
TIP = JOINT + 0.4 * np.array([math.cos(PHI), math.sin(PHI)])
WALL, SLIDE, CART = np.array([-0.3, 0.3]), np.array([0.0, -0.2]), np.array([X, -0.2])
VIEWS: dict[str, Name] = {"sliding_table": "top"}
ENDS = {
    "rope": (WALL, TIP),
    "shock": (WALL, TIP),
    "ram": (TIP, np.zeros(2)),
    "slide_spring": (SLIDE, CART),
    "rub": (SLIDE, CART),
}


@cache
def read(name: str) -> Mechanism:
    path = DATA / f"{name}.toml"
    return read_mechanism(path if path.exists() else model_path(name))


@cache
def scene(name: str) -> Scene:
    """The pose of a mechanism file, in its plane, or seen from the front; the table from its top."""
    solved = solved_mechanism(read(name))
    mechanism = solved.mechanism
    pose = exported_mode(solved, {each: mechanism.pose[each] for each in mechanism.independent}).coordinates
    form = planar_form(solved)
    if form is None or name in VIEWS:
        return spatial_scene(mechanism, pose, VIEWS.get(name, "front"))
    return scene_of(form, pose)


@cache
def root(name: str) -> ET.Element:
    return ET.fromstring(svg((scene(name),)))


def groups(name: str, kind: str) -> dict[str, ET.Element]:
    return {str(g.get("data-name")): g for g in root(name).iter(f"{SVG}g") if g.get("class") == kind}


def strokes(group: ET.Element) -> list[np.ndarray]:
    """Points (n, 2) of every line of a symbol, y downwards."""
    return [
        np.array([float(word) for word in re.findall(r"-?[\d.]+(?:e-?\d+)?", path.get("d", ""))]).reshape(-1, 2)
        for path in group.iter(f"{SVG}path")
    ]


def element(name: str) -> list[np.ndarray]:
    return strokes(groups("every_element", "element")[name])


def load(name: str) -> list[np.ndarray]:
    return strokes(groups("every_element", "load")[name])


def pixels(
    place: np.ndarray, name: str = "every_element", known: tuple[str, np.ndarray] = ("phi", JOINT)
) -> np.ndarray:
    """Where a place in metres is on paper, by the scale that the picture states and one joint whose place is known."""
    bar = next(g for g in root(name).iter(f"{SVG}g") if g.get("class") == "scale")
    line, text = bar.find(f"{SVG}line"), bar.find(f"{SVG}text")
    assert line is not None
    assert text is not None
    value, unit = str(text.text).split()
    metres = float(value) * {"m": 1, "mm": 1e-3}[unit]
    scale = (float(line.get("x2", "nan")) - float(line.get("x1", "nan"))) / metres
    pivot = next(g for g in root(name).iter(f"{SVG}g") if g.get("data-joint") == known[0] and g.get("class") == "pivot")
    symbol = pivot.find(f"{SVG}circle")
    if symbol is None:
        words = pivot.findall(f"{SVG}path")[-1].get("d", "").split()  # the last one is no triangle on the ground
        at = np.array([float(words[0].lstrip("M")), float(words[1])])
    else:
        at = np.array([float(symbol.get("cx", "nan")), float(symbol.get("cy", "nan"))])
    return np.asarray(at + (place - known[1]) * [scale, -scale])


def has_point(lines: list[np.ndarray], point: np.ndarray, within: float = 0.02) -> bool:
    return any(np.hypot(*(line - point).T).min() < within for line in lines)


def swings(line: np.ndarray) -> int:
    """How often a line crosses that from its first point to its last."""
    along = line[-1] - line[0]
    aside = (line - line[0]) @ np.array([-along[1], along[0]]) / np.hypot(*along)
    signs = np.sign(aside[np.abs(aside) > 1])
    return int((signs[1:] != signs[:-1]).sum())


@pytest.mark.parametrize("name", ENDS)
def test_an_element_runs_from_point_to_point(name: str) -> None:
    """Both ends are on lines of the symbol, be it by a lead at its side."""
    lines = element(name)
    assert all(has_point(lines, pixels(end)) for end in ENDS[name])


def test_an_element_in_space_runs_from_point_to_point() -> None:
    """Seen from the front: the strut of the quarter car between wheel and body, which are 0.41 m apart."""
    lines = strokes(groups("quarter_car", "element")["strut"])
    axle = np.array([0, 0.29])
    for end in (axle, np.array([0, 0.7])):
        assert has_point(lines, pixels(end, "quarter_car", ("wheel", axle)))


def test_a_strut_of_a_suspension_is_where_the_reference_has_it() -> None:
    """Both ends and the joint that the scale starts from by Newton on the original closures, seen along y."""
    mechanism = read("corner_front")
    reference = reference_of(mechanism)
    pose = body_poses(reference.skeleton, configuration(reference.design[None, :]))

    def front(frame: Frame) -> np.ndarray:
        return np.broadcast_to(pose.point(frame_place(reference.skeleton, frame)), (1, 3))[0][[0, 2]]

    joint = next(each for each in mechanism.joints if each.name == "lower_ball")
    ends, lines = mechanism.distances["spring"], strokes(groups("corner_front", "element")["spring"])
    for frame in (ends.start, ends.end):
        assert has_point(lines, pixels(front(frame), "corner_front", ("lower_ball", front(joint.parent))), 0.05)


def test_what_acts_along_one_displacement_of_several_is_drawn_along_it() -> None:
    """A table at (0.1 m, 0.3 m): the spring of y is from (0.1 m, 0) up to it."""
    lines = strokes(groups("sliding_table", "element")["across"])
    table = np.array([0.1, 0.3])
    for end in (np.array([0.1, 0]), table):
        assert has_point(lines, pixels(end, "sliding_table", ("plate", table)))


def test_a_force_in_axes_of_a_body_turns_with_it() -> None:
    """Along y of a table that is turned by 0.5 rad."""
    line, head = strokes(groups("sliding_table", "load")["push"])
    np.testing.assert_allclose(head[0] - line[0], 46 * np.array([-math.sin(0.5), -math.cos(0.5)]), atol=0.01)


def test_springs_are_zigzags_and_a_damped_one_has_a_dashpot() -> None:
    """A zigzag crosses its line; beside it stand the four lines of a damper, as the one without a spring has them."""
    assert max(map(swings, element("rope"))) >= 5
    assert max(map(swings, element("slide_spring"))) >= 5
    assert max(map(swings, element("shock"))) == 0
    assert sorted(map(len, element("shock")))[-1] == 4  # the open cup
    cups = [line for line in element("slide_spring") if len(line) == 4]
    assert len(cups) == 1


def test_elements_between_the_same_points_stand_side_by_side() -> None:
    """The zigzag of the rope and the cup of the shock are on different sides of the line between their points."""
    start, end = pixels(WALL), pixels(TIP)
    normal = np.array([-(end - start)[1], (end - start)[0]]) / np.hypot(*(end - start))
    rope = max(element("rope"), key=len)
    shock = next(line for line in element("shock") if len(line) == 4)
    sides = [float(np.mean((line - start) @ normal)) for line in (rope, shock)]
    assert sides[0] * sides[1] < 0
    assert abs(sides[0] - sides[1]) > 12


def test_a_spring_of_an_angle_is_a_spiral_about_its_joint() -> None:
    """More than two turns, outwards all the way."""
    line = max(element("coil"), key=len)[:-1] - pixels(JOINT)
    radius, angle = np.hypot(*line.T), np.unwrap(np.arctan2(line[:, 1], line[:, 0]))
    assert (np.diff(radius) > 0).all()
    assert abs(angle[-1] - angle[0]) > 2 * math.tau


def test_stops_of_a_slide_stand_where_they_begin_to_act() -> None:
    """Walls at x = 0.1 m and 0.4 m, hatched on the sides that the cart does not come from."""
    lines = element("buffer")
    walls = [lines[0], lines[6]]
    for wall, x, outward in zip(walls, (0.1, 0.4), (-1, 1), strict=True):
        np.testing.assert_allclose(wall.mean(axis=0), pixels(np.array([x, -0.2])), atol=0.02)
        hatch = next(line for line in lines if np.allclose(line[0], wall[0]) and line is not wall)
        assert outward * (hatch[1][0] - hatch[0][0]) > 0


def test_stop_friction_and_damper_of_an_angle_are_at_their_joint() -> None:
    for name in ("limit", "brake", "servo"):
        assert all(np.hypot(*(line - pixels(JOINT)).T).max() < 80 for line in element(name))


def test_an_actuator_has_two_heads_and_a_torque_one() -> None:
    """Filled areas of three corners, one at each end of an arrow."""
    for name, heads in (("ram", 2), ("servo", 2)):
        assert sum(len(line) == 3 for line in element(name)) == heads
    assert sum(len(line) == 3 for line in load("twist")) == 1


def test_a_force_is_an_arrow_of_fixed_length_along_its_direction() -> None:
    """(u, u/2) with u = 0 at rest points where it does for u > 0; tail where it acts, on paper 46 pixels long."""
    line, head = load("wind")
    np.testing.assert_allclose(line[0], pixels(TIP), atol=0.02)
    np.testing.assert_allclose(head[0] - line[0], 46 * np.array([2, -1]) / math.sqrt(5), atol=0.01)
    line, head = load("shove")  # along x
    np.testing.assert_allclose((line[0], head[0] - line[0]), (pixels(CART), (46, 0)), atol=0.02)


def test_a_torque_turns_as_it_does_for_positive_inputs() -> None:
    """-m about z is clockwise, the servo's m about z counter-clockwise: along the arc to its head, y downwards."""
    for lines, sign in ((load("twist"), 1), (element("servo"), -1)):
        arc = lines[0] - pixels(JOINT)
        angle = np.unwrap(np.arctan2(arc[:, 1], arc[:, 0]))
        assert sign * (angle[-1] - angle[0]) > math.pi
        assert np.hypot(*(lines[1][0] - lines[0][-1])) < 10


def test_all_are_named_and_told_in_words() -> None:
    """Titles, which a browser shows where the pointer is."""
    told = {
        str(group.get("data-name")): str(title.text)
        for kind in ("element", "load")
        for group in groups("every_element", kind).values()
        if (title := group.find(f"{SVG}title")) is not None
    }
    assert told["rope"] == "rope: spring between ground.wall and arm.tip"
    assert told["limit"] == "limit: end stop along phi"
    assert told["twist"] == "twist: torque on arm"
    assert told["shove"] == "shove: force along x"
    assert len(told) == 13


def text_boxes(name: str) -> Iterator[tuple[bool, str, tuple[float, float, float, float]]]:
    """Whether a name is of a load or element, the text, and what it takes at 7 pixels a letter and 13 high."""
    for group in root(name).iter(f"{SVG}g"):
        text = group.find(f"{SVG}text")
        if text is None or group.get("class") is None:
            continue
        x, y = float(text.get("x", "nan")), float(text.get("y", "nan"))
        yield group.get("class") in ("load", "element"), str(text.text), (x, y - 10, x + 7 * len(str(text.text)), y + 3)


@pytest.mark.parametrize("name", ["every_element", "quarter_car", "slider_crank", "pump", "corner_front"])
def test_names_of_loads_and_elements_cover_no_other_name(name: str) -> None:
    found = list(text_boxes(name))
    assert any(own for own, _, _ in found)
    for k, (own, _, (left, top, right, bottom)) in enumerate(found):
        for other_own, _, other in found[:k]:
            if own or other_own:
                assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top


def test_a_png_has_the_ink_of_a_spring() -> None:
    """Every corner of the zigzag is darker than paper."""
    image = Image.open(io.BytesIO(png((scene("every_element"),)))).convert("L")
    zigzag = max(element("rope"), key=len)
    assert all(image.getpixel((round(2 * x), round(2 * y))) < 128 for x, y in zigzag)  # type: ignore[operator]
