"""Curves of a trace are drawn in degrees and mm, as drawings have them, where lengths are below a metre."""

import math
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from exporter.cli import kinefix
from sil.trace.picture import _drawn_in

SVG = "{http://www.w3.org/2000/svg}"


def test_angles_are_in_degrees_and_short_lengths_in_millimetres(tmp_path: Path) -> None:
    """A crank of 0.3 m and a rod of 0.4 m from 0 to 90 degrees: the piston goes from 700 mm to sqrt(70000) mm."""
    picture = tmp_path / "x.svg"
    words = ["trace", "slider_crank", "--sweep", "theta=0deg..90deg:10", "--show", "s,beta", "--picture", str(picture)]
    result = CliRunner().invoke(kinefix, words)
    assert result.exit_code == 0, result.output
    texts = [str(text.text) for text in ET.fromstring(picture.read_text(encoding="utf-8")).iter(f"{SVG}text")]
    assert {"lengths in mm", "angles in deg", "theta in deg"} <= set(texts)
    numbers = [float(text) for text in texts if text.replace(".", "").replace("-", "").isdigit()]
    large = [number for number in numbers if number > 200]
    assert large
    assert all(math.sqrt(70000) - 100 < number <= 700 + 100 for number in large)


def test_long_lengths_stay_in_metres_and_what_is_not_reached_has_no_say() -> None:
    nothing = np.array([np.nan])
    assert _drawn_in("m", np.array([0.2, -1.5]), nothing) == ("m", 1.0)
    assert _drawn_in("m", np.array([0.2, -0.5]), nothing) == ("mm", 1000.0)
    assert _drawn_in("rad/s", np.array([0.2])) == ("rad/s", 1.0)
