"""A wheel in mesh with a crank that a slide drives through a rod in space, at ratios of 1, -1 and others.

At a ratio of 1 or -1 the wheel's rate is the very value of the crank's. Right values: the wheel moves as the crank
does, by the ratio; and accelerations are differences of rates along a motion of the slide.
"""

import numpy as np
import pytest

from exporter.functions.program import program_of_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret

TEXT = """schema = 1
[mechanism]
name = "meshed"
[bodies.wheel]
[bodies.crank]
points = { pin = ["-0.2 m", "-0.3 m", "0"] }
[bodies.slider]
[bodies.rod]
[bodies.rod.frames.end]
at = ["1.524 m", "-0.36271 m", "-0.29568 m"]
turns = [["z", "-1.2386 rad"], ["y", "-0.747 rad"], ["x", "-2.2066 rad"]]
[ground]
points = { crank = ["0", "-1.0406 m", "0.5 m"] }
[ground.frames]
wheel = { at = ["0.2 m", "0.25 m", "0"], turns = [["x", "-2.8 rad"]] }
rail = { at = ["0", "0.5 m", "0.3 m"], turns = [["z", "90 deg"]] }
[joints.w]
type = "revolute"
axis = "-x"
parent = "ground.wheel"
child = "wheel"
[joints.c]
type = "revolute"
axis = "z"
parent = "ground.crank"
child = "crank"
[joints.s]
type = "prismatic"
axis = "-x"
parent = "ground.rail"
child = "slider"
[joints.ball]
type = "spherical"
parent = "crank.pin"
child = "rod"
coordinates = ["a1", "a2", "a3"]
[joints.fork]
type = "universal"
parent = "slider"
child = "rod.end"
closes = true
[couplings]
w = "RATIO*c"
[coordinates]
independent = ["s"]
pose = { s = "0.24 m", c = "-0.1716 rad", a1 = "1.314 rad", a2 = "0", a3 = "2.016 rad" }
ranges = { s = ["-0.1 m", "0.25 m"] }
rates = { s = "4 m/s" }
"""
PLACE, RATE, ACCELERATION = 0.127, -0.66, 3.4
STEP = 1e-5  # s


@pytest.mark.parametrize("ratio", [1, -1, -0.5])
def test_accelerations_of_crank_and_wheel_are_differences_of_rates(ratio: float) -> None:
    """The second one was 0 at ratios of 1 and -1, and the first one with it."""
    mechanism = parse_mechanism(TEXT.replace("RATIO", str(ratio)), "meshed")
    program = program_of_mechanism(mechanism, "float64", only=["velocity", "acceleration"])
    functions = {each.name: each for each in program.functions}
    times = np.array([-STEP, STEP])
    moving = np.stack([PLACE + RATE * times + ACCELERATION * times**2 / 2, RATE + ACCELERATION * times], axis=1)
    rates = interpret(functions["velocity"], moving).outputs
    found = interpret(functions["acceleration"], np.array([[PLACE, RATE, ACCELERATION]])).outputs[0]
    names = [output.signal.name for output in functions["velocity"].outputs]
    made = [output.signal.name for output in functions["acceleration"].outputs]
    for name in ("c", "w"):
        column = rates[:, names.index(f"{name}.rate")]
        right = (column[1] - column[0]) / (2 * STEP)
        assert abs(right) > 1
        assert found[made.index(f"{name}.acceleration")] == pytest.approx(right, rel=1e-7)
    assert found[made.index("w.acceleration")] == pytest.approx(ratio * found[made.index("c.acceleration")], rel=1e-12)
