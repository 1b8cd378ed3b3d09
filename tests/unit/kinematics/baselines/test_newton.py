"""Newton's methods as baselines: what they compute, how they are ordered, and what they say when they fail.

The oracle is sil.reference, which closes the original loops by its own equations and continuation.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.baselines.newton import NewtonSolution
from exporter.kinematics.engine import solved_mechanism
from exporter.model.canonical import canonical, from_canonical
from exporter.model.changes import Changes, apply_changes
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence, Precision
from exporter.sequence.status import BITS
from sil.reference.mechanism import Reference, reference_of
from sil.reference.motion import configuration

Array = np.ndarray
MODELS = ("slider_crank", "four_bar", "landing_gear", "excavator")
METHODS = ("newton", "newton-per-loop")


def by(model: str, method: str, steps: int = 4) -> Mechanism:
    return apply_changes(read_mechanism(model_path(model)), Changes(method=method, steps=steps))


def newton(model: str, method: str, steps: int = 4) -> NewtonSolution:
    solution = solved_mechanism(by(model, method, steps))
    assert isinstance(solution, NewtonSolution)
    return solution


@dataclass(frozen=True)
class Trip:
    """Poses near the design pose, each with one that lies 0.02 rad or m before it."""

    reference: Reference
    before: Array
    after: Array
    rates: Array
    accelerations: Array


@pytest.fixture(scope="module", params=MODELS)
def trip(request: pytest.FixtureRequest) -> tuple[str, Trip]:
    mechanism = read_mechanism(model_path(request.param))
    reference = reference_of(mechanism)
    generator = np.random.Generator(np.random.Philox(5))
    design = np.array([float(mechanism.pose[name]) for name in mechanism.independent])
    start = design + generator.uniform(-0.04, 0.04, (25, len(design)))
    end = start + generator.uniform(-0.02, 0.02, start.shape)
    rates, accelerations = generator.uniform(-0.5, 0.5, start.shape), generator.uniform(-1, 1, start.shape)
    before, after = reference.positions(start), reference.positions(end)
    assert np.isfinite(before).all()
    assert np.isfinite(after).all()
    return request.param, Trip(reference, before, after, rates, accelerations)


def inputs_of(sequence: OperationSequence, trip: Trip) -> Array:
    """The rows of a function, warm-started from the pose before."""
    mechanism, names = trip.reference.skeleton.mechanism, trip.reference.coordinates
    columns = []
    for signal in sequence.inputs:
        name, _, suffix = signal.name.partition(".")
        column = names.index(name)
        if suffix == "previous":
            value = trip.before[:, column]
            columns.append(value if signal.unit == "m" else value - 2 * np.pi * np.round(value / (2 * np.pi)))
        elif suffix:
            given = {"rate": trip.rates, "acceleration": trip.accelerations}[suffix]
            columns.append(given[:, mechanism.independent.index(name)])
        else:
            columns.append(trip.after[:, column])
    return np.stack(columns, axis=1)


def outputs_of(mechanism: Mechanism, sequence: OperationSequence, rows: Array) -> dict[str, Array]:
    result = interpret(sequence, rows)
    assert not result.status.any()
    return {
        mechanism.outputs.get(output.signal.name, output.signal.name): result.outputs[:, k]
        for k, output in enumerate(sequence.outputs)
    }


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-12), ("float32", 4e-6)])
def test_positions_equal_newtons_on_the_original_closures(
    trip: tuple[str, Trip], method: str, precision: Precision, tolerance: float
) -> None:
    """Four steps from a pose 0.02 away end at the reference's pose within rounding, and say that nothing is open."""
    model, around = trip
    solution = newton(model, method)
    sequence = functions.position(solution, precision, contract=True)
    values = outputs_of(solution.mechanism, sequence, inputs_of(sequence, around))
    for name in solution.dependent():
        expected = around.after[:, around.reference.coordinates.index(name)]
        if name in values and f"{name}.sin" not in values:
            np.testing.assert_allclose(values[name], expected, atol=tolerance)
            continue
        np.testing.assert_allclose(values[f"{name}.sin"], np.sin(expected), atol=tolerance)
        np.testing.assert_allclose(values[f"{name}.cos"], np.cos(expected), atol=tolerance)
        turns = (values[f"{name}.next"] - expected) / (2 * np.pi)
        np.testing.assert_allclose(turns, np.round(turns), atol=tolerance)


