"""Struts are accelerated as their bodies are, each with its own mass and moments.

A carriage on three slides holds the far end of a strut that hangs in a universal joint. The oracle is written here in
numpy: kinetic and potential energy of every body in the carriage's coordinates, mass matrix by exact polarisation of
the energy, its derivatives by central differences, Lagrange's equations. It shares no code with the exporter or `sil`.
"""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from exporter.dynamics.struts import FOLDED, struts_of
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.protocol.scope import Scope
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.status import BITS

Array = NDArray[np.float64]
ROWS = 12
GRAVITY = np.array([0.7, -1.2, -9.81])
CARRIAGE = 0.8  # kg
PIVOT, TIP = np.array([0.1, -0.2, 0.05]), np.array([0.02, 0.03, -0.04])
NEAR = {"mass": 0.5, "place": 0.2, "across": 0.011}
FAR = {"mass": 0.3, "place": -0.35, "across": 0.007}

GANTRY = """schema = 1
[mechanism]
name = "gantry"
gravity = ["0.7 m/s^2", "-1.2 m/s^2", "-9.81 m/s^2"]
[parameters]
mass = { value = "0.5 kg", range = ["0.1 kg", "2 kg"] }
[inputs]
F = { range = ["-10 N", "10 N"] }
[ground]
points = { pivot = ["0.1 m", "-0.2 m", "0.05 m"] }
[bodies.bridge]
[bodies.trolley]
[bodies.carriage]
mass = "0.8 kg"
points = { tip = ["0.02 m", "0.03 m", "-0.04 m"] }
[bodies.near]
mass = "mass"
center_of_mass = [<CENTRE1>]
inertia = { <INERTIA1> }
frames = { foot = { at = [<FOOT>], turns = <TURNS> } }
<POINTS>
[joints.x]
type = "prismatic"
axis = "x"
parent = "ground"
child = "bridge"
[joints.y]
type = "prismatic"
axis = "y"
parent = "bridge"
child = "trolley"
[joints.z]
type = "prismatic"
axis = "z"
parent = "trolley"
child = "carriage"
[joints.pivot]
type = "universal"
parent = "ground.pivot"
child = "near.foot"
coordinates = ["alpha", "beta"]
<REST>
[coordinates]
independent = [<INDEPENDENT>]
pose = { x = "0.3 m", y = "0.1 m", z = "0.9 m", <POSE> }
ranges = { x = ["0.1 m", "0.5 m"], y = ["-0.1 m", "0.3 m"] <RANGES> }
rates = { x = "1 m/s", y = "1 m/s" <RATES> }
"""
SLIDING = """[bodies.far]
mass = "0.3 kg"
center_of_mass = [<CENTRE2>]
inertia = { <INERTIA2> }
points = { mount = [<MOUNT>], end = [<END>] }
[joints.slide]
type = "prismatic"
axis = [<AXIS>]
parent = "near.rail"
child = "far.mount"
[joints.ball]
type = "spherical"
parent = "far.end"
child = "carriage.tip"
closes = true
[loads.F]
type = "coordinate"
on = "slide"
value = "F"
"""
RIGID = """[joints.ball]
type = "spherical"
parent = "carriage.tip"
child = "near.end"
closes = true
"""
AXES = {"z": ('[["z", "0"]]', 2), "x": ('[["y", "90 deg"]]', 0)}
"""How the foot is turned on a body whose line is this axis: the joint's z is along it."""


def on_axis(k: int, place: float) -> str:
    return ", ".join(f'"{place if i == k else 0} m"' for i in range(3))


def inertia(k: int, across: float, along: float) -> str:
    moments = [along if i == k else across for i in range(3)]
    return ", ".join(f'{name} = "{m} kg*m^2"' for name, m in zip(("xx", "yy", "zz"), moments, strict=True))


def mechanism(
    axis: str = "z", sense: int = 1, spin: float = 0.0, *changes: tuple[str, str], slides: bool = True
) -> Mechanism:
    """The strut along an axis of its bodies, whose origins are beside the pivot; the slide counts this way."""
    turns, k = AXES[axis]
    rest = SLIDING if slides else RIGID
    text = GANTRY.replace("<REST>", rest)
    for old, new in {
        "CENTRE1": on_axis(k, NEAR["place"] - 0.1),
        "INERTIA1": inertia(k, NEAR["across"], spin),
        "FOOT": on_axis(k, -0.1),
        "TURNS": turns,
        "POINTS": f"points = {{ rail = [{on_axis(k, 0.15)}], end = [{on_axis(k, ROD - 0.1)}] }}",
        "CENTRE2": on_axis(k, FAR["place"] + 0.05),
        "INERTIA2": inertia(k, FAR["across"], spin),
        "MOUNT": on_axis(k, -0.25),
        "END": on_axis(k, 0.05),
        "AXIS": ", ".join(f'"{sense if i == k else 0}"' for i in range(3)),
        "INDEPENDENT": '"x", "y", "z"' if slides else '"x", "y"',
        "POSE": f'alpha = "-0.3 rad", beta = "0.2 rad"{SLIDE_POSE.format(sense * 0.3) if slides else ""}',
        "RANGES": ', z = ["0.7 m", "1.1 m"]' if slides else "",
        "RATES": ', z = "1 m/s"' if slides else "",
    }.items():
        text = text.replace(f"<{old}>", new)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_mechanism(text, "gantry")


