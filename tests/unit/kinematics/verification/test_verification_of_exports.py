"""Every guard of the verification fires on a solution that was made wrong on purpose, and is quiet on its sound twin.

The loop is a four-bar of four skew hinges (a = 0.8 m, alpha = 40 deg, beta = 65 deg): t3 = -t1 and
tan(t1/2) tan(t2/2) = sin(52.5 deg)/sin(12.5 deg), three of its five closure equations follow from the others.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError, RangesRefused
from exporter.kinematics.engine import solved_mechanism, triangular_solution
from exporter.kinematics.planar.blocks import solve_block
from exporter.kinematics.planar.engine import PlanarPose, PlanarSolution
from exporter.kinematics.planar.position import start_pose
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.spatial.engine import SpatialSolution
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.kinematics.verification.ranges import ranges_of
from exporter.kinematics.verification.verified import check
from exporter.model.complete import completed, with_tunable, with_values
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.builder import Builder, Value

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"


def library(name: str) -> Mechanism:
    return read_mechanism(model_path(name))


def flipped(solved: PlanarSolution) -> PlanarSolution:
    """The solution by the other root of its first block."""
    signs = tuple(-block.sign if number == 0 else block.sign for number, block in enumerate(solved.form.blocks))
    return replace(solved, form=solved.form.with_signs(signs))


@dataclass(frozen=True)
class Swapping(PlanarSolution):
    """Wrong on purpose: the other root of the first block from some value of the first coordinate on."""

    at: Fraction = Fraction(0)

    def solve(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> PlanarPose:
        """Write the pose with a sign that is chosen by the coordinate."""
        pose = start_pose(self.form, builder, scope, coordinates)
        first = self.form.blocks[0]
        driver = coordinates[self.form.independent[0]]
        pose.sign[first.id] = builder.select(driver < self.at, builder.real(first.sign), builder.real(-first.sign))
        return PlanarPose(pose, tuple(solve_block(block, pose) for block in self.form.blocks))


def planar(name: str) -> PlanarSolution:
    solved = triangular_solution(library(name))
    assert isinstance(solved, PlanarSolution)
    return solved


def test_an_assembly_that_is_not_that_of_the_pose_is_refused() -> None:
    """Newton's method from the pose of the four-bar ends at the open assembly; the crossed one is not it."""
    sound = planar("four_bar")
    check(sound)
    with pytest.raises(ModelError, match=r"the pose lies at the assembly alpha2 = .* do not offer"):
        check(flipped(sound))


def test_bodies_that_jump_without_a_flag_are_refused() -> None:
    """Both assemblies close; only the way between them tells that the root changes at 3.5 rad."""
    sound = planar("four_bar")
    mechanism = sound.mechanism
    (name,) = mechanism.independent
    place = mechanism.pose[name] + Fraction(1, 3)
    with pytest.raises(ModelError, match=rf"the bodies jump at {name} = {float(place):.6g} rad without a flag"):
        check(Swapping(sound.form, at=place))


