"""What goes wrong with elimination, each as a test that it does not go wrong here.

Cases (a), (b), (c) of decimal coefficients: sympy/sympy#11623, #26682, #12346. The other traps were measured on the
landing gear of Uchida 2011. Elsewhere: contradicting equations and a twist of zero in a symbolic twist
(test_spatial_four_bar), pivots that vanish at regular poses (test_symbolic_linear_solve), change points
(test_mechanism_cases_planar), relations among knowns that explode (test_published_bases).
"""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.baselines.elimination import LinearSystem
from exporter.kinematics.baselines.raw_basis import (
    Polynomial,
    raw_basis,
    reduced_basis,
    whole_polynomial,
)
from exporter.kinematics.baselines.structure import NewtonBlock
from exporter.kinematics.engine import solved_mechanism
from exporter.model.exact_numbers import exact
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Signal
from exporter.sequence.status import BITS
from tests.tools.triangular_set import triangular_set

ROOT = Path(__file__).resolve().parents[4]
CM = Fraction(1, 100)

# -- decimal coefficients (E07) --------------------------------------------------------------------------------------

CIRCLE = {"cc": "1", "ss": "1", "": "-1"}


def basis_of(names: str, *equations: Mapping[str, str]) -> tuple[Polynomial, ...]:
    """The basis of equations as {"xxy": "0.13"}, decimal texts read as a mechanism file's are."""
    polynomials = [
        whole_polynomial(
            tuple(names),
            {tuple(word.count(name) for name in names): exact(text, "a coefficient") for word, text in each.items()},
        )
        for each in equations
    ]
    return reduced_basis("decimals", tuple(names), polynomials)


def roots_of(polynomial: Polynomial) -> list[mpmath.mpc]:
    """All roots of a polynomial in its leading variable alone, to 40 digits."""
    parts = [0 if part is None else part.terms[0][1] for part in polynomial.coefficients()]
    with mpmath.workdps(40):
        return list(mpmath.polyroots(parts[::-1], maxsteps=200, extraprec=200))


def angles_of(line: Mapping[str, str]) -> list[float]:
    """Solutions of a line through the unit circle: c from the quadratic, s linear in it."""
    quadratic, linear = basis_of("sc", CIRCLE, line)
    assert (quadratic.leading, quadratic.degree) == ("c", 2)
    assert (linear.leading, linear.degree) == ("s", 1)
    found = []
    for cosine in roots_of(quadratic):
        rest = sum(value * cosine ** powers[1] for powers, value in linear.terms if not powers[0])
        slope = next(value for powers, value in linear.terms if powers[0])
        found.append(float(mpmath.atan2(mpmath.re(-rest / slope), mpmath.re(cosine))))
    return sorted(found)


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ({"c": "1.567", "s": "0.341", "": "-0.115"}, [-1.2847517580696, 1.7132970111655]),
        ({"c": "-1.9", "s": "-0.85", "": "0.31"}, [-1.00064331700119, 1.84197001526726]),
    ],
    ids=["a", "c"],
)
def test_decimal_lines_meet_the_circle_where_they_do(line: dict[str, str], right: list[float]) -> None:
    """(a) and (c): SymPy's groebner says [1] over floats; the roots to all the digits given."""
    assert angles_of(line) == pytest.approx(right, abs=1e-13)


def test_decimal_conics_have_their_two_real_points() -> None:
    """(b): a quartic in y with exactly two real roots, x linear in it."""
    quartic, linear = basis_of(
        "xy",
        {"xy": "0.13", "xx": "0.021", "x": "0.07", "": "-1.411"},
        {"yy": "0.061", "xy": "0.043", "y": "0.03", "": "-1.297"},
    )
    assert (quartic.leading, quartic.degree) == ("y", 4)
    assert (linear.leading, linear.degree) == ("x", 1)
    real = sorted(float(mpmath.re(root)) for root in roots_of(quartic) if abs(mpmath.im(root)) < mpmath.mpf("1e-30"))
    assert real == pytest.approx([-3.9213152217587, 3.6544330689123], abs=1e-13)
    for y, x in zip(real, [-2.8268870799389, 2.3718835964332], strict=True):
        value = sum(c * x ** powers[0] * y ** powers[1] for powers, c in linear.terms)
        size = sum(abs(c * x ** powers[0] * y ** powers[1]) for powers, c in linear.terms)
        assert abs(value) < 1e-12 * size