ROD = 0.9  # m
SLIDE_POSE = ', slide = "{} m"'


def place_of(q: Array, *, slides: bool) -> Array:
    """The far end from the pivot, by the carriage's coordinates."""
    gap = q[:2] + (TIP - PIVOT)[:2]
    height = q[2] + (TIP - PIVOT)[2] if slides else np.sqrt(ROD**2 - gap @ gap)
    return np.array([*gap, height])


def lagrangian(mass: float, spin: float, *, slides: bool) -> Callable[[NDArray, NDArray], tuple[complex, complex]]:
    """Twice the kinetic energy, and the potential energy."""
    bodies = [(mass, NEAR["place"], 0.0, NEAR["across"]), (FAR["mass"], FAR["place"], 1.0, FAR["across"])]

    def energies(q: NDArray, u: NDArray) -> tuple[complex, complex]:
        p = place_of(q, slides=slides)
        v = derivative(lambda x: place_of(x, slides=slides), q) @ u
        length = np.sqrt(p @ p)
        n = p / length
        turning = (v - n * (n @ v)) / length
        kinetic, potential = CARRIAGE * (v @ v), -CARRIAGE * (GRAVITY @ p)
        for m, start, follows, across in bodies[: 2 if slides else 1]:
            x = start + follows * length
            velocity = n * (n @ v) * follows + turning * x
            kinetic += m * (velocity @ velocity) + across * (turning @ turning)
            potential -= m * x * (GRAVITY @ n)
        about_x = (p[1] * v[2] - p[2] * v[1]) / (p[1] ** 2 + p[2] ** 2)  # alpha', whose axis leans beta
        kinetic += (2 if slides else 1) * spin * (about_x * n[0]) ** 2
        return kinetic, potential

    return energies


def derivative(function: Callable[[NDArray], NDArray], q: NDArray) -> NDArray:
    """The Jacobian by central differences of sixth order, which also take complex places."""
    h = 1e-3
    columns = []
    for unit in np.eye(len(q)):
        parts = [(c, function(q + k * h * unit) - function(q - k * h * unit)) for k, c in ((1, 45), (2, -9), (3, 1))]
        columns.append(sum(c * part for c, part in parts) / (60 * h))
    return np.stack(columns, axis=-1)


def accelerations(q: Array, u: Array, force: float, energies: Callable, *, slides: bool) -> Array:
    """M q'' = Q - dV/dq - (M' u - 1/2 d(u M u)/dq)."""
    size = len(q)
    units = np.eye(size)

    def matrix(place: NDArray) -> NDArray:
        whole = [[energies(place, a + b)[0] - energies(place, a - b)[0] for b in units] for a in units]
        return np.array(whole) / 4

    slope = derivative(matrix, q)
    bias = np.einsum("ijk,j,k->i", slope, u, u) - np.einsum("jki,j,k->i", slope, u, u) / 2
    weight = derivative(lambda x: np.array(energies(x, u)[1]), q)
    length = derivative(lambda x: np.sqrt(place_of(x, slides=slides) @ place_of(x, slides=slides)), q)
    return np.linalg.solve(matrix(q), force * length - weight - bias)


def compare(found: Mechanism, energies: Callable, sense: int = 1, *, slides: bool = True) -> None:
    """The accelerations that an export writes, at random places and rates, with the energies' own."""
    program = program_of_mechanism(found, "float64", only=["dynamics"])
    sequence = next(each for each in program.functions if each.name == "dynamics")
    generator = np.random.default_rng(5)
    size = 3 if slides else 2
    low, high = np.array([0.1, -0.1, 0.7])[:size], np.array([0.5, 0.3, 1.1])[:size]
    outputs = [output.signal.name for output in sequence.outputs]
    for _ in range(ROWS):
        q, u = generator.uniform(low, high), generator.uniform(-1, 1, size)
        force = float(generator.uniform(-10, 10)) if slides else 0.0
        given = dict(zip("xyz", q, strict=False)) | {f"{n}.rate": r for n, r in zip("xyz", u, strict=False)}
        row = [(given | {"F": force}).get(each.name, float(each.nominal)) for each in sequence.inputs]
        result = interpret(sequence, np.array([row]))
        got = [result.outputs[0, outputs.index(f"{name}.acceleration")] for name in "xyz"[:size]]
        assert got == pytest.approx(accelerations(q, u, sense * force, energies, slides=slides), rel=2e-7, abs=2e-7)


