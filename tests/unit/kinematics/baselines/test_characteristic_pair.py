"""The characteristic-pair form of planar loops: against sil.reference, and against Blajer's printed equations."""

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.planar.form import BlockKind
from exporter.model.changes import Changes, apply_changes
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Precision
from sil.reference.mechanism import reference_of

PAIRED = Changes(method="characteristic-pair")


def paired(model: str) -> Mechanism:
    return apply_changes(read_mechanism(model_path(model)), PAIRED)


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-12), ("float32", 4e-6)])
@pytest.mark.parametrize("model", ["four_bar", "landing_gear", "stephenson_iii", "four_loops"])
def test_positions_satisfy_the_original_closures(model: str, precision: Precision, tolerance: float) -> None:
    """Every dependent coordinate equals Newton's on the original closures, on the branch that the pose picks."""
    mechanism = paired(model)
    program = program_of_mechanism(mechanism, precision)
    reference = reference_of(mechanism)
    generator = np.random.Generator(np.random.Philox(11))
    design = np.array([float(mechanism.pose[name]) for name in mechanism.independent])
    rows = (design + generator.uniform(-0.2, 0.2, (40, len(design)))).astype(precision)
    expected = reference.positions(rows.astype(np.float64))
    result = interpret(program.functions[0], rows)
    assert not result.status.any()
    values = {output.signal.name: result.outputs[:, k] for k, output in enumerate(program.functions[0].outputs)}
    for number, name in enumerate(reference.coordinates):
        if f"{name}.sin" in values:
            np.testing.assert_allclose(values[f"{name}.sin"], np.sin(expected[:, number]), atol=tolerance)
            np.testing.assert_allclose(values[f"{name}.cos"], np.cos(expected[:, number]), atol=tolerance)


def test_the_four_bar_equals_the_printed_solution_of_its_quadratic() -> None:
    """A cos + B sin = C of the four-bar, written out by hand for the links' own angles, on both branches."""
    l0, l1, l2, l3 = 3.0, 1.0, 4.0, 2.5
    alpha1 = np.linspace(0.3, 6.0, 30)
    x, y = -l1 * np.cos(alpha1), l0 - l1 * np.sin(alpha1)  # from the crank's end to O4
    a, b = 2 * l2 * x, 2 * l2 * y
    c = x**2 + y**2 + l2**2 - l3**2
    root = np.sqrt(a**2 + b**2 - c**2)
    solutions = [np.arctan2(b * c + sign * a * root, a * c - sign * b * root) for sign in (1, -1)]
    mechanism = paired("four_bar")
    form = solved_mechanism(mechanism)
    sequence = functions.position(form, "float64", contract=True)
    outputs = interpret(sequence, alpha1[:, None]).outputs
    names = [output.signal.name for output in sequence.outputs]
    alpha2 = np.arctan2(outputs[:, names.index("alpha2.sin")], outputs[:, names.index("alpha2.cos")])
    gaps = [np.abs(np.exp(1j * (alpha1 + alpha2)) - np.exp(1j * angle)).max() for angle in solutions]
    assert min(gaps) < 1e-14 < max(gaps)


def test_only_loops_of_two_directions_change() -> None:
    """The landing gear has one such loop and one with a slide; a slider-crank has none and says so."""
    solution = solved_mechanism(paired("landing_gear"))
    assert isinstance(solution, PlanarSolution)
    assert {block.kind for block in solution.form.blocks} == {
        BlockKind.CHARACTERISTIC_PAIR,
        BlockKind.TURNING_SLIDE,
    }
    with pytest.raises(ModelError, match="no characteristic pair of its own"):
        solved_mechanism(paired("slider_crank"))
