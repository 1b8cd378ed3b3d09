"""Condition codes in three-valued logic against comparisons of Python integers."""

import itertools

import pytest

from targets.audit.conditions import holds
from targets.audit.machine import UNKNOWN_FLAGS, Flags, Value, add_offset, difference_flags

WORDS = (0, 1, 2, 5, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF)


def signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


MEANING = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "hs": lambda a, b: a >= b,
    "lo": lambda a, b: a < b,
    "hi": lambda a, b: a > b,
    "ls": lambda a, b: a <= b,
    "ge": lambda a, b: signed(a) >= signed(b),
    "lt": lambda a, b: signed(a) < signed(b),
    "gt": lambda a, b: signed(a) > signed(b),
    "le": lambda a, b: signed(a) <= signed(b),
}


@pytest.mark.parametrize("condition", MEANING)
def test_a_comparison_of_known_words_decides_as_integers_do(condition: str) -> None:
    for left, right in itertools.product(WORDS, WORDS):
        flags = difference_flags(Value("", left), Value("", right), 32)
        assert holds(condition, flags) is MEANING[condition](left, right), (left, right)


def test_nothing_is_decided_by_unknown_flags() -> None:
    assert all(holds(condition, UNKNOWN_FLAGS) is None for condition in (*MEANING, "mi", "pl", "vs", "vc"))


def test_two_distances_from_one_base_decide_equality_only() -> None:
    """An address may wrap, so `base + 4 < base + 8` is not certain; `base + 4 == base + 8` is never true."""
    flags = difference_flags(Value("r0", 4), Value("r0", 8), 32)
    assert holds("eq", flags) is False
    assert holds("ne", flags) is True
    assert holds("lo", flags) is None
    assert holds("ge", flags) is None


def test_distances_from_different_bases_decide_nothing() -> None:
    assert difference_flags(Value("r0", 4), Value("r1", 4), 32) == UNKNOWN_FLAGS
    assert difference_flags(Value("r0", 0), Value("", 0), 32) == UNKNOWN_FLAGS


def test_one_known_flag_may_be_enough() -> None:
    """`hi` is carry and not zero: no carry settles it, whatever zero is."""
    assert holds("hi", Flags(carry=False)) is False
    assert holds("ls", Flags(zero=True)) is True
    assert holds("hi", Flags(carry=True)) is None


def test_distances_stay_signed_and_numbers_wrap() -> None:
    assert add_offset(Value("sp", 0), -8, 32) == Value("sp", -8)
    assert add_offset(Value("", 0), -8, 32) == Value("", 0xFFFFFFF8)
    assert add_offset(None, 1, 32) is None
