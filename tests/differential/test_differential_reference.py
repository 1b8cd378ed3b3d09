"""The reference of the differential test against closed forms, and against differences of its own positions."""

from math import asin, cos, sin
from random import Random

import numpy as np
import pytest
from continuation import assembled, corrected, followed
from expected import Expected, expectations
from model_texts import slider_crank_joints
from plain_mechanism import document_of, limits_of, plain, tunable
from plain_motion import all_accelerations, all_rates, forced, inertia_and_forces
from plain_numbers import factor_of, number_of
from plain_outputs import outputs_of
from random_mechanism import random_mechanism
from tree_motion import moving_bodies

CRANK, ROD = 0.2, 0.7
SLIDER = f"""
[mechanism]
name = "slider"
[bodies.crank]
points = {{ pin = ["{CRANK} m", "0", "0"] }}
[bodies.rod]
points = {{ pin = ["{ROD} m", "0", "0"] }}
[bodies.piston]
[coordinates]
independent = ["a"]
pose = {{ a = "0.5 rad", b = "-0.6 rad", s = "0.9 m" }}
ranges = {{ a = ["-3 rad", "3 rad"] }}
rates = {{ a = "5 rad/s" }}
""" + slider_crank_joints("a", "b", "s", "k", "pin")
PENDULUM = """
[mechanism]
name = "pendulum"
gravity = ["0", "-9.81 m/s^2", "0"]
[bodies.upper]
mass = "2 kg"
center_of_mass = ["0.6 m", "0", "0"]
points = { end = ["0.6 m", "0", "0"] }
[bodies.lower]
mass = "3 kg"
center_of_mass = ["0.5 m", "0", "0"]
[joints.a]
type = "revolute"
parent = "ground"
child = "upper"
[joints.b]
type = "revolute"
parent = "upper.end"
child = "lower"
[coordinates]
independent = ["a", "b"]
pose = { a = "0", b = "0" }
"""


def test_units_and_formulas() -> None:
    """By hand."""
    assert number_of("25.4 mm", {}) == pytest.approx(1 / 39.37007874)
    assert number_of("-2*a^2 + sqrt(b)*cos(0)", {"a": 3.0, "b": 16.0}) == -14.0
    assert factor_of("N*m*s^2") == 1.0
    assert factor_of("lb*in^2") == pytest.approx(2.926396534292e-4)
    assert number_of("90 deg", {}) == pytest.approx(np.pi / 2)
    with pytest.raises(ValueError, match="is no formula"):
        number_of("a.b", {"a": 1})


def test_a_slider_crank_follows_its_closed_form() -> None:
    """s = r cos a + sqrt(l^2 - r^2 sin^2 a), and its derivatives."""
    driven = assembled(plain(document_of(SLIDER)))
    assert driven is not None
    start, _, _ = corrected(driven, driven.plain.design(), 12)
    a = np.array([-2.5, 0.3, 1.5707, 2.9])
    reached = followed(lambda _: driven, start, a[:, None])
    assert reached.on_branch.all()
    root = np.sqrt(ROD**2 - CRANK**2 * np.sin(a) ** 2)
    column = driven.plain.coordinates.index("s")
    assert reached.at[:, column] == pytest.approx(CRANK * np.cos(a) + root, abs=1e-12)
    rates = all_rates(driven, reached.at, np.full((4, 1), 2.0))
    slope = -CRANK * np.sin(a) - CRANK**2 * np.sin(a) * np.cos(a) / root
    assert rates[:, column] == pytest.approx(2 * slope, abs=1e-12)
    second = all_accelerations(driven, reached.at, rates, np.zeros((4, 1)))[:, column]
    numerator = CRANK**2 * (np.cos(2 * a) * root**2 + CRANK**2 * np.sin(a) ** 2 * np.cos(a) ** 2)
    assert second == pytest.approx(4 * (-CRANK * np.cos(a) - numerator / root**3), abs=1e-11)


def test_a_double_pendulum_falls_as_the_textbook_has_it() -> None:
    """Point masses 2 and 3 kg on bars of 0.6 and 0.5 m; absolute angles from the downward vertical."""
    driven = assembled(plain(document_of(PENDULUM)))
    assert driven is not None
    one, two, w1, w2, g = 0.4, -0.9, 1.3, -2.1, 9.81  # from the vertical
    at = np.array([[one - np.pi / 2, two - one]])
    found = forced(driven, at, np.array([[w1, w2 - w1]]), {}).accelerations[0]
    m1, m2, l1, l2, apart = 2.0, 3.0, 0.6, 0.5, one - two
    below = 2 * m1 + m2 - m2 * cos(2 * apart)
    first = -g * (2 * m1 + m2) * sin(one) - m2 * g * sin(one - 2 * two)
    first -= 2 * sin(apart) * m2 * (w2**2 * l2 + w1**2 * l1 * cos(apart))
    second = w1**2 * l1 * (m1 + m2) + g * (m1 + m2) * cos(one) + w2**2 * l2 * m2 * cos(apart)
    a1, a2 = first / (l1 * below), 2 * sin(apart) * second / (l2 * below)
    assert found == pytest.approx([a1, a2 - a1], abs=1e-12)


