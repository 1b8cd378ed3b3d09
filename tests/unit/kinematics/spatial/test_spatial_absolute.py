"""A body in absolute coordinates (a free joint to ground) that closing joints hold costs what one that hangs costs."""

from pathlib import Path

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.spatial.arithmetic import bare_position
from exporter.kinematics.spatial.engine import SpatialSolution
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"
ASKED = ("x", "y", "z", "yaw", "pitch", "roll")


@pytest.fixture(scope="module")
def wishbone() -> SpatialSolution:
    return SpatialSolution(spatial_form(read_mechanism(DATA / "wishbone_absolute.toml")))


def outputs(sequence: OperationSequence, rows: np.ndarray) -> dict[str, np.ndarray]:
    result = interpret(sequence, rows)
    assert not result.status.any()
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


def test_costs_as_much_as_a_carrier_that_hangs_on_a_ball(wishbone: SpatialSolution) -> None:
    """Upper arm and the three balls: 65/53/2, the count of double_wishbone_front."""
    counted = cost(bare_position(wishbone.form, ("upper",), ("lower_ball", "upper_ball", "tie_ball")))
    assert (counted.mul + counted.div, counted.add, counted.sqrt) == (65, 53, 2)


def test_absolute_coordinates_and_their_derivatives(wishbone: SpatialSolution) -> None:
    """Place and Euler angles of the carrier, rates and accelerations, equal Newton's on the original closures."""
    generator = np.random.Generator(np.random.Philox(5))
    poses = generator.uniform(-1, 1, (20, 2)) * (0.3, 0.03)
    rates, accelerations = (generator.uniform(-size, size, poses.shape) * (0.3, 0.03) for size in (4, 20))
    reference = reference_of(wishbone.mechanism)
    at = configuration(reference.positions(poses))
    velocities = reference.velocities(at, rates)
    seconds = reference.accelerations(at, velocities, accelerations)
    place = outputs(functions.position(wishbone, "float64", contract=True), poses)
    first = outputs(functions.velocity(wishbone, "float64", contract=True), np.hstack([poses, rates]))
    second = outputs(
        functions.acceleration(wishbone, "float64", contract=True), np.hstack([poses, rates, accelerations])
    )
    names = {"z": "height", "yaw": "heading"}
    for name in ASKED:
        k = reference.coordinates.index(name)
        value = reference.positions(poses)[:, k]
        if name in "xyz":
            np.testing.assert_allclose(place[names.get(name, name)], value, atol=1e-12)
        else:
            np.testing.assert_allclose(place[f"{name}.sin"], np.sin(value), atol=1e-12)
        np.testing.assert_allclose(first[f"{name}.rate"], velocities[:, k], rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(second[f"{name}.acceleration"], seconds[:, k], rtol=1e-10, atol=1e-10)


def test_absolute_coordinates_export_in_single_precision(wishbone: SpatialSolution) -> None:
    """Euler angles, their rates and accelerations are proven finite in float32."""
    program = program_of_mechanism(wishbone.mechanism, "float32")
    (acceleration,) = (function for function in program.functions if function.name == "acceleration")
    assert {f"{name}.acceleration" for name in ASKED} <= {output.signal.name for output in acceleration.outputs}


def test_only_the_kind_that_is_asked_for_is_given() -> None:
    """A height alone brings no Euler angles."""
    mechanism = read_mechanism(DATA / "wishbone_absolute.toml")
    mechanism.outputs.pop("heading")
    offered = SpatialSolution(spatial_form(mechanism)).exported_coordinates()
    assert set(ASKED) & set(offered) == {"x", "y", "z"}
