"""Titles stay in the picture: in smaller letters where they are long, cut where they are longer."""

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from exporter.drawing.headings import LARGEST, SMALLEST, heading
from exporter.drawing.of_solution import picture_scene
from exporter.drawing.png import png
from exporter.drawing.svg import svg
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.modes import exported_mode
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism

LONG = "Remote head: pan by belt, tilt and roll by a bevel differential behind belts, lens by spindle"
WIDEST = "W" * 200


@pytest.mark.parametrize(
    ("title", "size"), [("Planar slider-crank", LARGEST), (LONG, SMALLEST), (f"{LONG}; {LONG}", SMALLEST)]
)
def test_letters_get_smaller_before_words_are_left_out(title: str, size: int) -> None:
    found = heading(title)
    assert found.size == size
    assert (found.words == title) == (title != f"{LONG}; {LONG}")
    assert title.startswith(found.words.removesuffix("..."))


@pytest.mark.parametrize("title", [LONG, WIDEST, f"{LONG}; {LONG}"])
def test_nothing_is_drawn_at_the_right_edge_of_the_title(title: str) -> None:
    """Columns of pixels at the edge are white as high as the title stands."""
    mechanism = read_mechanism(model_path("slider_crank"))
    solved = solved_mechanism(mechanism)
    pose = exported_mode(solved, {name: mechanism.pose[name] for name in mechanism.independent}).coordinates
    scene = replace(picture_scene(solved, pose), title=title)
    pixels = np.asarray(Image.open(io.BytesIO(png((scene,)))).convert("L"))
    top = pixels[: 2 * 32]
    assert (top < 128).any()
    assert (top[:, -20:] > 250).all()
    assert f'font-size="{SMALLEST}"' in svg((scene,))
