"""Every assembly mode that a spatial form can take satisfies the original closures, and the pose picks one."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError, SeveralAssemblies
from exporter.kinematics.protocol.rooted_poses import AssembledRows, design_row
from exporter.kinematics.spatial.evaluation import assemble
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.kinematics.spatial.verification import largest_residual, reachable
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"


def modes(form: SpatialForm) -> list[tuple[SpatialForm, AssembledRows]]:
    """The modes that can be assembled around the design pose."""
    choices = [(1, -1) if block.degree > 1 else (1,) for block in form.blocks]
    found = []
    for signs in product(*choices):
        candidate = form.with_signs(signs)
        if assemble(candidate, design_row(form.mechanism)).status[0] == 0:
            found.append((candidate, reachable(candidate)))
    return found


@pytest.mark.parametrize(("name", "count"), [("spatial_four_bar", 4), ("double_wishbone_front", 8)])
def test_every_mode_closes(name: str, count: int) -> None:
    """All combinations of signs, 100 configurations each: closure residual below 1e-13 of the longest length."""
    found = modes(spatial_form(read_mechanism(model_path(name))))
    assert len(found) == count
    for form, assembled in found:
        residual, joint = largest_residual(form, assembled)
        assert residual < 1e-13, f"{joint} open by {residual} with {[block.sign for block in form.blocks]}"


@pytest.mark.parametrize("told", [(), ("rho6", "alpha6", "beta6")])
def test_a_pose_that_tells_too_little_of_many_roots_is_refused(told: tuple[str, ...]) -> None:
    """Twelve blocks of two roots, none told, or those of the last leg alone: it takes no long search to say so."""
    mechanism = read_mechanism(model_path("gough_stewart"))
    pose = {name: value for name, value in mechanism.pose.items() if name in (*mechanism.independent, *told)}
    with pytest.raises(SeveralAssemblies, match=r"give a value near the wanted one for rho1, alpha1, beta1"):
        spatial_form(replace(mechanism, pose=pose))


def test_pose_picks_the_mode() -> None:
    """The follower of the spatial four-bar below the crank's axis: the other root of its first block."""
    mechanism = read_mechanism(model_path("spatial_four_bar"))
    upright = spatial_form(mechanism)
    row = design_row(mechanism)
    names = mechanism.coordinates()
    other = next(
        assemble(form, row).coordinates[0]
        for form, _ in modes(upright)
        if abs(assemble(form, row).coordinates[0][1] - assemble(upright, row).coordinates[0][1]) > 0.5
    )
    pose = {name: Fraction(float(value)) for name, value in zip(names, np.round(other, 1), strict=True)}
    moved = completed(replace(mechanism, pose={**pose, "beta1": mechanism.pose["beta1"]}))
    np.testing.assert_allclose(assemble(spatial_form(moved), row).coordinates[0], other, atol=1e-9)


def test_pose_that_leaves_the_choice_open_is_refused() -> None:
    """Without the rod's and the follower's angles both roots fit."""
    mechanism = read_mechanism(model_path("spatial_four_bar"))
    with pytest.raises(ModelError, match="4 assembly modes fit the pose"):
        spatial_form(completed(replace(mechanism, pose={"beta1": mechanism.pose["beta1"]})))
