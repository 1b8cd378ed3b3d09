"""Bases against the printed tables: terms, degrees and digits. Uchida 2011, Tables 4.6 and 5.1, by the printed orders.

The numbers are those of tests/data/published_comparisons.toml. Two programs give the same basis: Singular and flint.
"""

import tomllib
from fractions import Fraction
from math import gcd, lcm
from pathlib import Path
from typing import Any

import pytest
from flint import Ordering, fmpz, fmpz_mpoly_ctx, fmpz_mpoly_vec

from exporter.errors import MissingTool, ModelError
from exporter.kinematics.baselines import raw_basis as raw_bases
from exporter.kinematics.baselines import singular as by_singular
from exporter.kinematics.baselines.raw_basis import Polynomial, raw_basis, raw_equations
from exporter.kinematics.engine import solved_mechanism
from exporter.model.changes import Changes, apply_changes
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.time_limits import Limit
from tests.tools.triangular_set import triangular_set

ROOT = Path(__file__).resolve().parents[4]
PRINTED: dict[str, Any] = tomllib.loads((ROOT / "tests" / "data" / "published_comparisons.toml").read_text("utf-8"))
CM = Fraction(1, 100)
ORDER = tuple(
    "c.theta_F s.theta_F c.theta_A s.theta_A c.theta_D s.theta_D c.theta_B s.theta_B d.p".split()  # noqa: SIM905
)
"""As printed: c_F > s_F > c_A > s_A > c_D > s_D > c_B > s_B > p_BC, which is the last variable, not a coefficient."""


def gear() -> Mechanism:
    return read_mechanism(model_path("landing_gear"))


@pytest.mark.usefixtures("require_singular")
def test_every_polynomial_of_table_4_6_has_the_printed_size() -> None:
    """Eight polynomials, lengths in cm: degree, number of terms, digits of the longest coefficient."""
    found = triangular_set(raw_basis(gear(), ORDER, CM), ORDER[:-1])
    assert [[each.degree, len(each.terms), each.digits] for each in found] == list(PRINTED["table_4_6"].values())
    assert [each.leading for each in found] == list(reversed(ORDER[:-1]))


def of_flint(polynomials: list[Polynomial], order: Any) -> Any:
    context = fmpz_mpoly_ctx.get(list(ORDER), order)
    return fmpz_mpoly_vec([context.from_dict({e: fmpz(c) for e, c in p.terms}) for p in polynomials], context)


