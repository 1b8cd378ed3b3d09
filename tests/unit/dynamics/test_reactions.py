"""Forces and torques of joints in the plane, against closed forms from textbooks and the momentum of everything.

Every formula here is derived by hand for its mechanism; none shares code with the exporter.
"""

from dataclasses import replace
from functools import partial

import mpmath
import numpy as np
import pytest
from dynamics_values import dynamics_values, vector
from model_texts import slider_crank_joints

from exporter.errors import ModelError
from exporter.functions.mechanism import dynamics
from exporter.functions.program import arithmetic, program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism, ReactionOutput
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret

EXACT = 1e-13  # of the largest force
PENDULUM = """schema = 1
[mechanism]
name = "pendulum"
gravity = ["0", "-9.81 m/s^2", "0"]
[inputs]
motor = { range = ["-50 N*m", "50 N*m"] }
[bodies.rod]
mass = "2 kg"
center_of_mass = ["0.6 m", "0", "0"]
inertia = { zz = "0.3 kg*m^2" }
[joints.q]
type = "revolute"
parent = "ground"
child = "rod"
[loads.drive]
type = "coordinate"
on = "q"
value = "motor"
[coordinates]
independent = ["q"]
pose = { q = "0.3 rad" }
ranges = { q = ["-3 rad", "3 rad"] }
rates = { q = "10 rad/s" }
[outputs]
pin = { reaction = "q", part = "force" }
bearing = { reaction = "q", part = "force", axes = "child" }
shaft = { reaction = "q", part = "torque", axes = "ground" }
"""


