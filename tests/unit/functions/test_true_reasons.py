"""What a refusal claims is held against the reference's own Newton, and what it proposes is tried.

Claims are found by their words, so that a refusal that says something else of a mechanism of this corpus is seen too.
Facts of the data: all of these mechanisms close over their ranges (residual below 1e-12 by Newton on the closures),
except the gear and the six-bar beyond what they reach.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import completed, with_independent
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.proposals import other_choices, with_proposal
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import Reference, reference_of

Array = np.ndarray
DATA = Path(__file__).resolve().parents[2] / "data" / "mechanisms"
HALF = 3  # rad: an angle is asked for at most so far from its design pose


def data(name: str) -> Mechanism:
    return read_mechanism(DATA / f"{name}.toml")


def by(name: str, independent: str, low: str, high: str) -> Mechanism:
    """A mechanism of the library by another coordinate, over a range."""
    mechanism = read_mechanism(model_path(name))
    bounds = mechanism.ranges.get(independent) or CoordinateRange(Fraction(0), Fraction(0), Fraction(1))
    ranges = {independent: replace(bounds, minimum=Fraction(low), maximum=Fraction(high))}
    return with_independent(mechanism, (independent,), {}, ranges)


def turned_hooke() -> Mechanism:
    """Driven by the other shaft."""
    text = (DATA / "hooke.toml").read_text().replace('independent = ["theta"]', 'independent = ["phi"]')
    return parse_mechanism(text.replace("{ theta = [", "{ phi = [").replace('{ theta = "300', '{ phi = "300'), "h")


CORPUS: dict[str, Callable[[], Mechanism]] = {
    "hinged_cross": lambda: data("hinged_cross"),
    "hooke": lambda: data("hooke"),
    "hooke by the other shaft": turned_hooke,
    "leg_point": lambda: data("leg_point"),
    "spherical_wrist": lambda: data("spherical_wrist"),
    "offset_strut": lambda: data("offset_strut"),
    "lifted_rprz": lambda: data("lifted_rprz"),
    "six-bar beyond its reach": lambda: by("stephenson_iii", "beta1", "-3", "3.2"),
    "six-bar wide": lambda: by("stephenson_iii", "beta1", "-9", "9"),
    "gear beyond its reach": lambda: by("landing_gear", "p", "1", "40"),
}


SLOW = ("hinged_cross", "six-bar beyond its reach", "gear beyond its reach")


def refusal(mechanism: Mechanism) -> str:
    """The sentence that an export ends in; empty where it does not."""
    try:
        with with_proposal(mechanism, "float64"):
            program_of_mechanism(mechanism, "float64")
    except ModelError as error:
        return str(error)
    return ""


def grid(mechanism: Mechanism, part: float) -> Array:
    """Rows over a part of the ranges about the design pose, (n, f)."""
    rows = []
    for name in mechanism.independent:
        bounds, design = mechanism.ranges[name], float(mechanism.pose[name])
        low, high = max(float(bounds.minimum), design - HALF), min(float(bounds.maximum), design + HALF)
        rows.append(design + part * np.linspace(low - design, high - design, 7))
    return np.stack(rows, axis=-1)


def reached(reference: Reference, rows: Array) -> Array:
    return np.isfinite(reference.positions(rows)).all(axis=1)


@cache
def refused(name: str) -> str:
    """The refusal of a mechanism of the corpus."""
    return refusal(CORPUS[name]())


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in CORPUS]
)
def test_a_refusal_is_true(name: str) -> None:
    mechanism, sentence = CORPUS[name](), refused(name)
    if not sentence:
        return  # it exports: nothing is claimed
    claims = check_closing(mechanism, sentence) + check_reach(mechanism, sentence)
    claims += check_choice(mechanism, sentence) + check_ranges(mechanism, sentence)
    words = ("must be solved together", "no polynomial", "no table", "wider than a turn")
    assert claims or any(word in sentence for word in words), sentence
    assert "choose other" not in sentence
    assert "narrow the range" not in sentence


def check_closing(mechanism: Mechanism, sentence: str) -> int:
    """Open is said only where Newton does not close it either, closed only where it does."""
    found = 0
    if "does not close" in sentence:
        assert not reached(reference_of(mechanism), grid(mechanism, 1.0)).all()
        found += 1
    if "closes by Newton's method" in sentence:
        assert reached(reference_of(mechanism), grid(mechanism, 0.9)).all()
        found += 1
    return found


def check_reach(mechanism: Mechanism, sentence: str) -> int:
    """Whether the mechanism itself gets where a table does not."""
    place = re.search(r"from the design pose to (.*?) \(\d+ of", sentence)
    if place is None:
        return 0
    values = dict(pair.split(" = ") for pair in place[1].split(", "))
    row = np.array([[float(values[name]) for name in mechanism.independent]])
    assert ("the mechanism itself gets there" in sentence) == bool(reached(reference_of(mechanism), row)[0])
    return 1


QUANTITY = r'"(-?[\d.e+-]+) \S+"'


def check_choice(mechanism: Mechanism, sentence: str) -> int:
    """Other coordinates that are proposed export, with what is said to be added."""
    proposal = re.search(r"--independent (\S+?)(,? with (.*))?$", sentence)
    if proposal is None:
        return 0
    names, added = tuple(proposal[1].split(",")), proposal[3] or ""
    pose = {name: Fraction(value) for name, value in re.findall(rf"pose (\S+) = {QUANTITY}", added)}
    spans = re.findall(rf"ranges (\S+) = \[{QUANTITY}, {QUANTITY}\]", added)
    ranges = {name: CoordinateRange(Fraction(low), Fraction(high), Fraction(1)) for name, low, high in spans}
    assert refusal(with_independent(mechanism, names, pose, ranges)) == ""
    return 1


def check_ranges(mechanism: Mechanism, sentence: str) -> int:
    """Narrower ranges that are proposed export, and give the reference's positions."""
    proposal = re.search(r"; it exports over (.*)$", sentence)
    if proposal is None:
        return 0
    spans = re.findall(rf"(\S+) = \[{QUANTITY}, {QUANTITY}\]", proposal[1])
    assert {name for name, _, _ in spans} == set(mechanism.independent)
    ranges = {
        name: replace(mechanism.ranges[name], minimum=Fraction(low), maximum=Fraction(high))
        for name, low, high in spans
    }
    narrow = completed(replace(mechanism, ranges={**mechanism.ranges, **ranges}))
    assert refusal(narrow) == ""
    sequence = functions.position(solved_mechanism(narrow), "float64", contract=True)
    rows = grid(narrow, 1.0)
    result, expected = interpret(sequence, rows), reference_of(narrow).positions(rows)
    assert not result.status.any()
    for position, output in enumerate(sequence.outputs):
        name, _, part = output.signal.name.partition(".")
        if name in narrow.coordinates() and part in ("sin", "cos"):
            right = getattr(np, part)(expected[:, narrow.coordinates().index(name)])
            np.testing.assert_allclose(result.outputs[:, position], right, rtol=0, atol=1e-9)
    return 1


