"""Lines whose ends coincide: at nominal parameters alone, in some poses, or always. Only the last are refused."""

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions.program import check_outputs, program_of_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.status import BITS

APART_BY_A_PARAMETER = """schema = 1
[mechanism]
name = "offset"
[parameters]
e = { value = "0 m", range = ["-10 mm", "10 mm"], signed = true }
[bodies.one]
points = { tip = ["0.3 m", "0 m", "0 m"] }
[bodies.other]
points = { tip = ["e", "0 m", "0 m"] }
[joints.a]
type = "revolute"
parent = "ground"
child = "one"
[joints.b]
type = "revolute"
parent = "one.tip"
child = "other"
[coordinates]
independent = ["a", "b"]
pose = { a = "0.4 rad", b = "0.3 rad" }
ranges = { a = ["-1 rad", "1 rad"], b = ["-1 rad", "1 rad"] }
rates = { a = "1 rad/s", b = "1 rad/s" }
[outputs]
rise = { line = ["one.tip", "other.tip"], from = "x", to = "y" }
"""


def test_a_line_that_has_a_length_at_other_parameters_exports() -> None:
    """The line has the direction a + b of the second bar; at the nominal e = 0 it has none, and is flagged."""
    mechanism = parse_mechanism(APART_BY_A_PARAMETER, "offset")
    program = program_of_mechanism(mechanism, "float64", only=["position"])
    (sequence,) = program.functions
    names = [signal.name for signal in sequence.inputs]
    rows = np.array([[{"a": 0.4, "b": 0.3, "e": e}[name] for name in names] for e in (0.0, 0.008)])
    result = interpret(sequence, rows)
    rise = next(k for k, output in enumerate(sequence.outputs) if output.signal.name == "rise")
    assert (result.status & (1 << BITS["NEAR_SINGULAR"][0]) != 0).tolist() == [True, False]
    assert result.outputs[1, rise] == pytest.approx(0.7, abs=1e-12)


def test_a_line_that_has_no_length_at_any_parameter_is_refused() -> None:
    text = APART_BY_A_PARAMETER.replace('tip = ["e"', 'tip = ["0 m"').replace('tip = ["0.3 m"', 'tip = ["2 * e"')
    with pytest.raises(ModelError, match="the line of 'rise' has no length: joints hold"):
        program_of_mechanism(parse_mechanism(text, "offset"), "float64", only=["position"])


SLIDING = """schema = 1
[mechanism]
name = "sliding"
[ground]
points = { pivot = ["1 m", "0", "0"] }
[bodies.slider]
[bodies.rod]
points = { tip = ["0.5 m", "0", "0"] }
[bodies.rocker]
points = { tip = ["0.4 m", "0", "0"] }
[joints.s]
type = "prismatic"
axis = "x"
parent = "ground"
child = "slider"
[joints.a]
type = "revolute"
parent = "slider"
child = "rod"
[joints.b]
type = "revolute"
parent = "ground.pivot"
child = "rocker"
[joints.close]
type = "revolute"
parent = "rod.tip"
child = "rocker.tip"
closes = true
[coordinates]
independent = ["s"]
pose = { s = "0.36 m", a = "38.66 deg", b = "128.66 deg" }
ranges = { s = ["0.2 m", "100 m"] }
rates = { s = "1 m/s" }
[outputs]
rise = { line = ["rocker.MARK", "rod.MARK"], from = "x", to = "y" }
"""


@pytest.mark.parametrize("mark", ["tip", "mark"])
def test_a_line_is_judged_where_its_mechanism_closes(mark: str) -> None:
    """The slider reaches less than 1 m of its range of 100 m: a random place of the range says nothing.

    The marks lie in one point at s = 0.359688 m alone, where rod and rocker stand square; the tips always.
    """
    text = SLIDING.replace("MARK", mark)
    text = text.replace('tip = ["0.5 m", "0", "0"]', 'tip = ["0.5 m", "0", "0"], mark = ["0.5 m", "0.1 m", "0"]')
    text = text.replace('tip = ["0.4 m", "0", "0"]', 'tip = ["0.4 m", "0", "0"], mark = ["0.5 m", "0", "0"]')
    mechanism = parse_mechanism(text.replace('"0.36 m"', '"0.359687576256715 m"'), "sliding")
    if mark == "tip":
        with pytest.raises(ModelError, match="has no length"):
            check_outputs(mechanism)
    else:
        check_outputs(mechanism)
