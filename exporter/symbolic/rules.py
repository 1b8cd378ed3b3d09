"""Which SymPy classes a symbolic model may use, and the rule of each.

In: a node. Out: its operands and its rule. A class that is not listed is refused by name.
"""

import operator
from typing import Any

import sympy as sp
from sympy.logic.boolalg import And, BooleanFalse, BooleanTrue, Not, Or

from exporter.symbolic import domains, functions, numbers, operators, tables
from exporter.symbolic.handles import Rule
from exporter.symbolic.policies import Pivot, Radicand, Ratio
from exporter.symbolic.tables import LookUp, LookUpSlope

_S: Any = sp.S

NUMBER_RULES: dict[type, Rule] = {
    **dict.fromkeys((sp.Integer, sp.Rational), numbers.rational),
    **{type(number): numbers.rational for number in (_S.Zero, _S.One, _S.NegativeOne, _S.Half)},
    sp.Float: numbers.decimal,
    **{type(number): numbers.irrational for number in (_S.Pi, _S.Exp1, _S.GoldenRatio, _S.EulerGamma, _S.Catalan)},
    **{type(number): numbers.infinite for number in (_S.Infinity, _S.NegativeInfinity)},
    **{type(number): numbers.no_number for number in (_S.NaN, _S.ComplexInfinity, _S.ImaginaryUnit)},
    BooleanTrue: functions.true,
    BooleanFalse: functions.false,
}

FUNCTION_RULES: dict[type, Rule] = {
    sp.Add: operators.total,
    sp.Mul: operators.product,
    sp.Pow: operators.power,
    sp.sin: functions.function("sin", functions.sine),
    sp.cos: functions.function("cos", functions.cosine),
    sp.tan: functions.function("tan", functions.tangent),
    sp.asin: functions.function("asin", functions.arcsine),
    sp.acos: functions.function("acos", functions.arccosine),
    sp.atan: functions.function("atan", functions.arctangent),
    sp.exp: functions.function("exp", domains.exponential),
    sp.log: functions.function("log", functions.logarithm),
    sp.tanh: functions.function("tanh", lambda guards, value: guards.builder.tanh(value)),
    sp.floor: functions.function("floor", lambda guards, value: guards.builder.floor(value)),
    sp.ceiling: functions.function("ceiling", lambda guards, value: -guards.builder.floor(-value)),
    sp.Mod: functions.function("mod", domains.rest),
    sp.atan2: functions.function("atan2", lambda guards, y, x: guards.angle(y, x)),
    sp.Abs: functions.absolute,
    sp.sign: functions.sign,
    sp.Heaviside: functions.unit_step,
    sp.Min: functions.smallest,
    sp.Max: functions.largest,
    sp.Piecewise: functions.piecewise,
    sp.StrictLessThan: functions.comparison(operator.lt),
    sp.LessThan: functions.comparison(operator.le),
    sp.StrictGreaterThan: functions.comparison(operator.gt),
    sp.GreaterThan: functions.comparison(operator.ge),
    sp.Equality: functions.comparison(functions.equal),
    sp.Unequality: functions.comparison(lambda left, right: ~functions.equal(left, right)),
    And: functions.every,
    Or: functions.some,
    Not: functions.negation,
    Pivot: functions.pivot_marker,
    Radicand: functions.radicand_marker,
    Ratio: functions.ratio_marker,
    sp.UnevaluatedExpr: functions.same,
    LookUp: tables.value_rule,
    LookUpSlope: tables.slope_rule,
}

_SIGNS = (sp.Add, sp.Mul, sp.Pow, sp.Equality, sp.Unequality, sp.UnevaluatedExpr)
_RELATIONS = (sp.StrictLessThan, sp.LessThan, sp.StrictGreaterThan, sp.GreaterThan)
AVAILABLE_FUNCTIONS = "+, -, *, /, powers, comparisons, " + ", ".join(
    sorted(kind.__name__ for kind in FUNCTION_RULES if kind not in (*_SIGNS, *_RELATIONS))
)
"""What a refusal lists."""
REPLACEMENTS: dict[type, str] = {
    **dict.fromkeys((sp.sinh, sp.cosh), "write it with exp; "),
    sp.frac: "write Mod(x, 1); ",
}
"""What a refusal proposes for some functions."""


def rule_of(node: Any) -> Rule | None:
    """The rule of the node's class."""
    return NUMBER_RULES.get(type(node)) or FUNCTION_RULES.get(type(node))


def operands_of(node: Any) -> tuple[Any, ...]:
    """The nodes whose handles the rule needs, in order: of a dividing factor its base, of a Piecewise all parts."""
    kind = type(node)
    if kind is sp.Mul:
        return tuple(factor.args[0] if operators.divides(factor) else factor for factor in node.args)
    if kind in (LookUp, LookUpSlope):
        return tables.arguments_of(node)
    if kind is sp.Piecewise:
        return tuple(part for pair in node.args for part in pair.args)
    return tuple(node.args) if kind in FUNCTION_RULES else ()
