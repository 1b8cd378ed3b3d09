"""Positions, velocities, accelerations and dynamics of the triangular form against Newton on the original closures.

The oracle is sil.reference: full three-dimensional closures, Newton by continuation, augmented equations of motion. It
shares no code with the triangular form.
"""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.planar.triangular import triangular_form
from exporter.model.complete import with_independent
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence
from sil.reference.mechanism import Reference, reference_of
from sil.reference.motion import configuration

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"
Array = np.ndarray
Case = tuple[Mechanism, Reference, Array, Array]


def library(name: str) -> Mechanism:
    return read_mechanism(model_path(name))


def from_data(name: str) -> Mechanism:
    return read_mechanism(DATA / f"{name}.toml")


def driven_by(name: str, coordinate: str, value: str, low: str, high: str, pose: dict[str, str]) -> Mechanism:
    mechanism = library(name)
    limits = CoordinateRange(Fraction(low), Fraction(high), Fraction(50), Fraction(1000))
    given = {key: Fraction(text) for key, text in {coordinate: value, **pose}.items()}
    return with_independent(mechanism, [coordinate], given, {coordinate: limits})


def robot_by_joints() -> Mechanism:
    """The thesis' choice {theta1, theta4, theta7}: its theta7 is the end effector's angle."""
    limits = CoordinateRange(Fraction(-4), Fraction(4), Fraction(20), Fraction(1000))
    given = {"theta1": "-1.334", "theta4": "2.554", "theta": "0", "x": "0.5", "y": "0.29"}
    names = ["theta1", "theta4", "theta"]
    pose = {name: Fraction(value) for name, value in given.items()}
    return with_independent(library("parallel_robot"), names, pose, dict.fromkeys(names, limits))


# name -> (mechanism, half-width around the design pose that stays within reach)
CASES: dict[str, tuple[Callable[[], Mechanism], float]] = {
    "slider-crank by theta": (lambda: library("slider_crank"), 3.0),
    "slider-crank by beta": (lambda: driven_by("slider_crank", "beta", "1.2", "-4", "4", {"theta": "0.5"}), 0.3),
    "slider-crank by s": (lambda: driven_by("slider_crank", "s", "0.45", "0.1", "0.7", {"theta": "1.2"}), 0.15),
    "four-bar by alpha1": (lambda: library("four_bar"), 3.0),
    "four-bar by alpha3": (
        lambda: driven_by("four_bar", "alpha3", "-2.2", "-4", "4", {"alpha1": "3.14", "alpha2": "-1.2"}),
        0.1,
    ),
    "quick return": (lambda: from_data("inverted_slider_crank"), 3.0),
    "trammel": (lambda: from_data("trammel"), 3.0),
    "five-bar, tilted plane": (lambda: from_data("five_bar"), 0.2),
    "Watt six-bar": (lambda: from_data("watt_six_bar"), 0.5),
    "Stephenson-III": (lambda: library("stephenson_iii"), 0.4),
    "landing gear": (lambda: library("landing_gear"), 0.5),
    "excavator": (lambda: library("excavator"), 0.1),
    "four loops": (lambda: library("four_loops"), 0.3),
    "parallel robot by x, y, theta": (lambda: library("parallel_robot"), 0.1),
    "parallel robot by two legs' angles": (robot_by_joints, 0.1),
    "ERS-1 antenna": (lambda: library("ers1_antenna"), 0.2),
}


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    """A mechanism, its reference, independent coordinates of 40 poses, and all coordinates by Newton."""
    make, width = CASES[request.param]
    mechanism = make()
    generator = np.random.Generator(np.random.Philox(7))
    design = np.array([float(mechanism.pose[name]) for name in mechanism.independent])
    poses = design + generator.uniform(-width, width, (40, len(design)))
    reference = reference_of(mechanism)
    positions = reference.positions(poses)
    assert np.isfinite(positions).all()
    return mechanism, reference, poses, positions


