"""Models from sympy.physics.mechanics: accelerations against SymPy's own solution of its equations at random points.

The systems are written here for the purpose: a cart with a pole, a double pendulum, a sleigh on a knife edge, a
slider-crank, a bob on a circle.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import (
    KanesMethod,
    LagrangesMethod,
    Lagrangian,
    Particle,
    Point,
    ReferenceFrame,
    dynamicsymbols,
)

from exporter.c99.rows import interpret_rows
from exporter.errors import ModelError
from exporter.sequence.interpreter import interpret
from exporter.symbolic import SymbolicModel, from_mechanics, frozen, given, output
from exporter.symbolic.program import program_of_symbolic

N = ReferenceFrame("N")
T = dynamicsymbols._t
POINTS = 20
CONSTANTS = {"m": 0.7, "M": 1.3, "l": 0.4, "g": 9.81}
m, M, rod, g = sp.symbols("m M l g")
x, theta, v, w, force = dynamicsymbols("x theta v w F")


def parameters(*names: str) -> tuple[Any, ...]:
    return tuple(frozen(name, str(CONSTANTS[name])) for name in names)


def fixed() -> Any:
    origin = Point("O")
    origin.set_vel(N, 0)
    return origin


def cart_pole() -> KanesMethod:
    """A force on a cart, a bob on a rod."""
    cart = fixed().locatenew("C", x * N.x)
    bob = cart.locatenew("B", rod * sp.sin(theta) * N.x + rod * sp.cos(theta) * N.y)
    cart.set_vel(N, v * N.x)
    bob.set_vel(N, (v + rod * w * sp.cos(theta)) * N.x - rod * w * sp.sin(theta) * N.y)
    kane = KanesMethod(N, [x, theta], [v, w], [x.diff(T) - v, theta.diff(T) - w])
    bodies = [Particle("cart", cart, M), Particle("bob", bob, m)]
    kane.kanes_equations(bodies, [(cart, force * N.x), (bob, -m * g * N.y)])
    return kane


RANGES: dict[Any, Any] = {"x": (-2, 2), "theta": (-3, 3), "v": (-2, 2), "w": (-4, 4)}


def accelerations(model: SymbolicModel, rows: np.ndarray) -> np.ndarray:
    ran = interpret(program_of_symbolic(model, "float64").functions[0], rows)
    assert not ran.status.any()
    return ran.outputs


def solved(matrix: Any, right: Any, values: dict[Any, float]) -> list[float]:
    """SymPy's own linear solve, with numbers put in."""
    constants = {sp.Symbol(name): value for name, value in CONSTANTS.items()}
    both = [each.subs(values).subs(constants).evalf(30) for each in (matrix, right)]
    return [float(value) for value in both[0].LUsolve(both[1])]


def drawn(*limits: float) -> np.ndarray:
    high = np.array(limits)
    return np.random.Generator(np.random.Philox(3)).uniform(-high, high, (POINTS, len(high)))


def test_kane_gives_the_accelerations_of_sympy() -> None:
    kane = cart_pole()
    model = from_mechanics(
        "cart", kane, ranges=RANGES, parameters=parameters("m", "M", "l", "g"), inputs=(given("F", -5, 5),)
    )
    rows = drawn(2, 3, 2, 4, 5)
    right = [
        solved(kane.mass_matrix, kane.forcing, dict(zip((x, theta, v, w, force), row, strict=True))) for row in rows
    ]
    assert [each.name for each in model.outputs] == ["v.rate.out", "w.rate.out"]
    assert accelerations(model, rows) == pytest.approx(np.array(right), rel=1e-10, abs=1e-10)


def double_pendulum() -> LagrangesMethod:
    """Two bobs on two rods of one length."""
    a, b = dynamicsymbols("a b")
    origin = fixed()
    upper = origin.locatenew("P", rod * sp.sin(a) * N.x - rod * sp.cos(a) * N.y)
    lower = upper.locatenew("Q", rod * sp.sin(b) * N.x - rod * sp.cos(b) * N.y)
    bodies = []
    for name, point, mass in (("p", upper, M), ("q", lower, m)):
        place = point.pos_from(origin)
        point.set_vel(N, place.dt(N))
        bodies.append(Particle(name, point, mass))
        bodies[-1].potential_energy = mass * g * place.dot(N.y)
    lagrange = LagrangesMethod(Lagrangian(N, *bodies), [a, b])
    lagrange.form_lagranges_equations()
    return lagrange


