"""How a check ends: passed, failed, nothing compared, not judged; in words, in JUnit, and what makes a run pass."""

import json
import math
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from hil.report.document import VERSION
from hil.report.index import collect
from sil.figures import count_text, figure
from sil.report.junit import junit_text
from sil.verdict import Outcome, Verdict, all_pass, not_judged, summary, worst_of

GOOD = Verdict("velocities", "velocity", 1e-13, 1e-11, "1", "against the Jacobian", compared=12_345)
BAD = replace(GOOD, value=2e-11)
EMPTY = replace(GOOD, value=worst_of(np.empty(0))[0], compared=0)
UNJUDGED = not_judged("constancy", "dostep", "the bench file states no [timing] spread")


def test_each_outcome_is_reached_by_its_own_cause():
    """The sound twin passes; a larger error, an empty set and a missing statement each end otherwise."""
    assert [each.outcome for each in (GOOD, BAD, EMPTY, UNJUDGED)] == list(Outcome)
    assert [each.passed for each in (GOOD, BAD, EMPTY, UNJUDGED)] == [True, False, False, False]
    assert [each.stands_against for each in (GOOD, BAD, EMPTY, UNJUDGED)] == [False, True, True, False]


def test_an_empty_set_does_not_pass_whatever_its_value():
    """Even where a caller computes 0 for nothing."""
    assert math.isnan(worst_of(np.empty(0))[0])
    assert not replace(EMPTY, value=0.0).passed


@pytest.mark.parametrize(
    ("verdicts", "passes"),
    [
        ((GOOD,), True),
        ((GOOD, UNJUDGED), True),
        ((GOOD, BAD), False),
        ((GOOD, EMPTY), False),
        ((UNJUDGED,), False),
        ((), False),
    ],
)
def test_a_run_passes_where_something_passed_and_nothing_stands_against_it(verdicts, passes):
    assert all_pass(verdicts) is passes


def test_every_outcome_has_its_words():
    assert summary((GOOD,)) == "passed 1 check"
    assert summary((GOOD, GOOD, UNJUDGED)) == "passed 2 checks, 1 not judged"
    assert summary((GOOD, BAD, EMPTY)) == "FAILED in 1 of 3 checks, nothing compared in 1 of 3 checks"
    assert summary((GOOD, EMPTY)) == "FAILED: nothing compared in 1 of 2 checks"
    assert summary((UNJUDGED,)) == "NOTHING JUDGED, 1 not judged"
    assert GOOD.sentence() == "ok   velocity: velocities 1e-13, limit 1e-11"
    assert EMPTY.sentence() == "FAIL velocity: velocities: nothing compared (against the Jacobian)"
    assert UNJUDGED.sentence() == "--   dostep: constancy: not judged, the bench file states no [timing] spread"
    assert replace(BAD, value=math.nan, unit="runs").sentence().endswith("velocities: no measurement, limit 1e-11 runs")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (-0.0, "0"), (10_000, "10,000"), (1234.5, "1,234"), (999.7, "1,000"), (12.5, "12.5"),
        (3.2e-14, "3.2e-14"), (1e20, "1e+20"), (math.nan, "no measurement"), (math.inf, "infinite"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_people_write_them(value, text):
    assert figure(float(value)) == text


def test_a_count_has_its_noun():
    assert [count_text(number, "run") for number in (0, 1, 60_000)] == ["0 runs", "1 run", "60,000 runs"]


def test_junit_knows_every_outcome():
    """Failed is a failure, nothing compared and NaN are errors, not judged is skipped with its reason."""
    verdicts = (GOOD, BAD, EMPTY, replace(BAD, value=math.nan), UNJUDGED)
    suite = ElementTree.fromstring(junit_text("suite", verdicts, {}, "sil"))
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5", "failures": "1", "errors": "2", "skipped": "1",
    }  # fmt: skip
    skipped = suite.find("testcase/skipped")
    assert skipped is not None
    assert "states no [timing] spread" in skipped.get("message", "")


@pytest.mark.parametrize("name", ["bell \x07", "escape \x1b[31m", "null \x00", "\ufffe", "\ud800", 'a & b < "c" > d'])
def test_any_name_gives_well_formed_xml(name):
    """Checked by a parser that knows XML 1.0."""
    text = junit_text(name, (replace(GOOD, check=name), replace(BAD, detail=name)), {name: name}, name)
    suite = ElementTree.fromstring(text.encode("utf-8"))
    assert len(suite.findall("testcase")) == 2


def test_json_says_the_outcome_and_holds_no_nan():
    """What was not measured is null there."""
    for verdict in (GOOD, EMPTY, UNJUDGED):
        told = json.loads(json.dumps(verdict.as_dict(), allow_nan=False))
        assert told["outcome"] == verdict.outcome.value
        assert (told["value"] is None) == (verdict is not GOOD)


def test_the_index_lists_what_was_not_judged_apart_from_what_failed(tmp_path):
    document = {"passed": False, "headline": "h", "title": "t", "report": "kinefix-hil", "version": VERSION}
    document["verdicts"] = [each.as_dict() for each in (GOOD, EMPTY, UNJUDGED)]
    (tmp_path / "report.json").write_text(json.dumps(document))
    (entry,) = collect(tmp_path)
    assert entry.failed == ("velocity: velocities",)
    assert entry.unjudged == ("dostep: constancy: not judged, the bench file states no [timing] spread",)
