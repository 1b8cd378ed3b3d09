"""Spatial mechanisms: positions, rates and accelerations against Newton on the original closures (sil.reference)."""

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.model.library import model_path
from exporter.model.points_of_interest import points_of_interest
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence
from sil.reference.mechanism import Reference, reference_of
from sil.reference.motion import configuration
from sil.reference.points import PointMotion, point_motion

Array = np.ndarray
ROWS = 50

# name -> half-width of every independent coordinate around the design pose that stays within reach
CASES: dict[str, tuple[float, ...]] = {
    "gough_stewart": (0.2, 0.2, 0.2, 0.3, 0.3, 0.3),
    "double_wishbone_front": (0.3, 0.03),
    "double_wishbone_rear": (0.3, 0.03),
    "spatial_four_bar": (3.0,),
    "five_link": (0.09,),
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Solution, Reference, Array, Array, Array]:
    """A solved mechanism, its reference, and 100 random states."""
    mechanism = read_mechanism(model_path(request.param))
    generator = np.random.Generator(np.random.Philox(11))
    design = np.array([float(mechanism.pose[name]) for name in mechanism.independent])
    width = np.array(CASES[request.param])
    poses = design + generator.uniform(-1, 1, (ROWS, len(design))) * width
    rates, accelerations = (generator.uniform(-size, size, poses.shape) * width for size in (4, 20))
    return solved_mechanism(mechanism), reference_of(mechanism), poses, rates, accelerations


def outputs(sequence: OperationSequence, rows: Array) -> dict[str, Array]:
    result = interpret(sequence, rows)
    assert not result.status.any(), f"flags {np.unique(result.status)} within reach"
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


def test_positions_satisfy_the_original_closures(
    case: tuple[Solution, Reference, Array, Array, Array],
) -> None:
    """Dependent coordinates equal Newton's on the original closures within 1e-12."""
    form, reference, poses, _, _ = case
    values = outputs(functions.position(form, "float64", contract=True), poses)
    expected = reference.positions(poses)
    assert np.isfinite(expected).all()
    for name in form.exported_coordinates():
        column = expected[:, reference.coordinates.index(name)]
        if form.mechanism.is_displacement(name):
            np.testing.assert_allclose(values[name], column, atol=1e-12)
        else:
            np.testing.assert_allclose(values[f"{name}.sin"], np.sin(column), atol=1e-12)
            np.testing.assert_allclose(values[f"{name}.cos"], np.cos(column), atol=1e-12)


def test_rates_and_accelerations_follow_the_constraint_jacobian(
    case: tuple[Solution, Reference, Array, Array, Array],
) -> None:
    """First and second derivatives, points of interest included, equal the reference's within 1e-10 relative."""
    form, reference, poses, rates, accelerations = case
    at = configuration(reference.positions(poses))
    all_rates = reference.velocities(at, rates)
    everything = reference.accelerations(at, all_rates, accelerations)
    first = outputs(functions.velocity(form, "float64", contract=True), np.hstack([poses, rates]))
    second = outputs(functions.acceleration(form, "float64", contract=True), np.hstack([poses, rates, accelerations]))
    for name in form.exported_coordinates():
        column = reference.coordinates.index(name)
        np.testing.assert_allclose(first[f"{name}.rate"], all_rates[:, column], rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(second[f"{name}.acceleration"], everything[:, column], rtol=1e-10, atol=1e-10)
    place = outputs(functions.position(form, "float64", contract=True), poses)
    for name, frame in points_of_interest(form.mechanism):
        moving = point_motion(reference.skeleton, frame, at, all_rates, everything)
        _compare_point(name, moving, place, first, second)


def _compare_point(
    name: str, moving: PointMotion, place: dict[str, Array], first: dict[str, Array], second: dict[str, Array]
) -> None:
    for k, axis in enumerate("xyz"):
        np.testing.assert_allclose(place[f"{name}.{axis}"], moving.place[:, k], atol=1e-12)
        np.testing.assert_allclose(first[f"{name}.{axis}.rate"], moving.velocity[:, k], rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(
            second[f"{name}.{axis}.acceleration"], moving.acceleration[:, k], rtol=1e-10, atol=1e-10
        )