def pendulum_states() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles, rates and torques."""
    generator = np.random.default_rng(4)
    return generator.uniform(-3, 3, 16), generator.uniform(-9, 9, 16), generator.uniform(-50, 50, 16)


def test_a_pin_holds_a_pendulum_by_weight_and_acceleration() -> None:
    q, rate, motor = pendulum_states()
    values = dynamics_values(parse_mechanism(PENDULUM, "pendulum"), {"q": q, "q.rate": rate, "motor": motor})
    second = (motor - 2 * 9.81 * 0.6 * np.cos(q)) / (0.3 + 2 * 0.6**2)
    radial, tangential = -2 * 0.6 * rate**2 + 2 * 9.81 * np.sin(q), 2 * 0.6 * second + 2 * 9.81 * np.cos(q)
    along = np.stack([np.cos(q), np.sin(q)], axis=1), np.stack([-np.sin(q), np.cos(q)], axis=1)
    right = radial[:, None] * along[0] + tangential[:, None] * along[1]
    assert np.abs(vector(values, "pin")[:, :2] - right).max() < EXACT * np.abs(right).max()
    assert np.abs(values["bearing.x"] - radial).max() < EXACT * np.abs(right).max()
    assert np.abs(values["bearing.y"] - tangential).max() < EXACT * np.abs(right).max()
    assert not values["pin.z"].any()


def test_the_torque_of_a_joint_is_that_of_the_motor_on_its_coordinate() -> None:
    q, rate, motor = pendulum_states()
    values = dynamics_values(parse_mechanism(PENDULUM, "pendulum"), {"q": q, "q.rate": rate, "motor": motor})
    assert np.array_equal(vector(values, "shaft"), np.stack([0 * motor, 0 * motor, motor], axis=1))


SLIDER = """schema = 1
[mechanism]
name = "pump"
gravity = ["0", "0", "0"]
[inputs]
gas = { range = ["-2000 N", "2000 N"] }
torque = { range = ["-50 N*m", "50 N*m"] }
[bodies.crank]
points = { pin = ["50 mm", "0", "0"] }
[bodies.rod]
points = { wrist = ["150 mm", "0", "0"] }
[bodies.piston]
mass = "0.5 kg"
[loads.gas]
type = "force"
on = "piston"
value = ["-gas", "0", "0"]
[loads.motor]
type = "coordinate"
on = "theta"
value = "torque"
[coordinates]
independent = ["theta"]
pose = { theta = "60 deg", x = "0.17 m" }
ranges = { theta = ["0.3 rad", "2.8 rad"] }
rates = { theta = "40 rad/s" }
[outputs]
side = { reaction = "x", part = "force" }
tilt = { reaction = "x", part = "torque" }
wrist_force = { reaction = "wrist", part = "force" }
big_end = { reaction = "phi", part = "force", axes = "child" }
main = { reaction = "theta", part = "force" }
""" + slider_crank_joints("theta", "phi", "x", "wrist", "wrist")


def test_the_cylinder_pushes_a_piston_aside_by_the_rods_force_times_the_tangent_of_its_angle() -> None:
    """With a massless rod the side force is (gas + m a) tan(phi), as every book on engines has it."""
    generator = np.random.default_rng(5)
    theta, rate = generator.uniform(0.4, 2.7, 8), generator.uniform(-30, 30, 8)
    gas, torque = generator.uniform(-2000, 2000, 8), generator.uniform(-50, 50, 8)
    given = {"theta": theta, "theta.rate": rate, "gas": gas, "torque": torque}
    values = dynamics_values(parse_mechanism(SLIDER, "pump"), given)

    def place(angle: mpmath.mpf) -> mpmath.mpf:
        return 0.05 * mpmath.cos(angle) + mpmath.sqrt(0.15**2 - (0.05 * mpmath.sin(angle)) ** 2)

    with mpmath.workdps(40):
        slopes = np.array([[float(mpmath.diff(place, angle, order)) for order in (1, 2)] for angle in theta])
    piston = slopes[:, 0] * values["theta.acceleration"] + slopes[:, 1] * rate**2
    tangent = np.tan(np.arcsin(0.05 * np.sin(theta) / 0.15))  # how steeply the rod falls towards the piston
    along = 0.5 * piston + gas  # of the rod on the piston
    scale = np.abs(along).max()
    assert np.abs(values["side.y"] - along * tangent).max() < 1e-12 * scale
    assert np.abs(values["side.x"]).max() < EXACT * scale
    assert np.abs(values["tilt.z"]).max() < EXACT * scale
    assert np.abs(values["wrist_force.x"] + along).max() < 1e-12 * scale
    rod = -along / np.cos(np.arctan(tangent))
    assert np.abs(np.abs(values["big_end.x"]) - np.abs(rod)).max() < 1e-12 * scale
    assert np.abs(values["big_end.y"]).max() < 1e-12 * scale  # a massless rod is a member with two forces
    assert np.abs(values["main.x"] - along).max() < 1e-12 * scale


PARALLELOGRAM = """schema = 1
[mechanism]
name = "table"
gravity = ["0", "-10 m/s^2", "0"]
[ground]
points = { right = ["0.8 m", "0", "0"] }
[bodies.left]
points = { top = ["0.5 m", "0", "0"] }
[bodies.right]
points = { top = ["0.5 m", "0", "0"] }
[bodies.plate]
mass = "4 kg"
center_of_mass = ["0.2 m", "0", "0"]
points = { end = ["0.8 m", "0", "0"], weight = ["0.8 m", "0.1 m", "0"] }
[joints.a]
type = "revolute"
parent = "ground"
child = "left"
[joints.b]
type = "revolute"
parent = "left.top"
child = "plate"
[joints.c]
type = "revolute"
parent = "ground.right"
child = "right"
[joints.d]
type = "revolute"
parent = "right.top"
child = "plate.end"
closes = true
[loads.weight]
type = "force"
on = "plate.weight"
value = ["0", "-16 N", "0"]
[coordinates]
independent = ["a"]
pose = { a = "90 deg", b = "-90 deg", c = "90 deg" }
ranges = { a = ["1.2 rad", "2 rad"] }
rates = { a = "5 rad/s" }
[outputs]
left = { reaction = "a", part = "force" }
right = { reaction = "d", part = "force" }
"""


def test_legs_that_stand_upright_share_a_load_by_its_lever_arms() -> None:
    """40 N at a quarter of the plate and 16 N at its right end: 30 N on the left leg, 26 N on the right one."""
    values = dynamics_values(parse_mechanism(PARALLELOGRAM, "table"), {"a": np.pi / 2, "a.rate": 0.0})
    assert values["a.acceleration"][0] == pytest.approx(0, abs=1e-12)
    assert vector(values, "left")[0] == pytest.approx([0, 30, 0], abs=1e-11)
    assert vector(values, "right")[0] == pytest.approx([0, 26, 0], abs=1e-11)


def asked(name: str, *joints: str) -> Mechanism:
    """A mechanism of the library, the forces of these joints among its outputs."""
    wanted = {f"f_{joint}": ReactionOutput(joint, "force") for joint in joints}
    return completed(replace(read_mechanism(model_path(name)), reactions=wanted))


def test_the_ground_pushes_with_the_rate_of_momentum_less_the_weight() -> None:
    """Centres of the library's four-bar by its closure alone, their accelerations by mpmath's derivatives."""
    mechanism = asked("four_bar", "alpha1", "cut")
    angle, rate = 2.2, 3.0
    values = dynamics_values(mechanism, {"alpha1": angle, "alpha1.rate": rate, "tau": 20.0})

    def momentum(part: int, x: mpmath.mpf) -> mpmath.mpf:
        """Sum of mass times place of the three links, a kilogram each, in x or y; O4 is at (0, 3)."""
        crank = mpmath.expj(x)
        gap = mpmath.mpc(0, 3) - crank
        reach = abs(gap)
        cosine = (16 + reach**2 - mpmath.mpf("2.5") ** 2) / (8 * reach)
        both = [crank + 4 * gap / reach * mpmath.expj(sign * mpmath.acos(cosine)) for sign in (1, -1)]
        joint = min(both, key=lambda each: abs(mpmath.arg((each - crank) / crank) - lean))
        total = crank / 2 + (crank + joint) / 2 + (joint + mpmath.mpc(0, 3)) / 2
        return (total.real, total.imag)[part]

    lean = np.arctan2(values["alpha2.sin"][0], values["alpha2.cos"][0])
    right = []
    with mpmath.workdps(40):
        for part in (0, 1):
            first, second = (mpmath.diff(partial(momentum, part), angle, order) for order in (1, 2))
            right.append(float(first * values["alpha1.acceleration"][0] + second * rate**2))
    total = (vector(values, "f_alpha1") + vector(values, "f_cut"))[0]
    assert total == pytest.approx([right[0], right[1] + 3 * 9.8, 0], rel=1e-11, abs=1e-11)


def test_the_pin_force_of_a_four_bar_costs_some_tens_of_operations() -> None:
    bare, pin = (cost(arithmetic(dynamics, solved_mechanism(asked("four_bar", *joints)))) for joints in ((), ("cut",)))
    assert pin.mul + pin.add - bare.mul - bare.add < 70
    assert pin.div == bare.div + 1


def test_nothing_is_written_that_is_not_asked_for() -> None:
    without = asked("four_bar")
    assert without.model_hash == read_mechanism(model_path("four_bar")).model_hash


DOUBLED = PARALLELOGRAM.replace(
    "[loads.weight]",
    """[joints.d2]