@pytest.mark.parametrize(("axis", "sense"), [("z", 1), ("z", -1), ("x", 1)])
def test_a_sliding_strut_moves_as_its_two_bodies(axis: str, sense: int) -> None:
    """Centres off the origins, weight, a force along the slide, which counts either way."""
    compare(mechanism(axis, sense), lagrangian(0.5, 0.0, slides=True), sense)


def test_a_strut_feels_its_tunable_mass() -> None:
    """`recalibrate` derives what is read from it."""
    heavy = mechanism("z", 1, 0.0, ('value = "0.5 kg"', 'value = "1.7 kg"'))
    compare(heavy, lagrangian(1.7, 0.0, slides=True))


def test_a_strut_that_spins_adds_its_gyroscopic_force() -> None:
    """The universal joint turns it about its line by alpha' sin beta."""
    compare(mechanism(spin=0.004), lagrangian(0.5, 0.004, slides=True))


@pytest.mark.parametrize("spin", [0.0, 0.004])
def test_a_rod_moves_as_its_body(spin: float) -> None:
    """With a moment about its line and without; two coordinates are left."""
    compare(mechanism(spin=spin, slides=False), lagrangian(0.5, spin, slides=False), slides=False)


NOTHING = (
    ('mass = "mass"', 'mass = "0"'),
    ('mass = "0.3 kg"', 'mass = "0"'),
    (f"inertia = {{ {inertia(2, 0.011, 0.001)} }}\n", ""),
    (f"inertia = {{ {inertia(2, 0.007, 0.001)} }}\n", ""),
)


def test_a_strut_that_is_moved_by_its_own_joints_is_projected_body_by_body() -> None:
    """The rates of such a strut are given, and it may have no length: the carriage passes through the pivot."""
    given = ("alpha", "beta", "slide")
    assert struts_of(mechanism(), Scope(Builder("test", "float64"), mechanism()), given) == []


BY_LENGTH = (
    ('independent = ["x", "y", "z"]', 'independent = ["x", "y", "slide"]'),
    ('x = ["0.1 m", "0.5 m"]', 'x = ["0 m", "0.5 m"]'),
    ('y = ["-0.1 m", "0.3 m"]', 'y = ["-0.3 m", "0.3 m"]'),
    ('z = ["0.7 m", "1.1 m"]', 'slide = ["-0.55 m", "0.4 m"]'),
    ('z = "1 m/s"', 'slide = "1 m/s"'),
)


@pytest.mark.parametrize(("slide", "flagged"), [(-0.55, True), (-0.5, False)])
def test_a_strut_without_length_is_flagged_and_finite(slide: float, *, flagged: bool) -> None:
    """Driven by its length, 0.55 m and the slide, the carriage over the pivot."""
    found = mechanism("z", 1, 0.0, *BY_LENGTH)
    program = program_of_mechanism(found, "float64", only=["dynamics"])
    (sequence,) = (each for each in program.functions if each.name == "dynamics")
    given = {"x": 0.08, "y": -0.23, "slide": slide}
    row = [given.get(each.name, float(each.nominal)) for each in sequence.inputs]
    result = interpret(sequence, np.array([row]))
    assert any(FOLDED in condition.about for condition in sequence.conditions)
    assert np.isfinite(result.outputs).all()
    assert bool(result.status[0] >> BITS["NEAR_SINGULAR"][0] & 1) is flagged
    assert bool(result.status[0]) is flagged


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ((), ["near"]),
        ((('center_of_mass = ["0 m", "0 m", "0.1 m"]', 'center_of_mass = ["0.01 m", "0 m", "0.1 m"]'),), []),
        ((('yy = "0.011', 'yy = "0.0112'),), []),
        (NOTHING, []),
    ],
    ids=["strut", "off the line", "unlike both ways", "without mass"],
)
def test_which_bodies_are_a_strut(changes: tuple[tuple[str, str], ...], found: list[str]) -> None:
    """Others are projected one by one."""
    given = mechanism("z", 1, 0.001, *changes)
    struts = struts_of(given, Scope(Builder("test", "float64"), given), given.independent)
    assert [strut.chain.near.name for strut in struts] == found