def test_sixty_random_decimal_lines_never_contradict_the_circle() -> None:
    """Three decimals each, all of them solvable: the roots are those of A cos + B sin = C in closed form."""
    generator = np.random.Generator(np.random.Philox(60))
    for _ in range(60):
        a, b = (round(float(number), 3) for number in generator.uniform(-2, 2, 2))
        c = round(float(generator.uniform(-0.99, 0.99)) * math.hypot(a, b), 3)
        middle, half = math.atan2(b, a), math.acos(c / math.hypot(a, b))
        right = [math.remainder(middle + sign * half, 2 * math.pi) for sign in (-1, 1)]
        found = angles_of({"c": str(a), "s": str(b), "": str(-c)})
        assert np.cos(found) == pytest.approx(np.cos(sorted(right)), abs=1e-12), (a, b, c)
        assert np.sin(found) == pytest.approx(np.sin(sorted(right)), abs=1e-12), (a, b, c)


def test_equations_that_do_contradict_are_told_so() -> None:
    """A line that misses its circle still has complex points; two parallel lines have none: [1], in words."""
    quadratic, _ = basis_of("sc", CIRCLE, {"c": "1", "s": "1", "": "-2"})
    assert quadratic.degree == 2
    with pytest.raises(ModelError, match=r"the basis is \[1\]: the equations contradict each other"):
        basis_of("sc", {"c": "0.1", "s": "0.2", "": "-0.3"}, {"c": "0.1", "s": "0.2", "": "-0.31"})


# -- the landing gear ------------------------------------------------------------------------------------------------


def gear() -> Mechanism:
    return read_mechanism(model_path("landing_gear"))


def positions(mechanism: Mechanism, rows: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
    sequence = functions.position(solved_mechanism(mechanism), "float64", contract=True)
    result = interpret(sequence, rows[:, None])
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}, result.status


@pytest.mark.usefixtures("require_singular")
def test_the_raw_gear_basis_destroys_precision() -> None:
    """Table 4.6 in double, the sextic by its companion matrix, then the linear tail: closures open by 1e-4 cm and more.

    By the triangular form they are closed to 1e-13 of the length; both are put into the printed (4.26) to (4.29).
    """
    order = [*(f"{part}.theta_{letter}" for letter in "FADB" for part in "cs"), "d.p"]
    tail = triangular_set(raw_basis(gear(), order, CM), order[:-1])
    struts = np.linspace(0.02, 1.263, 60)
    made, status = positions(gear(), struts)
    assert not status.any()
    right = {
        f"{part[0]}.{name}": made[f"{name}.{part}"] for name in ("theta_B", "theta_D", "theta_F") for part in PARTS
    }
    right |= {"s.theta_A": np.sin(struts), "c.theta_A": np.cos(struts), "d.p": 100 * made["p"]}
    assert opened(right) < 1e-13 * 400
    raw = {name: np.empty_like(struts) for name in right}
    for k in range(len(struts)):
        at = {"d.p": float(right["d.p"][k])}
        roots = np.roots([_double(part, at) for part in tail[0].coefficients()][::-1])
        at["s.theta_B"] = float(roots[np.abs(roots - right["s.theta_B"][k]).argmin()].real)
        for polynomial in tail[1:]:
            constant, slope = (_double(part, at) for part in polynomial.coefficients())
            at[polynomial.leading] = -constant / slope
        for name, value in at.items():
            raw[name][k] = value
    assert opened(raw) > 1e-4


PARTS = ("sin", "cos")


def opened(v: Mapping[str, np.ndarray]) -> float:
    """The worst of (4.26) to (4.29), in cm."""
    sa, ca, sb, cb = (v[f"{part}.theta_{name}"] for name in "AB" for part in "sc")
    sd, cd, sf, cf = (v[f"{part}.theta_{name}"] for name in "DF" for part in "sc")
    p = v["d.p"]
    closures = [
        (sa * sb - ca * cb) * p + 62 * sa - 42 * ca + 16.97 * sd + 6.08 * cd + 231,
        (sa * cb + ca * sb) * p + 42 * sa + 62 * ca + 6.08 * sd - 16.97 * cd - 62,
        178.4 * (sa * sf - ca * cf) - 212 * sa - 25 * ca - 164.4 * cd + 231,
        178.4 * (sa * cf + ca * sf) + 25 * sa - 212 * ca - 164.4 * sd - 62,
    ]
    return float(np.abs(closures).max())


