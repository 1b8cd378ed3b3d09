"""Changes from the command line give the mechanism that a file would have given that says the same."""

from fractions import Fraction

import pytest

from exporter.errors import ModelError
from exporter.model.changes import Changes, apply_changes
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism

TEXT = model_path("slider_crank").read_text(encoding="utf-8")


def mechanism(*edits: tuple[str, str]) -> Mechanism:
    """The library's slider-crank after edits of its text."""
    text = TEXT
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return parse_mechanism(text, "edited")


@pytest.mark.parametrize(
    ("changes", "edits"),
    [
        (Changes(independent=("s",)), [('independent = ["theta"]', 'independent = ["s"]')]),
        (Changes(pose={"beta": "-10 deg"}), [('beta = "58 deg"', 'beta = "-10 deg"')]),
        (Changes(values={"l1": "250 mm"}), [('l1 = { value = "0.3 m"', 'l1 = { value = "0.25 m"')]),
        (Changes(tunable=("all",)), [("frozen = true, ", "")]),
        (
            Changes(tunable=("m1",)),
            [('"10 kg"], frozen = true, about = "crank mass"', '"10 kg"], about = "crank mass"')],
        ),
        (
            Changes(step_method="rk4", period="2 ms"),
            [("[outputs]", '[step]\nmethod = "rk4"\nperiod = "2 ms"\n[outputs]')],
        ),
    ],
)
def test_a_change_equals_the_edited_file(changes: Changes, edits: list[tuple[str, str]]) -> None:
    """Down to the hash, which is the identity of what is exported."""
    assert apply_changes(mechanism(), changes) == mechanism(*edits)


def test_freezing_undoes_tuning() -> None:
    tuned = apply_changes(mechanism(), Changes(tunable=("l1", "m2")))
    assert apply_changes(tuned, Changes(frozen=("all",))) == mechanism()


def test_a_longer_period_keeps_an_acceleration_that_the_file_gives() -> None:
    """Only a bound that follows from the period follows the new one."""
    given = mechanism(("branches = {", 'accelerations = { theta = "7 rad/s^2" }\nbranches = {'))
    assert apply_changes(given, Changes(period="5 ms")).ranges["theta"].acceleration == 7
    assert apply_changes(mechanism(), Changes(period="5 ms")).ranges["theta"].acceleration == Fraction(500) / Fraction(
        5, 1000
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (Changes(independent=("tehta",)), '"tehta" is not a coordinate (did you mean "theta"?)'),
        (Changes(pose={"theta": "3 m"}), '--pose theta: "3 m" is a length (m), but an angle (rad) is needed'),
        (Changes(pose={"phi": "3 deg"}), '--pose: "phi" is not a coordinate'),
        (Changes(values={"l1": "1 kg"}), '--set l1: "1 kg" is a mass (kg)'),
        (Changes(values={"l9": "1 m"}), '--set: "l9" is not a parameter'),
        (Changes(values={"l1": "-1 m"}), "is not above zero"),
        (Changes(tunable=("mass",)), '"mass" is not a parameter'),
        (Changes(frozen=("mass",)), '"mass" is not a parameter'),
        (Changes(tunable=("m1",), frozen=("m1",)), '"m1" cannot be both tunable and frozen'),
        (Changes(step_method="verlet"), '"verlet" is none of euler, semi_implicit_euler, rk4'),
        (Changes(period="0 s"), "is not above zero"),
        (Changes(period="1 m"), '--period: "1 m" is a length'),
    ],
)
def test_a_wrong_change_is_told_in_a_sentence(changes: Changes, sentence: str) -> None:
    with pytest.raises(ModelError) as error:
        apply_changes(mechanism(), changes)
    assert sentence in str(error.value)
