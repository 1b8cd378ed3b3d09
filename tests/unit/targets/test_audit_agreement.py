"""Static against dynamic counts: one count on every call, or no agreement."""

from targets.audit.agreement import agreement


def test_one_count_on_every_call_agrees() -> None:
    found = agreement("f", 190, [190, 190, 190])
    assert found.holds
    assert found.sentence() == "f: 190 instructions proved, 190 counted over 3 calls; they agree"


def test_one_other_call_spoils_it() -> None:
    found = agreement("f", 190, [190, 191, 190])
    assert not found.holds
    assert "190 to 191 counted over 3 calls; they do not agree" in found.sentence()


def test_a_common_count_that_is_not_the_proved_one_is_no_agreement() -> None:
    assert not agreement("f", 190, [189, 189]).holds


def test_nothing_proved_or_nothing_run_is_no_agreement() -> None:
    assert not agreement("f", None, [5]).holds
    assert not agreement("f", 5, []).holds
