"""The reference against closed forms, printed tables and conservation laws."""

import json
from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError
from sil.reference.dynamics import power_balance
from sil.reference.integrators import integrate_step
from sil.reference.mechanism import reference_of
from sil.reference.motion import COMPLEX_STEP, configuration, move_bodies
from tests.tools.energy import kinetic_energy, potential_energy

DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.fixture(scope="module")
def mechanisms(load_data_module):
    return load_data_module("reference_mechanisms")


@pytest.fixture(scope="module")
def slider(mechanisms):
    return reference_of(mechanisms.slider_crank())


@pytest.fixture(scope="module")
def linkage(mechanisms):
    return reference_of(mechanisms.crank_rocker())


def test_slider_crank_positions_follow_the_closed_form(slider):
    """Uchida (3.18, 3.19): s = l1 c + sqrt(l2^2 - l1^2 s^2), cos(beta) = l1 s / l2, over many turns."""
    theta = np.linspace(-1e4, 1e4, 5001)
    solved = slider.positions(theta[:, None])
    right = 0.3 * np.cos(theta) + np.sqrt(0.16 - (0.3 * np.sin(theta)) ** 2)
    assert slider.coordinates == ("theta", "s", "beta")
    assert np.abs(solved[:, 1] - right).max() < 1e-14
    assert np.abs(0.4 * np.cos(solved[:, 2]) - 0.3 * np.sin(theta)).max() < 1e-14
    assert slider.residual(configuration(solved)).max() < 1e-15


def test_slider_crank_rates_follow_the_printed_transformation(slider):
    """Uchida (3.64): beta' = -l1 c / (l2 s_beta) theta', s' = (-l1 s - l1 c c_beta / s_beta) theta'."""
    theta = np.linspace(-3, 3, 301)
    at = configuration(slider.positions(theta[:, None]))
    rates = slider.velocities(at, np.full((301, 1), 7.0))
    c_beta = 0.75 * np.sin(theta)
    s_beta = np.sqrt(1 - c_beta**2)
    assert np.allclose(rates[:, 2], -0.75 * np.cos(theta) / s_beta * 7, rtol=1e-13, atol=1e-13)
    right = (-0.3 * np.sin(theta) - 0.3 * np.cos(theta) * c_beta / s_beta) * 7
    assert np.allclose(rates[:, 1], right, rtol=1e-13, atol=1e-13)


def test_slider_crank_dynamics_follow_the_printed_augmented_equations(slider):
    """Uchida (3.60) solved row by row, with the thesis' own mass matrix and constraint Jacobian."""
    theta, rate, force = np.linspace(-3, 3, 41), 3.0, 12.5
    coordinates = slider.positions(theta[:, None])
    at = configuration(coordinates)
    rates = slider.velocities(at, np.full((41, 1), rate))
    found = slider.forward_dynamics(at, rates, {"F": np.full(41, force)})
    for row in range(41):
        right = _thesis_accelerations(theta[row], coordinates[row, 2], rate, rates[row, 2], force)
        assert np.allclose(found[row], [right[0], right[2], right[1]], rtol=1e-11, atol=1e-11)


def _thesis_accelerations(theta, beta, theta_rate, beta_rate, force):
    l1, l2, m1, m2, m3, g = 0.3, 0.4, 1.0, 1.5, 2.0, 9.81
    i1, i2 = m1 * l1**2 / 12, m2 * l2**2 / 12
    st, ct, sb, cb = np.sin(theta), np.cos(theta), np.sin(beta), np.cos(beta)
    system = np.zeros((5, 5))
    system[0, 0], system[1, 1], system[2, 2] = i1 + m1 * l1**2 / 4, i2 + m2 * l2**2 / 4, m2 + m3
    system[1, 2] = system[2, 1] = -m2 * l2 * cb / 2
    jacobian = np.array([[-l1 * st, l2 * cb, -1], [l1 * ct, l2 * sb, 0]])
    system[:3, 3:], system[3:, :3] = jacobian.T, jacobian
    right = [
        -m1 * l1 * g * ct / 2,
        m2 * l2 * g * sb / 2,
        -m2 * l2 * sb * beta_rate**2 / 2 + force,
        l1 * ct * theta_rate**2 + l2 * sb * beta_rate**2,
        l1 * st * theta_rate**2 - l2 * cb * beta_rate**2,
    ]
    return np.linalg.solve(system, right)[:3]


