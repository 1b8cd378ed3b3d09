"""Loops behind gears: poses against plane geometry written down here, and what cannot be solved in turn."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.model.complete import with_independent
from exporter.model.mechanism import CoordinateRange
from exporter.model.toml.reader import parse_mechanism, read_mechanism

FILES = Path(__file__).resolve().parents[3] / "data" / "couplings"


def test_geared_five_bar_closes_with_the_second_crank_behind_its_gear() -> None:
    """Both rods meet; the second crank stands at -2 alpha + 30 deg, whole turns included."""
    five_bar = read_mechanism(FILES / "geared_five_bar.toml")
    alpha = np.linspace(-3.1, 3.1, 21)
    rows = solution_rows(solved_mechanism(five_bar), alpha[:, None])
    assert rows.good.all()
    found = dict(zip(five_bar.coordinates(), rows.coordinates.T, strict=True))
    assert found["beta"] == pytest.approx(-2 * alpha + np.pi / 6, abs=1e-12)
    first = 0.1 * np.exp(1j * alpha) + 0.3 * np.exp(1j * (alpha + found["gamma"]))
    second = 0.2 + 0.1 * np.exp(1j * found["beta"]) + 0.3 * np.exp(1j * (found["beta"] + found["delta"]))
    assert first == pytest.approx(second, abs=1e-12)


def test_solve_order_begins_with_the_couplings() -> None:
    """C1 gives beta, L1 the rest, and no table is made."""
    blocks = solved_mechanism(read_mechanism(FILES / "geared_five_bar.toml")).block_facts()
    assert [(block.id, block.coordinates) for block in blocks] == [("C1", ("beta",)), ("L1", ("gamma", "delta"))]
    assert blocks[0].kind == "coupling"


def test_fingers_of_a_gripper_mirror_each_other() -> None:
    """A mimic joint with ratio -1: the right side is the left one, seen in a mirror."""
    gripper = read_mechanism(FILES / "gripper.toml")
    rows = solution_rows(solved_mechanism(gripper), np.radians([[100.0], [120.0], [140.0]]))
    found = dict(zip(gripper.coordinates(), rows.coordinates.T, strict=True))
    assert np.cos(found["b_right"]) == pytest.approx(-np.cos(found["b_left"]), abs=1e-12)
    assert np.sin(found["b_right"]) == pytest.approx(np.sin(found["b_left"]), abs=1e-12)


def test_loop_behind_a_rocker_and_its_gear_is_solved_in_turn() -> None:
    """The rocker's angle drives the second four-bar by n = 1.5: both close, without a table."""
    wiper = read_mechanism(FILES / "wiper.toml")
    solved = solved_mechanism(wiper)
    assert [block.id for block in solved.block_facts()] == ["C1", "L1", "L2"]
    alpha = np.linspace(-3.1, 3.1, 17)
    rows = solution_rows(solved, alpha[:, None])
    assert rows.good.all()
    found = dict(zip(wiper.coordinates(), rows.coordinates.T, strict=True))
    first = 0.08 * np.exp(1j * alpha) + 0.3 * np.exp(1j * (alpha + found["gamma"]))
    assert first == pytest.approx(0.3 + 0.2 * np.exp(1j * found["beta"]), abs=1e-12)
    wheel = 2 * np.pi / 3 - 1.5 * found["beta"]
    assert np.exp(1j * found["delta"]) == pytest.approx(np.exp(1j * wheel), abs=1e-12)
    second = 0.6 + 0.1 * np.exp(1j * wheel) + 0.3 * np.exp(1j * (wheel + found["zeta"]))
    assert second == pytest.approx(0.9 + 0.2 * np.exp(1j * found["epsilon"]), abs=1e-12)


def test_what_follows_behind_a_loop_may_stand_on_either_side() -> None:
    """The rocker on the left of the coupling, the wheel on its right: solved in turn all the same, to the same pose."""
    text = (FILES / "wiper.toml").read_text(encoding="utf-8")
    other = parse_mechanism(text.replace('delta = "phase - n * beta"', 'beta = "(phase - delta) / n"'), "wiper.toml")
    found, wanted = (
        solution_rows(solved_mechanism(each), np.array([[0.3], [2.0]])).coordinates
        for each in (other, read_mechanism(FILES / "wiper.toml"))
    )
    assert found == pytest.approx(wanted, abs=1e-12)


def test_gear_between_two_loops_takes_a_table() -> None:
    """Driven by the angle of a rod, both cranks are unknown: they are found by exchanged coordinates."""
    five_bar = read_mechanism(FILES / "geared_five_bar.toml")
    middle = Fraction(13, 10)
    bounds = {"gamma": CoordinateRange(middle - Fraction(1, 10), middle + Fraction(1, 10), Fraction(1))}
    driven = with_independent(five_bar, ["gamma"], {"gamma": middle}, bounds)
    solved = solved_mechanism(driven)
    assert solved.block_facts()[0].id == "N1"
    rows = solution_rows(solved, np.array([[1.25], [1.35]]))
    assert rows.good.all()
    found = dict(zip(driven.coordinates(), rows.coordinates.T, strict=True))
    assert np.exp(1j * found["beta"]) == pytest.approx(np.exp(1j * (np.pi / 6 - 2 * found["alpha"])), abs=1e-12)
    first = 0.1 * np.exp(1j * found["alpha"]) + 0.3 * np.exp(1j * (found["alpha"] + found["gamma"]))
    second = 0.2 + 0.1 * np.exp(1j * found["beta"]) + 0.3 * np.exp(1j * (found["beta"] + found["delta"]))
    assert first == pytest.approx(second, abs=1e-9)
