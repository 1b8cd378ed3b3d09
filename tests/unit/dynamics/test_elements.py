"""Elements and loads that read the state: accelerations against closed forms written down here, by hand."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from model_texts import CART

from exporter.functions.program import program_of_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret

SLIDE = (
    CART
    + """[parameters]
k = {{ value = "300 N/m", frozen = true }}
w = {{ value = "0.3 m", frozen = true }}
one_newton = {{ value = "1 N", frozen = true }}
[inputs]
pull = {{ range = ["-50 N", "50 N"] }}
{entries}
[coordinates]
independent = ["x"]
pose = {{ x = "0.1 m" }}
ranges = {{ x = ["-0.5 m", "0.5 m"] }}
rates = {{ x = "4 m/s" }}
"""
)
PENDULUM = """schema = 1
[mechanism]
name = "pendulum"
gravity = ["0", "0", "-9.81 m/s^2"]
[ground]
points = {{ hook = ["0.4 m", "0", "0.3 m"] }}
[bodies.arm]
mass = "1.5 kg"
center_of_mass = ["0.2 m", "0", "0"]
inertia = {{ xx = "0.01 kg*m^2", yy = "0.02 kg*m^2", zz = "0.02 kg*m^2" }}
points = {{ tip = ["0.5 m", "0", "0"] }}
[joints.q]
type = "revolute"
axis = "y"
parent = "ground"
child = "arm"
{entries}
[coordinates]
independent = ["q"]
pose = {{ q = "0.2 rad" }}
ranges = {{ q = ["-1.2 rad", "1.2 rad"] }}
rates = {{ q = "9 rad/s" }}
"""
INERTIA = 0.02 + 1.5 * 0.2**2  # about the pin, kg m^2


@dataclass(frozen=True)
class State:
    """Coordinate (m), rate (m/s) and input (N), (rows,) each."""

    x: np.ndarray
    v: np.ndarray
    pull: np.ndarray


Law = Callable[[State], np.ndarray]


def positive(value: np.ndarray) -> np.ndarray:
    return np.where(value > 0, value, 0.0)


LAWS: dict[str, tuple[str, Law]] = {
    "spring": (
        'type = "spring"\nalong = "x"\nstiffness = "k"\nfree = "0.2 m"\npreload = "7 N"\ndamping = "3 N*s/m"',
        lambda s: 7 - 300 * (s.x - 0.2) - 3 * s.v,
    ),
    "spring by formula": (
        'type = "spring"\nalong = "x"\nforce = "-k*x*(1 + (x/w)^2)"',
        lambda s: -300 * s.x * (1 + (s.x / 0.3) ** 2),
    ),
    "damper": ('type = "damper"\nalong = "x"\ndamping = "12 N*s/m"', lambda s: -12 * s.v),
    "actuator": ('type = "actuator"\nalong = "x"\nforce = "2*pull"', lambda s: 2 * s.pull),
    "gas spring": (
        'type = "gas_spring"\nalong = "x"\nforce = "40 N"\nat = "0.1 m"\ncolumn = "0.7 m"\ndamping = "2 N*s/m"',
        lambda s: 40 * 0.7 / (0.7 + s.x - 0.1) - 2 * s.v,
    ),
    "gas spring, squared": (
        'type = "gas_spring"\nalong = "x"\nforce = "40 N"\nat = "0.1 m"\ncolumn = "0.7 m"\nexponent = "2"',
        lambda s: 40 * (0.7 / (0.6 + s.x)) ** 2,
    ),
    "gas spring, pressed beyond its column": (
        'type = "gas_spring"\nalong = "x"\nforce = "40 N"\nat = "0.1 m"\ncolumn = "0.2 m"',
        lambda s: 40 * 0.2 / np.maximum(0.1 + s.x, 0.2e-3),
    ),
    "gas spring, adiabatic": (
        'type = "gas_spring"\nalong = "x"\nforce = "40 N"\nat = "0.1 m"\ncolumn = "0.7 m"\nexponent = "1.3"',
        lambda s: 40 * np.exp(1.3 * (np.log(0.7) - np.log(0.6 + s.x))),
    ),
    "gas spring, exponent by an input": (
        'type = "gas_spring"\nalong = "x"\nforce = "40 N"\nat = "0.1 m"\ncolumn = "0.7 m"\n'
        'exponent = "1.2 + (pull/(100*one_newton))^2"',
        lambda s: 40 * np.exp((1.2 + (s.pull / 100) ** 2) * np.log(0.7 / (0.6 + s.x))),
    ),
    "end stops": (
        'type = "end_stop"\nalong = "x"\nlower = "-0.2 m"\nupper = "0.3 m"\nstiffness = "10*k"\n'
        'dissipation = "0.5 s/m"',
        lambda s: (
            3000 * positive(-0.2 - s.x) * positive(1 - 0.5 * s.v) - 3000 * positive(s.x - 0.3) * positive(1 + 0.5 * s.v)
        ),
    ),
    "friction": (
        'type = "friction"\nalong = "x"\nforce = "6 N"\nsmoothing_speed = "0.05 m/s"',
        lambda s: -6 * s.v / np.hypot(s.v, 0.05),
    ),
}


def states(seed: int, count: int = 64) -> np.ndarray:
    """Coordinate within 0.45, rate within 4, input within 50, (count, 3)."""
    generator = np.random.default_rng(seed)
    return generator.uniform([-0.45, -4, -50], [0.45, 4, 50], (count, 3))


def accelerations(text: str, rows: np.ndarray) -> np.ndarray:
    """What the dynamics function gives for coordinate, rate and, where there is one, the input, (rows,)."""
    program = program_of_mechanism(parse_mechanism(text, "test"), "float64", only=["dynamics"])
    (sequence,) = program.functions
    result = interpret(sequence, rows[:, : len(sequence.inputs)])
    assert not result.status.any()
    names = [output.signal.name for output in sequence.outputs]
    return np.asarray(result.outputs[:, next(k for k, name in enumerate(names) if name.endswith(".acceleration"))])


@pytest.mark.parametrize("law", LAWS)
def test_an_element_along_a_coordinate_has_its_law(law: str) -> None:
    entry, force = LAWS[law]
    rows = states(7)
    found = accelerations(SLIDE.format(entries=f"[elements.e]\n{entry}"), rows)
    np.testing.assert_allclose(found, force(State(*rows.T)) / 2, rtol=1e-13, atol=1e-12)


def test_a_spring_between_points_pulls_along_their_line() -> None:
    """A pendulum on a spring to a hook: M q'' = -dV/dq - dD/dq', with V and the power of the damper written out."""
    entries = """[elements.rope]
type = "spring"
between = ["ground.hook", "arm.tip"]
stiffness = "800 N/m"
free = "0.25 m"
damping = "20 N*s/m\""""
    rows = np.random.default_rng(3).uniform([-1.1, -8], [1.1, 8], (64, 2))
    q, u = rows.T
    right = (0.2 * 1.5 * 9.81 * np.cos(q) - slope_of_length(q) * tension(q, u)) / INERTIA
    np.testing.assert_allclose(accelerations(PENDULUM.format(entries=entries), rows), right, rtol=1e-12)