type = "revolute"
parent = "right.top"
child = "plate.end"
closes = true
[loads.weight]""",
)


def test_two_pins_at_one_place_share_a_force_by_their_stiffness_and_are_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"force of 'd', which is statically indeterminate: 'd', 'd2' hold more than"):
        program_of_mechanism(parse_mechanism(DOUBLED, "table"), "float64", only=("dynamics",))


def test_a_joint_that_the_other_loops_imply_is_refused() -> None:
    text = DOUBLED.replace('right = { reaction = "d", part = "force" }', 'right = { reaction = "d2", part = "torque" }')
    with pytest.raises(ModelError, match=r"torque of 'd2', which the other loops hold closed by themselves"):
        program_of_mechanism(parse_mechanism(text, "table"), "float64", only=("dynamics",))


def test_what_is_determined_beside_them_is_given() -> None:
    text = DOUBLED.replace('right = { reaction = "d", part = "force" }', 'right = { reaction = "d", part = "torque" }')
    values = dynamics_values(parse_mechanism(text, "table"), {"a": np.pi / 2, "a.rate": 0.0})
    assert vector(values, "left")[0] == pytest.approx([0, 30, 0], abs=1e-11)
    assert not vector(values, "right").any()


def test_a_reaction_of_bodies_without_mass_is_refused() -> None:
    text = PENDULUM.replace('mass = "2 kg"', "").replace('center_of_mass = ["0.6 m", "0", "0"]', "")
    with pytest.raises(ModelError, match=r"outputs.pin: no body has a mass, so there are no forces"):
        parse_mechanism(text.replace('inertia = { zz = "0.3 kg*m^2" }', ""), "pendulum")


def test_a_joint_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ModelError, match=r'outputs.pin.reaction: joint "qq" does not exist \(did you mean "q"\?\)'):
        parse_mechanism(
            PENDULUM.replace('{ reaction = "q", part = "force" }', '{ reaction = "qq", part = "force" }'), "p"
        )


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ('{ reaction = "q" }', 'the key `part` is missing; it is: "force" or "torque"'),
        ('{ reaction = "q", part = "moment" }', 'part "moment" is not known; known are force, torque'),
        ('{ reaction = "q", part = "force", to = "x" }', "a reaction has no to, an angle has"),
        ('{ of = "rod", axis = "x", from = "x", to = "y", axes = "child" }', "an angle has no axes"),
    ],
)
def test_an_entry_that_is_no_reaction_is_explained(entry: str, sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_mechanism(PENDULUM.replace('{ reaction = "q", part = "force" }', entry, 1), "pendulum")
    assert sentence in str(caught.value)


def test_a_step_gives_the_same_forces_by_either_choice_of_coordinates() -> None:
    """`dynamics` by the first choice, `dostep` with the first one active and with the other one at the same pose."""
    mechanism = asked("rocker_four_bar", "alpha1", "cut")
    one, other = mechanism.independent[0], mechanism.alternative[0]
    start = float(mechanism.pose[one]) + 0.1
    values = dynamics_values(mechanism, {one: start, f"{one}.rate": 0.7})
    angle = np.arctan2(values[f"{other}.sin"], values[f"{other}.cos"])
    program = program_of_mechanism(mechanism, "float64", only=["dostep"])
    step = next(function for function in program.functions if function.name == "dostep")
    names = [output.signal.name for output in step.outputs]
    states = (
        {one: start, f"{one}.rate": 0.7, "choice": 0.0},
        {other: angle[0], f"{other}.rate": values[f"{other}.rate"][0], "choice": 1.0},
    )
    for state in states:
        row = [state.get(signal.name, float(signal.nominal or 0)) for signal in step.inputs]
        result = interpret(step, np.array([row]))
        assert not result.status.any()
        for force in ("f_alpha1", "f_cut"):
            found = [result.outputs[0, names.index(f"{force}.{axis}")] for axis in "xyz"]
            assert found == pytest.approx(vector(values, force)[0], rel=1e-10, abs=1e-10)
