"""What is said of tunable parameters holds over their ranges: formulas have values, degrees are those of any values."""

import numpy as np
import pytest
from arm_model import ARM, arm_acceleration

from exporter.errors import ModelError
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.degrees.planar_degree import joined_loops
from exporter.model.complete import with_tunable
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.status import BITS

OUT_OF_WORKSPACE = 1 << BITS["OUT_OF_WORKSPACE"][0]
TEXT = (
    ARM
    + """value = "torque*sqrt(u)"
[parameters]
a = { value = "2 m", range = ["1 m", "2 m"] }
b = { value = "0.5 m", range = ["0.4 m", "B"] }
full = { value = "2 kg", frozen = true }
used = { value = "1 kg", range = ["0.5 kg", "USED"] }
torque = { value = "3 N*m", frozen = true }
[inputs]
u = { range = ["-1", "1"] }
[bodies.arm]
mass = "full - used"
center_of_mass = ["sqrt(a^2 - b^2)", "0", "0"]
points = { tip = ["sqrt(a^2 - b^2)", "0", "0"] }
[outputs]
tip = "arm.tip"
"""
)


def mechanism(b: str = "0.9 m", used: str = "1.5 kg") -> Mechanism:
    """Largest b, and largest used mass."""
    return parse_mechanism(TEXT.replace("B", b).replace("USED", used), "text")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"b": "2.5 m"},
            r"bodies\.arm\.center_of_mass\[0\]: the square root of -2.25 is asked for, at a = 2 m, b = 2.5",
        ),
        ({"used": "2.5 kg"}, r"bodies\.arm\.mass: -0.5 kg is not above zero at a = 2 m, b = 0.5 m, used = 2.5 kg"),
    ],
)
def test_a_formula_without_a_value_at_an_end_is_refused(changes: dict[str, str], sentence: str) -> None:
    """Nominal values are fine; the sentence names the formula and the values."""
    with pytest.raises(ModelError, match=sentence):
        mechanism(**changes)


@pytest.mark.parametrize(("b", "flagged"), [(1.05, True), (0.9, False)])
def test_a_root_that_is_negative_in_a_corner_is_flagged(b: float, flagged: bool) -> None:
    """The root of a^2 - b^2, negative only where a is smallest and b largest at once: recalibrate tells it."""
    program = program_of_mechanism(mechanism(b="1.05 m"), "float64")
    assert program.recalibrate is not None
    values = {"a": 1.0, "b": b, "used": 1.0}
    row = np.array([[values[signal.name] for signal in program.recalibrate.inputs]])
    assert bool(int(interpret(program.recalibrate, row).status[0]) & OUT_OF_WORKSPACE) is flagged


@pytest.mark.parametrize(("u", "flagged"), [(-0.25, True), (0.25, False)])
def test_a_root_of_an_input_is_flagged(u: float, flagged: bool) -> None:
    """A load takes the root of an input; where there is one, a point mass accelerates by torque / (m r^2)."""
    acceleration, status = arm_acceleration(mechanism(), {"u": u})
    assert bool(status & OUT_OF_WORKSPACE) is flagged
    expected = 0.0 if flagged else 3 * 0.5 / (1.0 * 3.75)
    assert acceleration == pytest.approx(expected, abs=1e-12)


PLATE = """
schema = 1
[mechanism]
name = "plate"
[parameters]
w = { value = "0.4 m", range = ["0.3 m", "0.5 m"] }
e = { value = "0 m", range = ["-0.1 m", "0.1 m"], signed = true }
[ground]
points = { b = ["1 m", "0", "0"], c = ["0.5 m", "0.8 m", "0"] }
[bodies.a1]
points = { t = ["0.5 m", "0", "0"] }
[bodies.a2]
points = { t = ["0.5 m", "0", "0"] }
[bodies.a3]
points = { t = ["0.5 m", "0", "0"] }
[bodies.plate]
points = { b = ["w", "0", "0"], c = ["e", "e", "0"] }
[bodies.drive]
points = { t = ["0.1 m", "0", "0"] }
[joints]
q1 = { type = "revolute", parent = "ground", child = "drive" }
p1 = { type = "revolute", parent = "drive.t", child = "a1" }
p = { type = "revolute", parent = "a1.t", child = "plate" }
p2 = { type = "revolute", parent = "ground.b", child = "a2" }
p3 = { type = "revolute", parent = "ground.c", child = "a3" }
k2 = { type = "revolute", parent = "a2.t", child = "plate.b", closes = true }
k3 = { type = "revolute", parent = "a3.t", child = "plate.c", closes = true }
[coordinates]
independent = ["q1"]
pose = { q1 = "0" }
ranges = { q1 = ["-1 rad", "1 rad"] }
rates = { q1 = "1 rad/s" }
"""


def test_a_degree_is_that_of_any_tunable_values() -> None:
    """A plate on three legs has six assemblies, a coupler curve with a circle; where two pins meet, two times two."""
    tunable = parse_mechanism(PLATE, "text")
    assert [system.degree for system in joined_loops(tunable)] == [6]
    assert [system.degree for system in joined_loops(with_tunable(tunable, []))] == [4]