@dataclass(frozen=True)
class Elsewhere(PlanarSolution):
    """Wrong on purpose: the lengths are the nominal ones of another mechanism, whatever the tunable parameters are."""

    other: Mechanism | None = None

    def solve(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> PlanarPose:  # noqa: ARG002
        """Write the pose of the other mechanism."""
        assert self.other is not None
        return super().solve(builder, Scope(builder, self.other, nominal=True), coordinates)


def test_open_loops_are_refused_with_place_and_residual() -> None:
    """A coupler that is 4 um longer than the file's 4 m leaves 1e-6 of the longest length open, nearly."""
    sound = planar("four_bar")
    check(Elsewhere(sound.form, other=sound.mechanism))
    longer = with_values(sound.mechanism, {"l2": Fraction(4000004, 1000000)})
    with pytest.raises(ModelError, match=r"leave the original closures open by \S+e-0[67] of the longest length"):
        check(Elsewhere(sound.form, other=longer))


def test_a_nominal_value_in_the_place_of_a_tunable_one_is_refused() -> None:
    """At the nominal crank length all is well; an end of its range tells."""
    mechanism = with_tunable(library("slider_crank"), ["l1"])
    sound = triangular_solution(mechanism)
    assert isinstance(sound, PlanarSolution)
    check(sound)
    sentence = r"at theta = \S+ rad, l1 = 0\.\d+ m the blocks leave the original closures open"
    with pytest.raises(ModelError, match=sentence):
        check(Elsewhere(sound.form, other=mechanism))


@dataclass(frozen=True)
class Window(PlanarSolution):
    """Wrong on purpose: 1 mm too far over 4 mrad about a crank angle of a quarter turn, where the margin is least."""

    def solve(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> PlanarPose:
        """Write the pose with the displacement changed inside the window."""
        solved = super().solve(builder, scope, coordinates)
        away = abs(coordinates["theta"] - Fraction(math.pi / 2))
        wrong = builder.select(away < Fraction(2, 1000), builder.real(Fraction(1, 1000)), builder.real(0))
        solved.pose.slide["s"] = solved.pose.slide["s"] + wrong
        return solved


def test_the_search_goes_where_margins_are_smallest() -> None:
    """No end, no corner, no stage and no random place lies in a window of 4 mrad; the smallest margin does."""
    mechanism = with_values(library("slider_crank"), {"l1": Fraction(35, 100), "l2": Fraction(36, 100)})
    sound = triangular_solution(mechanism)
    assert isinstance(sound, PlanarSolution)
    check(sound)
    with pytest.raises(ModelError, match=r"at theta = 1\.57\d* rad the blocks leave the original closures open"):
        check(Window(sound.form))


def skew(high: int) -> Mechanism:
    """The loop of skew hinges with t1 from 25 deg to this many degrees."""
    mechanism = read_mechanism(DATA / "skew_four_bar.toml")
    bounds = replace(mechanism.ranges["t1"], maximum=Fraction(math.radians(high)))
    return completed(replace(mechanism, ranges={**mechanism.ranges, "t1": bounds}))


def by_a_root(mechanism: Mechanism) -> SpatialSolution:
    """Wrong on purpose beyond 90 deg: t2, t3 by the hinge's point alone, whose root the axis would decide."""
    form = spatial_form(mechanism)
    (block,) = form.blocks
    return SpatialSolution(
        replace(form, plan=replace(form.plan, blocks=(replace(block, kind=SpatialKind.TWO_TURNS, sign=1),)))
    )


def test_a_root_that_dropped_equations_decide_is_refused_where_it_changes() -> None:
    """Up to 80 deg the root is right; up to 92 deg the other one is from 90 deg on."""
    check(by_a_root(skew(80)))
    with pytest.raises(
        RangesRefused, match=r"the root that closes the loops changes at t1 = 1\.5708 rad, in L1 \(t2, t3\)"
    ):
        check(by_a_root(skew(92)))


@pytest.mark.parametrize("high", [80, 92, 150])
def test_the_axis_of_a_hinge_decides_the_root(high: int) -> None:
    """The loop of skew hinges is exported over each range and right at its ends; no root is taken."""
    solved = solved_mechanism(skew(high))
    t1 = np.radians([25.0, 45.0, 0.5 * high, high - 0.01, high])
    t1 = np.append(t1, [np.pi / 2] if high > 90 else [])
    found = solution_rows(solved, t1[:, None])
    assert not found.status.any()
    t2 = 2 * np.arctan(math.sin(math.radians(52.5)) / math.sin(math.radians(12.5)) / np.tan(t1 / 2))
    np.testing.assert_allclose(found.coordinates[:, 1], t2, atol=1e-14)
    np.testing.assert_allclose(found.coordinates[:, 2], -t1, atol=1e-14)


@pytest.mark.parametrize(("alpha", "beta", "turned"), [(-53.0, -21.0, False), (22.5, 40.0, True), (78.0, 34.0, True)])
def test_other_loops_of_skew_hinges(alpha: float, beta: float, turned: bool) -> None:
    """Other twists, a mirror image, and the closing hinge named from its other side."""
    twists, text = (math.radians(alpha), math.radians(beta)), (DATA / "skew_four_bar.toml").read_text()
    ratio = math.sin((twists[0] + twists[1]) / 2) / math.sin((twists[1] - twists[0]) / 2)
    length = 0.8 * math.sin(twists[1]) / math.sin(twists[0])
    changes = {
        "1.12797169500964": f"{length}",
        '"40 deg"': f'"{alpha} deg"',
        '"65 deg"': f'"{beta} deg"',
        '"-65 deg"': f'"{-beta} deg"',
        "2.916539": f"{2 * math.atan(ratio / math.tan(math.pi / 8))}",
    }
    if turned:
        changes['parent = "link3.next"\nchild = "ground.last"'] = 'parent = "ground.last"\nchild = "link3.next"'
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    t1 = np.radians([25.0, 60.0, 90.0, 120.0, 149.0])
    found = solution_rows(solved_mechanism(parse_mechanism(text, "skew.toml")), t1[:, None])
    assert not found.status.any()
    away = np.exp(1j * found.coordinates[:, 1]) - np.exp(2j * np.arctan(ratio / np.tan(t1 / 2)))
    np.testing.assert_allclose(np.abs(away), 0, atol=1e-13)
    np.testing.assert_allclose(found.coordinates[:, 2], -t1, atol=1e-13)


def test_a_length_of_the_skew_loop_that_is_wrong_is_refused() -> None:
    """With b 1 % off, the loop closes nowhere, and the refusal says so."""
    wrong = with_values(skew(150), {"b": Fraction(114, 100)})
    with pytest.raises(ModelError, match="the loop of 't4' does not close"):
        solved_mechanism(wrong)


def test_ranges_count_what_shapes_the_mechanism() -> None:
    """Coordinates and tunable lengths, not masses; an angle within half a turn."""
    mechanism = with_tunable(library("slider_crank"), ["l1", "m1"])
    assert ranges_of(mechanism).names == ("theta", "l1")
    assert ranges_of(mechanism).high[0] - ranges_of(mechanism).low[0] <= 2 * np.pi