def length(q: np.ndarray) -> np.ndarray:
    """From the hook (0.4, 0.3) to the tip 0.5 (cos q, -sin q): a positive turn about y takes x down."""
    return np.hypot(0.5 * np.cos(q) - 0.4, -0.5 * np.sin(q) - 0.3)


def slope_of_length(q: np.ndarray) -> np.ndarray:
    """d length / dq = (0.4 * 0.5 sin q + 0.3 * 0.5 cos q) / length."""
    return (0.2 * np.sin(q) + 0.15 * np.cos(q)) / length(q)


def tension(q: np.ndarray, u: np.ndarray) -> np.ndarray:
    return 800 * (length(q) - 0.25) + 20 * slope_of_length(q) * u


def test_a_load_may_read_a_distance_and_its_rate() -> None:
    """Tension of a damped spring to the tip, written as a formula for the torque on the joint."""
    entries = """[parameters]
stiff = { value = "800 N/m", frozen = true }
slow = { value = "20 N*s/m", frozen = true }
free = { value = "0.25 m", frozen = true }
arm_length = { value = "1 m", frozen = true }
[distances]
rope = ["arm.tip", "ground.hook"]
[loads.motor]
type = "coordinate"
on = "q"
value = "arm_length*(stiff*(rope - free) + slow*rope.rate)"
"""
    rows = np.random.default_rng(4).uniform([-1.1, -8], [1.1, 8], (32, 2))
    q, u = rows.T
    right = (0.2 * 1.5 * 9.81 * np.cos(q) + tension(q, u)) / INERTIA
    np.testing.assert_allclose(accelerations(PENDULUM.format(entries=entries), rows), right, rtol=1e-12)


@pytest.mark.parametrize(("axes", "arm"), [("arm", np.ones_like), ("ground", np.cos)])
def test_a_force_has_components_in_the_axes_of_a_body(axes: str, arm: Callable[[np.ndarray], np.ndarray]) -> None:
    """A force of 3 N along -z at the tip: in the arm's own axes its lever stays 0.5 m."""
    entries = f"""[loads.push]
type = "force"
on = "arm.tip"
axes = "{axes}"
value = ["0", "0", "-3 N"]
"""
    rows = np.random.default_rng(5).uniform([-1.1, -8], [1.1, 8], (16, 2))
    right = (0.2 * 1.5 * 9.81 * np.cos(rows[:, 0]) + 1.5 * arm(rows[:, 0])) / INERTIA
    np.testing.assert_allclose(accelerations(PENDULUM.format(entries=entries), rows), right, rtol=1e-12)


def test_a_load_may_read_an_angle_and_its_sine_without_a_kernel_of_its_own() -> None:
    """tau = 4 sin q - 2 q N*m: the sine is that of the pose."""
    entries = """[parameters]
one = { value = "1 N*m", frozen = true }
[loads.motor]
type = "coordinate"
on = "q"
value = "one*(4*sin(q) - 2*q)"
"""
    text = PENDULUM.format(entries=entries)
    rows = np.random.default_rng(6).uniform([-1.1, -8], [1.1, 8], (16, 2))
    q = rows[:, 0]
    right = (0.2 * 1.5 * 9.81 * np.cos(q) + 4 * np.sin(q) - 2 * q) / INERTIA
    np.testing.assert_allclose(accelerations(text, rows), right, rtol=1e-12)
    (sequence,) = program_of_mechanism(parse_mechanism(text, "test"), "float64", only=["dynamics"]).functions
    assert cost(sequence).text().count("1 sincos") == 1
