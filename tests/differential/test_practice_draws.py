"""Random mechanisms as practice has them in space, and the harness that runs the list of practice."""

import sys
from pathlib import Path
from random import Random

import pytest
from drawn_practice import KINDS
from random_mechanism import attempt
from trial import Listening

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_practice_is_drawn_so_that_the_reference_drives_it(kind: str) -> None:
    """One of ten sketches at most is driven by its coordinates, with ranges that Newton's method reaches."""
    random = Random(kind)
    text = next(filter(None, (attempt(random, kind, machine=False) for _ in range(10))))
    assert "ranges" in text
    assert "closes = true" in text


def test_the_harness_tells_a_right_export_from_a_refusal() -> None:
    """Two slides with a rod are exported and right to 1e-9; the same with a slide that is not there is refused."""
    from practice import RIGHT, tried
    from practice_list import Entry, practice_entries

    entry = next(each for each in practice_entries() if each.key == "skew_slides")
    right = tried(entry, 5)
    assert right["verdict"] == "closed form"
    assert 0 < right["error"] <= RIGHT
    wrong = tried(Entry("", "", "", True, entry.text.replace('independent = ["driver"]', 'independent = ["c"]')), 5)
    assert wrong["verdict"] == "refused"
    assert wrong["message"]


def test_a_silence_is_the_longest_time_between_two_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs at 0, 2, 9 and 10 s: seven seconds of silence."""
    clock = iter((0.0, 2.0, 9.0, 10.0))
    monkeypatch.setattr("trial.time.process_time", lambda: next(clock))
    listening = Listening()
    listening("one")
    listening("two")
    assert listening.longest() == 7.0
