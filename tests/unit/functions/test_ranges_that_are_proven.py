"""A function that is not proven over its ranges goes out with ranges over which it is.

The slider-crank by its slide: crank 0.3 m, rod 0.4 m, so that the slide reaches from 0.1 to 0.7 m.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from exporter import proposals
from exporter.errors import ModelError, NotProven
from exporter.functions.program import program_of_mechanism
from exporter.model.complete import with_independent
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.proposals import with_proposal

REASON = "'dynamics', equation L1.a: a result that may overflow float32; narrow the ranges, or take float64"


def driven(low: str, high: str) -> Mechanism:
    limits = CoordinateRange(Fraction(low), Fraction(high), Fraction(1))
    mechanism = with_independent(read_mechanism(model_path("slider_crank")), ["s"], ranges={"s": limits})
    return replace(mechanism, alternative=())


def refused(mechanism: Mechanism) -> str:
    with pytest.raises(NotProven) as caught, with_proposal(mechanism, "float32"):
        raise NotProven(REASON)
    return str(caught.value)


def test_what_is_reached_is_proposed_where_it_is_less_than_the_ranges() -> None:
    """Half of the way from 0.4 to 1 m is reached; the refusal names the user's ranges and those that do."""
    sentence = refused(driven("0.4", "1"))
    assert f'over s = ["0.4 m", "1 m"]: {REASON}' in sentence
    (ends,) = re.findall(r'it exports over s = \["([\d.]+) m", "([\d.]+) m"\]$', sentence)
    assert pytest.approx(float(ends[0])) == 0.4
    assert 0.66 < float(ends[1]) <= 0.7
    assert program_of_mechanism(driven(*ends), "float32").functions


def test_a_part_of_ranges_that_are_wholly_reached_is_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where half of them is proven, and three quarters are not."""
    own = driven("0.35", "0.65")
    monkeypatch.setattr(proposals, "program_of_mechanism", _proven_up_to(own, Fraction("0.16")))
    (ends,) = re.findall(r'it exports over s = \["([\d.]+) m", "([\d.]+) m"\]$', refused(own))
    assert float(ends[1]) - float(ends[0]) == pytest.approx(0.15, abs=0.01)


def test_that_no_part_is_proven_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    own = driven("0.35", "0.65")
    monkeypatch.setattr(proposals, "program_of_mechanism", _proven_up_to(own, Fraction(0)))
    assert re.search(r'nor is it proven over s = \["[\d.]+ m", "[\d.]+ m"\]$', refused(own))


def _proven_up_to(own: Mechanism, widest: Fraction) -> Callable[..., object]:
    """Makes the program of ranges that are at most so wide, m."""

    def program(mechanism: Mechanism, *_: object) -> object:
        bounds = mechanism.ranges["s"]
        if bounds.maximum - bounds.minimum > widest:
            raise ModelError(REASON)
        return program_of_mechanism(own, "float32", only=("position",))

    return program
