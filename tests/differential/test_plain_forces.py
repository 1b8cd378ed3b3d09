"""The reference's forces, tables, steps and reactions against numbers by hand and against energy and power."""

import re
from random import Random

import numpy as np
import pytest
from continuation import assembled
from expected import Expected, expectations
from model_texts import CART
from plain_forces import law
from plain_implicit import step_implicitly
from plain_mechanism import document_of, plain
from plain_motion import forced, inertia_and_forces
from plain_numbers import number_of
from plain_reactions import bearings_of, joint_power
from plain_state import state_of
from plain_tables import pchip_slopes, tables_of
from test_random_machines import CRANE
from tree_motion import moving_bodies

ONE = np.zeros(1)


@pytest.mark.parametrize(
    ("element", "x", "v", "force"),
    [
        (
            {"type": "spring", "stiffness": "2 kN/m", "free": "0.1 m", "preload": "5 N", "damping": "3 N*s/m"},
            0.2,
            4,
            -207,
        ),
        ({"type": "damper", "damping": "3 N*s/m"}, 0.2, 4, -12),
        ({"type": "gas_spring", "force": "8 N", "at": "0.3 m", "column": "0.2 m", "exponent": "2"}, 0.2, 4, 32),
        ({"type": "gas_spring", "force": "8 N", "at": "0.6 m", "column": "0.2 m"}, 0.2, 4, 8000),
        ({"type": "end_stop", "stiffness": "100 N/m", "lower": "0.5 m", "dissipation": "0.1 s/m"}, 0.2, 4, 18),
        ({"type": "end_stop", "stiffness": "100 N/m", "upper": "0.1 m", "dissipation": "0.1 s/m"}, 0.2, 4, -14),
        ({"type": "end_stop", "stiffness": "100 N/m", "lower": "0.5 m", "dissipation": "1 s/m"}, 0.2, 4, 0),
        ({"type": "friction", "force": "10 N", "smoothing_speed": "3 m/s"}, 0.2, 4, -8),
    ],
)
def test_laws_of_elements_by_hand(element: dict[str, str], x: float, v: float, force: float) -> None:
    formula = law("e", {**element, "along": "x"}).replace("x.rate", "v")
    assert number_of(formula, {"x": x, "v": v}) == pytest.approx(force, rel=1e-14)


def test_tables_by_hand() -> None:
    """Slopes 3/2 at a knot between secants 1 and 3; ends count beyond an axis; a cell is bilinear."""
    assert pchip_slopes(np.array([0.0, 1, 2]), np.array([0.0, 1, 4])).tolist() == [0.0, 1.5, 4.0]
    entry = {"x": ["0 m", "1 m", "2 m"], "y": ["0 N", "1 N", "4 N"], "method": "monotone_cubic"}
    cubic = tables_of({"tables": {"t": entry}})["t"]
    at = np.array([-1.0, 0.5, 1.0, 1.5, 9.0])
    assert cubic(at) == pytest.approx([0, 0.5 - 1.5 / 8, 1, 2.5 + (1.5 - 4) / 8, 4])
    both = {"x": ["0", "1"], "y": ["0", "2"], "z": [["1", "3"], ["5", "11"]]}
    plane = tables_of({"tables": {"t": both}})["t"]
    assert plane(np.array([0.5]), np.array([1.0])) == pytest.approx(5.0)


@pytest.fixture(scope="module")
def crane() -> Expected:
    """The machine with everything, at its nominal parameter."""
    return expectations(CRANE, Random(5), 12)[0]


def test_power_of_what_acts_is_the_growth_of_the_energy(crane: Expected) -> None:
    """Kinetic energy by differences along the motion, against the power of gravity, loads and elements."""
    assert crane.forced is not None
    driven, at, rates, accelerations = crane.driven, crane.reached.at, crane.rates, crane.forced.accelerations

    def energy(time: float) -> np.ndarray:
        there, then = at + time * rates + time**2 / 2 * accelerations, rates + time * accelerations
        mass, _, _ = inertia_and_forces(driven.plain, moving_bodies(driven.plain, there, then), [])
        return np.einsum("ni,nij,nj->n", then, mass, then) / 2

    growth = (energy(1e-6) - energy(-1e-6)) / 2e-6
    _, resting, _ = inertia_and_forces(driven.plain, moving_bodies(driven.plain, at), crane.forced.applied)
    power = np.einsum("ni,ni->n", resting, rates)
    assert growth == pytest.approx(power, rel=1e-6, abs=1e-6 * np.abs(power).max())


