"""Coordinates that nothing accelerates: a step keeps their rates, and one rate serves all stages of Runge and Kutta.

Oracle: without force a slide goes on at its rate and a disc at its spin.
"""

import numpy as np
import pytest

from exporter.dynamics.linear_graph import linear_graph
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Signal

DISC_ON_A_SLIDE = """
schema = 1
[mechanism]
name = "disc"
gravity = ["0", "0", "0"]
[bodies.cart]
mass = "2 kg"
frames = { mount = { at = ["0.1 m", "0", "0"], turns = [["x", "30 deg"]] } }
[bodies.disc]
mass = "1 kg"
inertia = { xx = "0.01 kg*m^2", yy = "0.01 kg*m^2", zz = "0.02 kg*m^2", xy = "0.001 kg*m^2" }
[joints.x]
type = "prismatic"
axis = "x"
parent = "ground"
child = "cart"
[joints.p]
type = "planar"
parent = "cart.mount"
child = "disc"
coordinates = ["u", "v", "turn"]
[step]
method = "METHOD"
period = "2 ms"
[coordinates]
independent = ["x", "u", "v", "turn"]
pose = { x = "0", u = "0", v = "0", turn = "0.2 rad" }
ranges = { x = ["-1 m", "1 m"], u = ["-1 m", "1 m"], v = ["-1 m", "1 m"], turn = ["-3 rad", "3 rad"] }
rates = { x = "2 m/s", u = "2 m/s", v = "2 m/s", turn = "50 rad/s" }
"""


@pytest.mark.parametrize("method", ["rk4", "semi_implicit_euler", "euler"])
def test_what_nothing_pushes_goes_on(method: str) -> None:
    solved = solved_mechanism(parse_mechanism(DISC_ON_A_SLIDE.replace("METHOD", method), "disc"))
    step = functions.dostep(solved, "float64", contract=True)
    given = {"x": (0.1, 0.7), "u": (-0.2, 0.4), "v": (0.3, -0.9), "turn": (1.1, 20.0)}
    row = [given[signal.name.removesuffix(".rate")][signal.name.endswith(".rate")] for signal in step.inputs]
    result = interpret(step, np.array([row]))
    assert not result.status.any()
    found = {output.signal.name: result.outputs[0, k] for k, output in enumerate(step.outputs)}
    for name, (place, rate) in given.items():
        assert found[f"{name}.rate"] == pytest.approx(rate, abs=1e-13)
        assert found[name] == pytest.approx(place + 0.002 * rate, abs=1e-13)


def test_a_coordinate_that_moves_with_a_rate_is_no_rate() -> None:
    """The rate in (x + h v) w is w alone: counted both ways it would be 2 (x + h v) w."""
    builder = Builder("graph", "float64")
    x, v, w = (builder.input(Signal(name, "1")) for name in "xvw")
    place = x + builder.real(2) * v
    velocity = place * w
    terms = linear_graph(builder, [v, w], [velocity]).terms(velocity.index)
    assert terms == {w.index: place}
    with pytest.raises(ValueError, match="not linear in the independent rates"):
        linear_graph(builder, [v, w], [v * w])
    with pytest.raises(ValueError, match="not linear in the independent rates"):
        linear_graph(builder, [v, w], [place])
