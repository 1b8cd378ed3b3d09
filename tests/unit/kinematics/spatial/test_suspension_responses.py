"""What the suspensions of the library do over the wheel's travel: oracle is geometry written out in numpy.

The thesis shows these responses as curves without a table (Figs. 5.2 and 5.6): their properties that its text states
are tested, and the numbers against independent circle and sphere intersections.
"""

from pathlib import Path

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret

ROOT = Path(__file__).resolve().parents[4]
Array = np.ndarray
AXLE = np.array([0.0, 1.0, 0.0])


def positions(model: str, rows: Array) -> dict[str, Array]:
    sequence = functions.position(solved_mechanism(read_mechanism(model_path(model))), "float64", contract=True)
    result = interpret(sequence, rows)
    assert not result.status.any()
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


def turn(axis: Array, angle: float) -> Array:
    n = axis / np.linalg.norm(axis)
    cross = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


@pytest.fixture(scope="module")
def front() -> dict[str, Array]:
    """Over the lower arm's range, the rack in the middle."""
    return positions("double_wishbone_front", np.array([[angle, 0.0] for angle in np.linspace(-0.4, 0.4, 41)]))


def three_spheres(centers: Array, radii: Array, near: Array) -> Array:
    """The point at these distances from three centres, on the side of `near`."""
    first = centers[1] - centers[0]
    x = first / np.linalg.norm(first)
    second = centers[2] - centers[0]
    z = np.cross(first, second) / np.linalg.norm(np.cross(first, second))
    y = np.cross(z, x)
    d, i, j = np.linalg.norm(first), second @ x, second @ y
    p = (radii[0] ** 2 - radii[1] ** 2 + d**2) / (2 * d)
    q = (radii[0] ** 2 - radii[2] ** 2 + i**2 + j**2) / (2 * j) - i / j * p
    height = np.sqrt(radii[0] ** 2 - p**2 - q**2)
    middle = centers[0] + p * x + q * y
    return min((middle + sign * height * z for sign in (1, -1)), key=lambda point: float(np.linalg.norm(point - near)))


def test_double_wishbone_toe_camber_caster_and_inclination(front: dict[str, Array]) -> None:
    """From Table A.6: upper ball by spheres about D, B, C, tie-rod end by spheres about D, A, J; within 1e-12 rad."""
    A, B, C = (np.array(p) / 1000 for p in ([-18.3, 540.7, 428.5], [-86.9, 360.0, 412.6], [52.2, 360.0, 428.5]))
    D, E, F = (np.array(p) / 1000 for p in ([17.3, 615.5, 159.5], [-79.3, 352.0, 191.6], [119.0, 352.0, 165.9]))
    I, J = (np.array(p) / 1000 for p in ([149.9, 579.0, 290.0], [40.0, 303.3, 298.5]))  # noqa: E741
    size = np.linalg.norm
    design = np.stack([A - D, I - D, np.cross(A - D, I - D)], axis=1)
    upper, tie = A, I
    for sense in (1, -1):  # continued from the design pose both ways
        upper, tie = A, I
        for k in range(20, 41) if sense == 1 else range(20, -1, -1):
            lower = E + turn(F - E, -0.4 + 0.02 * k) @ (D - E)
            upper = three_spheres(np.array([lower, B, C]), np.array([size(A - D), size(A - B), size(A - C)]), upper)
            tie = three_spheres(np.array([lower, upper, J]), np.array([size(I - D), size(I - A), size(I - J)]), tie)
            now = np.stack([upper - lower, tie - lower, np.cross(upper - lower, tie - lower)], axis=1)
            axle, kingpin = now @ np.linalg.inv(design) @ AXLE, upper - lower
            expected = {
                "toe": np.arctan(axle[0] / axle[1]),
                "camber": np.arcsin(-axle[2]),
                "caster": np.arctan(-kingpin[0] / kingpin[2]),
                "inclination": np.arctan(-kingpin[1] / kingpin[2]),
            }
            for name, value in expected.items():
                assert front[name][k] == pytest.approx(value, abs=1e-12), (name, k)


def test_double_wishbone_ball_angles_tell_the_height_as_the_thesis_says(front: dict[str, Array]) -> None:
    """Section 5.2: xi and the wheel's height are one-to-one; eta is not; zeta is flattest near z = -100 mm."""
    height = front["wheel.z"]
    assert (np.diff(height) > 0).all()
    assert (np.diff(front["xi"]) < 0).all()
    assert len(set(np.sign(np.diff(front["eta"])))) == 2
    slope = np.abs(np.diff(front["zeta"]) / np.diff(height))
    assert height[np.argmin(slope)] - 0.2905 < -0.095


@pytest.fixture(scope="module")
def rear() -> dict[str, Array]:
    """The five links over 100 mm down and up."""
    return positions("five_link", np.linspace(-0.1, 0.1, 21)[:, None])


def test_five_link_angles_are_those_of_the_carrier_s_matrix(rear: dict[str, Array]) -> None:
    """Fig. 5.2 over 100 mm up and down: toe, camber and caster from x, y, z and the 3-2-1 angles, within 1e-14 rad."""
    for k in range(21):
        phi, theta, psi = (rear[name][k] for name in ("phi", "theta", "psi"))
        matrix = turn(np.array([0, 0, 1.0]), phi) @ turn(AXLE, theta) @ turn(np.array([1.0, 0, 0]), psi)
        axle, upright = matrix[:, 1], matrix[:, 2]
        assert rear["toe"][k] == pytest.approx(np.arctan(axle[0] / axle[1]), abs=1e-14)
        assert rear["camber"][k] == pytest.approx(np.arcsin(-axle[2]), abs=1e-14)
        assert rear["caster"][k] == pytest.approx(np.arctan(-upright[0] / upright[2]), abs=1e-14)


def test_five_link_is_stiff_in_toe_and_leans_inwards_when_the_wheel_goes_up(rear: dict[str, Array]) -> None:
    """As a rear suspension is built: toe within 0.2 degrees, camber from above +1 to below -3 degrees, monotone."""
    assert np.abs(np.degrees(rear["toe"])).max() < 0.2
    assert (np.diff(rear["camber"]) < 0).all()
    assert np.degrees(rear["camber"][0]) > 1
    assert np.degrees(rear["camber"][-1]) < -3


def test_table_of_the_page(rear: dict[str, Array]) -> None:
    """docs/suspensions.md prints what the five links do, rounded to its digits."""
    table = (ROOT / "docs" / "suspensions.md").read_text(encoding="utf-8").split("<!-- table: five_link -->\n")[1]
    rows = [[float(cell) for cell in line.strip("| ").split("|")] for line in table.split("\n\n")[0].splitlines()[2:]]
    assert [row[0] for row in rows] == [-100, -50, 0, 50, 100]
    for k, row in zip(range(0, 21, 5), rows, strict=True):
        made = [1000 * rear[name][k] for name in "xy"] + [np.degrees(rear[n][k]) for n in ("toe", "camber", "caster")]
        np.testing.assert_allclose(row[1:3], made[:2], atol=0.0051)
        np.testing.assert_allclose(row[3:], made[2:], atol=0.00051)
