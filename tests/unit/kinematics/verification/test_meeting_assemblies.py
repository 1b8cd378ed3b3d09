"""An export whose ranges lead through a pose where two assemblies meet says so; the sound twins beside it say nothing.

The parallelogram has its change points where all bars are in line: at 0 and at half a turn of the crank.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from exporter.functions.program import program_of_mechanism
from exporter.model.mechanism import SolverOptions
from exporter.model.toml.reader import parse_mechanism

PARALLELOGRAM = (
    Path(__file__).resolve().parents[3] / "data" / "mechanisms" / "change_point_parallelogram.toml"
).read_text()
WHOLE = '"-1e4 rad", "1e4 rad"'


def notes(low: str, high: str, text: str = PARALLELOGRAM) -> list[str]:
    """What an export by this range tells of meeting assemblies."""
    assert WHOLE in text
    mechanism = parse_mechanism(text.replace(WHOLE, f'"{low} rad", "{high} rad"'), "parallelogram")
    return [note for note in program_of_mechanism(mechanism, "float32").notes if "two assemblies meet" in note]


def tilted(text: str) -> str:
    """The parallelogram in a plane of space: a slide out of it makes the mechanism spatial, and does not move."""
    lifted = '[bodies.lift]\n\n[joints.z]\ntype = "prismatic"\nparent = "ground"\nchild = "lift"\naxis = "z"\n\n'
    text = text.replace("[joints.theta2]", f"{lifted}[joints.theta2]")
    text = text.replace('independent = ["theta2"]', 'independent = ["theta2", "z"]')
    text = text.replace("pose = { ", 'pose = { z = "0", ').replace("ranges = { ", 'ranges = { z = ["-1 m", "1 m"], ')
    return text.replace("rates = { ", 'rates = { z = "1 m/s", ')


@pytest.mark.parametrize(
    ("low", "high", "place"),
    [
        ("-0.3", "2", "theta2 = 0 rad,"),
        ("-0.02", "2", "theta2 = 0 rad,"),  # the end lies a little behind
        ("0.4", "3.5", "theta2 = 3.14159 rad,"),
        ("0.4", "3.15", "theta2 = 3.14159 rad,"),
        ("-1e4", "1e4", "theta2 = 0 rad,"),
    ],
)
def test_the_place_and_the_block_are_told(low: str, high: str, place: str) -> None:
    (note,) = notes(low, high)
    assert place in note
    assert "both roots of L1 (gamma, theta4) are one" in note
    assert "BRANCH_NEAR_SWAP" in note


@pytest.mark.parametrize(("low", "high"), [("0.05", "3.1"), ("0", "2"), ("0.4", "3.141592653589793")])
def test_a_range_that_ends_at_the_change_point_or_before_is_quiet(low: str, high: str) -> None:
    """Nothing lies behind it."""
    assert notes(low, high) == []


@pytest.mark.parametrize(
    ("what", "by"),
    [
        ('points = { D = ["2 m"', 'points = { D = ["2.004 m"'),  # the roots come within 0.09 rad, and part
        ('points = { D = ["2 m"', 'points = { D = ["1.7 m"'),
    ],
)
def test_roots_that_come_near_and_do_not_meet_are_quiet(what: str, by: str) -> None:
    """The margin of a crank-rocker or double crank is above zero everywhere, or crosses it out of the workspace."""
    assert what in PARALLELOGRAM
    assert notes("-0.3", "2", PARALLELOGRAM.replace(what, by)) == []


def test_an_uneven_range_is_looked_at_up_to_its_ends() -> None:
    """The roots of this crank-rocker meet at 0 and at full turns only: 1 m and 4 m on a line with 3 m and 2 m."""
    text = PARALLELOGRAM
    for what, by in (
        ('points = { D = ["2 m"', 'points = { D = ["3 m"'),
        ('coupler]\npoints = { C = ["2 m"', 'coupler]\npoints = { C = ["4 m"'),
        ('rocker]\npoints = { C = ["1 m"', 'rocker]\npoints = { C = ["2 m"'),
        ("1.2 rad", "0.6 rad"),
    ):
        assert what in text
        text = text.replace(what, by)
    (note,) = notes("0.5", "6.6", text)
    assert "theta2 = 6.28319 rad," in note
    assert notes("0.5", "6.2", text) == []


def test_parameters_do_not_move_and_the_note_says_so() -> None:
    """Coupler 2 m, rocker 1 m, and B 1 m above the ground at x = 0: stretched out and back where D passes x = 0."""
    text = PARALLELOGRAM
    for what, by in (
        ("[ground]", '[parameters]\nd = { value = "0.3 m", range = ["-0.5 m", "0.5 m"], signed = true }\n\n[ground]'),
        ('points = { D = ["2 m"', 'points = { D = ["d"'),
        ('"1.2 rad", gamma = "-1.2 rad", theta4 = "1.2 rad"', '"90 deg", gamma = "-2.65 rad", theta4 = "-0.86 rad"'),
    ):
        assert what in text
        text = text.replace(what, by)
    (note,) = notes("1.57", "1.571", text)
    assert "d = 0 m," in note or "d = -" in note
    assert "set beyond that value of d, the functions stay on their root" in note
    assert "bodies" not in note


def test_characteristic_pairs_tell_it_too() -> None:
    mechanism = parse_mechanism(PARALLELOGRAM, "parallelogram")
    paired = replace(mechanism, solver=SolverOptions("characteristic-pair"))
    assert any("two assemblies meet" in note for note in program_of_mechanism(paired, "float32").notes)


def test_in_space_too() -> None:
    assert "theta2 = 0" in notes("-0.3", "2", tilted(PARALLELOGRAM))[0]
    assert notes("0.3", "2", tilted(PARALLELOGRAM)) == []


def test_a_worm_that_turns_forty_times_as_fast_does_not_hide_the_place() -> None:
    rotor = '[bodies.worm]\n\n[joints.worm]\ntype = "revolute"\nparent = "ground"\nchild = "worm"\n\n'
    text = PARALLELOGRAM.replace("[joints.theta2]", f"{rotor}[joints.theta2]")
    text = text.replace("[coordinates]", '[couplings]\ntheta2 = "worm/40"\n\n[coordinates]')
    text = text.replace('independent = ["theta2"]', 'independent = ["worm"]').replace(
        "ranges = { theta2", "ranges = { worm"
    )
    text = text.replace("rates = { theta2", "rates = { worm").replace("pose = { ", 'pose = { worm = "2400 deg", ')
    assert "worm = 0 rad," in notes("-12", "80", text)[0]
