"""A body that one closing weld holds needs no block: its free coordinates follow from the body that it is welded to."""

import numpy as np
import pytest

from exporter.functions.program import program_of_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret

WELDED = """
schema = 1
[mechanism]
name = "welded"
[bodies.arm]
points = {{ end = ["0.1 m", "0", "0"] }}
[bodies.held]
[joints.q]
type = "revolute"
axis = ["0.2", "0.9", "0.3"]
parent = "ground"
child = "arm"
[joints.s]
type = "{joint}"
parent = "ground"
child = "held"
coordinates = {coordinates}
[joints.weld]
type = "fixed"
parent = "{parent}"
child = "held"
closes = true
[outputs]
{outputs}
[coordinates]
independent = ["q"]
pose = {{ q = "0 deg" }}
ranges = {{ q = ["-0.3 rad", "0.3 rad"] }}
rates = {{ q = "5 rad/s" }}
"""
ANGLES, PLACES = ["yaw", "pitch", "roll"], ["x", "y", "z"]


def turned(angle: float) -> np.ndarray:
    """Rodrigues' formula about (0.2, 0.9, 0.3), (3, 3)."""
    axis = np.array([0.2, 0.9, 0.3]) / np.linalg.norm([0.2, 0.9, 0.3])
    cross = np.cross(axis, np.eye(3)).T
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)


@pytest.mark.parametrize("joint", ["spherical", "free"])
def test_coordinates_of_a_welded_body_are_those_of_the_arm(joint: str) -> None:
    """Attitude and place of the arm's end by Rodrigues' formula; 3-2-1 angles of its matrix."""
    names = ANGLES if joint == "spherical" else [*PLACES, *ANGLES]
    text = WELDED.format(
        joint=joint,
        coordinates=names,
        parent="arm" if joint == "spherical" else "arm.end",
        outputs="\n".join(f'o_{name} = "{name}"' for name in names),
    )
    program = program_of_mechanism(parse_mechanism(text, "welded"), "float64", only=["position"])
    sequence = program.functions[0]
    columns = {output.signal.name.removeprefix("o_"): k for k, output in enumerate(sequence.outputs)}
    rows = np.array([[-0.28], [0.1], [0.25]])
    result = interpret(sequence, rows)
    assert not result.status.any()
    for row, (q,) in zip(result.outputs, rows, strict=True):
        matrix = turned(q)
        right = {
            "yaw": np.arctan2(matrix[1, 0], matrix[0, 0]),
            "pitch": -np.arcsin(matrix[2, 0]),
            "roll": np.arctan2(matrix[2, 1], matrix[2, 2]),
        } | dict(zip(PLACES, matrix @ [0.1, 0, 0], strict=True))
        for name in names:
            assert row[columns[name]] == pytest.approx(right[name], abs=1e-14)
