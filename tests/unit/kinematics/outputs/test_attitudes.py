"""Unit quaternions of bodies as outputs. Oracle: half-angle formulas and the angular velocities of sil.reference."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.export import write_export
from exporter.functions import mechanism as functions
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.model.canonical import canonical
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Kind, Operation, OperationSequence, Precision
from exporter.sequence.program import Program
from sil.campaign import run
from sil.check_names import Check
from sil.options import Options
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration, move_bodies
from sil.trace.evaluation import trace_path
from sil.trace.findings import findings_of
from sil.trace.path import sweep_path
from sil.trace.signs import sign_changes

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"
TOP = """schema = 1
[mechanism]
name = "top"
[bodies.top]
frames = { tip = { at = ["0", "0", "0"], turns = [["y", "90 deg"]] } }
[joints.pose]
type = "spherical"
parent = "ground"
child = "top"
coordinates = ["yaw", "pitch", "roll"]
[coordinates]
independent = ["yaw", "pitch", "roll"]
pose = { yaw = "0", pitch = "0", roll = "0" }
ranges = { yaw = ["-7 rad", "7 rad"], pitch = ["-7 rad", "7 rad"], roll = ["-7 rad", "7 rad"] }
rates = { yaw = "9 rad/s", pitch = "9 rad/s", roll = "9 rad/s" }
[outputs]
attitude = "top.quaternion"
tip = "top.tip.quaternion"
"""


def top(**pose: Fraction) -> Mechanism:
    mechanism = parse_mechanism(TOP, "top")
    return completed(replace(mechanism, pose={**mechanism.pose, **pose}))


def outputs(sequence: OperationSequence, rows: np.ndarray) -> dict[str, np.ndarray]:
    result = interpret(sequence, rows)
    assert not result.status.any()
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


def quaternion(values: dict[str, np.ndarray], name: str, what: str = "") -> np.ndarray:
    return np.stack([values[f"{name}.{part}{what}"].astype(float) for part in "wxyz"], axis=-1)


def product(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    w, v = one[:, 0], one[:, 1:]
    s, u = other[:, 0], other[:, 1:]
    vector = w[:, None] * u + s[:, None] * v + np.cross(v, u)
    return np.concatenate([(w * s - (v * u).sum(axis=1))[:, None], vector], axis=1)


def half_angles(yaw: np.ndarray, pitch: np.ndarray, roll: np.ndarray) -> np.ndarray:
    """Rz(yaw) Ry(pitch) Rx(roll)."""
    none = np.zeros_like(yaw)
    turns = [
        np.stack([np.cos(a / 2), *(np.sin(a / 2) if k == axis else none for k in range(3))], axis=-1)
        for axis, a in ((2, yaw), (1, pitch), (0, roll))
    ]
    return product(product(turns[0], turns[1]), turns[2])


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_half_angles_all_round(precision: Precision) -> None:
    """500 attitudes, half turns about every axis among them; w is not below zero where the design pose is upright."""
    generator = np.random.Generator(np.random.Philox(2))
    rows = np.vstack([generator.uniform(-7, 7, (500, 3)), np.pi * np.eye(3), -np.pi * np.eye(3), np.zeros((1, 3))])
    rows = rows.astype(precision).astype(float)
    values = outputs(functions.position(solved_mechanism(top()), precision, contract=True), rows)
    expected = half_angles(*rows.T)
    expected *= np.where(expected[:, :1] < 0, -1, 1)
    found = quaternion(values, "attitude")
    found *= np.where((found * expected).sum(axis=1) < 0, -1, 1)[:, None]  # at half turns either sign is right
    np.testing.assert_allclose(found, expected, atol=16 * np.finfo(precision).eps)
    assert quaternion(values, "attitude")[:500, 0].min() > -16 * np.finfo(precision).eps


def test_quaternion_of_a_frame() -> None:
    """A frame turned by a quarter about y: the body's quaternion times (1, 0, 1, 0) / sqrt(2)."""
    rows = np.array([[0.3, -0.2, 0.9], [1.0, 0.5, -0.4]])
    values = outputs(functions.position(solved_mechanism(top()), "float64", contract=True), rows)
    quarter = np.tile(np.array([1, 0, 1, 0]) / np.sqrt(2), (2, 1))
    np.testing.assert_allclose(quaternion(values, "tip"), product(quaternion(values, "attitude"), quarter), atol=1e-15)


def test_continuous_up_to_half_a_turn_from_the_design_pose() -> None:
    """A design pose upside down: no jump while the body rolls from -2 to 2 rad beyond it, w changing its sign."""
    mechanism = top(roll=Fraction("3.1"))
    rolls = np.linspace(3.1 - 3, 3.1 + 3, 601)
    rows = np.stack([0.2 + 0 * rolls, 0.1 + 0 * rolls, rolls], axis=-1)
    found = quaternion(
        outputs(functions.position(solved_mechanism(mechanism), "float64", contract=True), rows), "attitude"
    )
    assert np.abs(np.diff(found, axis=0)).max() < 0.006
    assert found[:, 0].min() < -0.9 < 0.9 < found[:, 0].max()


