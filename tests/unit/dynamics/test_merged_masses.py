"""Point masses of one body merged. Oracle: kinetic energy of the points, and Steiner's theorem by hand."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from exporter.dynamics.inertia import reduced_inertia
from exporter.dynamics.merged_masses import merge_masses
from exporter.kinematics.planar.plane import Term
from exporter.kinematics.planar.shortcuts import Terms
from exporter.kinematics.planar.triangular import triangular_form
from exporter.kinematics.protocol.linear_sums import PlaneVector
from exporter.kinematics.protocol.scope import Scope
from exporter.model.expression import Number
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder, Value

PLACE = Term("ground", PlaneVector(((Fraction(1), Number(Fraction(1))),), ()), "x")


def vector(re: int, im: int) -> PlaneVector:
    one, other = (((Fraction(part), Number(Fraction(1))),) if part else () for part in (re, im))
    return PlaneVector(one, other)


def on(body: str, re: int, im: int) -> Terms:
    return PLACE, Term(body, vector(re, im))


@pytest.fixture
def scope() -> Scope:
    return Scope(Builder("f", "float64"), read_mechanism(model_path("parallel_robot")))


def merged(scope: Scope, masses: dict[Terms, Value]) -> tuple[dict[Terms, Value], dict[str, Value]]:
    moments: dict[str, Value] = {}
    merge_masses(scope, masses, moments)
    return masses, moments


def number(part: tuple[tuple[Fraction, object], ...]) -> Fraction:
    return sum((factor for factor, _ in part), Fraction(0))


def test_kinetic_energy_stays(scope: Scope) -> None:
    """Three masses on one body: the same energy at any velocity and spin."""
    points = {(3, 1): 2, (-1, 4): 5, (2, -6): 1}
    masses, moments = merged(scope, {on("tool", *z): scope.builder.real(m) for z, m in points.items()})
    ((terms, mass),) = masses.items()
    local = next(term for term in terms if term.body == "tool").vector
    centre = complex(number(local.re), number(local.im))
    for v, w in ((2 + 1j, 3.0), (-1j, 0.5)):
        wanted = sum(m * abs(v + 1j * w * complex(*z)) ** 2 for z, m in points.items())
        found = float(mass.constant or 0) * abs(v + 1j * w * centre) ** 2 + float(moments["tool"].constant or 0) * w**2
        assert found == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize(
    "places",
    [
        [on("tool", 3, 1), on("upper1", 3, 1)],
        [(Term("tool", vector(1, 0), "x"),), (Term("tool", vector(2, 0), "x"),)],
    ],
    ids=["two bodies", "a slide"],
)
def test_masses_that_move_against_each_other_stay(scope: Scope, places: list[Terms]) -> None:
    """On two bodies, or along a turning slide."""
    masses, moments = merged(scope, {place: scope.builder.real(2) for place in places})
    assert list(masses) == places
    assert not moments


@pytest.mark.parametrize(("negative", "left"), [("-2", 2), ("-1.999", 2), ("-1.5", 1)])
def test_masses_that_nearly_cancel_stay(scope: Scope, negative: str, left: int) -> None:
    """A centre beyond the joints makes one of a body's masses negative: their common centre may be far away."""
    builder = scope.builder
    masses = {on("tool", 3, 1): builder.real(2), on("tool", 1, 1): builder.real(Fraction(negative))}
    assert len(merged(scope, masses)[0]) == left


def test_a_mass_that_turns_with_a_body_is_a_moment(scope: Scope) -> None:
    """2 kg at 3 m from the body's own resting point."""
    masses, moments = merged(scope, {(Term("upper1", vector(3, 0)),): scope.builder.real(2)})
    assert not masses
    assert moments["upper1"].constant == 2 * 3**2


def test_the_tips_of_a_robots_legs_move_with_its_tool() -> None:
    """Half of each lower link of 4 kg, and the tool of 8 kg, at the tool's centre: 14 kg there, nothing elsewhere."""
    form = triangular_form(read_mechanism(model_path("parallel_robot")))
    builder = Builder("f", "float64")
    inertia = reduced_inertia(form, builder, Scope(builder, form.mechanism))
    ((terms, mass),) = inertia.masses.items()
    assert mass.constant == 14
    scope = Scope(builder, form.mechanism)
    assert {term.slide for term in terms if any(part.constant != 0 for part in scope.vector(term.vector))} == {"x", "y"}
    corner = 0.4**2 / 3  # square of the distance from the centre, m^2
    assert float(inertia.moments["tool"].constant or 0) == pytest.approx(0.0817 + 3 * 2 * corner, rel=1e-9)


def test_a_heavy_tunable_mass_is_left() -> None:
    """A mass that is no number yet keeps its own point."""
    mechanism = read_mechanism(model_path("parallel_robot"))
    parameters = tuple(replace(each, frozen=each.name != "m2") for each in mechanism.parameters)
    form = triangular_form(replace(mechanism, parameters=parameters))
    builder = Builder("f", "float64")
    inertia = reduced_inertia(form, builder, Scope(builder, form.mechanism))
    assert len(inertia.masses) == 4
    assert np.isclose(float(inertia.moments["tool"].constant or 0), 0.0817)