def within_rates(mechanism: Mechanism, generator: np.random.Generator, count: int) -> Array:
    """Random rates of the independent coordinates, at most 2 rad/s or m/s, within their ranges."""
    bounds = [min(2.0, float(mechanism.ranges[name].rate or 2)) for name in mechanism.independent]
    return generator.uniform(-1, 1, (count, len(bounds))) * np.array(bounds)


def outputs(sequence: OperationSequence, rows: Array) -> dict[str, Array]:
    result = interpret(sequence, rows)
    assert not result.status.any(), f"flags {np.unique(result.status)} within reach"
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


def named(mechanism: Mechanism, values: dict[str, Array], signal: str) -> Array:
    aliases = {target: alias for alias, target in mechanism.outputs.items()}
    return values[aliases.get(signal, signal)]


def test_positions_satisfy_the_original_closures(case: Case) -> None:
    """Dependent coordinates equal Newton's on the original closures within 1e-12."""
    mechanism, reference, poses, expected = case
    form = triangular_form(mechanism)
    values = outputs(functions.position(PlanarSolution(form), "float64", contract=True), poses)
    for name in form.dependent():
        column = expected[:, reference.coordinates.index(name)]
        if form.turn(name) is None:
            np.testing.assert_allclose(named(mechanism, values, name), column, atol=1e-12)
        else:
            np.testing.assert_allclose(named(mechanism, values, f"{name}.sin"), np.sin(column), atol=1e-12)
            np.testing.assert_allclose(named(mechanism, values, f"{name}.cos"), np.cos(column), atol=1e-12)


def test_rates_and_accelerations_follow_the_constraint_jacobian(case: Case) -> None:
    """First and second derivatives equal those of the original closures within 1e-10 relative."""
    mechanism, reference, poses, positions = case
    form = triangular_form(mechanism)
    generator = np.random.Generator(np.random.Philox(8))
    rates = within_rates(mechanism, generator, len(poses))
    accelerations = generator.uniform(-5, 5, poses.shape)
    at = configuration(positions)
    all_rates = reference.velocities(at, rates)
    all_accelerations = reference.accelerations(at, all_rates, accelerations)
    first = outputs(functions.velocity(PlanarSolution(form), "float64", contract=True), np.hstack([poses, rates]))
    second = outputs(
        functions.acceleration(PlanarSolution(form), "float64", contract=True), np.hstack([poses, rates, accelerations])
    )
    for name in form.dependent():
        column = reference.coordinates.index(name)
        np.testing.assert_allclose(
            named(mechanism, first, f"{name}.rate"), all_rates[:, column], rtol=1e-10, atol=1e-11
        )
        np.testing.assert_allclose(
            named(mechanism, second, f"{name}.acceleration"), all_accelerations[:, column], rtol=1e-10, atol=1e-10
        )


def test_projected_dynamics_equal_the_augmented_equations(case: Case) -> None:
    """Accelerations of the independent coordinates equal those with Lagrange multipliers within 1e-9 relative."""
    mechanism, reference, poses, positions = case
    if "dynamics" not in functions.functions_of(mechanism):
        pytest.skip(f"{mechanism.name} has no masses")
    form = triangular_form(mechanism)
    generator = np.random.Generator(np.random.Philox(9))
    rates = within_rates(mechanism, generator, len(poses))
    inputs = {
        entry.name: generator.uniform(float(entry.minimum), float(entry.maximum), len(poses))
        for entry in mechanism.inputs
    }
    at = configuration(positions)
    expected = reference.forward_dynamics(at, reference.velocities(at, rates), inputs)
    rows = np.hstack([poses, rates, *(column[:, None] for column in inputs.values())])
    values = outputs(functions.dynamics(PlanarSolution(form), "float64", contract=True), rows)
    for name in mechanism.independent:
        np.testing.assert_allclose(
            named(mechanism, values, f"{name}.acceleration"),
            expected[:, reference.coordinates.index(name)],
            rtol=1e-9,
            atol=1e-9,
        )
