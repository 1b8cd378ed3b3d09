"""A loop through a body whose place another loop has given runs along the body. Oracle: vectors by hand."""

from dataclasses import replace
from fractions import Fraction

from exporter.kinematics.planar.form import unsigned_form
from exporter.kinematics.planar.model import Closure
from exporter.kinematics.planar.plane import Term
from exporter.kinematics.planar.shortcuts import components, shortest
from exporter.kinematics.protocol.linear_sums import PlaneVector
from exporter.model.expression import Number
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism

ONE = Number(Fraction(1))


def vector(re: int = 0, im: int = 0) -> PlaneVector:
    return PlaneVector(*(((Fraction(part), ONE),) if part else () for part in (re, im)))


ARM = Term("arm", vector(5))
PLACE = Term("ground", vector(-1), "x"), Term("ground", vector(0, -1), "y")
FIRST = Closure("first", (ARM, *PLACE, Term("tool", vector(3, 2))))


def test_along_the_body() -> None:
    """From one corner to the other there is one component; by way of x and y there are four."""
    second = (Term("link", vector(4)), *PLACE, Term("tool", vector(-3, 2)))
    found = shortest(second, [FIRST], components)
    assert set(found) == {Term("link", vector(4)), Term("tool", vector(-6)), Term("arm", vector(-5))}


def test_as_it_is_where_nothing_is_shorter() -> None:
    """A corner in an axis of the body is nearer to its place than to the other corner."""
    second = (Term("link", vector(4)), *PLACE, Term("tool", vector(0, 7)))
    assert shortest(second, [FIRST], components) == second
    assert shortest(second, [], components) == second


def test_a_robot_by_its_joints() -> None:
    """Once a leg has given the tool's place, the next leg does without it; given places stay as they are."""
    mechanism = read_mechanism(model_path("parallel_robot"))
    by_joints = unsigned_form(replace(mechanism, independent=("theta1", "theta4", "theta")))
    slides = [{term.slide for term in block.closure.terms if term.slide} for block in by_joints.blocks]
    assert slides == [{"x", "y"}, set(), {"x", "y"}]
    assert all(any(term.slide == "x" for term in block.closure.terms) for block in unsigned_form(mechanism).blocks)
