"""Status and refusals of driven mechanisms: iterates raise no alarm, and nothing wrong goes without one."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from exporter.commands.overview import show_mechanism
from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.model.complete import completed, with_independent
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.operations import Signal
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

DEAD_POINTS = (0.2276, 1.5266)  # rad, of beta1: between them the branch of the design pose ends


def six_bar(low: str = "0.3", high: str = "1.45") -> Mechanism:
    """The six-bar by its dyad."""
    limits = CoordinateRange(Fraction(low), Fraction(high), Fraction(30))
    return with_independent(read_mechanism(model_path("stephenson_iii")), ["beta1"], ranges={"beta1": limits})


def test_what_is_not_flagged_is_right_wherever_the_steps_are_led() -> None:
    """Far outside the table every configuration without a flag closes; beyond the dead points all are flagged."""
    mechanism = six_bar()
    rows = np.linspace(-1.0, 3.0, 801)[:, None]
    found = solution_rows(solved_mechanism(mechanism), rows)
    assert found.good[(rows[:, 0] > 0.3) & (rows[:, 0] < 1.45)].all()
    assert not found.good[(rows[:, 0] < DEAD_POINTS[0]) | (rows[:, 0] > DEAD_POINTS[1])].any()
    residual = reference_of(mechanism).residual(configuration(found.coordinates[found.good]))
    assert residual.max() < 1e-12


def test_a_note_names_the_parameters_that_seeds_do_not_know() -> None:
    """Named are those tunable ones that move a joint; a mass does not."""

    def told(*frozen: str) -> list[str]:
        mechanism = six_bar()
        parameters = [replace(each, frozen=each.name in frozen) for each in mechanism.parameters]
        solved = solved_mechanism(completed(replace(mechanism, parameters=tuple(parameters))))
        return [found for note in solved.notes for found in re.findall(r"nominal values? of ([\w, ]+), and", note)]

    names = [parameter.name for parameter in six_bar().parameters]
    assert told(*names) == []
    assert told(*names[1:]) == [names[0]]


def test_conditions_that_are_kept_are_dropped_inside_an_iterate() -> None:
    """A Jacobian counts at the end of the steps and does not within one of them."""
    builder = Builder("f", "float64")
    value = builder.input(Signal("x", "1"))
    with builder.iterate("N1", conditions=True):
        builder.condition("NEAR_SINGULAR", value > 0)
    with builder.iterate("N1"), builder.iterate("N1", conditions=True):
        builder.condition("GUARD_SMALL", value > 0)
    builder.output(Signal("y", "1"), value)
    assert [condition.name for condition in builder.finish().conditions] == ["NEAR_SINGULAR"]


def test_conditions_of_an_iterate_are_dropped_except_a_rejected_argument() -> None:
    """A pivot of an iterate sets nothing; an argument that only an iterate reads is rejected all the same."""
    builder = Builder("f", "float64")
    value = builder.input(Signal("x", "1"))
    with builder.iterate("N1"):
        builder.condition("NEAR_SINGULAR", value > 0)
        builder.condition("ARG_REJECTED", value > 1)
    builder.condition("RESIDUAL_HIGH", value > 2)
    builder.output(Signal("y", "1"), value)
    assert [condition.name for condition in builder.finish().conditions] == ["RESIDUAL_HIGH", "ARG_REJECTED"]


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        ("-3", "3.2", r"does not follow from the design pose to beta1 = -?\d.*: the mechanism itself is not"),
        ("0.3", "9", "wider than a turn"),
    ],
)
def test_ranges_that_cannot_be_driven_are_refused(low: str, high: str, words: str) -> None:
    """A range of which hardly a fifth lies between the dead points, or that is wider than a turn."""
    with pytest.raises(ModelError, match=words):
        solved_mechanism(six_bar(low, high))


@pytest.mark.parametrize(("low", "high"), [("-0.3", "1.6"), ("0.228", "1.526")])
def test_of_ranges_beyond_dead_points_the_part_between_them_is_driven(low: str, high: str) -> None:
    """Right by the reference where there is no flag; flagged beyond the dead points, and silent in what is told."""
    mechanism = six_bar(low, high)
    solved = solved_mechanism(mechanism)
    rows = np.linspace(float(low), float(high), 601)[:, None]
    found = solution_rows(solved, rows)
    told = [float(each) for each in re.findall(r'"([-\d.]+) rad"', " ".join(solved.notes))]
    assert DEAD_POINTS[0] < told[0] < 0.3
    assert 1.45 < told[1] < DEAD_POINTS[1]
    assert found.good[(rows[:, 0] > told[0]) & (rows[:, 0] < told[1])].all()
    assert not found.good[(rows[:, 0] < DEAD_POINTS[0]) | (rows[:, 0] > DEAD_POINTS[1])].any()
    right = reference_of(mechanism).positions(rows[found.good])
    np.testing.assert_allclose(np.exp(1j * found.coordinates[found.good]), np.exp(1j * right), rtol=0, atol=1e-9)


def test_show_tells_table_and_steps() -> None:
    """The steps are the first block, the others follow, and a note says the degree and what is left."""
    overview = show_mechanism(six_bar(), "float64", {}).overview
    assert [block.id for block in overview.blocks] == ["N1", "L1", "L2"]
    assert [step for step, _ in overview.blocks[0].steps] == ["N1.1", "N1.2", "N1.r"]
    assert overview.modes[0].reachable
    assert "degree 6 in complex numbers" in overview.notes[0]


def test_rates_tell_of_the_pivots_that_their_jacobian_divides_by() -> None:
    """Where a pivot of a loop is replaced, the Jacobian of the given coordinate is wrong, and so are the rates."""
    velocity = functions.velocity(solved_mechanism(six_bar()), "float32", contract=True)
    told = {condition.name: condition.about for condition in velocity.conditions}
    assert "the pivot of loop 'loop_theta' is below its threshold" in told["NEAR_SINGULAR"]