def test_a_force_at_a_dead_point_has_the_size_of_what_cancels() -> None:
    """s' = -e + e tan(a) / tan(a) = 0 where crank and rod are in line: F moves nothing, and is told to F 2e / I."""
    aside, force, inertia = 0.1, 40.0, 0.03
    text = SLIDER.replace("[bodies.crank]", f'[bodies.crank]\nmass = "2 kg"\ninertia = {{ zz = "{inertia} kg*m^2" }}')
    text += f'[loads.push]\ntype = "coordinate"\non = "s"\nvalue = "{force} N"\n'
    text = text.replace('parent = "ground"\nchild = "crank"', 'parent = "ground.axis"\nchild = "crank"')
    text += f'[ground]\npoints = {{ axis = ["0", "{aside} m", "0"] }}\n'
    driven = assembled(plain(document_of(text)))
    assert driven is not None
    at, _, _ = corrected(driven, np.array([[-np.arcsin(aside / (CRANK + ROD)), 0.0, 0.894]]), 12)
    found = forced(driven, at, np.zeros((1, 3)), {})
    assert abs(found.accelerations[0, 0]) < 1e-12
    assert found.size[0] == pytest.approx(2 * aside * force / inertia)


@pytest.mark.parametrize("index", [3, 10, 21, 54])
def test_rates_and_accelerations_are_differences_of_positions(index: int) -> None:
    """Whatever a random mechanism gives out, its derivatives are those of what it gives out nearby."""
    expected = _sets(index)[0]
    driven, reached = expected.driven, expected.reached
    given = driven.given
    step, rows = 1e-4, np.flatnonzero(reached.on_branch & (reached.condition < 50))
    rates = np.array([expected.inputs[f"{name}.rate"][rows] for name in driven.plain.independent]).T / 100
    assert len(rows)

    def nearby(time: float) -> dict[str, np.ndarray]:
        at = reached.at[rows].copy()
        at[:, given] += time * rates
        at, _, _ = corrected(driven, at, 6)
        full = all_rates(driven, at, rates)
        second = all_accelerations(driven, at, full, np.zeros_like(rates))
        values = outputs_of(driven, at, full, second)
        return {n: v for n, v in values.values.items() if np.all(values.clearance.get(n, np.ones(1)) > 0.1)}

    before, now, after = (nearby(time) for time in (-step, 0.0, step))
    checked = 0
    for name, value in now.items():
        for ending in (".rate", ".acceleration"):
            source = name.removesuffix(ending) + (".rate" if ending == ".acceleration" else "")
            if name.endswith(ending) and source in before and source in after:
                slope = (after[source] - before[source]) / (2 * step)
                size = 1 + np.abs(value).max()
                turned = np.abs(after[source] - before[source]) > 1  # an angle that jumped by a turn, a sign by two
                assert np.abs(slope - value)[~turned] == pytest.approx(0, abs=1e-4 * size), name
                checked += 1
    assert checked


@pytest.mark.parametrize("kind", ["planar", "open", "spatial"])
def test_power_of_all_forces_is_the_growth_of_the_energy(kind: str) -> None:
    """Kinetic energy by differences along the motion that the equations give, against the power of what acts."""
    expected = _sets(_first_with_masses(kind))[0]
    driven = expected.driven
    assert expected.forced is not None
    step, at, rates = 1e-6, expected.reached.at, expected.rates
    accelerations = expected.forced.accelerations

    def energy(at: np.ndarray, rates: np.ndarray) -> np.ndarray:
        mass, _, _ = inertia_and_forces(driven.plain, moving_bodies(driven.plain, at, rates), [])
        return np.einsum("ni,nij,nj->n", rates, mass, rates) / 2

    ends = [energy(at + t * rates + t * t / 2 * accelerations, rates + t * accelerations) for t in (-step, step)]
    growth = (ends[1] - ends[0]) / (2 * step)
    _, resting, _ = inertia_and_forces(driven.plain, moving_bodies(driven.plain, at), expected.forced.applied)
    power = np.einsum("ni,ni->n", resting, rates)
    good = expected.reached.on_branch & (expected.forced.condition < 1e4)
    size = 1 + np.abs(power) + energy(at, rates) * (1 + np.abs(rates).max(axis=1)) + np.abs(growth)
    assert np.abs(growth - power)[good] / size[good] == pytest.approx(0, abs=1e-5)
    assert good.any()


