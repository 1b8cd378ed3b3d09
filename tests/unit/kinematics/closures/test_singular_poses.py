"""A pose that is singular by symmetry is told as such, once, with a pose beside it that is not.

A plate on three legs of variable length, upright over its middle: wherever it stands so, the lines of the legs meet in
one point, so that the lengths do not tell its turn. Right values: lengths and
their derivatives in closed form, from the plate's place alone.
"""

import re

import numpy as np
import pytest

from exporter.errors import ModelError, NoForm, SingularPose
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.proposals import with_proposal
from exporter.sequence.interpreter import interpret

Array = np.ndarray
FEET = np.array([[-2.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
TOPS = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 0.2]])
LEG = """[joints.a{k}]
type = "revolute"
parent = "ground.O{k}"
child = "barrel{k}"
[joints.l{k}]
type = "prismatic"
parent = "barrel{k}"
child = "rod{k}"
[joints.c{k}]
type = "revolute"
parent = "rod{k}"
child = "plate.P{k}"
closes = true
[bodies.barrel{k}]
[bodies.rod{k}]
"""
HEAD = """schema = 1
[mechanism]
name = "plate"
[ground]
points = { O1 = ["-2 m", "0", "0"], O2 = ["2 m", "0", "0"], O3 = ["0", "0", "0"] }
[bodies.plate]
points = { P1 = ["-1 m", "0", "0"], P2 = ["1 m", "0", "0"], P3 = ["0", "0.2 m", "0"] }
[bodies.carriage]
[bodies.lift]
[joints.x]
type = "prismatic"
parent = "ground"
child = "carriage"
[joints.y]
type = "prismatic"
axis = "y"
parent = "carriage"
child = "lift"
[joints.turn]
type = "revolute"
parent = "lift"
child = "plate"
"""
QUANTITY = re.compile(r'(\w+) = "(\S+) \S+"')


def legs(place: Array) -> tuple[Array, Array]:
    """Lengths of the legs, and directions of these, (3, 2), with the plate at x, y, turn."""
    x, y, turn = place
    points = TOPS @ [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]] + [x, y]
    spans = points - FEET
    return np.hypot(*spans.T), np.arctan2(*spans.T[::-1])


def drive(place: Array) -> float:
    """Determinant of the lengths' derivatives by x, y, turn: 0 where they do not tell the place."""
    step = 1e-6
    columns = [(legs(place + step * way)[0] - legs(place - step * way)[0]) / (2 * step) for way in np.eye(3)]
    return float(np.linalg.det(np.array(columns)))


def plate(place: tuple[float, float, float], wrong: float, tight: float = 0.3) -> str:
    """The file, its pose at a place, with lengths that are wrong by so many m."""
    lengths, directions = legs(np.array(place))
    own = dict(zip(("x", "y", "turn"), place, strict=True))
    pose = [f'{name} = "{value:.12g} {"rad" if name == "turn" else "m"}"' for name, value in own.items()]
    for k, (length, direction) in enumerate(zip(lengths + wrong, directions, strict=True), 1):
        pose += [f'l{k} = "{length:.12g} m"', f'a{k} = "{direction:.12g} rad"']
    ranges = [f'l{k} = ["{length - tight:.12g} m", "{length + tight:.12g} m"]' for k, length in enumerate(lengths, 1)]
    return f"""{HEAD}{"".join(LEG.format(k=k) for k in (1, 2, 3))}[coordinates]
independent = ["l1", "l2", "l3"]
pose = {{ {", ".join(pose)} }}
ranges = {{ {", ".join(ranges)} }}
rates = {{ l1 = "1 m/s", l2 = "1 m/s", l3 = "1 m/s" }}
"""


def proposed(sentence: str) -> dict[str, float]:
    """The pose that a refusal writes out."""
    found = re.search(r"pose = \{ (.*?) \}", sentence)
    assert found is not None, sentence
    return {name: float(value) for name, value in QUANTITY.findall(found[1])}


def followed(text: str, sentence: str) -> str:
    """The file with the pose of the refusal."""
    line = re.search(r"pose = \{ .*? \}", sentence)
    assert line is not None
    return re.sub(r"^pose = .*$", line[0], text, flags=re.MULTILINE)


@pytest.mark.parametrize(("wrong", "refusal"), [(0.0, NoForm), (-0.01, SingularPose)])
def test_a_pose_singular_by_symmetry_is_named(wrong: float, refusal: type[ModelError]) -> None:
    """As drawn, and with lengths that are 10 mm too short: in either case the pose that closes is singular."""
    with pytest.raises(refusal) as caught:
        solved_mechanism(parse_mechanism(plate((0.0, 1.5, 0.0), wrong), "plate"))
    sentence = str(caught.value)
    assert "singular" in sentence
    assert "turn" in sentence.split(" can move there", maxsplit=1)[0]
    beside = proposed(sentence)
    place = np.array([beside[name] for name in ("x", "y", "turn")])
    np.testing.assert_allclose([beside[f"l{k}"] for k in (1, 2, 3)], legs(place)[0], atol=2e-5)
    assert abs(drive(np.array([0.0, 1.5, 0.0]))) < 1e-8
    assert abs(drive(place)) > 0.01


def test_the_pose_that_is_proposed_is_followed_to_an_export() -> None:
    text = plate((0.0, 1.5, 0.0), -0.01)
    with pytest.raises(SingularPose) as caught:
        solved_mechanism(parse_mechanism(text, "plate"))
    beside = proposed(str(caught.value))
    ranges = ", ".join(f'l{k} = ["{beside[f"l{k}"] - 1e-4} m", "{beside[f"l{k}"] + 1e-4} m"]' for k in (1, 2, 3))
    text = re.sub(r"^ranges = .*$", f"ranges = {{ {ranges} }}", followed(text, str(caught.value)), flags=re.MULTILINE)
    sequence = functions.position(solved_mechanism(parse_mechanism(text, "plate")), "float64", contract=True)
    found = interpret(sequence, np.array([[beside[f"l{k}"] for k in (1, 2, 3)]]))
    assert not found.status.any()
    names = [output.signal.name for output in sequence.outputs]
    row = found.outputs[0]
    turn = np.arctan2(row[names.index("turn.sin")], row[names.index("turn.cos")])
    place = np.array([row[names.index("x")], row[names.index("y")], turn])
    np.testing.assert_allclose(legs(place)[0], [beside[f"l{k}"] for k in (1, 2, 3)], atol=1e-12)


def test_other_coordinates_are_proposed_from_there() -> None:
    """The plate's own are not of one joint; some of them and lengths give a form."""
    mechanism = parse_mechanism(plate((0.0, 1.5, 0.0), -0.01), "plate")
    exports = r"from that pose, driven by .* it exports: --independent "
    with pytest.raises(SingularPose, match=exports), with_proposal(mechanism, "float64"):
        solved_mechanism(mechanism)


def test_a_pose_that_lies_out_of_reach_is_not_called_singular() -> None:
    """Both outer legs are 0.8 m, the gap that they and 2 m of plate must cross is 4 m; where all close they drive."""
    text = plate((0.3, 1.5, 0.2), 0.0)
    for k in (1, 2, 3):
        text = re.sub(rf'l{k} = "\S+ m"', f'l{k} = "0.8 m"', text)
        text = re.sub(rf'l{k} = \["\S+ m"', f'l{k} = ["0.5 m"', text)
    with pytest.raises(ModelError, match="they close at l1") as caught:
        solved_mechanism(parse_mechanism(text, "plate"))
    assert "singular" not in str(caught.value)