@pytest.mark.slow
@pytest.mark.usefixtures("require_singular")
def test_flint_gives_the_same_basis_as_singular() -> None:
    """By way of a graded basis, shortest polynomials first: 20 s instead of 0.7 s, term by term the same."""
    graded, finished = of_flint(list(raw_equations(gear(), ORDER, CM)), Ordering.degrevlex).buchberger_naive(
        limits=(500, 20000, 20000)
    )
    assert finished
    shortest = sorted((dict(each.to_dict()) for each in graded.autoreduction()), key=len)
    start = [Polynomial(ORDER, tuple((tuple(map(int, e)), int(c)) for e, c in each.items())) for each in shortest]
    found, finished = of_flint(start, Ordering.lex).buchberger_naive(limits=(500, 20000, 100000))
    assert finished
    ours = {frozenset(each.terms) for each in raw_basis(gear(), ORDER, CM)}
    theirs = set()
    for each in found.autoreduction():
        terms = sorted(((tuple(map(int, e)), int(c)) for e, c in each.to_dict().items()), reverse=True)
        common = gcd(*(c for _, c in terms)) * (1 if terms[0][1] > 0 else -1)
        theirs.add(frozenset((e, c // common) for e, c in terms))
    assert ours == theirs


@pytest.mark.usefixtures("require_singular")
def test_a_basis_of_a_high_degree_is_never_exported() -> None:
    """The landing gear driven by its strut: a sextic, whose linear tail has 264 digits."""
    driven = apply_changes(gear(), Changes(independent=("p",)))
    with pytest.raises(ModelError, match=r"degree 6 in c\.theta_A; it is never exported"):
        solved_mechanism(apply_changes(driven, Changes(method="lexicographic")))


def test_without_singular_a_large_basis_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what could finish it."""
    monkeypatch.setattr(raw_bases, "singular", lambda: None)
    with pytest.raises(ModelError, match="beyond its limits and was stopped; Singular may finish it: pip install"):
        raw_basis(gear(), ORDER, CM)


def test_singular_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_singular, "singular", lambda: None)
    with pytest.raises(MissingTool, match="is not installed; `pip install"):
        by_singular.lexicographic_basis([(((1,), 1),)], 1)


def test_singular_that_does_not_finish_is_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program in its place that computes for ever."""
    endless = tmp_path / "Singular"
    endless.write_text("#!/bin/sh\nwhile :; do :; done\n", encoding="utf-8")
    endless.chmod(0o755)
    monkeypatch.setattr(by_singular, "singular", lambda: endless)
    with pytest.raises(ModelError, match=r"too large: Singular computed for .*the limit is 0\.05 s of CPU"):
        by_singular.lexicographic_basis([(((1,), 1),)], 1, Limit(0.05, 600.0, "choose other coordinates"))


@pytest.mark.usefixtures("require_singular")
def test_small_bases_are_the_same_by_either_program() -> None:
    """The slider-crank's, by each of its orders."""
    crank = read_mechanism(model_path("slider_crank"))
    for order in ("d.s c.theta s.theta c.beta s.beta", "s.beta c.beta s.theta c.theta d.s"):
        names = tuple(order.split())
        equations = [each.terms for each in raw_equations(crank, names)]
        theirs = by_singular.lexicographic_basis(equations, len(names))
        ours = {each.terms for each in raw_basis(crank, names)}
        assert ours == {tuple((e, c * (1 if terms[0][1] > 0 else -1)) for e, c in terms) for terms in theirs}


# -- Table 5.1 -------------------------------------------------------------------------------------------------------


def near(number: Fraction, error: Fraction) -> Fraction:
    """The first convergent of the continued fraction within the error: the fewest digits, as Maple converts."""
    rest, (h0, h1), (k0, k1) = abs(number), (0, 1), (1, 0)
    while True:
        whole = rest.numerator // rest.denominator
        (h0, h1), (k0, k1) = (h1, whole * h1 + h0), (k1, whole * k1 + k0)
        if abs(Fraction(h1, k1) - abs(number)) < error:
            return Fraction(h1, k1) if number >= 0 else -Fraction(h1, k1)
        rest = 1 / (rest - whole)


def whole_digits(coefficients: list[Fraction]) -> int:
    """Digits of the longest coefficient once all are whole without a common factor."""
    scale = lcm(*(each.denominator for each in coefficients))
    numbers = [int(each * scale) for each in coefficients]
    return max(len(str(abs(each) // gcd(*numbers))) for each in numbers)


def link_equations() -> list[dict[tuple[str, ...], Fraction]]:
    """(5.1) of the first link in metres, every coefficient within 1 um, as monomials and coefficients."""
    data = PRINTED["five_link_first_link"]
    chassis, carrier = ([Fraction(text) / 1000 for text in data[name]] for name in ("chassis_mm", "carrier_mm"))
    square = sum(((a - b) ** 2 for a, b in zip(chassis, carrier, strict=True)), Fraction(0))
    error = Fraction(1, 10**6)
    link = near(Fraction(float(square) ** 0.5), error)
    c, w = [near(each, error) for each in chassis], [near(each, error) for each in carrier]
    first = {("cb",): link, ("x",): Fraction(1), (): -c[0], ("cf", "ct"): w[0], ("cf", "sp", "st"): w[1],
             ("cp", "sf"): -w[1], ("cf", "cp", "st"): w[2], ("sf", "sp"): w[2]}  # fmt: skip
    second = {("sa", "sb"): link, ("y",): Fraction(1), (): -c[1], ("ct", "sf"): w[0], ("sf", "sp", "st"): w[1],
              ("cf", "cp"): w[1], ("cp", "sf", "st"): w[2], ("cf", "sp"): -w[2]}  # fmt: skip
    third = {("ca", "sb"): -link, ("z",): Fraction(1), (): -c[2], ("st",): -w[0], ("ct", "sp"): w[1],
             ("cp", "ct"): w[2]}  # fmt: skip
    return [first, second, third]


def test_table_5_1_has_the_printed_sizes() -> None:
    """g1, g3 and g4 are the closures of the link, g2 is s_beta^2 + c_beta^2 = 1 after c_beta from g1."""
    first, second, third = link_equations()
    scale = first.pop(("cb",))
    squared: dict[tuple[str, ...], Fraction] = {("sb", "sb"): scale**2, (): -(scale**2)}
    for left, a in first.items():
        for right, b in first.items():
            monomial = tuple(sorted((*left, *right)))
            squared[monomial] = squared.get(monomial, Fraction(0)) + a * b
    first[("cb",)] = scale
    found = [[1, first], [2, squared], [1, third], [1, second]]
    sizes = [[degree, len(terms), whole_digits(list(terms.values()))] for degree, terms in found]
    assert sizes == list(PRINTED["table_5_1"].values())
