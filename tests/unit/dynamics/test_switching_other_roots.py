"""Every branch of a spatial export names the root that it does not take, and that root closes the original loops."""

import re

import pytest

from exporter.functions.program import branches_of
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

ROUNDED = 2e-4  # what four decimals leave open, over the length
NUMBER = re.compile(r"(\w+) = (-?[\d.e-]+) (?:rad|m)")


@pytest.mark.parametrize("name", ["gough_stewart", "five_link"])
def test_the_other_root_of_a_leg_closes_its_loops(name: str) -> None:
    """Legs do not depend on each other: one at a time by its other root, the rest as they are."""
    mechanism = read_mechanism(model_path(name))
    reference = reference_of(mechanism)
    branches = [b for b in branches_of(solved_mechanism(mechanism)) if b.alternatives]
    assert len(branches) >= 4
    for branch in branches:
        pose = reference.design.copy()
        moved = {found[1]: float(found[2]) for found in NUMBER.finditer(branch.alternatives[0])}
        assert branch.unknown in moved
        if branch.unknown.startswith("rho"):  # the slide through the centre of its universal joint, turned round
            assert moved == {
                branch.unknown: pytest.approx(-pose[reference.coordinates.index(branch.unknown)], abs=1e-4)
            }
            continue
        for coordinate, value in moved.items():
            pose[reference.coordinates.index(coordinate)] = value
        closed = reference.residual(configuration(pose[None]))[0]
        apart = max(abs(pose - reference.design))
        assert apart > 0.1, branch
        assert closed < ROUNDED, (branch, closed)


def test_every_branch_of_the_library_has_one() -> None:
    """A spatial four-bar and a double wishbone: the other root in words with units."""
    for name in ("spatial_four_bar", "double_wishbone_front"):
        for branch in branches_of(solved_mechanism(read_mechanism(model_path(name)))):
            assert len(branch.alternatives) == 1
            assert NUMBER.search(branch.alternatives[0]) or "cannot be assembled" in branch.alternatives[0]
