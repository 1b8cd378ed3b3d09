"""Facts of a mechanism: kinds of coordinates, the spanning tree, values of parameters; against what its file says."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from exporter.errors import ModelError
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism


@pytest.fixture(scope="module")
def wishbone() -> Mechanism:
    return read_mechanism(model_path("double_wishbone_front"))


@pytest.fixture(scope="module")
def stephenson() -> Mechanism:
    return read_mechanism(model_path("stephenson_iii"))


def test_one_coordinate_of_the_suspension_is_a_displacement(wishbone: Mechanism) -> None:
    """The rack slides; everything else turns."""
    (rack,) = wishbone.displacements()
    others = [name for name in wishbone.coordinates() if name != rack]
    assert wishbone.is_displacement(rack)
    assert not wishbone.is_angle(rack)
    assert wishbone.unit_of(rack) == "m"
    assert all(wishbone.is_angle(name) and wishbone.unit_of(name) == "rad" for name in others)


def test_only_angles_repeat_after_a_turn(wishbone: Mechanism) -> None:
    (rack,) = wishbone.displacements()
    assert wishbone.difference(rack, 7.0, 0.5) == 6.5
    assert wishbone.difference("yaw", 7.0, 0.5) == pytest.approx(6.5 - 2 * math.pi)


def test_paths_of_the_spanning_tree_lead_outwards(stephenson: Mechanism) -> None:
    tree = stephenson.spanning_tree()
    assert [joint.name for joint in tree.path("upper")] == ["beta1", "beta4"]
    assert [joint.name for joint in tree.path("upper", ("lower", "ground"))] == ["beta4"]
    assert tree.path("ground") == ()


def test_two_bodies_hang_on_the_nearest_body_that_carries_both(stephenson: Mechanism) -> None:
    """The coupler hangs on the crank: nothing leads to the crank itself."""
    names = [[joint.name for joint in side] for side in stephenson.spanning_tree().branches("coupler", "crank")]
    assert names == [["theta2"], []]
    names = [[joint.name for joint in side] for side in stephenson.spanning_tree().branches("coupler", "rocker")]
    assert names == [["theta1", "theta2"], ["theta3"]]


def test_joints_come_after_those_that_carry_their_parents(stephenson: Mechanism) -> None:
    names = [joint.name for joint in stephenson.spanning_tree().outwards()]
    assert names == ["theta1", "theta3", "beta1", "theta2", "beta4"]


def test_a_joint_has_a_frame_on_each_of_its_bodies(stephenson: Mechanism) -> None:
    """As the file has it: loop_beta is between upper.tip and coupler.apex."""
    joint = next(joint for joint in stephenson.joints if joint.name == "loop_beta")
    assert joint.bodies == ("upper", "coupler")
    assert (joint.frame_on("coupler").name, joint.frame_beyond("coupler").name) == ("coupler.apex", "upper.tip")
    assert (joint.frame_on("upper").name, joint.frame_beyond("upper").name) == ("upper.tip", "coupler.apex")


def test_a_body_that_hangs_on_itself_has_no_path(stephenson: Mechanism) -> None:
    """As it may stand in data that no reader has checked: the crank is carried by the crank, or by nothing."""
    first, *others = stephenson.joints
    circle = replace(first, parent=replace(first.parent, body="crank"))
    for joints in ((circle, *others), tuple(others)):
        tree = replace(stephenson, joints=joints).spanning_tree()
        with pytest.raises(ModelError, match="no tree joint connects coupler to ground"):
            tree.path("coupler")
        with pytest.raises(ModelError, match="no tree joint connects"):
            tree.outwards()


def test_a_mechanism_takes_other_values_of_its_parameters(stephenson: Mechanism) -> None:
    changed = stephenson.at_values({"l3": Fraction(1, 4)}).nominal_values()
    assert changed == {**stephenson.nominal_values(), "l3": Fraction(1, 4)}
    assert stephenson.nominal_values()["l3"] == Fraction("0.26")
