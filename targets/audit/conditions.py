"""Condition codes in three-valued logic: True, False, or None where the flags do not tell.

The names are ARM's; x86 conditions are translated to them (with carry in ARM's sense: no borrow).
"""

from collections.abc import Callable

from targets.audit.machine import Flags

Truth = bool | None


def _not(truth: Truth) -> Truth:
    return None if truth is None else not truth


def _and(left: Truth, right: Truth) -> Truth:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _equal(left: Truth, right: Truth) -> Truth:
    return None if left is None or right is None else left == right


_CONDITION_TESTS: dict[str, Callable[[Flags], Truth]] = {
    "eq": lambda flags: flags.zero,
    "hs": lambda flags: flags.carry,
    "mi": lambda flags: flags.negative,
    "vs": lambda flags: flags.overflow,
    "hi": lambda flags: _and(flags.carry, _not(flags.zero)),
    "ge": lambda flags: _equal(flags.negative, flags.overflow),
    "gt": lambda flags: _and(_not(flags.zero), _equal(flags.negative, flags.overflow)),
}
_NEGATIONS = {"ne": "eq", "lo": "hs", "pl": "mi", "vc": "vs", "ls": "hi", "lt": "ge", "le": "gt"}


def holds(condition: str, flags: Flags) -> Truth:
    """Whether a condition holds; None where the flags do not tell or the condition is none of ARM's."""
    if condition in _NEGATIONS:
        return _not(_CONDITION_TESTS[_NEGATIONS[condition]](flags))
    test = _CONDITION_TESTS.get(condition)
    return test(flags) if test else None
