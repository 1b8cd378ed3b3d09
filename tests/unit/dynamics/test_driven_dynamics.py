"""Accelerations under loads of mechanisms that are driven from another triangular form, against the reference."""

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import with_independent
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

ROWS = 100


@pytest.mark.parametrize(
    ("name", "independent"), [("stephenson_iii", ("beta1",)), ("parallel_robot", ("theta1", "theta2", "theta3"))]
)
def test_accelerations_under_loads_are_those_of_the_reference(name: str, independent: tuple[str, ...]) -> None:
    """Accelerations as multipliers on the original closures give them, within 1e-11 of the largest."""
    mechanism = with_independent(read_mechanism(model_path(name)), independent)
    generator = np.random.Generator(np.random.Philox(8))
    low, high = ([float(getattr(mechanism.ranges[n], end)) for n in independent] for end in ("minimum", "maximum"))
    states = generator.uniform(low, high, (ROWS, len(independent)))
    rates = generator.uniform(-3, 3, states.shape)
    loads = generator.uniform(-9, 9, (ROWS, len(mechanism.inputs)))
    sequence = functions.dynamics(solved_mechanism(mechanism), "float64", contract=True)
    result = interpret(sequence, np.hstack([states, rates, loads]))
    assert not result.status.any()
    outputs = [output.signal.name for output in sequence.outputs]
    reference = reference_of(mechanism)
    at = configuration(reference.positions(states))
    inputs = {given.name: loads[:, k] for k, given in enumerate(mechanism.inputs)}
    expected = reference.forward_dynamics(at, reference.velocities(at, rates), inputs)
    for each in independent:
        wanted = expected[:, mechanism.coordinates().index(each)]
        found = result.outputs[:, outputs.index(f"{each}.acceleration")]
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())
