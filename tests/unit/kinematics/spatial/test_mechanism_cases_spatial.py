"""Spatial mechanisms of public bug reports, by inverse kinematics: right values by closed forms at 30 digits."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import with_independent
from exporter.model.mechanism import CoordinateRange
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence, Precision
from exporter.sequence.status import BITS

DATA = Path(__file__).resolve().parents[3] / "data"
CASES: Any = json.loads((DATA / "mechanism_cases.json").read_text())
UNREACHABLE = 1 << BITS["OUT_OF_WORKSPACE"][0]


@pytest.fixture(scope="module", params=["rotary_delta", "servo_hexapod"])
def sequences(request: pytest.FixtureRequest) -> tuple[str, OperationSequence]:
    solved = solved_mechanism(read_mechanism(DATA / "mechanisms" / f"{request.param}.toml"))
    return request.param, functions.position(solved, "float64", contract=True)


def angles(sequence: OperationSequence, row: list[float], names: list[str]) -> tuple[list[float], int]:
    result = interpret(sequence, np.array([row], dtype=float))
    assert np.isfinite(result.outputs).all()
    values = {o.signal.name: float(result.outputs[0, k]) for k, o in enumerate(sequence.outputs)}
    return [math.atan2(values[f"{name}.sin"], values[f"{name}.cos"]) for name in names], int(result.status[0])


# M18: servo angles; x, y, z in m, yaw, pitch, roll in degrees
HEXAPOD = [
    ((0, 0, 0.155, 0, 0, 0), [-0.000981434212923] * 6),
    (
        (0.005, -0.008, 0.150, 6, -3, 4),
        [-0.369926937214, 0.0592961850095, 0.0847947783336, -0.125929745168, -0.485159537698, -0.312886504533],
    ),
]


def test_inverse_kinematics(sequences: tuple[str, OperationSequence]) -> None:
    """M08: outer elbows of the rotary delta; M18: the horns of the hexapod; poses out of reach are told and finite."""
    name, sequence = sequences
    if name == "rotary_delta":
        for entry in CASES["M08"]["ik"]:
            found, status = angles(sequence, entry["P"], ["q1", "q2", "q3"])
            if None in entry["roots"]:
                assert status & UNREACHABLE
            else:
                assert status == 0
                assert found == pytest.approx([roots[0] for roots in entry["roots"]], abs=1e-11)
        return
    horns = [f"servo{k}" for k in range(1, 7)]
    for (x, y, z, *turns), expected in HEXAPOD:
        found, status = angles(sequence, [x, y, z, *(math.radians(turn) for turn in turns)], horns)
        assert status == 0
        assert found == pytest.approx(expected, abs=1e-11)
    _, status = angles(sequence, [0, 0, 0.19, 0, 0, 0], horns)
    assert status & UNREACHABLE


# M08: arm angles in degrees, place of the platform, and the assembly above the base
DELTA_FORWARD = [
    ((20, 35, 50), (0.114685789561, 0.0719265121681, -0.606785357997)),
    ((0, 0, 0), (0, 0, -0.39686269666)),
    ((20, 35, 50), (-0.0299669585973, -0.0141176682714, 0.280111099979)),
]


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize(("arms", "place"), DELTA_FORWARD)
def test_delta_by_its_motors(arms: tuple[float, ...], place: tuple[float, ...], precision: Precision) -> None:
    """M08 forward: three spheres about the elbows; the pose picks the platform below or above the base."""
    mechanism = read_mechanism(DATA / "mechanisms" / "rotary_delta.toml")
    names = ("q1", "q2", "q3")
    pose = {name: Fraction(value).limit_denominator(1000) for name, value in zip("xyz", place, strict=True)}
    angles = {name: Fraction(math.radians(value)) for name, value in zip(names, arms, strict=True)}
    limits = CoordinateRange(Fraction(-1), Fraction(3, 2), Fraction(5))
    driven = with_independent(mechanism, names, {**pose, **angles}, dict.fromkeys(names, limits))
    sequence = functions.position(solved_mechanism(driven), precision, contract=True)
    result = interpret(sequence, np.radians([arms]))
    values = {o.signal.name: float(result.outputs[0, k]) for k, o in enumerate(sequence.outputs)}
    assert result.status[0] == 0
    assert [values[name] for name in "xyz"] == pytest.approx(place, abs=1e-11 if precision == "float64" else 2e-6)


def test_delta_beyond_the_reach_of_its_forearms_is_told() -> None:
    """M08 forward: with one arm folded to the other side no platform lies on all three spheres; finite all the same."""
    mechanism = read_mechanism(DATA / "mechanisms" / "rotary_delta.toml")
    names = ("q1", "q2", "q3")
    limits = CoordinateRange(Fraction(-4), Fraction(4), Fraction(5))
    pose = {**dict.fromkeys(names, Fraction(0)), "z": Fraction(-2, 5)}
    driven = with_independent(mechanism, names, pose, dict.fromkeys(names, limits))
    sequence = functions.position(solved_mechanism(driven), "float64", contract=True)
    result = interpret(sequence, np.array([[0.0, 0.0, 0.0], [0.0, 3.14, 0.0], [0.0, 0.0, 0.0]]))
    assert np.isfinite(result.outputs).all()
    assert [bool(word & UNREACHABLE) for word in result.status] == [False, True, False]