def test_wrenches_of_joints_have_the_power_of_what_acts_along_coordinates(crane: Expected) -> None:
    """And every body is in balance."""
    assert crane.forced is not None
    bodies = moving_bodies(crane.driven.plain, crane.reached.at, crane.rates)
    found = bearings_of(crane.driven, bodies, crane.forced, np.ones(len(crane.rates)))
    along = [each.along for each in crane.forced.applied if each.along is not None]
    columns = crane.driven.plain.columns(tuple(name for name, _ in along))
    right = sum(force * crane.rates[:, column] for (_, force), column in zip(along, columns, strict=True))
    assert joint_power(crane.driven, found, bodies) == pytest.approx(right, rel=1e-11, abs=1e-11)
    assert found.residual.max() < 1e-12
    assert all(found.decided["b"])


def test_a_plane_that_a_tunable_parameter_tilts_is_balanced_in_space() -> None:
    """A pendulum on a turned base: with its turn tunable, torques across the axis count."""
    text = """
[mechanism]
name = "m"
gravity = ["0", "0", "-9.81 m/s^2"]
[parameters]
tilt = { value = "0.4 rad", range = ["0.3 rad", "0.5 rad"] }
[ground]
frames = { base = { turns = [["x", "tilt"]] } }
[bodies.b]
mass = "2 kg"
center_of_mass = ["0.3 m", "0", "0.1 m"]
inertia = { xx = "0.1 kg*m^2", yy = "0.1 kg*m^2", zz = "0.1 kg*m^2" }
[joints.q]
type = "revolute"
parent = "ground.base"
child = "b"
[coordinates]
independent = ["q"]
pose = { q = "0.2 rad" }
ranges = { q = ["-1 rad", "1 rad"] }
rates = { q = "3 rad/s" }
[outputs]
t = { reaction = "q", part = "torque", axes = "child" }
"""
    found = expectations(text, Random(1), 4)[0].falling
    frozen = expectations(text.replace('range = ["0.3 rad", "0.5 rad"]', "frozen = true"), Random(1), 4)[0].falling
    assert found is not None
    assert frozen is not None
    assert np.abs(found.values["t.y"]).min() > 1
    assert np.abs(frozen.values["t.y"]).max() < 1e-15
    assert found.values["t.z"] == pytest.approx(0, abs=1e-12)


def test_slopes_by_imaginary_steps_are_those_of_differences(crane: Expected) -> None:
    """Slope of the force of every element, by what it acts along."""
    driven, at, rates = crane.driven, crane.reached.at, crane.rates
    state = state_of(driven, moving_bodies(driven.plain, at, rates), at, rates, crane.inputs)
    for name, element in driven.plain.document["elements"].items():
        formula, along = law(name, element), element.get("along", name)
        plain_text = re.sub(r"\b(\w+)\.rate\b", r"\1__rate", formula)
        ends = [number_of(plain_text, {**state.values, along: state.values[along] + h}) for h in (-1e-6, 1e-6)]
        assert state.derivative(formula, along) == pytest.approx((ends[1] - ends[0]) / 2e-6 + ONE, rel=1e-5, abs=1e-5)


def test_the_implicit_step_of_a_linear_oscillator_is_its_rational_function() -> None:
    """With all slopes known, ROS2 multiplies by R(z) = (1 + (1 - 2g) z + (1/2 - 2g + g^2) z^2) / (1 - g z)^2."""
    text = (
        CART
        + """[elements.e]
type = "spring"
along = "x"
stiffness = "800 N/m"
damping = "30 N*s/m"
[coordinates]
independent = ["x"]
pose = { x = "0" }
[step]
method = "linearly_implicit"
"""
    )
    document = document_of(text)
    driven = assembled(plain(document))
    assert driven is not None

    def now(x: np.ndarray, v: np.ndarray):
        from plain_implicit import Now

        state = state_of(driven, moving_bodies(driven.plain, x, v), x, v, {})
        return Now(forced(driven, x, v, {}), state, driven.given)

    x, v, h = np.array([[0.3]]), np.array([[-1.0]]), 0.05
    got = step_implicitly(document, now, x, v, h)
    g, z = 1 - np.sqrt(0.5), h * np.array([[0.0, 1.0], [-400.0, -15.0]])
    one = np.eye(2)
    below = np.linalg.inv(one - g * z)
    right = (one + (1 - 2 * g) * z + (0.5 - 2 * g + g**2) * z @ z) @ below @ below @ np.array([0.3, -1.0])
    assert np.ravel(got) == pytest.approx(right, rel=1e-13)
