"""Open chains: points of interest of a planar and a spatial arm against the reference's own rotations."""

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.points_of_interest import points_of_interest
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration
from sil.reference.points import point_motion


@pytest.mark.parametrize("name", ["planar_3r", "arm_6r"])
def test_point_of_an_open_chain_moves_as_the_reference_says(name: str) -> None:
    """Place within 1e-12 m, velocity and acceleration within 1e-10 relative, at 100 random states."""
    mechanism = read_mechanism(model_path(name))
    form = solved_mechanism(mechanism)
    generator = np.random.Generator(np.random.Philox(3))
    count = len(mechanism.independent)
    q, u, w = (generator.uniform(-size, size, (100, count)) for size in (1.5, 4.0, 20.0))
    ((alias, frame),) = points_of_interest(mechanism)
    expected = point_motion(reference_of(mechanism).skeleton, frame, configuration(q), u, w)
    first = interpret(functions.position(form, "float64", contract=True), q)
    second = interpret(functions.velocity(form, "float64", contract=True), np.hstack([q, u]))
    third = interpret(functions.acceleration(form, "float64", contract=True), np.hstack([q, u, w]))
    assert not first.status.any() | second.status.any() | third.status.any()
    names = [output.signal.name for output in functions.position(form, "float64", contract=True).outputs]
    assert names == [f"{alias}.{axis}" for axis in "xyz"]
    np.testing.assert_allclose(first.outputs, expected.place, atol=1e-12)
    np.testing.assert_allclose(second.outputs, expected.velocity, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(third.outputs, expected.acceleration, rtol=1e-10, atol=1e-10)
