"""A branch by its name: the export takes the assembly that Newton finds from a pose close to it (sil.reference)."""

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.branch_choice import in_branch
from exporter.kinematics.engine import solved_mechanism
from exporter.model.changes import Changes, apply_changes
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of

# model, branch, the design pose of that assembly read off a drawing, half-width of the independent coordinates
CASES = {
    "four_bar": ("L1-", {"alpha2": "-150 deg", "alpha3": "130 deg"}, 0.5),
    "stephenson_iii": ("knee right,L1+", {"theta2": "-174 deg", "theta3": "-152 deg", "beta1": "110 deg"}, 0.02),
    "double_wishbone_front": ("L3-", {"alpha": "179 deg", "beta": "179 deg"}, 0.02),
}


def library(name: str) -> Mechanism:
    return read_mechanism(model_path(name))


@pytest.mark.parametrize("name", CASES)
def test_a_named_branch_is_the_assembly_near_its_pose(name: str) -> None:
    """Every dependent coordinate follows Newton's on the original closures from a pose that was read off a drawing."""
    branch, near, width = CASES[name]
    chosen = in_branch(library(name), branch.split(","))
    rows = np.array([[float(chosen.pose[coordinate]) for coordinate in chosen.independent]])
    rows = rows + np.random.Generator(np.random.Philox(3)).uniform(-width, width, (20, rows.shape[1]))
    form = solved_mechanism(chosen)
    sequence = functions.position(form, "float64", contract=True)
    found = interpret(sequence, rows)
    names = [output.signal.name for output in sequence.outputs]
    reference = reference_of(apply_changes(library(name), Changes(pose=near)))
    right = reference.positions(rows)
    checked = 0
    for coordinate in form.exported_coordinates():
        if f"{coordinate}.sin" in names:
            expected = np.sin(right[:, reference.coordinates.index(coordinate)])
            np.testing.assert_allclose(found.outputs[:, names.index(f"{coordinate}.sin")], expected, atol=1e-9)
            checked += 1
    assert checked


@pytest.mark.parametrize(
    ("name", "branches", "says"),
    [
        ("four_bar", ("opne",), '"opne" is no branch.*did you mean "open"'),
        ("four_bar", ("L1+", "L1-"), "contradicts another branch of L1"),
        ("arm_6r", ("L1+",), "every block has one solution"),
    ],
)
def test_a_wrong_branch_is_refused(name: str, branches: tuple[str, ...], says: str) -> None:
    """The sentence names what there is."""
    with pytest.raises(ModelError, match=says):
        in_branch(library(name), branches)


def test_the_branch_of_the_file_stays_as_it_is() -> None:
    """Naming the assembly that the pose picks changes nothing that is solved."""
    by_name = solved_mechanism(in_branch(library("four_bar"), ("open",))).block_facts()
    assert by_name == solved_mechanism(library("four_bar")).block_facts()
