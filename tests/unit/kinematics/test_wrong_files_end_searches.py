"""A search goes on after what a choice of coordinates cannot do, and ends with what is wrong in the file.

The wrong mechanism is one that the reader refuses, made from data as a script might; the sound twins are refused for
their choice of coordinates or for their lengths.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

from exporter.errors import ModelError, NotAssembled, Unsolved
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.exchanged.structure import Structure
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism


def library(name: str) -> Mechanism:
    return read_mechanism(model_path(name))


def in_the_air(name: str) -> Mechanism:
    """A mechanism of the library whose first joint does not hang on ground but on its own child."""
    mechanism = library(name)
    first, *others = mechanism.joints
    parent = replace(first.parent, body=first.child.body)
    return replace(mechanism, joints=(replace(first, parent=parent), *others), model_hash="")


def test_a_tree_that_hangs_in_the_air_ends_every_search() -> None:
    mechanism = in_the_air("four_bar")
    with pytest.raises(ModelError, match="no tree joint connects") as caught:
        solved_mechanism(mechanism)
    assert not isinstance(caught.value, Unsolved)
    with pytest.raises(ModelError, match="no tree joint connects"):
        Structure(mechanism).is_triangular(mechanism.independent)


def test_a_choice_that_leaves_loops_together_is_an_answer() -> None:
    mechanism = library("stephenson_iii")
    assert Structure(mechanism).is_triangular(mechanism.independent)
    assert not Structure(mechanism).is_triangular((mechanism.coordinates()[-1],))


def test_lengths_out_of_reach_are_no_wrong_file() -> None:
    """A coupler of 1 cm does not reach from the crank of 1 m to a rocker of 2.5 m whose pivot is 3 m away."""
    mechanism = library("four_bar")
    short = [replace(each, value=Fraction(1, 100)) if each.name == "l2" else each for each in mechanism.parameters]
    with pytest.raises(NotAssembled, match="cannot be assembled"):
        solved_mechanism(replace(mechanism, parameters=tuple(short), model_hash=""))