def test_crank_rocker_stays_on_its_assembly_through_a_full_turn(linkage):
    """The table of crank_rocker.json, every 5 degrees, to the digits it holds."""
    table = json.loads((DATA / "crank_rocker.json").read_text())
    theta = np.deg2rad([sample["theta2_deg"] for sample in table["samples"]])
    right = np.array([sample["plus"] for sample in table["samples"]])
    solved = linkage.positions(theta[:, None])
    found = np.stack([solved[:, 0] + solved[:, 1], solved[:, 2]], axis=1)
    assert np.abs(np.remainder(found - right + np.pi, 2 * np.pi) - np.pi).max() < 1e-13


def test_crank_rocker_velocities_and_accelerations_match_the_printed_values(linkage):
    """At 60 degrees with unit rate and no acceleration of the crank."""
    right = json.loads((DATA / "crank_rocker.json").read_text())["at_60_deg"]
    at = configuration(linkage.positions(np.array([[np.pi / 3]])))
    rates = linkage.velocities(at, np.array([[1.0]]))
    second = linkage.accelerations(at, rates, np.array([[0.0]]))
    assert 1 + rates[0, 1] == pytest.approx(right["omega3"], rel=1e-11)
    assert rates[0, 2] == pytest.approx(right["omega4"], rel=1e-11)
    assert second[0, 1] == pytest.approx(right["alpha3"], rel=1e-11)
    assert second[0, 2] == pytest.approx(right["alpha4"], rel=1e-11)


def test_four_bar_starts_where_wang_and_gosselin_printed_it(mechanisms):
    """Theta = pi/2 gives alpha = 0.353281 and phi = 1.26486 (section 3.1)."""
    design = reference_of(mechanisms.wang_gosselin()).design
    assert design[0] == pytest.approx(np.pi / 2)
    assert design[0] + design[1] == pytest.approx(0.353281, abs=5e-7)
    assert design[2] == pytest.approx(1.26486, abs=5e-6)


def test_four_bar_dynamics_satisfy_the_printed_equations_without_the_spring(mechanisms):
    """Wang et al. (17)-(19): M q'' + c - (tau, 0, 0) lies in the span of the constraint directions."""
    reference = reference_of(mechanisms.wang_gosselin())
    theta = np.linspace(-2, 2, 21)
    coordinates = reference.positions(theta[:, None])
    reached = np.isfinite(coordinates).all(axis=1)
    at = configuration(coordinates[reached])
    rates = reference.velocities(at, np.full((reached.sum(), 1), 1.5))
    second = reference.forward_dynamics(at, rates, {"tau": np.full(reached.sum(), 6.0)})
    for q, v, a in zip(at.values, rates, second, strict=True):
        absolute = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]])
        defect, jacobian = _wang_defect(absolute @ q, absolute @ v, absolute @ a)
        forces = np.linalg.lstsq(jacobian.T, defect, rcond=None)[0]
        assert np.abs(defect - jacobian.T @ forces).max() < 1e-11 * (1 + np.abs(defect).max())


def _wang_defect(angles, rates, second):
    l1, l2, l3, g = 1.0, 4.0, 2.5, 9.8
    r1, r2, r3 = l1 / 2, l2 / 2, l3 / 2
    i1, i2, i3 = l1**2 / 12, l2**2 / 12, l3**2 / 12
    theta, alpha, phi = angles
    coupling, turning = l1 * r2 * np.cos(theta - alpha), l1 * r2 * np.sin(theta - alpha)
    mass = np.array([[i1 + r1**2 + l1**2, coupling, 0], [coupling, i2 + r2**2, 0], [0, 0, i3 + r3**2]])
    bias = np.array(
        [
            turning * rates[1] ** 2 + (g * r1 + g * l1) * np.cos(theta),
            -turning * rates[0] ** 2 + g * r2 * np.cos(alpha),
            g * r3 * np.cos(phi),
        ]
    )
    jacobian = np.array(
        [
            [-l1 * np.sin(theta), -l2 * np.sin(alpha), l3 * np.sin(phi)],
            [l1 * np.cos(theta), l2 * np.cos(alpha), -l3 * np.cos(phi)],
        ]
    )
    return mass @ second + bias - np.array([6.0, 0, 0]), jacobian


