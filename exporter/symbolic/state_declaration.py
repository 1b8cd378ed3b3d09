"""Declares a state of a symbolic model: numbers and text with units -> a `State`, or a refusal that says why.

Used by: whoever writes a model, as `exporter.symbolic.state`.
"""

from fractions import Fraction
from typing import Any

import sympy as sp

from exporter.digits import digits
from exporter.errors import ModelError
from exporter.symbolic.given_expression import as_condition, as_expression
from exporter.symbolic.quantities import in_si
from exporter.symbolic.state import State


def state(  # noqa: PLR0913 - everything but the name and the range is optional, and named
    name: str,
    minimum: Any = None,
    maximum: Any = None,
    *,
    start: Any = None,
    next: Any = None,  # noqa: A002 - the word of the field
    rate: Any = None,
    every: int = 1,
    reset: Any = None,
    to: Any = None,
    unit: str | None = None,
    integer: bool = False,
    about: str = "",
) -> State:
    """A state with its range: a value that would leave the range is set to the limit, and the status says LIMITED.

    Args:
        name: as in the expressions.
        minimum: text with a unit ("-150 mm"), or a number in `unit`.
        maximum: the same.
        start: what `startup` sets: such a number, or an expression of parameters; default 0.
        next: its value one step later, an expression of inputs, parameters, steps and states; for a discrete state.
        rate: its time derivative, likewise; for a continuous state.
        every: a discrete state changes at every so many steps only, from the first on.
        reset: a condition, or an input that counts as given above 1/2; `to` is then its value one step later.
        to: where a reset puts it, an expression; default: its start value.
        unit: of plain numbers ("mm"); the expressions see the SI value.
        integer: it is a whole number always; a next value that is not is rounded to the nearest.
        about: one line for the header.

    Raises:
        ModelError: a bound is missing or no number, the range is empty, the start value is outside, neither or both of
            `next` and `rate` are given, `every` is no whole number above 0, or does not fit a rate.
    """
    what = f"state '{name}'"
    _require_one_law(what, next, rate)
    _require_sample_time(what, every, rate)
    if minimum is None or maximum is None:
        raise ModelError(f"{what} has no range; give minimum and maximum, as numbers or text with a unit")
    number = None if start is None or _is_expression(start) else start
    low, high, first, si_unit = _range(what, (minimum, maximum, number), unit)
    if integer:
        _require_whole(what, rate, (low, high, first))
    if to is not None and reset is None:
        raise ModelError(f"{what} says where a reset puts it and not when; give reset=, or leave to= out")
    return State(
        name,
        si_unit,
        low,
        high,
        _start(what, start, first, low, high),
        None if next is None else as_expression(next, f"the next value of {what}"),
        None if rate is None else as_expression(rate, f"the rate of {what}"),
        every,
        None if reset is None else as_condition(reset, f"the reset of {what}"),
        None if to is None else as_expression(to, f"the reset value of {what}"),
        integer,
        about,
    )


def _require_one_law(what: str, following: Any, rate: Any) -> None:
    if following is None and rate is None:
        raise ModelError(f"{what} says nothing of its change; give next= (discrete) or rate= (continuous)")
    if following is not None and rate is not None:
        raise ModelError(f"{what} has a next value and a rate; give one: next= (discrete) or rate= (continuous)")


def _require_sample_time(what: str, every: Any, rate: Any) -> None:
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise ModelError(f"{what} changes at every {every} steps; give a whole number of steps, 1 or more")
    if rate is not None and every > 1:
        raise ModelError(
            f"{what} has a rate and changes at every {every} steps; a rate is integrated at each step, so leave every= "
            "out, or give its next value"
        )


def _range(
    what: str, values: tuple[Any, Any, Any], unit: str | None
) -> tuple[Fraction, Fraction, Fraction | None, str]:
    si = in_si(values, unit, what)
    low, high, first = si.values
    if low is None or high is None or low >= high:
        raise ModelError(f"{what} has an empty range; give a minimum below the maximum")
    return low, high, first, si.unit


def _require_whole(what: str, rate: Any, numbers: tuple[Fraction | None, ...]) -> None:
    if rate is not None:
        raise ModelError(f"{what} is declared integer and has a rate; a whole number has a next value, give next=")
    for number in numbers:
        if number is not None and number.denominator != 1:
            raise ModelError(
                f"{what} is declared integer and has {digits(number)} as a bound or start value; give whole numbers"
            )


def _start(what: str, start: Any, first: Fraction | None, low: Fraction, high: Fraction) -> Any:
    if start is not None and first is None:
        return as_expression(start, f"the start value of {what}")
    chosen = Fraction(0) if first is None else first
    if not low <= chosen <= high:
        raise ModelError(
            f"the start value of {what} is {digits(chosen)}, outside of its range [{digits(low)}, {digits(high)}]; "
            "give a start= inside, or widen the range"
        )
    return sp.Rational(chosen.numerator, chosen.denominator)


def _is_expression(value: Any) -> bool:
    return isinstance(value, sp.Basic) and not value.is_number
