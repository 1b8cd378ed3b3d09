"""Assembly modes and branches: printed tables, and every refusal of an analysis is one clear error."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.functions.program import branches_of, program_of_mechanism
from exporter.kinematics.planar.assembly import assemblies, assembly_at
from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.planar.triangular import triangular_form
from exporter.model.complete import with_independent
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret

DATA = Path(__file__).resolve().parents[3] / "data"
CRANK_ROCKER = json.loads((DATA / "crank_rocker.json").read_text())


def crank_rocker(branch: str) -> Mechanism:
    """M01, with the pose on the wanted branch (theta4 = theta2 + ... from the table at 60 degrees)."""
    mechanism = read_mechanism(DATA / "crank_rocker.toml")
    sample = next(entry for entry in CRANK_ROCKER["samples"] if entry["theta2_deg"] == 60)
    theta3, theta4 = (Fraction(value) for value in sample[branch])
    return replace(mechanism, pose={**mechanism.pose, "gamma": theta3 - mechanism.pose["theta2"], "theta4": theta4})


@pytest.mark.parametrize("branch", ["plus", "minus"])
def test_one_branch_over_a_whole_turn(branch: str) -> None:
    """The crank-rocker stays on its branch over 360 degrees: the printed table to 1e-12 (closed form, 30 digits)."""
    sequence = functions.position(PlanarSolution(triangular_form(crank_rocker(branch))), "float64", contract=True)
    names = [output.signal.name for output in sequence.outputs]
    degrees = np.array([entry["theta2_deg"] for entry in CRANK_ROCKER["samples"]], dtype=float)
    result = interpret(sequence, np.radians(degrees)[:, None])
    assert not result.status.any()
    column = dict(zip(names, result.outputs.T, strict=True))
    theta3 = np.arctan2(column["gamma.sin"], column["gamma.cos"]) + np.radians(degrees)
    theta4 = np.arctan2(column["theta4.sin"], column["theta4.cos"])
    for found, number in ((theta3, 0), (theta4, 1)):
        wanted = np.array([entry[branch][number] for entry in CRANK_ROCKER["samples"]])
        assert max(abs(math.remainder(a - b, math.tau)) for a, b in zip(found, wanted, strict=True)) < 1e-12


def test_crank_rocker_rates_at_60_degrees() -> None:
    """omega3, omega4, alpha3, alpha4 of the printed example to 1e-12."""
    form = triangular_form(crank_rocker("plus"))
    first = functions.velocity(PlanarSolution(form), "float64", contract=True)
    second = functions.acceleration(PlanarSolution(form), "float64", contract=True)
    rates = dict(
        zip(
            (o.signal.name for o in first.outputs),
            interpret(first, np.array([[math.pi / 3, 1.0]])).outputs[0],
            strict=True,
        )
    )
    accelerations = dict(
        zip(
            (o.signal.name for o in second.outputs),
            interpret(second, np.array([[math.pi / 3, 1.0, 0.0]])).outputs[0],
            strict=True,
        )
    )
    printed = CRANK_ROCKER["at_60_deg"]
    assert rates["gamma.rate"] + 1.0 == pytest.approx(printed["omega3"], abs=1e-12)
    assert rates["theta4.rate"] == pytest.approx(printed["omega4"], abs=1e-12)
    assert accelerations["gamma.acceleration"] == pytest.approx(printed["alpha3"], abs=1e-12)
    assert accelerations["theta4.acceleration"] == pytest.approx(printed["alpha4"], abs=1e-12)


def test_dyad_has_two_knees() -> None:
    """Bars 0.5 and 0.5 over a gap of 0.4 close with a knee of +-acos(0.68); the pose picks the positive one."""
    mechanism = read_mechanism(DATA / "dyad.toml")
    form = triangular_form(mechanism)
    knees = sorted(mode.coordinates["knee"] for mode in assemblies(form, {"gap": 0.4}))
    assert knees == pytest.approx([-math.acos(0.68), math.acos(0.68)], abs=1e-12)
    (branch,) = branches_of(PlanarSolution(form))
    assert branch.name == "knee positive"
    assert "knee = -0.823 rad" in branch.alternatives[0]


def test_a_pose_of_other_crank_angles_does_not_choose_a_mode() -> None:
    """The pose of the library is that of 180 degrees; at 270 it is closer to the mirror assembly."""
    mechanism = read_mechanism(model_path("four_bar"))
    stale = with_independent(mechanism, ["alpha1"], {"alpha1": Fraction(3 * math.pi / 2)})
    with pytest.raises(ModelError, match="none clearly"):
        triangular_form(stale)
    meant = {"alpha1": 3 * math.pi / 2, "alpha2": 2.5, "alpha3": 1.9}
    fresh = with_independent(mechanism, ["alpha1"], {name: Fraction(value) for name, value in meant.items()})
    assert assembly_at(triangular_form(fresh), fresh.pose).coordinates == pytest.approx(meant, abs=0.02)


def test_a_root_that_the_design_pose_does_not_have_is_called_so() -> None:
    """Each of the roots not taken closes its own loop; a later loop of the six-bar may then be torn."""
    form = triangular_form(read_mechanism(DATA / "mechanisms" / "watt_six_bar.toml"))
    texts = [text for branch in branches_of(PlanarSolution(form)) for text in branch.alternatives]
    assert len(texts) == len(form.blocks)
    reachable = {mode.signs: mode.reachable for mode in assemblies(form, form.mechanism.pose)}
    for number, (text, block) in enumerate(zip(texts, form.blocks, strict=True)):
        signs = tuple(-each.sign if other == number else each.sign for other, each in enumerate(form.blocks))
        assert ("cannot be assembled" in text) is not reachable[signs]
        assert reachable[signs] is (block.coordinates[0] in text)


def test_dyad_without_a_choice_lists_the_modes() -> None:
    """A pose that does not tell the modes apart is refused, with both of them in the sentence."""
    mechanism = read_mechanism(DATA / "dyad_open_choice.toml")
    with pytest.raises(ModelError) as caught:
        triangular_form(mechanism)
    for value in ("0.823034", "-0.823034", "pose"):
        assert value in str(caught.value)


def slider_crank_text(old: str = "", new: str = "") -> str:
    text = model_path("slider_crank").read_text()
    assert old in text
    return text.replace(old, new, 1)


REFUSED = {
    "lengths that cannot be assembled": (
        'l1 = { value = "0.3 m", range = ["0.1 m", "0.35 m"]',
        'l1 = { value = "1.3 m", range = ["0.1 m", "1.35 m"]',
        ("crank_pin", "cannot be assembled", "theta = 0.785398", "margin"),
    ),
    "too many independent coordinates": (
        'independent = ["theta"]',
        'independent = ["theta", "s"]',
        ("2 independent coordinates", "1 degree of freedom"),
    ),
    "a loop that does not close along the axes": (
        'points = { pin = ["0", "l2", "0"] }',
        'points = { pin = ["0", "l2", "10 mm"] }',
        ("does not close", "0.01 m apart"),
    ),
    "an axis out of parallel": (
        '[joints.beta]\ntype = "revolute"',
        '[joints.beta]\ntype = "revolute"\naxis = "x"',
        ("beta", "not parallel"),
    ),
    "a slide out of the plane": (
        'type = "prismatic"\naxis = "x"',
        'type = "prismatic"\naxis = "z"',
        ("'s' slides out of the plane",),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_one_sentence(name: str) -> None:
    """Each refusal names the place, the value and the next step."""
    old, new, words = REFUSED[name]
    mechanism = parse_mechanism(slider_crank_text(old, new), "changed.toml")
    with pytest.raises(ModelError) as caught:
        program_of_mechanism(mechanism, "float64")
    sentence = str(caught.value)
    assert "\n" not in sentence
    for word in words:
        assert word in sentence


def test_coordinate_that_cannot_drive() -> None:
    """A crank driven through its piston at dead centre has no pivot there: refused, with the alternatives."""
    mechanism = read_mechanism(model_path("slider_crank"))
    limits = CoordinateRange(Fraction(0), Fraction(1), Fraction(10), Fraction(1000))
    at_dead_centre = replace(
        mechanism,
        independent=("s",),
        pose={"s": Fraction(7, 10), "theta": Fraction(1, 100)},
        ranges={**mechanism.ranges, "s": limits},
    )
    with pytest.raises(ModelError, match=r"(cannot drive|fit the pose).*"):
        triangular_form(at_dead_centre)


def test_joint_that_this_version_cannot_treat() -> None:
    """A spatial joint is refused by name and type."""
    mechanism = read_mechanism(model_path("slider_crank"))
    joints = tuple(
        replace(joint, type="spherical") if joint.name == "crank_pin" else joint for joint in mechanism.joints
    )
    with pytest.raises(
        ModelError, match="is spatial: 'crank_pin' is spherical; this analysis is for planar mechanisms"
    ):
        triangular_form(replace(mechanism, joints=joints))


def test_output_that_does_not_exist() -> None:
    """The Python API refuses it as the file reader does."""
    mechanism = replace(read_mechanism(model_path("slider_crank")), outputs={"speed": "s.speed"})
    with pytest.raises(ModelError, match=r"'speed' asks for 's\.speed', which does not exist"):
        program_of_mechanism(mechanism, "float64")