def test_energy_is_conserved_without_applied_forces(slider):
    """RK4, 30 steps of 2 ms from 6 rad/s: kinetic plus potential energy stays within 1e-7 J of about 2 J."""

    def derivative(q, v):
        return slider.state_derivative(q, v, {"F": np.zeros(1)})

    q, v = np.array([[0.4]]), np.array([[6.0]])
    first = _energy(slider, q, v)
    for _ in range(30):
        q, v = integrate_step("rk4", 2e-3, q, v, derivative)
    assert abs(_energy(slider, q, v) - first) < 1e-7


def _energy(reference, q, v):
    at = configuration(reference.positions(q))
    rates = reference.velocities(at, v)
    return float((kinetic_energy(reference.skeleton, at, rates) + potential_energy(reference.skeleton, at))[0])


def test_power_of_loads_equals_the_change_of_kinetic_energy(slider):
    """The balance closes with the reference's own accelerations and opens with wrong ones."""
    at = configuration(slider.positions(np.linspace(-3, 3, 50)[:, None]))
    rates = slider.velocities(at, np.full((50, 1), 4.0))
    inputs = {"F": np.linspace(-100, 100, 50)}
    right = slider.forward_dynamics(at, rates, inputs)
    balance = power_balance(slider.skeleton, at, rates, (right,), inputs)
    assert (np.abs(balance.kinetic - balance.applied) / balance.size).max() < 1e-13
    wrong = power_balance(slider.skeleton, at, rates, (-right,), inputs)
    assert (np.abs(wrong.kinetic - wrong.applied) / wrong.size).max() > 1e-2


def test_velocities_of_bodies_are_the_derivatives_of_their_poses(slider):
    """Twist propagation against complex steps of the poses."""
    coordinates, rates = np.array([[0.3, 0.5, 1.1]]), np.array([[2.0, -0.7, 1.3]])
    at = configuration(coordinates)
    twist = move_bodies(slider.skeleton, at, rates)
    pose = move_bodies(slider.skeleton, at.stepped(rates), rates).pose
    for body in range(1, 4):
        assert np.allclose(twist.velocities[body], np.imag(pose.origins[body]) / COMPLEX_STEP, atol=1e-15)


@pytest.mark.parametrize("independent", ["theta", "beta", "s"])
def test_any_coordinate_can_drive_and_all_agree(mechanisms, slider, independent):
    """Positions solved from beta or from s land on the pose that theta gave, as far as the fold."""
    driven = reference_of(mechanisms.slider_crank(independent))
    theta = np.linspace(0.7, 0.9, 21)
    right = slider.positions(theta[:, None])
    column = driven.coordinates.index(independent)
    found = driven.positions(right[:, [column]])
    assert np.abs(found - right).max() < 1e-13


def test_a_fold_ends_the_reach_and_is_approached_to_rounding(mechanisms):
    """Slider-crank driven by s: the dead centre at s = 0.7 is reached from below and never passed."""
    driven = reference_of(mechanisms.slider_crank("s"))
    near = 0.7 - 10.0 ** -np.arange(1.0, 15.0)
    found = driven.positions(near[:, None])
    cosine = (0.09 + near**2 - 0.16) / (0.6 * near)
    assert np.isfinite(found).all()
    assert (found[:, 0] > 0).all()
    assert np.abs(np.cos(found[:, 0]) - cosine).max() < 1e-14
    assert np.isnan(driven.positions(np.array([[0.7 + 1e-9]]))).all()


def test_a_double_rocker_is_unreachable_beyond_its_folds(mechanisms):
    """Bars 0.5 and 0.7 span a gap within [0.2, 1.2]; the mirrored poses at theta < 0 lie beyond a fold."""
    reference = reference_of(mechanisms.rocker_driven())
    theta = np.linspace(-np.pi, np.pi, 2001)
    gap = np.hypot(1 - 0.9 * np.cos(theta), 0.9 * np.sin(theta))
    found = reference.positions(theta[:, None])
    reachable = (gap > 0.2) & (gap < 1.2) & (theta > 0)
    assert (np.isfinite(found).all(axis=1) == reachable).all()


def test_a_pose_that_cannot_close_is_refused(mechanisms):
    """Bars 1, 0.2, 0.2 on a ground of 3 never meet."""
    with pytest.raises(ModelError, match="does not close at its design pose"):
        reference_of(mechanisms.four_bar(("3", "1", "0.2", "0.2"), (0.0, 0.0, 0.0)))
