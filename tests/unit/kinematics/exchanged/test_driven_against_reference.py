"""Mechanisms driven by coordinates that give no triangular form, against Newton on the original closures."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.model.complete import completed, with_independent
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence, Precision
from sil.reference.mechanism import Reference, reference_of
from sil.reference.motion import configuration

Array = np.ndarray
ROWS = 2000
SOME = 250  # of the states, where the reference has to iterate

CASES = {
    "stephenson_iii": ("beta1",),
    "landing_gear": ("p",),
    "parallel_robot": ("theta1", "theta2", "theta3"),
    "double_wishbone_front_by_wheel": ("z", "rack"),
    "double_wishbone_rear_by_wheel": ("z", "rack"),
}


@dataclass(frozen=True)
class Case:
    """A driven mechanism, its reference, and states: the corners of its ranges first."""

    solved: Solution
    reference: Reference
    states: Array  # (n, f)

    @property
    def mechanism(self) -> Mechanism:
        """What is driven."""
        return self.solved.mechanism


SLOW = "gough_stewart"  # six legs known, the platform sought


@pytest.fixture(scope="module", params=[*CASES, pytest.param(SLOW, marks=pytest.mark.slow)])
def case(request: pytest.FixtureRequest) -> Case:
    independent = CASES.get(request.param) or tuple(f"rho{leg}" for leg in range(1, 7))
    mechanism = with_independent(read_mechanism(model_path(request.param)), independent)
    if "yaw" in mechanism.coordinates():  # angles and displacements of a free joint, if asked for
        mechanism = completed(replace(mechanism, outputs={"heading": "yaw", "x": "x"}, angles={}))
    limits = [mechanism.ranges[name] for name in mechanism.independent]
    ends = np.array([[float(each.minimum), float(each.maximum)] for each in limits])
    generator = np.random.Generator(np.random.Philox(3))
    corners = np.array(list(product(*ends)))
    random = generator.uniform(ends[:, 0], ends[:, 1], (ROWS, len(ends)))
    return Case(solved_mechanism(mechanism), reference_of(mechanism), np.vstack([corners, random]))


def outputs(sequence: OperationSequence, rows: Array) -> dict[str, Array]:
    result = interpret(sequence, rows)
    assert not result.status.any(), f"flags {np.unique(result.status)} within the range"
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


def positions(case: Case, precision: Precision) -> Array:
    """All coordinates as the export gives them, the independent ones as they were given; (n, c)."""
    mechanism = case.mechanism
    real = np.float32 if precision == "float32" else np.float64
    states = case.states.astype(real)
    values = outputs(functions.position(case.solved, precision, contract=True), states)
    columns = []
    for name in mechanism.coordinates():
        if name in mechanism.independent:
            columns.append(states[:, mechanism.independent.index(name)].astype(np.float64))
        elif name in values:
            columns.append(values[name].astype(np.float64))
        else:
            columns.append(np.arctan2(values[f"{name}.sin"].astype(np.float64), values[f"{name}.cos"]))
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize(("precision", "limit"), [("float64", 1e-14), ("float32", 5e-6)])
def test_two_steps_close_every_original_constraint(case: Case, precision: Precision, limit: float) -> None:
    """The given values and all coordinates that follow satisfy the closures over the whole range, corners included."""
    residual = case.reference.residual(configuration(positions(case, precision)))
    assert residual.max() < limit


def test_the_branch_is_that_of_the_reference(case: Case) -> None:
    """Coordinates equal those that Newton reaches from the design pose, within 1e-11."""
    found, expected = positions(case, "float64")[:SOME], case.reference.positions(case.states[:SOME])
    assert np.isfinite(expected).all()
    for column, name in enumerate(case.mechanism.coordinates()):
        if case.mechanism.is_displacement(name):
            np.testing.assert_allclose(found[:, column], expected[:, column], atol=1e-11)
        else:
            gap = np.exp(1j * found[:, column]) - np.exp(1j * expected[:, column])
            assert np.abs(gap).max() < 1e-11


def test_rates_and_accelerations_follow_the_constraint_jacobian(case: Case) -> None:
    """First and second derivatives equal the reference's within 1e-11 of the largest of each coordinate."""
    generator = np.random.Generator(np.random.Philox(4))
    states = case.states[:SOME]
    bounds = [min(2.0, float(case.mechanism.ranges[name].rate or 0)) for name in case.mechanism.independent]
    rates, accelerations = (generator.uniform(-size, size, states.shape) * bounds for size in (1, 4))
    at = configuration(case.reference.positions(states))
    every_rate = case.reference.velocities(at, rates)
    every_acceleration = case.reference.accelerations(at, every_rate, accelerations)
    first = outputs(functions.velocity(case.solved, "float64", contract=True), np.hstack([states, rates]))
    rows = np.hstack([states, rates, accelerations])
    second = outputs(functions.acceleration(case.solved, "float64", contract=True), rows)
    for name in case.solved.exported_coordinates():
        column = case.mechanism.coordinates().index(name)
        for found, expected in (
            (first[f"{name}.rate"], every_rate),
            (second[f"{name}.acceleration"], every_acceleration),
        ):
            wanted = expected[:, column]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * max(1.0, np.abs(wanted).max()))


THESIS = {"upper": 5.7e-4, "alpha": 4.5e-4}
"""Errors of approximations over the wheel's travel, rad, that Uchida 2011 accepts below eqs (5.13) and (5.16)."""


def test_no_angle_of_the_wishbone_is_approximated() -> None:
    """Upper arm and tie rod are right to 1e-13 rad over the wheel's travel, where published ones are off by 5.7e-4."""
    mechanism = read_mechanism(model_path("double_wishbone_front_by_wheel"))
    heights = np.linspace(-0.11, 0.11, 45)
    states = np.vstack([np.stack([heights, np.full(len(heights), rack)], axis=-1) for rack in (-0.05, 0, 0.05)])
    case = Case(solved_mechanism(mechanism), reference_of(mechanism), states)
    values = outputs(functions.position(case.solved, "float64", contract=True), states)
    expected = case.reference.positions(states)
    for name, accepted in THESIS.items():
        found = np.arctan2(values[f"{name}.sin"], values[f"{name}.cos"])
        error = np.abs(found - expected[:, mechanism.coordinates().index(name)]).max()
        assert error < 1e-13 < accepted