def test_lagrange_gives_the_accelerations_of_sympy() -> None:
    lagrange = double_pendulum()
    ranges = {"a": (-2, 2), "b": (-2, 2), "a.rate": (-5, 5), "b.rate": (-5, 5)}
    model = from_mechanics("double", lagrange, ranges=ranges, parameters=parameters("m", "M", "l", "g"))
    rows = drawn(2, 2, 5, 5)
    a, b = lagrange.q
    right = [
        solved(lagrange.mass_matrix, lagrange.forcing, {a.diff(T): row[2], b.diff(T): row[3], a: row[0], b: row[1]})
        for row in rows
    ]
    assert accelerations(model, rows) == pytest.approx(np.array(right), rel=1e-10, abs=1e-10)


def test_a_period_makes_coordinates_and_speeds_states_that_keep_the_energy() -> None:
    """A second of RK4 at 1 ms from (1, 0.5) rad at rest; the energy by hand, with m, M, l and g of CONSTANTS."""
    lagrange = double_pendulum()
    ranges = {"a": (-4, 4), "b": (-4, 4), "a.rate": (-20, 20), "b.rate": (-20, 20)}
    model = from_mechanics(
        "twofold",
        lagrange,
        ranges=ranges,
        start={"a": 1, "b": "0.5"},
        parameters=parameters("m", "M", "l", "g"),
        outputs=(output("first", sp.Symbol("a"), "1"),),
        period="1 ms",
    )
    program = program_of_symbolic(model, "float64")
    made = interpret_rows(program, "startup", np.empty((1, 0))).outputs
    assert made[0].tolist() == [1, 0.5, 0, 0]
    begin = energy(*made[0])
    for _ in range(1000):
        ran = interpret_rows(program, "dostep", made[:, :4])
        made = ran.outputs
        assert ran.status[0] == 0
    assert abs(made[0, 0] - 1) > 0.1
    assert energy(*made[0, :4]) == pytest.approx(begin, rel=1e-9)


def energy(a: float, b: float, p: float, q: float) -> float:
    mass, other, length, weight = (CONSTANTS[name] for name in ("M", "m", "l", "g"))
    kinetic = (mass + other) / 2 * p * p + other / 2 * q * q + other * p * q * math.cos(a - b)
    return length**2 * kinetic - weight * length * ((mass + other) * math.cos(a) + other * math.cos(b))


def sleigh() -> KanesMethod:
    """A bob that a knife edge lets move along its heading alone: y' cos = x' sin."""
    y, u = dynamicsymbols("y u")
    point = fixed().locatenew("S", x * N.x + y * N.y)
    point.set_vel(N, v * N.x + u * N.y)
    turning = Point("turning")
    turning.set_vel(N, rod * w * N.z)
    kane = KanesMethod(
        N,
        [x, y, theta],
        [v, w],
        [x.diff(T) - v, y.diff(T) - u, theta.diff(T) - w],
        u_dependent=[u],
        velocity_constraints=[u * sp.cos(theta) - v * sp.sin(theta)],
    )
    kane.kanes_equations([Particle("bob", point, m), Particle("spin", turning, M)], [(point, force * N.x)])
    return kane


def test_a_velocity_constraint_gives_the_dependent_speed() -> None:
    """Accelerations of all speeds, the dependent one's too; u = v tan(theta) goes into them."""
    kane = sleigh()
    ranges = {"x": (-2, 2), "y": (-2, 2), "theta": (-1, 1), "v": (-2, 2), "w": (-4, 4)}
    model = from_mechanics(
        "sleigh",
        kane,
        ranges=ranges,
        parameters=parameters("m", "M", "l"),
        inputs=(given("F", -5, 5),),
        outputs=(output("u.now", sp.Symbol("u")),),
    )
    rows = drawn(2, 2, 1, 2, 4, 5)
    u = kane.u[2]
    right = []
    for row in rows:
        across = row[3] * math.tan(row[2])
        values = {u.diff(T): 0, u: across, x: row[0], theta: row[2], v: row[3], w: row[4], force: row[5]}
        right.append([*solved(kane.mass_matrix, kane.forcing, values), across])
    assert accelerations(model, rows) == pytest.approx(np.array(right), rel=1e-10, abs=1e-10)


def slider_crank(long: Any = 1) -> KanesMethod:
    """Bobs on crank pin and piston; the rod's angle is dependent: l sin(theta) = rod sin(phi)."""
    phi, s = dynamicsymbols("phi s")
    pin = fixed().locatenew("P", rod * sp.cos(theta) * N.x + rod * sp.sin(theta) * N.y)
    pin.set_vel(N, rod * w * (-sp.sin(theta) * N.x + sp.cos(theta) * N.y))
    piston = pin.locatenew("S", long * sp.cos(phi) * N.x - long * sp.sin(phi) * N.y)
    piston.set_vel(N, (-rod * w * sp.sin(theta) - long * s * sp.sin(phi)) * N.x)
    closure = rod * sp.sin(theta) - long * sp.sin(phi)
    kane = KanesMethod(
        N,
        [theta],
        [w],
        [theta.diff(T) - w, phi.diff(T) - s],
        q_dependent=[phi],
        configuration_constraints=[closure],
        u_dependent=[s],
        velocity_constraints=[rod * w * sp.cos(theta) - long * s * sp.cos(phi)],
    )
    kane.kanes_equations([Particle("pin", pin, M), Particle("piston", piston, m)], [(piston, force * N.x)])
    return kane


