"""Solves configuration constraints one after the other: each for one coordinate that the earlier ones leave unknown.

In: expressions that are zero, names of dependent coordinates, values near which the roots are meant. Out: a formula per
coordinate, in solve order. Linear, quadratic, and A cos x + B sin x = C are solved; anything else is refused.
"""

import math
from collections.abc import Mapping
from typing import Any

import sympy as sp

from exporter.errors import ModelError
from exporter.model.nearest import list_words

Expression = Any
_SP: Any = sp  # it is untyped
_SYMBOL: Any = sp.Symbol
COMPLEX_IS_FAR = 1e6


def explicit_coordinates(
    constraints: list[Expression], wanted: list[str], values: Mapping[str, Any]
) -> list[tuple[str, Expression]]:
    """Formulas of the wanted coordinates, in an order in which each needs only earlier ones.

    Raises:
        ModelError: constraints must be solved together, or one has no formula of these forms.
    """
    left, unknown, found = list(constraints), set(wanted), []
    point = {_SYMBOL(name): _number(value) for name, value in values.items()}
    while unknown:
        tried = ((each, *found) for each in left for found in _formulas(each, unknown, point))
        solved = next(tried, None)
        if solved is None:
            raise ModelError(
                f"the constraints of {list_words(sorted(unknown))} cannot be solved one after the other by a linear, "
                "quadratic or trigonometric formula; give one as an input with driven=, choose other dependent "
                "ones, or describe the system as a mechanism"
            )
        constraint, name, formula = solved
        found.append((name, formula))
        left.remove(constraint)
        unknown.remove(name)
    return found


def _formulas(constraint: Expression, unknown: set[str], point: Mapping[Any, Any]) -> list[tuple[str, Expression]]:
    names = {str(each) for each in constraint.free_symbols} & unknown
    if len(names) != 1:
        return []
    (name,) = names
    x = _SYMBOL(name)
    roots = _polynomial_roots(constraint, x) or _trigonometric_roots(constraint, x)
    if not roots:
        return []
    return [(name, min(roots, key=lambda root: _distance(root, x, point)))]


def _polynomial_roots(constraint: Expression, x: Any) -> list[Expression]:
    if any(x in part.free_symbols for part in constraint.atoms(_SP.Function)):
        return []
    expanded = _SP.expand(constraint)
    if not expanded.is_polynomial(x):
        return []
    coefficients = _SP.Poly(expanded, x).all_coeffs()
    if len(coefficients) == 2:
        return [-coefficients[1] / coefficients[0]]
    if len(coefficients) == 3:
        a, b, c = coefficients
        root = _SP.sqrt(b**2 - 4 * a * c)
        return [(-b + root) / (2 * a), (-b - root) / (2 * a)]
    return []


def _trigonometric_roots(constraint: Expression, x: Any) -> list[Expression]:
    """A cos x + B sin x + C = 0: x = atan2(B, A) +- acos(-C / sqrt(A^2 + B^2))."""
    c, s = _SP.Dummy("c"), _SP.Dummy("s")
    named = _SP.expand(_SP.expand_trig(constraint)).xreplace({_SP.cos(x): c, _SP.sin(x): s})
    if x in named.free_symbols or not named.is_polynomial(c, s):
        return []
    poly = _SP.Poly(named, c, s)
    if poly.total_degree() != 1:
        return []
    a, b, rest = (poly.coeff_monomial(each) for each in (c, s, 1))
    if a == 0:  # one quadrant of the arcsine on each side
        return [_SP.asin(-rest / b), _SP.pi - _SP.asin(-rest / b)]
    angle, reach = _SP.atan2(b, a), _SP.acos(-rest / _SP.sqrt(a**2 + b**2))
    return [angle + reach, angle - reach]


def _distance(root: Expression, x: Any, point: Mapping[Any, Any]) -> float:
    """How far a root is from the value that is meant, whole turns apart; a complex one is far away."""
    value = complex(_SP.N(root.xreplace(dict(point))))
    away = value.real - float(point.get(x, 0))
    return abs(math.remainder(away, math.tau)) + abs(value.imag) * COMPLEX_IS_FAR


def _number(value: Any) -> Any:
    return _SP.Rational(str(value)) if not isinstance(value, str) else _quantity(value)


def _quantity(text: str) -> Any:
    from exporter.model.units import parse_quantity  # noqa: PLC0415 - only for values with a unit

    found = parse_quantity(text).value
    return _SP.Rational(found.numerator, found.denominator)
