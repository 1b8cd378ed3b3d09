"""`kinefix trace` finds where a constant root sign leaves the mechanism's path, and nothing else."""

import csv
import json
import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from exporter.cli import kinefix

ROOT = Path(__file__).resolve().parents[3]
MECHANISMS = ROOT / "tests" / "data" / "mechanisms"
PARALLELOGRAM = str(MECHANISMS / "change_point_parallelogram.toml")
SVG = "{http://www.w3.org/2000/svg}"


def traced(*arguments: str, code: int) -> Any:
    result = CliRunner().invoke(kinefix, ["trace", *arguments, "--json"])
    raised = getattr(result.exception, "exit_code", 0) if result.exception else 0
    assert (raised or result.exit_code) == code, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("poses", [200, 201])
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_the_parallelogram_that_swaps_at_its_change_point_is_told(poses: int, precision: str) -> None:
    """M16: theta4 = theta2 on one side; on the other, sign + gives the antiparallelogram: one jump, at 0.

    With 201 poses one of them is the change point itself.
    """
    facts = traced(PARALLELOGRAM, "--sweep", f"theta2=1rad..-1rad:{poses}", "--precision", precision, code=1)
    (jump,) = facts["jumps"]
    step = 2 / (poses - 1)
    assert abs(jump["before"]["independent"]["theta2"]) < step
    assert jump["coordinate"] in ("theta4", "gamma")
    assert jump["expected"] == pytest.approx(-step if jump["coordinate"] == "theta4" else step, abs=1e-4)
    assert abs(jump["moved"] - jump["expected"]) > step
    assert not facts["continuous"]


@pytest.mark.parametrize("poses", [5, 30, 1000])
def test_between_its_change_points_the_parallelogram_is_continuous(poses: int) -> None:
    """The limit does not depend on how densely a path is sampled, and a narrow margin is no jump."""
    facts = traced(PARALLELOGRAM, "--sweep", f"theta2=0.01rad..3.13rad:{poses}", code=0)
    assert facts["continuous"]
    assert min(each["smallest"] for each in facts["margins"]) < 0.02


@pytest.mark.parametrize("model", ["slider_crank --sweep theta", "four_bar --sweep alpha1"])
def test_full_turns_are_continuous(model: str) -> None:
    facts = traced(*f"{model}=0deg..720deg:181".split(), code=0)
    assert facts["continuous"]
    assert not facts["flags"]


def test_a_path_through_an_unreachable_point_is_told(tmp_path: Path) -> None:
    """S01 with the printer of M15: reachable, 0.1 mm too far, reachable again; the third pose is right again."""
    path, table = tmp_path / "path.csv", tmp_path / "out.csv"
    path.write_text("x [mm],y [mm]\n134.30,104.45\n134.40,104.45\n0,0\n")
    facts = traced(str(MECHANISMS / "linear_delta.toml"), "--path", str(path), "--out", str(table), code=1)
    assert facts["unreached"] == 1
    assert facts["worst"]["row"] == 1
    assert {flag["name"]: flag["first"]["row"] for flag in facts["flags"]}["OUT_OF_WORKSPACE"] == 1
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [int(row["status"], 16) != 0 for row in rows] == [False, True, False]
    heights = [float(rows[2][f"height{tower} [m]"]) for tower in "ABC"]
    np.testing.assert_allclose(heights, 0.253310476491, atol=1e-12)
    assert all(math.isfinite(float(cell)) for cell in list(rows[1].values())[:-1])


def test_a_better_choice_of_coordinates_is_named_where_the_own_one_fails() -> None:
    """The slider-crank driven by its slide near the dead centre, s = l1 + l2: theta drives it well."""
    facts = traced("slider_crank", "--independent", "s", "--sweep", "s=0.5m..0.6999999m:101", code=0)
    assert facts["narrow"]
    assert facts["choices"][0]["independent"] in (["theta"], ["beta"])
    assert facts["worst"]["row"] == 100


def test_the_picture_shows_curves_margins_and_the_jump(tmp_path: Path) -> None:
    picture = tmp_path / "p.svg"
    traced(PARALLELOGRAM, "--sweep", "theta2=-1rad..1rad:50", "--picture", str(picture), "--show", "theta4", code=1)
    root = ET.fromstring(picture.read_text())
    assert [c.get("data-name") for c in root.iter(f"{SVG}path")] == ["theta4", "margin.L1", "pivot.L1"]
    marks = [e for e in root.iter(f"{SVG}line") if e.get("class") == "mark limit"]
    assert len(marks) == 2
    again = tmp_path / "q.svg"
    traced(PARALLELOGRAM, "--sweep", "theta2=-1rad..1rad:50", "--picture", str(again), "--show", "theta4", code=1)
    assert again.read_bytes() == picture.read_bytes()


def test_times_give_rates(tmp_path: Path) -> None:
    """theta = 2 t: s.rate is -l1 sin(theta) theta' - l1^2 sin cos theta' / root, by the path's times."""
    path, table = tmp_path / "path.csv", tmp_path / "out.csv"
    path.write_text("time,theta\n" + "".join(f"{k / 100},{k / 50}\n" for k in range(50)))
    traced("slider_crank", "--path", str(path), "--out", str(table), code=0)
    for row in list(csv.DictReader(table.read_text().splitlines()))[1:-1]:
        theta = float(row["theta [rad]"])
        root = math.sqrt(0.4**2 - (0.3 * math.sin(theta)) ** 2)
        wanted = -0.3 * math.sin(theta) * 2 - 0.3**2 * math.sin(theta) * math.cos(theta) * 2 / root
        assert float(row["piston_speed [m/s]"]) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "give either --path FILE or --sweep"),
        (("--sweep", "theta=0deg..1deg:2", "--show", "s"), "say where to with --picture"),
        (("--sweep", "theta=0deg..1deg:2", "--out", "x.txt"), "does not end in .csv"),
        (("--sweep", "theta=0deg..1deg:2", "--picture", "x.png"), "does not end in .svg"),
    ],
)
def test_wrong_use_is_refused_in_words(arguments: tuple[str, ...], sentence: str) -> None:
    result = CliRunner().invoke(kinefix, ["trace", "slider_crank", *arguments])
    assert sentence in str(result.exception)


def test_an_unknown_quantity_is_refused_in_words(tmp_path: Path) -> None:
    arguments = ["--sweep", "theta=0deg..9deg:9", "--picture", str(tmp_path / "p.svg"), "--against", "thta"]
    result = CliRunner().invoke(kinefix, ["trace", "slider_crank", *arguments])
    assert 'did you mean "theta"?' in str(result.exception)


def test_poses_beyond_the_ranges_are_told_from_poses_out_of_reach() -> None:
    """Both ends of a sweep that is twice as wide as the range."""
    facts = traced("planar_3r", "--sweep", "q2=-6rad..6rad:3", code=1)
    assert (facts["outside"], facts["unreached"]) == (2, 0)


def test_a_path_that_is_too_fast_is_flagged_and_still_judged(tmp_path: Path) -> None:
    """Rates beyond their bounds say nothing against the poses."""
    path = tmp_path / "fast.csv"
    path.write_text("time,theta [deg]\n0,0\n0.0001,20\n0.0002,40\n")
    facts = traced("slider_crank", "--path", str(path), code=0)
    assert facts["continuous"]
    assert [flag["name"] for flag in facts["flags"]] == ["ARG_REJECTED"]