def test_rates_and_accelerations_of_a_wheel_carrier() -> None:
    """2 q' q* is the angular velocity of the reference; q'' is the slope of q', within 1e-7."""
    mechanism = read_mechanism(model_path("double_wishbone_front"))
    mechanism.outputs["attitude"] = "carrier.quaternion"
    solved, reference = solved_mechanism(mechanism), reference_of(mechanism)
    generator = np.random.Generator(np.random.Philox(4))
    poses = generator.uniform(-1, 1, (20, 2)) * (0.3, 0.03)
    rates, seconds = (generator.uniform(-size, size, poses.shape) * (0.3, 0.03) for size in (4, 20))
    velocity = functions.velocity(solved, "float64", contract=True)
    change = quaternion(outputs(velocity, np.hstack([poses, rates])), "attitude", ".rate")
    q = quaternion(outputs(functions.position(solved, "float64", contract=True), poses), "attitude")
    at = configuration(reference.positions(poses))
    twist = move_bodies(reference.skeleton, at, reference.velocities(at, rates))
    body = 1 + [each.name for each in mechanism.bodies].index("carrier")
    np.testing.assert_allclose(2 * product(change, q * (1, -1, -1, -1))[:, 1:], twist.spins[body], atol=1e-12)
    step = 1e-5
    beyond, before = (
        quaternion(
            outputs(velocity, np.hstack([poses + s * rates + s * s * seconds / 2, rates + s * seconds])),
            "attitude",
            ".rate",
        )
        for s in (step, -step)
    )
    acceleration = functions.acceleration(solved, "float64", contract=True)
    second = quaternion(outputs(acceleration, np.hstack([poses, rates, seconds])), "attitude", ".acceleration")
    np.testing.assert_allclose(second, (beyond - before) / (2 * step), atol=1e-7)


def test_planar_body_and_single_precision_export() -> None:
    """A slider-crank's rod turns about z: (cos, 0, 0, sin) of half its angle; proven total in float32."""
    mechanism = read_mechanism(model_path("slider_crank"))
    body = mechanism.bodies[1].name
    mechanism.outputs["attitude"] = f"{body}.quaternion"
    program = program_of_mechanism(mechanism, "float32")
    (position,) = (function for function in program.functions if function.name == "position")
    found = quaternion(outputs(position, np.linspace(-3, 3, 20)[:, None]), "attitude")
    np.testing.assert_array_equal(found[:, 1:3], 0)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


def test_quaternion_of_nothing_is_refused() -> None:
    """A body that does not exist, or a misspelt suffix."""
    for wrong in ("wheel.quaternion", "top.quaternions"):
        with pytest.raises(ModelError, match=r"top|wheel"):
            parse_mechanism(TOP.replace("top.quaternion", wrong), "top")


def test_sil_judges_attitudes(tmp_path: Path) -> None:
    """Matrix, angular velocity and acceleration of an export are held against the reference's own bodies."""
    mechanism = top()
    export = write_export(program_of_mechanism(mechanism, "float64"), tmp_path / "top", canonical(mechanism))
    campaign = run(export, Options(count=50, runner="interpreter"))
    verdicts = [verdict for verdict in campaign.verdicts if verdict.check == "attitudes"]
    assert {verdict.function for verdict in verdicts} == {"position", "velocity", "acceleration"}
    assert [verdict.sentence() for verdict in verdicts if not verdict.passed] == []


def flipped(program: Program, function: str, suffix: str, *, always: bool) -> Program:
    """The program with the sign of every quaternion changed in one function: always, or where yaw is below 0.3 rad."""
    place = [each.name for each in program.functions].index(function)
    sequence = program.functions[place]
    operations = list(sequence.operations)
    operations += [Operation(Kind.INPUT, value=0), Operation(Kind.CONSTANT, value=Fraction(3000 if always else 3, 10))]
    operations.append(Operation(Kind.LESS, (len(operations) - 2, len(operations) - 1)))
    condition, changed = len(operations) - 1, []
    parts = {f"{body}.{part}{suffix}" for body in ("attitude", "tip") for part in "wxyz"}
    for each in sequence.outputs:
        if each.signal.name not in parts:
            changed.append(each)
            continue
        operations.append(Operation(Kind.NEG, (each.operation,)))
        operations.append(Operation(Kind.SELECT, (condition, len(operations) - 1, each.operation)))
        changed.append(replace(each, operation=len(operations) - 1))
    functions = list(program.functions)
    functions[place] = replace(sequence, operations=tuple(operations), outputs=tuple(changed))
    return replace(program, functions=tuple(functions))


def test_a_sign_that_jumps_along_a_path_is_seen(tmp_path: Path) -> None:
    """As matrices both are right. Rates of the other quaternion are wrong, though they turn the body the same way."""
    mechanism = top()
    program = program_of_mechanism(mechanism, "float64")
    export = write_export(program, tmp_path / "top", canonical(mechanism))
    options = Options(count=100, runner="interpreter", functions=("position", "velocity"))

    def failed(made: Program) -> set[tuple[str, str]]:
        found = {(v.function, v.check) for v in run(export, options, made).verdicts if not v.passed}
        return {each for each in found if each[1] != Check.REPLACED}  # the change reads yaw as it is given

    assert failed(program) == set()
    assert failed(flipped(program, "position", "", always=False)) == {
        ("position", Check.CONTINUITY),
        ("velocity", Check.ATTITUDES),
    }
    assert failed(flipped(program, "velocity", ".rate", always=True)) == {("velocity", Check.ATTITUDES)}


def test_trace_names_the_poses_at_which_a_quaternion_changes_its_sign() -> None:
    """Yaw turns from rest over a whole turn: once, where it passes half a turn; up to there never."""
    mechanism = parse_mechanism(TOP.replace('tip = "top.tip.quaternion"\n', ""), "top")
    for last, expected in (("170deg", []), ("360deg", [("attitude", 6)])):
        found = trace_path(mechanism, "float64", sweep_path(mechanism, [f"yaw=0deg..{last}:13"]))
        assert [(each.name, each.row) for each in sign_changes(found)] == expected
        assert len(findings_of(found).signs) == len(expected)
