"""A solution that is taken over by a mechanism with other parameters writes what that mechanism's own solution does."""

from dataclasses import replace

import pytest

from exporter.functions.mechanism import acceleration, functions_of
from exporter.functions.program import arithmetic
from exporter.kinematics.analysis.other_parameters import with_parameters_of
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import with_tunable
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.parameter_sets import placing_names, shaping_names
from exporter.model.toml.reader import read_mechanism


def _with_ranges(name: str) -> Mechanism:
    mechanism = read_mechanism(model_path(name))
    ranged = (
        replace(each, minimum=each.minimum or each.value * 9 / 10, maximum=each.maximum or each.value * 11 / 10)
        for each in mechanism.parameters
    )
    return with_tunable(replace(mechanism, parameters=tuple(ranged)), ())


@pytest.mark.parametrize(("name", "mass"), [("slider_crank", "m3"), ("spatial_four_bar", "line_mass")])
def test_the_functions_are_those_of_the_mechanism_solved_anew(name: str, mass: str) -> None:
    """A mass that becomes tunable is an input of the dynamics, whether the loops were solved again or not."""
    frozen = _with_ranges(name)
    tunable = with_tunable(frozen, (mass,))
    reused = with_parameters_of(solved_mechanism(frozen), tunable)
    assert reused is not None
    assert reused.mechanism is tunable
    write = functions_of(tunable, reused).get("dynamics", acceleration)
    written = arithmetic(write, reused)
    assert mass in {signal.name for signal in written.inputs}
    anew = arithmetic(write, solved_mechanism(tunable))
    assert (written.operations, written.outputs) == (anew.operations, anew.outputs)


def test_a_mechanism_with_other_joints_must_be_solved_itself() -> None:
    """As one has after loops that others imply were left out."""
    mechanism = _with_ranges("slider_crank")
    other = replace(mechanism, joints=mechanism.joints[::-1])
    assert with_parameters_of(solved_mechanism(mechanism), other) is None


def test_a_mass_places_nothing_and_a_length_does() -> None:
    """Only tunable parameters count."""
    mechanism = with_tunable(_with_ranges("slider_crank"), ("l1", "m3"))
    assert shaping_names(mechanism) == placing_names(mechanism) == {"l1"}