@pytest.mark.parametrize("start", [0, 3])
def test_a_configuration_constraint_is_solved_for_the_root_that_is_meant(start: int) -> None:
    """phi by the arcsine, piston in front (phi near 0) or behind (near pi)."""
    kane = slider_crank()
    model = from_mechanics(
        "crank",
        kane,
        ranges={"theta": (-3, 3), "w": (-4, 4)},
        start={"phi": start},
        parameters=parameters("m", "M", "l"),
        inputs=(given("F", -5, 5),),
        outputs=(output("phi.now", sp.Symbol("phi")),),
    )
    rows = drawn(3, 4, 5)
    phi, s = kane.q[1], kane.u[1]
    right = []
    for row in rows:
        angle = math.asin(0.4 * math.sin(row[0]))
        angle = math.pi - angle if start else angle
        rate = 0.4 * row[1] * math.cos(row[0]) / math.cos(angle)
        values = {theta: row[0], w: row[1], phi: angle, s: rate, force: row[2]}
        right.append([*solved(kane.mass_matrix, kane.forcing, values), angle])
    assert accelerations(model, rows) == pytest.approx(np.array(right), rel=1e-9, abs=1e-9)


def test_what_is_driven_is_an_input() -> None:
    model = from_mechanics(
        "crank",
        slider_crank(),
        ranges={"theta": (-3, 3), "w": (-4, 4), "phi": (-1, 1)},
        driven=["phi"],
        parameters=parameters("m", "M", "l"),
        inputs=(given("F", -5, 5),),
    )
    assert [each.name for each in model.inputs] == ["theta", "w", "phi", "F"]


def circle() -> LagrangesMethod:
    """A bob held on a circle by its constraint."""
    y = dynamicsymbols("y")
    point = fixed().locatenew("B", x * N.x + y * N.y)
    point.set_vel(N, x.diff(T) * N.x + y.diff(T) * N.y)
    bob = Particle("bob", point, m)
    bob.potential_energy = m * g * y
    lagrange = LagrangesMethod(Lagrangian(N, bob), [x, y], hol_coneqs=[x**2 + y**2 - rod**2])
    lagrange.form_lagranges_equations()
    return lagrange


def test_multipliers_are_outputs_beside_the_accelerations() -> None:
    """At the bottom the rod carries m g + m v^2 / l: multiplier times 2 y, in SymPy's sign."""
    ranges = {"x": (-1, 1), "y": (-1, 1), "x.rate": (-2, 2), "y.rate": (-2, 2)}
    model = from_mechanics("circle", circle(), ranges=ranges, start={"y": -0.4}, parameters=parameters("m", "l", "g"))
    found = accelerations(model, np.array([[0.0, -0.4, 1.5, 0.0]]))[0]
    assert found[:2] == pytest.approx([0, 1.5**2 / 0.4])
    assert abs(found[2] * 2 * 0.4) == pytest.approx(0.7 * (9.81 + 1.5**2 / 0.4))


def joined() -> KanesMethod:
    """A dependent coordinate under a root of its own sine."""
    return slider_crank(long=1 + dynamicsymbols("phi") / 5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: from_mechanics("bad", sp.Matrix(), ranges={}), "neither KanesMethod nor LagrangesMethod"),
        (lambda: from_mechanics("bad", KanesMethod(N, [x], [v], [x.diff(T) - v]), ranges={}), "call kanes_equations"),
        (lambda: from_mechanics("bad", LagrangesMethod(x.diff(T) ** 2, [x]), ranges={}), "form_lagranges_equations"),
        (lambda: from_mechanics("bad", cart_pole(), ranges={"x": (0, 1)}), "'theta' has no range"),
        (
            lambda: from_mechanics("bad", cart_pole(), ranges=RANGES | {"z": (0, 1)}, driven=["z"]),
            "'z' is driven and no",
        ),
        (
            lambda: from_mechanics(
                "bad",
                circle(),
                ranges={"x": (-1, 1), "y": (-1, 1), "x.rate": (-2, 2), "y.rate": (-2, 2)},
                period="1 ms",
            ),
            "would drift from the constraints",
        ),
        (
            lambda: from_mechanics("bad", joined(), ranges={"theta": (-3, 3), "w": (-4, 4)}),
            "the constraints of phi cannot be solved one after the other",
        ),
    ],
)
def test_what_cannot_come_in_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)
