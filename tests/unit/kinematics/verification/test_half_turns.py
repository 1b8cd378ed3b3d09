"""Dependent angles that forces read by value, where they come to half a turn.

The library's four-bar turns its crank fully: alpha2 then passes -180 degrees, alpha3 stays between -156 and -108.
Ranges of these two, which the file gives too, would tell before that they may turn on and on.
"""

import re
from dataclasses import replace
from fractions import Fraction
from math import pi

import numpy as np
import pytest

from exporter.errors import RangesRefused
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.model.complete import completed
from exporter.model.expression import Number
from exporter.model.library import model_path
from exporter.model.mechanism import Element, Load, Mechanism
from exporter.model.parse import parse_expression
from exporter.model.toml.reader import read_mechanism


def four_bar(*, elements: tuple[Element, ...] = (), value: str = "tau") -> Mechanism:
    mechanism = read_mechanism(model_path("four_bar"))
    (motor,) = mechanism.loads
    changed: Load = replace(motor, value=(parse_expression(value),))
    ranges = {"alpha1": mechanism.ranges["alpha1"]}
    return completed(replace(mechanism, elements=elements, loads=(changed,), ranges=ranges, alternative=()))


def spring(along: str) -> Element:
    return Element("coil", "spring", along, {"stiffness": number(20)})


def number(value: int) -> Number:
    return Number(Fraction(value))


def test_a_spring_along_an_angle_that_passes_half_a_turn_is_refused_at_that_place() -> None:
    with pytest.raises(RangesRefused) as caught:
        solved_mechanism(four_bar(elements=(spring("alpha2"),)))
    said = str(caught.value)
    assert "alpha2 passes half a turn" in said
    assert "elements.coil.along reads it" in said
    found = re.search(r"alpha1 = (\S+) rad", said)
    assert found is not None
    rows = solution_rows(solved_mechanism(four_bar()), np.array([[float(found[1])]]))
    assert abs(abs(rows.coordinates[0, 1]) - pi) < 1e-4


def test_a_load_that_reads_such_an_angle_is_refused_and_its_sine_is_not() -> None:
    with pytest.raises(RangesRefused, match=r"loads\.motor\.value reads it"):
        solved_mechanism(four_bar(value="tau*abs(alpha2)/alpha2"))
    solved_mechanism(four_bar(value="tau*sin(alpha2)"))


def test_an_angle_that_stays_within_half_a_turn_may_have_a_spring() -> None:
    solved_mechanism(four_bar(elements=(spring("alpha3"),)))


def test_a_damper_reads_the_rate_alone() -> None:
    solved_mechanism(four_bar(elements=(Element("oil", "damper", "alpha2", {"damping": number(2)}),)))