@pytest.mark.parametrize(
    ("name", "named"),
    [
        pytest.param("six-bar beyond its reach", "is not followed to there either", marks=pytest.mark.slow),
        ("six-bar wide", "it exports over beta1"),
    ],
)
def test_the_reason_of_these(name: str, named: str) -> None:
    """As their files say."""
    assert named in refused(name)


@pytest.mark.parametrize(("count", "given"), [(1, (0,)), (5, (1, 3)), (7, (0, 5, 6)), (8, ()), (6, range(6))])
def test_all_other_choices_come_the_fewest_exchanged_first(count: int, given: tuple[int, ...]) -> None:
    names = tuple("abcdefgh"[:count])
    own = {names[position] for position in given}
    every = sorted(combinations(names, len(own)), key=lambda each: len(own.difference(each)))
    assert list(other_choices(names, frozenset(own))) == [each for each in every if set(each) != own]


def test_few_of_many_millions_of_choices_are_made() -> None:
    """Twelve of 200 coordinates can be chosen in 6e18 ways."""
    names = tuple(f"q{number}" for number in range(200))
    found = list(islice(other_choices(names, frozenset(names[-12:])), 400))
    assert len(set(found)) == 400
    assert all(len(set(each) - set(names[-12:])) == 1 for each in found)


# -- twins: the same words are not said of what is sound, and are said of what is made wrong ---------------------------

FOUR_BAR = (DATA / "tilted_four_bar_ball.toml").read_text()


def test_a_loop_that_cannot_close_is_told_by_how_much_it_stays_open() -> None:
    """Bars of 1 m and less over a gap of 10 m; with the gap as it was nothing is said."""
    mechanism = data("spherical_wrist")
    assert "does not close" not in refusal(mechanism)
    text = (DATA / "spherical_wrist.toml").read_text()
    apart = text.replace(
        '[joints.m3]\ntype = "revolute"\naxis = "z"\nparent = "ground"',
        '[joints.m3]\ntype = "revolute"\naxis = "z"\nparent = "ground.away"',
    )
    apart = apart.replace("[bodies.p1]", '[ground]\npoints = { away = ["0", "0.1 m", "0.2 m"] }\n[bodies.p1]')
    assert apart != text
    sentence = refusal(parse_mechanism(apart, "apart"))
    assert "Newton's method does not close the loops from the pose" in sentence
    with pytest.raises(ModelError, match="design pose"):
        reference_of(parse_mechanism(apart, "apart"))


def test_too_many_coordinates_are_counted_by_rank() -> None:
    """Two shafts of one joint turn together: driven by both there is one too many."""
    text = (DATA / "hooke.toml").read_text().replace('independent = ["theta"]', 'independent = ["theta", "phi"]')
    text = text.replace("{ theta = [", '{ phi = ["-1 rad", "1 rad"], theta = [').replace(
        '{ theta = "300', '{ phi = "1 rad/s", theta = "300'
    )
    sentence = refusal(parse_mechanism(text, "both"))
    assert "the loops leave 1 degree of freedom for 2 independent coordinates" in sentence


def test_a_closing_joint_that_holds_nothing_is_counted_as_that() -> None:
    """A free joint has no equations: two hinges less leave three degrees of freedom to a four-bar."""
    text = model_path("four_bar").read_text()
    closing = re.search(r'type = "revolute"((?!\n\[)[\s\S])*?closes = true', text)
    assert closing is not None
    free = text.replace(closing[0], closing[0].replace('"revolute"', '"free"'))
    assert "the loops leave 3 degrees of freedom" in refusal(parse_mechanism(free, "free"))
