"""One step of every integration method against the same method over the augmented equations of motion."""

import math
from dataclasses import replace

import numpy as np
import pytest

from exporter.functions.program import program_of_mechanism
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence
from sil.reference.integrators import integrate_step
from sil.reference.mechanism import reference_of

METHODS = ("euler", "semi_implicit_euler", "rk4")


def mechanism_with(name: str, method: str) -> Mechanism:
    mechanism = read_mechanism(model_path(name))
    return completed(replace(mechanism, step=replace(mechanism.step, method=method)))


def dostep_of(mechanism: Mechanism) -> OperationSequence:
    return next(f for f in program_of_mechanism(mechanism, "float64").functions if f.name == "dostep")


def state(sequence: OperationSequence, rows: np.ndarray) -> np.ndarray:
    result = interpret(sequence, rows)
    assert not result.status.any()
    columns = [k for k, output in enumerate(sequence.outputs) if output.signal.group is Group.STATE]
    return result.outputs[:, columns]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["slider_crank", "four_bar"])
def test_one_step_equals_the_reference_integrator(name: str, method: str) -> None:
    """State after one step within 1e-11, angles modulo a turn."""
    mechanism = mechanism_with(name, method)
    sequence, reference = dostep_of(mechanism), reference_of(mechanism)
    generator = np.random.Generator(np.random.Philox(5))
    q, u, force = generator.uniform(-3, 3, (20, 1)), generator.uniform(-8, 8, (20, 1)), generator.uniform(-5, 5, 20)
    inputs = {mechanism.inputs[0].name: force}

    def derivative(coordinates: np.ndarray, rates: np.ndarray) -> np.ndarray:
        return reference.state_derivative(coordinates, rates, inputs)

    wanted_q, wanted_u = integrate_step(method, float(mechanism.step.period), q, u, derivative)
    found = state(sequence, np.hstack([q, u, force[:, None]]))
    assert max(abs(math.remainder(a - b, math.tau)) for a, b in zip(found[:, 0], wanted_q[:, 0], strict=True)) < 1e-11
    np.testing.assert_allclose(found[:, 1], wanted_u[:, 0], rtol=1e-11, atol=1e-11)


def test_a_crank_may_turn_for_ever() -> None:
    """2,000 steps at 100 rad/s, some 30 turns: the angle stays within a turn and no state is rejected."""
    sequence = dostep_of(mechanism_with("slider_crank", "semi_implicit_euler"))
    row = np.array([[0.5, 100.0, 0.0]])
    for _ in range(2000):
        result = interpret(sequence, row)
        assert not result.status.any()
        row = np.array([[*result.outputs[0, :2], 0.0]])
        assert abs(row[0, 0]) < math.pi + 0.2
