"""The linearly implicit step: stiff machines stay stable, and its order is two with any slopes.

Oracles: the exponential of the linear quarter car's matrix, and Richardson's ratio of errors on a nonlinear machine.
"""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import completed, with_independent, with_tunable, with_values
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism, StepOptions
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret

STEP_TOO_LARGE = 1 << 23
CHASSIS, WHEEL, TYRE, STRUT = 220.5, 21.18, 132724.0, 23250.0  # kg, kg, N/m, N/m
HARD = 100e3  # N s/m: the damper of the thesis' vehicle, ten times over
ROAD = 0.02  # m: a step of the road


def stepped(mechanism: Mechanism, start: list[float], count: int, inputs: list[float]) -> tuple[np.ndarray, int]:
    """The state after so many steps, and all status bits that were set on the way."""
    sequence = functions.dostep(solved_mechanism(mechanism), "float64", contract=True)
    state, status = np.array(start), 0
    for _ in range(count):
        result = interpret(sequence, np.concatenate([state, inputs])[None])
        state, status = result.outputs[0, : len(start)], status | int(result.status[0])
    return state, status


def quarter_car(method: str, damping: float, tyre_damping: float = 50.0) -> Mechanism:
    mechanism = read_mechanism(model_path("quarter_car"))
    changed = with_values(mechanism, {"damping": Fraction(damping)})
    assert tyre_damping == float(changed.nominal_values()["tyre_damping"])
    return completed(replace(with_tunable(changed, ()), step=StepOptions(method)))  # type: ignore[arg-type]


def exact(damping: float, time: float) -> np.ndarray:
    """(wheel, body, rates) after a step of the road: x'' = M^-1 (-K x - C x' + f), by its eigenvectors."""
    mass = np.diag([1 / WHEEL, 1 / CHASSIS])
    strut = np.array([[1.0, -1.0], [-1.0, 1.0]])
    stiffness = STRUT * strut + np.diag([TYRE, 0.0])
    damper = damping * strut + np.diag([50.0, 0.0])
    system = np.block([[np.zeros((2, 2)), np.eye(2)], [-mass @ stiffness, -mass @ damper]])
    rest = np.array([ROAD, ROAD, 0.0, 0.0])
    values, vectors = np.linalg.eig(system)
    grown = vectors @ np.diag(np.exp(values * time)) @ np.linalg.inv(vectors)
    return np.real(rest + grown @ (np.zeros(4) - rest))


def test_a_hard_damper_is_stepped_at_a_millisecond() -> None:
    """Within 1 % of the exact response, where both others leave the range within a few steps."""
    found, status = stepped(quarter_car("linearly_implicit", HARD), [0.0] * 4, 300, [ROAD, 0.0])
    assert status == 0
    np.testing.assert_allclose(found, exact(HARD, 0.3), atol=0.01 * ROAD)


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_explicit_steps_fail_with_that_damper(method: str) -> None:
    _, status = stepped(quarter_car(method, HARD), [0.0] * 4, 60, [ROAD, 0.0])
    assert status & STEP_TOO_LARGE


PENDULUM = """schema = 1
[mechanism]
name = "pendulum"
gravity = ["0", "-9.81 m/s^2", "0"]
[ground]
points = { hook = ["0.9 m", "0.3 m", "0"] }
[bodies.arm]
mass = "1 kg"
center_of_mass = ["0.5 m", "0", "0"]
points = { tip = ["1 m", "0", "0"] }
[bodies.fore]
mass = "0.6 kg"
center_of_mass = ["0.4 m", "0", "0"]
inertia = { zz = "0.02 kg*m^2" }
points = { end = ["0.8 m", "0", "0"] }
[joints.a]
type = "revolute"
parent = "ground"
child = "arm"
[joints.b]
type = "revolute"
parent = "arm.tip"
child = "fore"
[elements.rope]
type = "spring"
between = ["ground.hook", "fore.end"]
stiffness = "40 N/m"
free = "0.5 m"
damping = "3 N*s/m"
[elements.rubbing]
type = "friction"
along = "b"
force = "0.8 N*m"
smoothing_speed = "1 rad/s"
[coordinates]
independent = ["a", "b"]
pose = { a = "0.2 rad", b = "0.3 rad" }
ranges = { a = ["-3 rad", "3 rad"], b = ["-3 rad", "3 rad"] }
rates = { a = "50 rad/s", b = "50 rad/s" }
"""
START = [0.2, 0.3, 0.5, -1.0]
TIME = Fraction(4, 10)


def after(method: str, steps: int, implicit: tuple[str, ...] = ()) -> np.ndarray:
    mechanism = parse_mechanism(PENDULUM, "pendulum")
    options = StepOptions(method, TIME / steps, implicit)  # type: ignore[arg-type]
    found, status = stepped(completed(replace(mechanism, step=options)), START, steps, [])
    assert status == 0
    return found


@pytest.mark.parametrize("implicit", [(), ("rope",), ("rubbing",)])
def test_the_order_is_two_whichever_slopes_are_known(implicit: tuple[str, ...]) -> None:
    """Half the step leaves a quarter of the error, with all slopes, or with those of one element alone."""
    fine = after("rk4", 300)
    errors = [np.abs(after("linearly_implicit", steps, implicit) - fine).max() for steps in (160, 320)]
    assert errors[0] < 2e-3
    for coarse, finer in pairwise(errors):
        assert 3.9 < coarse / finer < 4.5


def test_a_step_that_is_driven_from_another_form_is_refused() -> None:
    mechanism = with_independent(read_mechanism(model_path("stephenson_iii")), ("beta1",))
    implicit = completed(replace(mechanism, step=replace(mechanism.step, method="linearly_implicit")))
    with pytest.raises(ModelError, match="driven from another triangular form; choose independent coordinates"):
        functions.dostep(solved_mechanism(implicit), "float64", contract=True)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            'method = "linearly_implicit"\nimplicit = ["roep"]',
            'step.implicit: "roep" is not an element (did you mean "rope"?)',
        ),
        ('method = "rk4"\nimplicit = ["rope"]', "step.implicit: rk4 knows no slopes"),
    ],
)
def test_slopes_of_nothing_are_refused(step: str, said: str) -> None:
    with pytest.raises(ModelError, match=re.escape(said)):
        parse_mechanism(f"{PENDULUM}[step]\n{step}\n", "pendulum")
