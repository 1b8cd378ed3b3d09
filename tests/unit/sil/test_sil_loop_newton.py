"""Newton's method loop by loop, against all closures at once."""

import numpy as np
import pytest

from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from sil.reference.assembly import FINAL_GOAL, LONGEST_STEP, dependent_jacobian
from sil.reference.closures import chosen_closures
from sil.reference.loop_newton import NewtonGoal, newton_of
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

SEVERAL_LOOPS = ("gough_stewart", "excavator", "parallel_robot", "ers1_antenna")
ROWS = 20


@pytest.mark.parametrize("name", SEVERAL_LOOPS)
def test_newton_ends_where_a_step_of_all_closures_moves_nothing(name: str) -> None:
    """Starts are up to 0.05 off; the whole system is solved densely, and so are the determinants of the loops."""
    reference = reference_of(read_mechanism(model_path(name)))
    closures, rows = reference.assembly.closures, list(reference.assembly.design.rows)
    dependent = list(reference.skeleton.dependent)
    starts = np.repeat(reference.design[None], ROWS, axis=0)
    starts[:, dependent] += np.random.default_rng(2).uniform(-0.05, 0.05, (ROWS, len(dependent)))
    chosen = chosen_closures(closures, tuple(rows))
    found, signs = newton_of(chosen, LONGEST_STEP).run(starts.T.copy(), FINAL_GOAL)
    poses = np.ascontiguousarray(found.T)
    matrices = dependent_jacobian(closures, poses)[:, rows]
    residual = closures.residual(configuration(poses))
    assert np.abs(np.linalg.solve(matrices, residual[:, rows, None])).max() < 1e-13
    by_loops = [np.linalg.det(matrices[:, loop.equations][:, :, loop.unknowns]) for loop in chosen.loops]
    assert signs.tolist() == np.sign(by_loops).tolist()
    assert closures.opening(found) == pytest.approx(np.abs(residual).max(axis=1))


def test_a_row_that_does_not_settle_ends_after_the_iterations_of_its_goal() -> None:
    """It is given back as far as it came, with rows that settled beside it."""
    reference = reference_of(read_mechanism(model_path("gough_stewart")))
    closures = chosen_closures(reference.assembly.closures, reference.assembly.design.rows)
    starts = np.stack([reference.design, reference.design], axis=1)
    starts[list(reference.skeleton.dependent), 1] += 0.05
    found, _ = newton_of(closures, LONGEST_STEP).run(starts, NewtonGoal(1, 1e-9, 1.0))
    away = np.abs(found - reference.design[:, None]).max(axis=0)
    assert away[0] < 1e-12
    assert 1e-6 < away[1] < 0.05
