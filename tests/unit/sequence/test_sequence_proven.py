"""Guards that the ranges decide are dropped, and nothing else changes: bit for bit, invalid inputs included."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.planar.triangular import triangular_form
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.guards import checked_input, clamped_radicand, positive_pivot
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Kind, OperationSequence, Precision, Signal
from exporter.sequence.proven import drop_proven_guards

DATA = Path(__file__).resolve().parents[2] / "data" / "mechanisms"
SPECIAL = [np.nan, np.inf, -np.inf, 1e38, -1e38, 0.0, -0.0, 1e-45, 1e4, -1e4]


def rows_of(sequence: OperationSequence) -> np.ndarray:
    """Ranges, their surroundings and values that are no numbers."""
    generator = np.random.Generator(np.random.Philox(3))
    columns = [
        np.concatenate([generator.uniform(1.2 * float(s.minimum or 0), 1.2 * float(s.maximum or 1), 3000), SPECIAL])
        for s in sequence.inputs
    ]
    for column in columns:
        generator.shuffle(column)
    return np.array(columns).T.astype(sequence.precision)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("write", [functions.position, functions.dynamics, functions.dostep])
@pytest.mark.parametrize("name", ["slider_crank", "inverted_slider_crank"])
def test_same_bits_with_and_without_proven_guards(
    name: str, write: Callable[..., OperationSequence], precision: Precision
) -> None:
    """Outputs and status are bit-identical on valid, invalid and special inputs."""
    path = DATA / f"{name}.toml"
    form = triangular_form(read_mechanism(path if path.exists() else model_path(name)))
    guarded = write(PlanarSolution(form), precision, contract=True)
    proven = drop_proven_guards(guarded)
    assert len(proven.operations) < len(guarded.operations)
    rows = rows_of(guarded)
    before, after = interpret(guarded, rows), interpret(proven, rows)
    assert before.outputs.tobytes() == after.outputs.tobytes()
    assert (before.status == after.status).all()


def pivot_program(smallest: str) -> OperationSequence:
    builder = Builder("f", "float32")
    signal = Signal("x", "1", minimum=Fraction(smallest), maximum=Fraction(1), nominal=Fraction(1, 2))
    x = checked_input(builder, signal)
    root = builder.sqrt(clamped_radicand(builder, x))
    builder.output(Signal("y", "1", group=Group.OUTPUT), 1 / positive_pivot(builder, root, Fraction(1, 1000)))
    return builder.finish()


@pytest.mark.parametrize(("smallest", "names"), [("0.25", ["ARG_REJECTED"]), ("-0.25", None)])
def test_a_guard_stays_exactly_where_it_can_fire(smallest: str, names: list[str] | None) -> None:
    """x in [0.25, 1] keeps only the input check; x in [-0.25, 1] keeps all three conditions."""
    proven = drop_proven_guards(pivot_program(smallest))
    found = [condition.name for condition in proven.conditions]
    assert found == (names or ["OUT_OF_WORKSPACE", "NEAR_SINGULAR", "ARG_REJECTED"])
    kinds = [operation.kind for operation in proven.operations]
    assert kinds.count(Kind.SELECT) == (1 if names else 2)


def far_pivot_program(angle: float, threshold: float) -> OperationSequence:
    builder = Builder("f", "float64")
    ends = Fraction(angle), Fraction(np.nextafter(angle, np.inf))
    x = checked_input(builder, Signal("x", "rad", minimum=ends[0], maximum=ends[1], nominal=ends[0]))
    _, cosine = builder.sincos(x)
    builder.output(Signal("y", "1", group=Group.OUTPUT), 1 / positive_pivot(builder, cosine, Fraction(threshold)))
    return builder.finish()


def test_a_guard_of_a_cosine_that_can_fire_far_from_zero_stays() -> None:
    """The thresholds are just above the cosine of one of two neighbouring angles, where the guard must fire."""
    for angle in (9990.5, 9991.25, 9996.5, 9997.0, 9997.5):
        ends = np.array([[angle], [np.nextafter(angle, np.inf)]])
        lowest = float(np.cos(ends).min())
        assert lowest > 0.1
        proven = drop_proven_guards(far_pivot_program(angle, lowest + 2e-14))
        assert interpret(proven, ends).status.any(), angle
