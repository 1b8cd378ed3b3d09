"""Numbers of assemblies: known degrees of linkages, and Newton from many starts on the original closures."""

import math
from dataclasses import replace

import numpy as np
import pytest

from exporter.kinematics.analysis.real_assemblies import real_assemblies
from exporter.kinematics.degrees.linear_elimination import PRIME, Polynomial
from exporter.kinematics.degrees.planar_degree import joined_loops
from exporter.kinematics.degrees.solutions_modulo import number_of_solutions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from sil.reference.closures import closures_of
from sil.reference.motion import configuration
from sil.reference.skeleton import skeleton_of

# mechanism, independent coordinates -> degrees of what is solved together. Six-bar and landing gear: known from a
# prototype (tables of the thesis give the sextics); 3-RRR: at most six assemblies (Merlet); single loops: two.
KNOWN = {
    ("stephenson_iii", "theta1"): (2, 2),
    ("stephenson_iii", "beta1"): (6,),
    ("landing_gear", "theta_A"): (2, 2),
    ("landing_gear", "p"): (6,),
    ("parallel_robot", "x,y,theta"): (2, 2, 2),
    ("parallel_robot", "theta1,theta2,theta3"): (6,),
    ("slider_crank", "s"): (2,),
    ("four_bar", "alpha3"): (2,),
}


def library(name: str, independent: str) -> Mechanism:
    return replace(read_mechanism(model_path(name)), independent=tuple(independent.split(",")))


@pytest.mark.parametrize(("name", "independent"), KNOWN, ids=str)
def test_degrees_of_known_linkages(name: str, independent: str) -> None:
    """Complex solutions of every system, at a random specialisation modulo a prime."""
    systems = joined_loops(library(name, independent))
    assert tuple(system.degree for system in systems) == KNOWN[name, independent]


def circle(x: int, y: int, radius_squared: int) -> Polynomial:
    """(X - x)^2 + (Y - y)^2 = r^2."""
    constant = x * x + y * y - radius_squared
    return {(2, 0): 1, (0, 2): 1, (1, 0): -2 * x % PRIME, (0, 1): -2 * y % PRIME, (0, 0): constant % PRIME}


def test_solutions_of_small_systems() -> None:
    """Counts by Bezout: two circles meet twice, two conics four times, a circle and a cubic six times."""
    ellipse = {(2, 0): 2, (0, 2): 3, (1, 1): 5, (0, 0): PRIME - 7}
    cubic = {(3, 0): 1, (1, 2): 4, (0, 1): 2, (0, 0): 9}
    assert number_of_solutions([circle(0, 0, 5), circle(3, 1, 7)], 2) == 2
    assert number_of_solutions([circle(1, 2, 5), ellipse], 2) == 4
    assert number_of_solutions([circle(1, 2, 5), cubic], 2) == 6


def test_no_solutions_and_infinitely_many() -> None:
    """Concentric circles never meet; one circle alone has no finite number of points."""
    assert number_of_solutions([circle(0, 0, 5), circle(0, 0, 7)], 2) == 0
    assert number_of_solutions([circle(0, 0, 5)], 2) is None


def newton_from_everywhere(mechanism: Mechanism, starts: int) -> int:
    """How many assemblies there are at the design values, by Gauss-Newton from random starts."""
    closures = closures_of(skeleton_of(mechanism))
    names, fixed = mechanism.coordinates(), list(mechanism.independent)
    free = [k for k, name in enumerate(names) if name not in fixed]
    angles = [k for k in free if closures.skeleton.angles[k]]
    generator = np.random.Generator(np.random.Philox(3))
    rows = generator.uniform(-math.pi, math.pi, (starts, len(names)))
    for k in set(range(len(names))) - set(angles):
        rows[:, k] = generator.uniform(-3, 3, starts)
    for name in fixed:
        rows[:, names.index(name)] = float(mechanism.pose[name])
    for _ in range(40):
        residual, jacobian = closures.residual_and_jacobian(configuration(rows))
        reduced = jacobian[:, :, free]
        square = np.einsum("nki,nkj->nij", reduced, reduced) + 1e-13 * np.eye(len(free))
        step = -np.linalg.solve(square, np.einsum("nki,nk->ni", reduced, residual)[..., None])[..., 0]
        rows[:, free] += step * np.minimum(1, 0.5 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 0.5))
    done = np.abs(closures.residual(configuration(rows))).max(axis=1) < 1e-10
    seen = [np.exp(1j * rows[done, k]) if k in angles else rows[done, k] for k in free]
    distinct: list[np.ndarray] = []
    for each in np.stack(seen, axis=-1):
        if all(np.abs(each - other).max() > 1e-4 for other in distinct):
            distinct.append(each)
    return len(distinct)


@pytest.mark.parametrize("name", ["slider_crank", "stephenson_iii", "landing_gear", "parallel_robot"])
def test_real_assemblies_are_those_that_newton_finds(name: str) -> None:
    """As many sign combinations are real at the design pose as Newton finds from random starts."""
    mechanism = read_mechanism(model_path(name))
    found = real_assemblies(solved_mechanism(mechanism))
    assert found is not None
    assert len(found) == newton_from_everywhere(mechanism, 150)


@pytest.mark.parametrize(
    ("name", "independent"), [("stephenson_iii", "beta1"), ("parallel_robot", "theta1,theta2,theta3")]
)
def test_real_assemblies_never_exceed_the_degree(name: str, independent: str) -> None:
    """Loops that are solved together have at most as many real assemblies as complex ones; the others come in pairs."""
    own = read_mechanism(model_path(name))
    row = solved_design(own)
    names = tuple(independent.split(","))
    driven = replace(own, independent=names, pose={**own.pose, **{n: row[n] for n in names}})
    count = newton_from_everywhere(driven, 150)
    (system,) = joined_loops(driven)
    assert system.degree is not None
    assert 1 <= count <= system.degree
    assert (system.degree - count) % 2 == 0


def solved_design(mechanism: Mechanism) -> dict[str, float]:
    """All coordinates at the design pose by the reference."""
    from sil.reference.mechanism import reference_of

    reference = reference_of(mechanism)
    return dict(zip(reference.coordinates, reference.design.tolist(), strict=True))
