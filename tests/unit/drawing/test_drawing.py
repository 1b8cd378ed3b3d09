"""Pictures put every pivot where the solved pose has it, and are the same bytes every time."""

import io
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from exporter.drawing.charts.chart import Chart, Curve, Panel
from exporter.drawing.charts.svg import chart_svg
from exporter.drawing.png import png
from exporter.drawing.scene import scene_of
from exporter.drawing.svg import svg
from exporter.kinematics.planar.assembly import assembly_at
from exporter.kinematics.planar.form import TriangularForm
from exporter.kinematics.planar.triangular import triangular_form
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from sil.reference.mechanism import reference_of
from sil.reference.motion import body_poses, configuration

DATA = Path(__file__).resolve().parents[2] / "data" / "mechanisms"
SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["slider_crank", "four_bar", "inverted_slider_crank", "trammel", "watt_six_bar", "five_bar"]


def form_of(name: str) -> TriangularForm:
    path = DATA / f"{name}.toml"
    return triangular_form(read_mechanism(path if path.exists() else model_path(name)))


def picture(form: TriangularForm) -> str:
    assembly = assembly_at(form, {name: form.mechanism.pose[name] for name in form.independent})
    return svg((scene_of(form, assembly.coordinates),))


def reference_pivots(form: TriangularForm) -> dict[str, np.ndarray]:
    """Every revolute joint in the plane of motion, from Newton on the original closures."""
    reference = reference_of(form.mechanism)
    pose = body_poses(reference.skeleton, configuration(reference.design[None, :]))
    axes = np.array([form.model.plane.e1, form.model.plane.e2], dtype=float)

    def flat(point: np.ndarray) -> np.ndarray:
        return axes @ np.broadcast_to(point, (1, 3))[0]

    found = {}
    for link in reference.skeleton.links:
        if link.motions and link.motions[0].kind == "turn":
            found[reference.coordinates[link.motions[0].coordinate]] = flat(pose.point(link.child))
    for closing in reference.skeleton.closings:
        found[closing.name] = flat(pose.point(closing.parent))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_pivot_is_where_the_solved_pose_has_it(name: str) -> None:
    """Pixels of all pivots are one common scale and shift away from the reference's positions, within 0.01 px."""
    form = form_of(name)
    groups = [g for g in ET.fromstring(picture(form)).iter(f"{SVG}g") if g.get("class") == "pivot"]
    circles = {str(g.get("data-joint")): g.find(f"{SVG}circle") for g in groups}
    expected = reference_pivots(form)
    assert circles.keys() == expected.keys()
    pixels = np.array([[float(c.get("cx", "nan")), -float(c.get("cy", "nan"))] for c in circles.values()])  # type: ignore[union-attr]
    metres = np.array([expected[joint] for joint in circles])
    pixels, metres = pixels - pixels.mean(axis=0), metres - metres.mean(axis=0)
    scale = (pixels * metres).sum() / (metres * metres).sum()
    assert scale > 0
    np.testing.assert_allclose(pixels, scale * metres, atol=0.01)


@pytest.mark.parametrize("title", ["bell \x07", "null \x00", "\ufffe", 'a & b < "c" > d'])
def test_a_title_of_any_characters_gives_well_formed_svg(title: str) -> None:
    """Checked by a parser that knows XML 1.0."""
    text = chart_svg(Chart(title, title, title, (0.0, 1.0), (Panel(title, (Curve(title, (0.0, 1.0)),)),)))
    assert ET.fromstring(text).tag.endswith("svg")


def test_pictures_are_deterministic_and_png_has_the_same_layout() -> None:
    """Two SVGs have the same bytes; the PNG is twice as fine and has ink on every pivot."""
    form = form_of("slider_crank")
    assembly = assembly_at(form, {"theta": 0.785})
    scenes = (scene_of(form, assembly.coordinates),)
    assert svg(scenes) == svg(scenes)
    root = ET.fromstring(svg(scenes))
    image = Image.open(io.BytesIO(png(scenes)))
    assert image.size == (2 * int(root.get("width", "0")), 2 * int(root.get("height", "0")))
    for group in root.iter(f"{SVG}g"):
        circle = group.find(f"{SVG}circle")
        if group.get("class") == "pivot" and circle is not None:
            x, y = (round(2 * float(circle.get(key, "nan"))) for key in ("cx", "cy"))
            rim = [image.getpixel((x + dx, y)) for dx in range(9, 15)]
            assert (0x22, 0x22, 0x22) in rim
