"""Raw lexicographic bases against what is printed of them, and the programs made of them against sil.reference.

Printed: Uchida 2011, equations (3.53), (3.54), (3.56), (3.58) and Table 4.6.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from exporter.errors import ModelError
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.baselines.raw_basis import raw_basis, raw_equations, usual_order
from exporter.model.changes import Changes, apply_changes
from exporter.model.complete import with_tunable
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Precision
from sil.reference.mechanism import reference_of

CM = Fraction(1, 100)
PRINTED = {
    "(3.53), (3.54): by beta": (
        "d.s c.theta s.theta c.beta s.beta",
        ["s_beta**2 + c_beta**2 - 1", "3*s_theta - 4*c_beta", "9*c_theta**2 - 16*s_beta**2 + 7",
         "10*d_s - 3*c_theta - 4*s_beta"],
    ),
    "(3.56): by theta": (
        "d.s s.beta c.beta s.theta c.theta",
        ["s_theta**2 + c_theta**2 - 1", "c_beta - s_theta*3/4", "s_beta**2 - (9*c_theta**2 + 7)/16",
         "d_s - c_theta*3/10 - s_beta*2/5"],
    ),
    "(3.58): by s": (
        "s.beta c.beta s.theta c.theta d.s",
        ["c_theta*60*d_s - (100*d_s**2 - 7)", "s_theta**2 + c_theta**2 - 1", "c_beta - s_theta*3/4",
         "s_beta + c_theta*3/4 - d_s*5/2"],
    ),
}  # fmt: skip


def library(model: str) -> Mechanism:
    return read_mechanism(model_path(model))


@pytest.mark.parametrize("name", PRINTED)
def test_slider_crank_bases_are_the_printed_ones(name: str) -> None:
    """Polynomial by polynomial, up to a constant factor."""
    order, printed = PRINTED[name]
    found = {sp.expand(sp.sympify(each.text().replace(".", "_").replace("^", "**"))) for each in
             raw_basis(library("slider_crank"), order.split())}  # fmt: skip
    expected = {sp.Poly(sp.sympify(text)).clear_denoms(convert=True)[1].primitive()[1].as_expr() for text in printed}
    assert {sp.factor_list(each)[1][0][0] for each in found} == {sp.factor_list(each)[1][0][0] for each in expected}


def test_landing_gear_closures_are_the_printed_ones() -> None:
    """(4.26) to (4.29), in cm, up to sign and common factors; (4.27) and (4.29) are as printed."""
    mechanism = library("landing_gear")
    texts = {each.text() for each in raw_equations(mechanism, usual_order(mechanism), CM)}
    names = {"A": "theta_A", "B": "theta_B", "D": "theta_D", "F": "theta_F"}
    printed = [
        "sA*sB*p - cA*cB*p + 62*sA - 42*cA + sD*1697/100 + cD*152/25 + 231",
        "sA*cB*p + cA*sB*p + 42*sA + 62*cA + sD*152/25 - cD*1697/100 - 62",
        "sA*sF*892/5 - cA*cF*892/5 - 212*sA - 25*cA - cD*822/5 + 231",
        "sA*cF*892/5 + cA*sF*892/5 + 25*sA - 212*cA - sD*822/5 - 62",
    ]
    shorter = {f"{kind}.{name}": f"{kind}{letter}" for letter, name in names.items() for kind in "sc"} | {"d.p": "p"}
    found = set()
    for text in texts:
        for long, short in shorter.items():
            text = text.replace(long, short)  # noqa: PLW2901
        found.add(sp.expand(sp.sympify(text.replace("^", "**"))))
    for text in printed:
        primitive = sp.Poly(sp.sympify(text)).clear_denoms(convert=True)[1].primitive()[1].as_expr()
        assert primitive in found or sp.expand(-primitive) in found


def test_the_landing_gears_sextic_has_the_printed_size() -> None:
    """Table 4.6: g1(sB, p) has degree 6, 28 terms, 62 digits; g4, linear in cD, 6 terms and 9 digits; g2 40 terms.

    By elimination, without a basis: with e = exp(-i (A + D)) two of the closures are linear in e, and |e| = 1. g4 is
    the distance equation of the upper loop. The cosine over the field of p has 40 terms too, but fewer digits than g2.
    """
    p, s, c, c_d, s_d = sp.symbols("p s c cD sD")
    v = sp.Matrix([42 + p * c, 62 + p * s])
    m, n = sp.Matrix([sp.Rational(152, 25), sp.Rational(1697, 100)]), sp.Matrix([-sp.Rational(822, 5), 0])
    d, f, length = sp.Matrix([231, 62]), sp.Matrix([25, -212]), sp.Rational(892, 5)

    def cross(left: sp.Matrix, right: sp.Matrix) -> sp.Expr:
        return left[0] * right[1] - left[1] * right[0]

    w, k = v - f, n - m
    a1, b1, r1 = 2 * v.dot(m), 2 * cross(m, v), v.dot(v) + m.dot(m) - d.dot(d)
    a2, b2, r2 = 2 * w.dot(k), 2 * cross(k, w), length**2 - w.dot(w) - k.dot(k)
    unit = sp.expand((r1 * b2 - r2 * b1) ** 2 + (a1 * r2 - a2 * r1) ** 2 - (a1 * b2 - a2 * b1) ** 2)
    even, odd = sp.Integer(0), sp.Integer(0)
    for (power,), coefficient in sp.Poly(unit, c).terms():
        part = coefficient * (1 - s**2) ** (power // 2)
        even, odd = (even, odd + part) if power % 2 else (even + part, odd)
    factors = sp.factor_list(sp.expand(even**2 - odd**2 * (1 - s**2)), s, p)[1]
    g1 = max((sp.Poly(factor, s, p) for factor, _ in factors), key=lambda each: each.degree(s))
    assert (g1.degree(s), len(g1.terms()), max(len(str(abs(x))) for x in g1.coeffs())) == (6, 28, 62)
    turned = sp.Matrix([c_d * m[0] + s_d * m[1], -s_d * m[0] + c_d * m[1]])
    upper = (d + turned).dot(d + turned) - v.dot(v)
    upper = sp.expand(upper).subs(sp.expand(c_d**2 + s_d**2), 1)
    upper = sp.rem(sp.rem(upper, s_d**2 + c_d**2 - 1, s_d), s**2 + c**2 - 1, s)
    g4 = sp.Poly(upper, c_d, s_d, c, s, p).clear_denoms(convert=True)[1].primitive()[1]
    assert (g4.degree(c_d), len(g4.terms()), max(len(str(abs(x))) for x in g4.coeffs())) == (1, 6, 9)
    field = sp.QQ.frac_field(p)
    modulus, slope = sp.Poly(g1.as_expr(), s, domain=field), sp.Poly(sp.expand(odd), s, domain=field)
    cosine = (-sp.Poly(sp.expand(even), s, domain=field) * slope.rem(modulus).invert(modulus)).rem(modulus)
    whole = sp.Poly(sp.numer(sp.together(c - cosine.as_expr())), c, s, p)
    assert (whole.degree(c), len(whole.primitive()[1].terms())) == (1, 40)


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-11), ("float32", 2e-5)])
@pytest.mark.parametrize("model", ["slider_crank", "four_bar"])
def test_programs_of_raw_bases_close_the_loops(model: str, precision: Precision, tolerance: float) -> None:
    """Sines and cosines equal Newton's on the original closures near the design pose; the export carries a warning."""
    mechanism = apply_changes(library(model), Changes(method="lexicographic"))
    program = program_of_mechanism(mechanism, precision)
    assert "for teaching" in program.notes[0]
    reference = reference_of(mechanism)
    design = float(mechanism.pose[mechanism.independent[0]])
    rows = np.linspace(design - 0.3, design + 0.3, 50)[:, None].astype(precision)
    expected = reference.positions(rows.astype(np.float64))
    sequence = program.functions[0]
    result = interpret(sequence, rows)
    assert not result.status.any()
    for column, output in enumerate(sequence.outputs):
        name = mechanism.outputs.get(output.signal.name, output.signal.name)
        coordinate, _, part = name.partition(".")
        if coordinate in reference.coordinates:
            value = expected[:, reference.coordinates.index(coordinate)]
            wanted = {"sin": np.sin(value), "cos": np.cos(value), "": value}[part]
            np.testing.assert_allclose(result.outputs[:, column], wanted, atol=tolerance)


def test_a_raw_basis_is_of_numbers() -> None:
    mechanism = with_tunable(library("slider_crank"), ["l1"])
    with pytest.raises(ModelError, match=r"freeze l1"):
        raw_basis(mechanism)
    with pytest.raises(ModelError, match="must name each of"):
        raw_basis(replace(library("slider_crank")), ["s.theta"])
