"""A pose may give Euler angles whose middle one is beyond a quarter turn: the attitude counts, not its spelling."""

from math import cos, pi, sin

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence

ATTITUDES = {"1.6816 rad": (-2.9828, 0.94662, 0.5), "-1.407 rad": (-2.9828, -0.94662, 0.5)}
RIGHT = {"1.6816 rad": 1.681600, "-1.407 rad": -1.406972}
"""Newton's method on the closures from the pose; the link may spin, so that phi alone is told."""

LINKED = """
schema = 1
[mechanism]
name = "linked"
[ground]
points = {{ pivot = ["1 m", "0.2 m", "0"] }}
[bodies.crank]
points = {{ ball = ["0.3 m", "0", "0.1 m"] }}
[bodies.rocker]
points = {{ ball = ["0.5 m", "0", "0"] }}
[bodies.link]
points = {{ end = ["0.9 m", "0", "0"] }}
[joints.theta]
type = "revolute"
parent = "ground"
child = "crank"
[joints.phi]
type = "revolute"
axis = "y"
parent = "ground.pivot"
child = "rocker"
[joints.ball]
type = "spherical"
parent = "rocker.ball"
child = "link"
coordinates = ["yaw", "pitch", "roll"]
[joints.end]
type = "spherical"
parent = "crank.ball"
child = "link.end"
closes = true
[coordinates]
independent = ["theta"]
pose = {{ theta = "0.4 rad", phi = "{phi}", yaw = "{yaw} rad", pitch = "{pitch} rad", roll = "{roll} rad" }}
ranges = {{ theta = ["0.2 rad", "0.6 rad"] }}
rates = {{ theta = "5 rad/s" }}
"""


def dependent(phi: str, yaw: float, pitch: float, roll: float) -> np.ndarray:
    text = LINKED.format(phi=phi, yaw=yaw, pitch=pitch, roll=roll)
    position = program_of_mechanism(parse_mechanism(text, "linked"), "float64").function("position")
    result = interpret(position, np.array([[0.4]]))
    names = [output.signal.name for output in position.outputs]
    assert result.status[0] == 0
    return np.array([result.outputs[0, names.index(f"phi.{part}")] for part in ("sin", "cos")])


@pytest.mark.parametrize("phi", ATTITUDES)
def test_both_spellings_pick_the_same_assembly(phi: str) -> None:
    """Yaw and roll half a turn on, pitch mirrored at the quarter turn: the same attitude."""
    yaw, pitch, roll = ATTITUDES[phi]
    plain = dependent(phi, yaw, pitch, roll)
    other = dependent(phi, yaw + pi, pi - pitch, roll - pi)
    assert plain == pytest.approx([sin(RIGHT[phi]), cos(RIGHT[phi])], abs=1e-5)
    assert other == pytest.approx(plain, abs=1e-12)


EULER = ("yaw", "pitch", "roll")
BALL = """[joints.ball]
type = "spherical"
parent = "crank.tip"
child = "rod.tip"
coordinates = ["yaw", "pitch", "roll"]

[joints.rod]
type = "universal"
parent = "follower.tip"
child = "rod"
closes = true

"""


def by_the_ball(triple: tuple[float, float, float]) -> dict[str, OperationSequence]:
    """The spatial four-bar whose rod is placed by the three angles of its ball, which are given and asked for."""
    text = model_path("spatial_four_bar").read_text()
    text = text[: text.index("[joints.rod]")] + BALL + text[text.index("[coordinates]") :]
    pose = ", ".join(f'{name} = "{value} rad"' for name, value in zip(EULER, triple, strict=True))
    text = text.replace('beta3 = "0.6 rad", beta4 = "0.2 rad"', pose).replace('branches = { beta2 = "upright" }\n', "")
    asked = [f'{word}_{name} = "{name}{end}"\n' for name in EULER for word, end in (("angle", ""), ("rate", ".rate"))]
    text += "[outputs]\n" + "".join(asked)
    solved = solved_mechanism(parse_mechanism(text, "ball"))
    written = (functions.position, functions.velocity)
    return {write.__name__: write(solved, "float64", contract=True) for write in written}


def angles(function: OperationSequence, row: list[float], word: str = "angle") -> np.ndarray:
    """Outputs of the three angles, or of their rates."""
    result = interpret(function, np.array([row]))
    assert result.status[0] == 0
    names = [output.signal.name for output in function.outputs]
    return np.array([result.outputs[0, names.index(f"{word}_{name}")] for name in EULER])


def test_the_angles_are_those_of_the_pose() -> None:
    """An attitude has two triples, (a, b, c) and (a + pi, pi - b, c + pi): the file's is exported and moves on."""
    near = by_the_ball((0.206, -0.508, -1.578))
    principal = angles(near["position"], [0.5])
    other = (principal[0] + pi, pi - principal[1], principal[2] + pi)
    far = by_the_ball(other)
    assert np.abs(np.remainder(angles(far["position"], [0.5]) - other + pi, 2 * pi) - pi).max() < 1e-12
    for angle in (0.2, 0.5, 0.9):
        rates = angles(near["velocity"], [angle, 1.0], "rate")
        turned = angles(far["velocity"], [angle, 1.0], "rate")
        assert turned == pytest.approx(rates * [1, -1, 1], abs=1e-12)
        ends = [angles(far["position"], [angle + side]) for side in (1e-5, -1e-5)]
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(turned, abs=1e-8)
