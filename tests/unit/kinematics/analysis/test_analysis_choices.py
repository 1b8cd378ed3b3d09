"""Choices of independent coordinates: dead points by closed form, counts of the budgets, ranking, redundancy."""

import math
import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.commands.analysis_facts import arithmetic_counts
from exporter.errors import ModelError
from exporter.kinematics.analysis.choices import Choice, candidates, judge_choice, number_of_choices
from exporter.kinematics.analysis.loops import loops_of, meetings_of
from exporter.kinematics.analysis.ranking import is_free, ranked_choices, recommendation
from exporter.kinematics.analysis.samples import Samples, sampled
from exporter.kinematics.closures.closing import residuals
from exporter.kinematics.closures.passive_spins import closures_of
from exporter.kinematics.engine import solved_mechanism, triangular_solution
from exporter.model.complete import with_values
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism

ROOT = Path(__file__).resolve().parents[4]
DATA = ROOT / "tests" / "data"
BUDGETS = tomllib.loads((ROOT / "ci" / "budgets.toml").read_text())


def from_data(name: str) -> Mechanism:
    return read_mechanism(DATA / f"{name}.toml")


def analysed(mechanism: Mechanism, limit: int = 20) -> tuple[Samples, tuple[Choice, ...]]:
    samples = sampled(mechanism, solved_mechanism(mechanism))
    choices = (
        judge_choice(mechanism, samples, each, arithmetic_counts) for each in candidates(mechanism, samples, limit)
    )
    return samples, ranked_choices(choices)


def choice_of(choices: tuple[Choice, ...], *names: str) -> Choice:
    return next(choice for choice in choices if choice.independent == names)


def places_of(choice: Choice) -> list[float]:
    return sorted(place[choice.independent[0]] for place in choice.singularities.places)


def test_slider_crank_driven_from_its_slider_has_two_dead_points() -> None:
    """Crank 0.1 m and rod 0.25 m in line: the slider at 0.35 m and 0.15 m; near there, and nowhere else."""
    _, choices = analysed(from_data("mechanisms/offset_slider_crank"))
    slider = choice_of(choices, "x")
    assert slider.solvable
    assert slider.singularities.changes_sign
    assert not is_free(slider)
    assert places_of(slider) == pytest.approx([0.15, 0.35], abs=2e-4)
    assert is_free(choice_of(choices, "theta"))


def test_slider_crank_dead_points_move_with_the_offset() -> None:
    """With an offset of 0.03 m they are at 0.348711915483 and 0.146969384567 m (sqrt((l+-r)^2 - e^2))."""
    mechanism = with_values(from_data("mechanisms/offset_slider_crank"), {"offset": Fraction("0.03")})
    _, choices = analysed(mechanism)
    assert places_of(choice_of(choices, "x")) == pytest.approx([0.146969384567, 0.348711915483], abs=2e-4)


def test_crank_rocker_can_be_driven_by_its_crank_only() -> None:
    """The rocker has dead points where crank 0.5 and coupler 1.2 are in line (law of cosines); the crank has none."""
    _, choices = analysed(from_data("crank_rocker"))
    extremes = sorted(math.pi - math.acos((0.8**2 + 1 - reach**2) / (2 * 0.8)) for reach in (1.7, 0.7))
    assert places_of(choice_of(choices, "theta4")) == pytest.approx(extremes, abs=1e-3)
    best = recommendation(choices, ("theta2",))
    assert best is not None
    assert best.independent == ("theta2",)


def test_coupled_loops_are_refused_in_the_engines_words_and_come_last() -> None:
    """The six-bar by beta1: six complex assemblies, not triangular; by theta1 four, triangular, free of dead points."""
    mechanism = read_mechanism(model_path("stephenson_iii"))
    _, choices = analysed(mechanism)
    coupled = choice_of(choices, "beta1")
    assert coupled.degree == 6
    assert [len(system.unknowns) for system in coupled.systems] == [4]
    with pytest.raises(ModelError) as caught:
        triangular_solution(replace(mechanism, independent=("beta1",)))
    assert coupled.refusal == str(caught.value)
    own = choice_of(choices, "theta1")
    assert own.degree == 4
    assert is_free(own)
    assert choices.index(coupled) > choices.index(own)


def test_operations_are_those_of_the_budgets() -> None:
    """Slider-crank: what W1 allows; Gough-Stewart: 88/56/12 for all legs. Both counted from the sequence elsewhere."""
    slider = read_mechanism(model_path("slider_crank"))
    samples = sampled(slider, solved_mechanism(slider))
    dynamics = judge_choice(slider, samples, slider.independent, arithmetic_counts).costs["dynamics"].as_dict()
    assert {name: dynamics[name] for name in BUDGETS["w1"]["operations"]} == BUDGETS["w1"]["operations"]
    platform = read_mechanism(model_path("gough_stewart"))
    position = arithmetic_counts(platform, solved_mechanism(platform))["position"]
    assert [position.mul + position.div, position.add, position.sqrt] == BUDGETS["spatial"]["gough_stewart"]["count"]


