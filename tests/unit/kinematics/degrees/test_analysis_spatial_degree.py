"""Numbers of assemblies of spatial mechanisms, at a random specialisation modulo a prime. Oracle: published degrees.

A body on six legs of constant length: 40 (Ronga and Vust 1995, Wampler 1996). Double wishbone by the height of the
wheel, by the carrier's first angle, by the lower arm: 32, 24, 4; five links by the height: 40, computed independently.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from exporter.kinematics.degrees.rings import ring_of
from exporter.kinematics.degrees.solutions_modulo import solutions_in
from exporter.kinematics.degrees.spatial_degree import joined_bodies
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"

# model, independent coordinates -> degrees of its systems; a leg with a universal joint has two ways to reach its ball
DEGREES = {
    ("wishbone_absolute", "z,rack"): [32, 1, 1, 2],
    ("double_wishbone_front", "yaw,rack"): [24, 1, 2],
    ("double_wishbone_front", "lower,rack"): [2, 2, 2],
    ("rssr", "yaw"): [8],
    ("rotary_delta", "q1,q2,q3"): [2, 2, 2, 2],
}


def by(name: str, independent: str) -> Mechanism:
    path = DATA / f"{name}.toml"
    mechanism = read_mechanism(path if path.exists() else model_path(name))
    return replace(mechanism, independent=tuple(independent.split(",")))


@pytest.mark.parametrize(("name", "independent"), DEGREES, ids=str)
def test_degrees(name: str, independent: str) -> None:
    """Degree of each set of blocks that must be solved together, in solve order."""
    assert [system.degree for system in joined_bodies(by(name, independent))] == DEGREES[name, independent]


def test_too_large_a_count_is_said() -> None:
    """With room for 100 monomials the double wishbone by the height of its wheel is not counted."""
    assert joined_bodies(by("wishbone_absolute", "z,rack"), largest=100)[0].degree is None


@pytest.mark.slow
@pytest.mark.parametrize("independent", ["z"])
def test_five_link_by_its_height(independent: str) -> None:
    """Forty, counted at the printed hardpoints."""
    assert joined_bodies(by("five_link", independent))[0].degree == 40


@pytest.mark.slow
def test_six_legs() -> None:
    """Forty assemblies of a platform whose joints lie nowhere special."""
    base = [(0, 0, 0), (5, 1, 2), (9, 4, 1), (7, 8, 3), (2, 9, 5), (-3, 4, 1)]
    top = [(1, 0, 1), (3, 1, 0), (4, 3, 2), (3, 5, 1), (0, 4, 2), (-1, 2, 1)]
    points = [
        ", ".join(f'p{k} = ["{x} m", "{y} m", "{z} m"]' for k, (x, y, z) in enumerate(each)) for each in (base, top)
    ]
    legs = "".join(
        f'[bodies.leg{k}]\npoints = {{ tip = ["0", "0", "{10 + k} m"] }}\n\n'
        f'[joints.foot{k}]\ntype = "universal"\nparent = "ground.p{k}"\nchild = "leg{k}"\n'
        f'coordinates = ["a{k}", "b{k}"]\n\n'
        f'[joints.head{k}]\ntype = "spherical"\nparent = "leg{k}.tip"\nchild = "platform.p{k}"\ncloses = true\n\n'
        for k in range(6)
    )
    text = (
        'schema = 1\n[mechanism]\nname = "six_legs"\n'
        f"[ground]\npoints = {{ {points[0]} }}\n[bodies.platform]\npoints = {{ {points[1]} }}\n"
        '[joints.pose]\ntype = "free"\nparent = "ground"\nchild = "platform"\n'
        f'coordinates = ["x", "y", "z", "phi", "theta", "psi"]\n{legs}'
        '[coordinates]\nindependent = ["x"]\npose = { x = "0" }\nranges = { x = ["-1 m", "1 m"] }\n'
        'rates = { x = "1 m/s" }\n'
    )
    mechanism = replace(parse_mechanism(text, "six legs"), independent=())
    assert joined_bodies(mechanism, largest=2500)[0].degree == 40


def test_rotations_with_a_common_point() -> None:
    """Two directions of a body in two planes through a point that it turns about, a third of its own: 8 rotations."""
    ring = ring_of([("rotation", 1)])
    first = {(2, 0, 0, 0): 3, (0, 1, 1, 0): 5, (0, 0, 0, 0): 7}
    second = {(0, 2, 0, 0): 2, (1, 0, 0, 1): 11, (0, 0, 0, 0): 13}
    third = {(0, 0, 1, 1): 17, (1, 1, 0, 0): 19, (0, 0, 0, 0): 23}
    assert solutions_in(ring, [first, second, third]) == 8


@pytest.mark.parametrize("angles", ["yaw,roll", "pitch,roll", "yaw,pitch"])
def test_two_known_euler_angles(angles: str) -> None:
    """A ball on an arm meets a circle, one angle and the arm's unknown: a plane and a sphere, each linear in the arm's.

    The resultant has eight half tangents of the angle. At four of them the arm's coefficients vanish together, where
    the ball is seen from the hinge along an isotropic direction: no pose.
    """
    (first, *_) = joined_bodies(by("double_wishbone_front", angles))
    assert first.degree == 4
