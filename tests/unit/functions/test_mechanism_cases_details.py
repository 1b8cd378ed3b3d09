"""What the tables of the reported mechanisms hold beyond their end points: every pin, the other roots, statics.

The values stand in tests/data/mechanism_cases.json with their sources.
"""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.branch_choice import in_branch
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence

ROOT = Path(__file__).resolve().parents[3]
MECHANISMS = ROOT / "tests" / "data" / "mechanisms"
CASES: Any = json.loads((ROOT / "tests" / "data" / "mechanism_cases.json").read_text())
Array = np.ndarray


def named(sequence: OperationSequence, rows: Any) -> dict[str, Array]:
    result = interpret(sequence, np.asarray(rows, dtype=float))
    assert not result.status.any()
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


def positions(mechanism: Mechanism, rows: Any) -> dict[str, Array]:
    return named(functions.position(solved_mechanism(mechanism), "float64", contract=True), rows)


PINS = {
    "M03": ("jansen_leg", {"W": "upper.W", "U": "foot", "V": "upper.V", "T": "foot.T", "S": "foot.S"}),
    "M14": ("klann_leg", {"C": "crank.C", "H": "coupler.H", "F": "coupler.F", "E": "upper_rocker.E", "G": "leg.G"}),
}


@pytest.mark.parametrize("case", PINS)
def test_every_pin_of_a_walking_leg(case: str) -> None:
    """M03 and M14, all pins over a turn, asked for as points of interest, within 1e-9 mm."""
    name, pins = PINS[case]
    mechanism = completed(replace(read_mechanism(model_path(name)), outputs=pins))
    samples = CASES[case]["samples"]
    values = positions(mechanism, np.radians([[sample["theta_deg"]] for sample in samples]))
    for pin in pins:
        made = 1000 * np.stack([values[f"{pin}.x"], values[f"{pin}.y"]], axis=-1)
        np.testing.assert_allclose(made, [sample[pin] for sample in samples], atol=1e-9, err_msg=pin)


def test_the_other_assembly_of_the_watt_six_bar() -> None:
    """M10: F on the other side of the line from C to E, at 120 degrees; both loops have an assembly of their own."""
    mechanism = read_mechanism(MECHANISMS / "watt_coupler_point.toml")
    pose = {**mechanism.pose, "theta": Fraction("2.0944"), "delta": Fraction("-2.4"), "psi": Fraction("2.6")}
    other = completed(replace(mechanism, pose=pose))
    values = positions(other, [[math.radians(120)]])
    assert values["F.x"][0] == pytest.approx(2.35314436331, abs=1e-11)
    assert values["F.y"][0] == pytest.approx(1.29507617508, abs=1e-11)
    assert values["B.x"][0] == pytest.approx(2.95307603536, abs=1e-11)


def test_inner_elbows_of_the_rotary_delta() -> None:
    """M08: the second root of every leg."""
    entry = next(entry for entry in CASES["M08"]["ik"] if None not in entry["roots"])
    roots = [pair[1] for pair in entry["roots"]]
    mechanism = read_mechanism(MECHANISMS / "rotary_delta.toml")
    blocks = solved_mechanism(mechanism).block_facts()
    elbows = [block for block in blocks if block.coordinates[:1] in (("q1",), ("q2",), ("q3",))]
    inner = in_branch(mechanism, [f"{block.id}{'-' if block.sign > 0 else '+'}" for block in elbows])
    values = positions(inner, [entry["P"]])
    made = [math.atan2(values[f"q{k}.sin"][0], values[f"q{k}.cos"][0]) % math.tau for k in (1, 2, 3)]
    assert made == pytest.approx(roots, abs=1e-11)


@pytest.mark.parametrize(("degrees", "torque"), [(60, -42.0265056101), (0, 0.0), (180, 0.0)])
def test_statics_of_the_slider_crank(degrees: float, torque: float) -> None:
    """M13: 400 N on the slider, along -x, is held by this torque on the crank: nothing accelerates."""
    mechanism = read_mechanism(MECHANISMS / "offset_slider_crank.toml")
    crank, rod, slider = mechanism.bodies
    crank = replace(crank, mass=slider.mass, center_of_mass=crank.frames[0].at)  # regular at the dead centres too
    heavy = completed(replace(mechanism, bodies=(crank, rod, slider)))
    sequence = functions.dynamics(solved_mechanism(heavy), "float64", contract=True)
    given = {"theta": math.radians(degrees), "theta.rate": 0.0, "F": 400.0, "torque": torque}
    values = named(sequence, [[given[signal.name] for signal in sequence.inputs]])
    assert values["theta.acceleration"][0] == pytest.approx(0, abs=1e-7)