def test_every_combination_is_a_candidate_up_to_the_limit() -> None:
    """Four coordinates and two freedoms: six choices; with a limit of three, the own one first."""
    mechanism = from_data("mechanisms/scara_forward")
    samples = sampled(mechanism, solved_mechanism(mechanism))
    assert number_of_choices(mechanism, samples) == 6
    assert len({frozenset(each) for each in candidates(mechanism, samples, 60)}) == 6
    limited = candidates(mechanism, samples, 3)
    assert len(limited) == 3
    assert limited[0] == ("q1", "q2")


@pytest.mark.parametrize("name", ["crank_rocker", "mechanisms/tilted_crank_rocker"])
def test_a_planar_loop_in_space_has_three_redundant_equations(name: str) -> None:
    """In plane xy or tilted by (1, 2, 2)/3: two of the closing hinge's five equations count; one freedom is left."""
    mechanism = from_data(name)
    samples = sampled(mechanism, solved_mechanism(mechanism))
    (loop,) = loops_of(mechanism, samples)
    assert (loop.equations, loop.redundant, samples.freedom) == (5, 3, 1)


def test_a_redundant_guide_is_counted_and_leaves_the_freedom() -> None:
    """A vertical guide of a scissor lift's platform adds five equations that the others imply; one freedom is left.

    The oracle is the rank in the case's own counting: 16 equations in the plane, rank 14 of 15.
    """
    text = model_path("scissor_lift").read_text()
    guide = '[joints.guide]\ntype = "prismatic"\naxis = "y"\nparent = "ground"\nchild = "platform"\ncloses = true\n\n'
    mechanism = parse_mechanism(text.replace("[coordinates]", f"{guide}[coordinates]"), "guided lift")
    samples = sampled(mechanism, None)
    loops = {loop.joint: loop for loop in loops_of(mechanism, samples)}
    assert samples.freedom == 1
    assert loops["guide"].equations == loops["guide"].redundant == 5


def test_assemblies_of_a_parallelogram_meet_twice_a_turn() -> None:
    """Where all bars are in line: at 0 and at half a turn; a crank-rocker's never do."""
    for name, expected in (("mechanisms/change_point_parallelogram", [0.0, math.pi]), ("crank_rocker", [])):
        mechanism = from_data(name)
        samples = sampled(mechanism, solved_mechanism(mechanism))
        places = sorted(place["theta2"] for place in meetings_of(mechanism, samples))
        assert places == pytest.approx(expected, abs=math.radians(2))


def test_samples_close_every_loop_with_or_without_a_triangular_form() -> None:
    """Residuals of the original closures; Newton reaches what the blocks reach, in the same assembly."""
    mechanism = from_data("crank_rocker")
    closures = closures_of(mechanism)
    by_blocks, by_newton = sampled(mechanism, solved_mechanism(mechanism)), sampled(mechanism, None)
    for samples in (by_blocks, by_newton):
        assert np.abs(residuals(closures, samples.rows)).max() < 1e-10
    turned = by_newton.rows - by_blocks.rows
    np.testing.assert_allclose(np.exp(1j * turned), 1, atol=1e-8)


def test_a_mechanism_that_its_own_choice_cannot_drive_is_analysed_still() -> None:
    """The six-bar driven by beta1 in its file: sampled by Newton; theta1 is recommended."""
    own = read_mechanism(model_path("stephenson_iii"))
    bounds = replace(own.ranges["theta1"], minimum=own.pose["beta1"] - 1, maximum=own.pose["beta1"] + 1)
    mechanism = replace(own, independent=("beta1",), ranges={"beta1": bounds})
    samples = sampled(mechanism, None)
    assert samples.freedom == 1
    assert len(samples.rows) > 20
    chosen = [judge_choice(mechanism, samples, (name,), arithmetic_counts) for name in ("beta1", "theta1")]
    best = recommendation(ranked_choices(chosen), ("beta1",))
    assert best is not None
    assert best.independent == ("theta1",)


def test_a_choice_whose_pivots_coincide_is_refused_in_words() -> None:
    """The antenna by two angles of its struts: a base without length is an error and no division by zero."""
    mechanism = read_mechanism(model_path("ers1_antenna"))
    samples = sampled(mechanism, solved_mechanism(mechanism))
    assert "coincide in every pose" in judge_choice(mechanism, samples, ("d1", "d2"), arithmetic_counts).refusal
