"""What a user gives as an expression or a condition -> a SymPy object. Text is refused: SymPy would run it."""

from collections.abc import Callable
from typing import Any

import sympy as sp
from sympy.logic.boolalg import Boolean

from exporter.errors import ModelError

HALF = sp.Rational(1, 2)
"""A number that stands for a condition holds above this value."""


def as_expression(value: Any, what: str) -> Any:
    """The value as a SymPy object; `what` is named in the error.

    Raises:
        ModelError: it is text, or no SymPy object.
    """
    try:
        return sp.sympify(value, strict=True)
    except sp.SympifyError as error:
        raise ModelError(f"{what} is {value!r}, which is no SymPy expression; build it from sympy symbols") from error


def as_condition(value: Any, what: str) -> Any:
    """The value as a condition; a number, such as an input, holds above 1/2.

    Raises:
        ModelError: see `as_expression`.
    """
    given = as_expression(value, what)
    if isinstance(given, Boolean) and not isinstance(given, sp.Symbol):
        return given
    greater: Callable[..., Any] = sp.StrictGreaterThan
    return greater(given, HALF)