@pytest.mark.parametrize("method", METHODS)
def test_rates_and_accelerations_follow_the_original_closures(trip: tuple[str, Trip], method: str) -> None:
    """By the Jacobian at the last iterate, within 1e-10 of the reference's."""
    model, around = trip
    solution, reference = newton(model, method), around.reference
    at = configuration(around.after)
    rates = reference.velocities(at, around.rates)
    accelerations = reference.accelerations(at, rates, around.accelerations)
    first = functions.velocity(solution, "float64", contract=True)
    second = functions.acceleration(solution, "float64", contract=True)
    found = outputs_of(solution.mechanism, first, inputs_of(first, around))
    found |= outputs_of(solution.mechanism, second, inputs_of(second, around))
    for name in solution.dependent():
        column = reference.coordinates.index(name)
        np.testing.assert_allclose(found[f"{name}.rate"], rates[:, column], rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(found[f"{name}.acceleration"], accelerations[:, column], rtol=1e-10, atol=1e-10)


def test_blocks_are_the_loops_in_solve_order() -> None:
    """The excavator's four loops become four blocks of two; the slider-crank's displacement follows from its angle."""
    assert [len(block.coordinates) for block in newton("excavator", "newton-per-loop").blocks] == [2, 2, 2, 2]
    assert [block.coordinates for block in newton("slider_crank", "newton-per-loop").blocks] == [("beta",), ("s",)]
    assert [len(block.coordinates) for block in newton("excavator", "newton").blocks] == [8]


def test_a_linear_block_needs_no_start_and_one_step() -> None:
    """The slider-crank's displacement is an affine function of the angle: no input "s.previous"."""
    solution = newton("slider_crank", "newton-per-loop")
    names = [signal.name for signal in functions.position(solution, "float64", contract=True).inputs]
    assert names == ["theta", "beta.previous"]
    assert newton("slider_crank", "newton").start_coordinates() == ("s", "beta")


@pytest.mark.parametrize("method", METHODS)
def test_a_start_that_is_too_far_is_reported(method: str) -> None:
    """One step from the opposite side of a turn leaves the loop open, and RESIDUAL_HIGH says so."""
    solution = newton("four_bar", method, steps=1)
    sequence = functions.position(solution, "float64", contract=True)
    row = np.array([[0.0 if signal.name == "alpha1" else float(signal.nominal or 0) for signal in sequence.inputs]])
    result = interpret(sequence, row)
    assert int(result.status[0]) & (1 << BITS["RESIDUAL_HIGH"][0])
    assert np.isfinite(result.outputs).all()


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_programs_are_total_and_cost_more_with_every_step(precision: Precision) -> None:
    """The export proves every operation finite; a step more costs the same amount each time."""
    counts = []
    for steps in (1, 2, 3):
        program = program_of_mechanism(by("slider_crank", "newton-per-loop", steps), precision)
        counts.append(cost(program.functions[0]))
        assert [function.name for function in program.functions] == ["position", "velocity", "acceleration"]
        assert "baseline for comparison" in program.notes[0]
    assert counts[0].mul < counts[1].mul < counts[2].mul
    assert counts[1].sincos - counts[0].sincos == counts[2].sincos - counts[1].sincos == 1


def test_the_method_is_part_of_the_model() -> None:
    """Another method is another hash and survives the manifest; the usual one leaves the canonical form as it was."""
    usual, other = read_mechanism(model_path("four_bar")), by("four_bar", "newton", 2)
    assert "solver" not in canonical(usual)
    assert from_canonical(canonical(other)) == other
    assert other.model_hash != usual.model_hash


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (Changes(method="newtons"), '"newtons" .did you mean "newton"'),
        (Changes(steps=2), "triangular takes no steps"),
        (Changes(method="newton", steps=9), "9 steps are asked for; give 1 to 8"),
    ],
)
def test_wrong_options_are_refused(changes: Changes, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        apply_changes(read_mechanism(model_path("four_bar")), changes)