def _first_with_masses(kind: str) -> int:
    for index in range(100):
        drawn = random_mechanism(f"1/{index}")
        if drawn.kind == kind and "gravity" in drawn.text and "range = " not in drawn.text:
            return index
    raise LookupError(kind)


def _sets(index: int) -> list[Expected]:
    return expectations(random_mechanism(f"1/{index}").text, Random(index), 4)


def test_the_branch_is_that_of_the_pose() -> None:
    """A rod on the other side: b turned back, the slider behind."""
    other = SLIDER.replace(
        'b = "-0.6 rad", s = "0.9 m"', f'b = "{asin(0.2 / 0.7 * sin(0.5)) - 0.5 + 3.14159} rad", s = "-0.5 m"'
    )
    driven = assembled(plain(document_of(other)))
    assert driven is not None
    at, _, _ = corrected(driven, driven.plain.design(), 12)
    assert at[0, driven.plain.coordinates.index("s")] == pytest.approx(
        CRANK * cos(0.5) - (ROD**2 - CRANK**2 * sin(0.5) ** 2) ** 0.5
    )


PARALLELOGRAM = (
    SLIDER.partition("[bodies.crank]")[0]
    + """
[ground]
points = { d = ["0.7 m", "0", "0"] }
[bodies.crank]
points = { pin = ["0.2 m", "0", "0"] }
[bodies.rod]
points = { pin = ["0.7 m", "0", "0"] }
[bodies.rocker]
points = { pin = ["0.2 m", "0", "0"] }
[joints.a]
type = "revolute"
parent = "ground"
child = "crank"
[joints.b]
type = "revolute"
parent = "crank.pin"
child = "rod"
[joints.c]
type = "revolute"
parent = "ground.d"
child = "rocker"
[joints.k]
type = "revolute"
parent = "rocker.pin"
child = "rod.pin"
closes = true
[coordinates]
independent = ["a"]
pose = { a = "0.5 rad", b = "-0.5 rad", c = "0.5 rad" }
ranges = { a = ["-3 rad", "3 rad"] }
rates = { a = "5 rad/s" }
"""
)


def test_nothing_is_judged_behind_a_singular_pose() -> None:
    """All bars of the parallelogram are in line at 0: the way there is regular up to it, not beyond."""
    driven = assembled(plain(document_of(PARALLELOGRAM)))
    assert driven is not None
    goal = np.array([[0.03], [1.2], [-0.03], [-0.4], [-1.2]])
    reached = followed(lambda _: driven, driven.plain.design(), goal)
    assert reached.on_branch.tolist() == [True, True, False, False, False]
    assert reached.closes.all()


LEG = """
[mechanism]
name = "leg"
[ground]
points = { hip = ["0", "-0.1 m", "0.8 m"] }
[bodies.yoke]
points = { thigh = ["0", "0.06 m", "0"] }
[bodies.thigh]
points = { knee = ["0", "0.03 m", "-0.3 m"] }
[bodies.shank]
points = { foot = ["0", "0.02 m", "-0.3 m"] }
[bodies.plate]
points = { ball = ["0", "0.01 m", "0.37573593 m"] }
[joints.roll]
type = "revolute"
axis = "x"
parent = "ground.hip"
child = "yoke"
[joints.pitch]
type = "revolute"
axis = "y"
parent = "yoke.thigh"
child = "thigh"
[joints.knee]
type = "revolute"
axis = "y"
parent = "thigh.knee"
child = "shank"
[joints.z]
type = "prismatic"
axis = "z"
parent = "ground"
child = "plate"
[joints.ball]
type = "spherical"
parent = "plate.ball"
child = "shank.foot"
closes = true
[coordinates]
independent = ["z"]
pose = { z = "0", roll = "0", pitch = "45 deg", knee = "-90 deg" }
ranges = { z = ["-0.1 m", "0.6 m"] }
rates = { z = "1 m/s" }
"""


def test_nothing_is_judged_behind_a_pose_where_two_directions_turn_over() -> None:
    """The foot rises through the hip, at z = 0.42426: roll and knee are singular there, each by itself."""
    driven = assembled(plain(document_of(LEG)))
    assert driven is not None
    goal = np.array([[-0.05], [0.4], [0.45], [0.6]])
    reached = followed(lambda _: driven, driven.plain.design(), goal)
    assert reached.on_branch.tolist() == [True, True, False, False]


def test_limits_and_tunable_parameters() -> None:
    """What rows are drawn from."""
    document = document_of(SLIDER + '[parameters]\nr = { value = "1 m", range = ["50 cm", "2 m"] }\n')
    assert tunable(document) == {"r": (1.0, 0.5, 2.0)}
    assert limits_of(document, ("a",)) == {"a": (-3.0, 3.0, 5.0)}