def _double(polynomial: Polynomial | None, at: Mapping[str, float]) -> float:
    """Term by term in double, as exported code would."""
    total = 0.0
    for powers, coefficient in polynomial.terms if polynomial else ():
        term = float(coefficient)
        for name, power in zip(polynomial.variables if polynomial else (), powers, strict=True):
            term *= at[name] ** power if power else 1.0
        total += term
    return total


def with_range(mechanism: Mechanism, minimum: str) -> Mechanism:
    wider = replace(mechanism.ranges["theta_A"], minimum=Fraction(minimum))
    return replace(mechanism, ranges={**mechanism.ranges, "theta_A": wider})


def test_the_deployed_gear_is_a_toggle_just_out_of_reach() -> None:
    """|DF| = 342.80023 > 342.8 cm at theta_A = 0: flagged, the margin negative and small, every output finite."""
    assert math.hypot(231 - 25, 62 + 212) == pytest.approx(342.80023, abs=1e-5)
    made, status = positions(with_range(gear(), "-0.1"), np.array([0.0, 0.05]))
    margins = np.array([values for name, values in made.items() if name.startswith("margin.")])
    assert int(status[0]) & (1 << BITS["OUT_OF_WORKSPACE"][0])
    assert status[1] == 0
    assert -1e-4 < margins[:, 0].min() < 0 < margins[:, 1].min()
    assert all(np.isfinite(values).all() for values in made.values())


def test_the_toggle_is_no_design_pose() -> None:
    """A design pose that cannot be assembled is refused, however little it is out of reach."""
    deployed = with_range(replace(gear(), pose={**gear().pose, "theta_A": Fraction(0)}), "-0.1")
    with pytest.raises(ModelError, match="landing_gear"):
        solved_mechanism(deployed)


# -- numbers ---------------------------------------------------------------------------------------------------------


def test_angles_keep_their_digits_where_an_arcsine_would_not() -> None:
    """The crank's rod near a right angle: atan2 of sine and cosine is right to rounding, arcsine to 1e-9 only."""
    mechanism = read_mechanism(model_path("slider_crank"))
    crank, rod = 0.3, 0.4
    sequence = functions.position(solved_mechanism(mechanism), "float64", contract=True)
    theta = np.linspace(-0.01, 0.01, 41)
    outputs = interpret(sequence, theta[:, None]).outputs
    names = [output.signal.name for output in sequence.outputs]
    sine, cosine = outputs[:, names.index("beta.sin")], outputs[:, names.index("beta.cos")]
    turned = max(np.abs(sine).max(), np.abs(cosine).max())
    assert turned > 0.9999
    right = [float(mpmath.acos(mpmath.mpf(float(crank)) / rod * mpmath.sin(mpmath.mpf(float(each))))) for each in theta]
    assert np.abs(np.abs(np.arctan2(sine, cosine)) - right).max() < 4e-16 * math.pi
    assert np.abs(np.abs(np.arcsin(sine)) - right).max() > 1e-10


def test_a_zero_on_the_diagonal_is_no_singularity() -> None:
    """Newton's linear system of three unknowns whose first pivot in the written order is zero at a regular matrix."""
    matrix = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 3.0], [2.0, 1.0, 0.0]])
    side = np.array([5.0, 10.0, 4.0])
    builder = Builder("solve", "float64")
    values = [[builder.input(Signal(f"a{i}{j}", "1")) for j in range(3)] for i in range(3)]
    right = [builder.input(Signal(f"b{i}", "1")) for i in range(3)]
    block = NewtonBlock("N1", (), ("x", "y", "z"), (2.0, 1.0))
    system = LinearSystem(block, tuple(tuple(row) for row in values), (Fraction(100),) * 3)
    for name, value in zip("xyz", system.solve(right), strict=True):
        builder.output(Signal(name, "1", group=Group.OUTPUT), value)
    result = interpret(builder.finish(), np.concatenate([matrix.ravel(), side])[None])
    np.testing.assert_allclose(result.outputs[0], np.linalg.solve(matrix, side), rtol=1e-15)
    assert result.status[0] == 0


def test_no_module_calls_what_explodes() -> None:
    """SymPy's groebner rounds, its factor, horner and LUsolve take minutes or lose pivots: nothing here uses them."""
    pattern = re.compile(
        r"\b(?:sp|sympy)\.(?:groebner|factor|factor_list|horner|simplify)\b|\bLU(?:solve|decomposition)\b"
    )
    sources = [path for folder in ("exporter", "targets", "sil", "hil") for path in (ROOT / folder).rglob("*.py")]
    assert len(sources) > 100
    assert not [path.name for path in sources if pattern.search(path.read_text(encoding="utf-8"))]
