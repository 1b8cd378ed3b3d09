"""Formulas are data: parsed by whitelist, exact, with dimensions. Oracle: values worked out by hand."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exporter.errors import ModelError
from exporter.model.checks.dimensions import require_dimension
from exporter.model.evaluate import evaluate, root
from exporter.model.expression import ZERO, Binary, Call, Expression, Name, Number, Power
from exporter.model.formula_text import formula_text
from exporter.model.parse import parse_expression
from exporter.model.units import parse_quantity, parse_unit

VALUES = {
    "a": Fraction(3),
    "b": Fraction(2),
    "lambda": Fraction(5),
    "int": Fraction(7),
    "I": Fraction(11),
    "x0": Fraction(13),
    "_t0": Fraction(17),
    "right": parse_quantity("90 deg").value,
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/3", Fraction(1, 3)),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("a - b - 1", Fraction(0)),
        ("a/b/2", Fraction(3, 4)),
        ("-a^2", Fraction(-9)),
        ("(-a)^2", Fraction(9)),
        ("2*a^2*b", Fraction(36)),
        ("a**2", Fraction(9)),
        ("a^-2", Fraction(1, 9)),
        ("-(a + b)*2", Fraction(-10)),
        ("+a", Fraction(3)),
        ("sqrt(9/4)", Fraction(3, 2)),
        ("sin(right)", Fraction(1)),
        ("cos(right)", Fraction(0)),
        ("sin(right/3)", Fraction(1, 2)),
        ("lambda + int + I + x0 + _t0", Fraction(53)),
        ("2e-3*a", Fraction(6, 1000)),
        ("abs(b - a)", Fraction(1)),
        ("min(a, b) + max(a, b, )", Fraction(5)),
        ("log(exp(a - b))*b", Fraction(2)),
        ("pow(a*a, 1/2) + tanh(0)", Fraction(3)),
        ("min(-a, max(b, 1/3))", Fraction(-3)),
    ],
)
def test_formula_has_the_value_of_the_mathematics(text: str, value: Fraction) -> None:
    """Precedence and association are those of written mathematics; decimals stay exact; any word may be a name."""
    assert evaluate(parse_expression(text), VALUES) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("__import__('os')", "__import__"),
        ("eval(a)", "eval"),
        ("open(a)", "open"),
        ("a.real", 'attribute of "a"'),
        ("lambda x: x", '":"'),
        ("import os", "is not a formula"),
        ("a if b else a", "is not a formula"),
        ("a == b", '"="'),
        ("[a]", r'"\["'),
        ("a % b", '"%"'),
        ("a // b", "is not a formula"),
        ("'a'", '"\'"'),
        ("a, b", "Tuple is refused"),
        ("sin(a, b)", "takes one argument"),
        ("sin()", "takes one argument"),
        ("abs(a, b)", r"takes one argument; write abs\(x\)"),
        ("min(a)", r"takes two arguments; write min\(x, y\)"),
        ("max(a, b, a)", "takes two arguments"),
        ("atan(a)", "a formula calls sin, cos, sqrt, abs, min, max, exp, log, tanh and pow only"),
        ("pow(a)", r"takes two arguments; write pow\(x, y\)"),
        ("2(a)", "Call is refused"),
        ("2 a", "is not a formula"),
        ("(a", "is not a formula"),
        ("a^b", "not an integer"),
        ("a^0.5", "use sqrt"),
        ("2^3^2", "not an integer"),
        ("a^1000", "not an integer from -32 to 32"),
        ("", "empty"),
        ("a" * 1001, "at most 1000"),
        ("(" * 400 + "a" + ")" * 400, "is not a formula"),
        ("-" * 999 + "a", "is not a formula"),
        ("a\u00b2", "not allowed"),
        ("a; b", '";"'),
        ("a\n+", "is not a formula"),
    ],
)
def test_anything_else_is_refused_and_named(text: str, said: str) -> None:
    """Calls, imports, attributes, lambda and all other Python end in one error."""
    with pytest.raises(ModelError, match=said):
        parse_expression(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a/(b - 2)", "divided by zero"),
        ("sqrt(-a)", "square root of -3"),
        ("(b-2)^-1", "power -1"),
        ("log(b - 2)", "the log of 0 is asked for; its argument must be above zero"),
        ("pow(-a, b)", "the pow of -3 is asked for"),
        ("exp(1000*a)", "the exp of 3000 is too large"),
    ],
)
def test_a_formula_without_a_value_is_refused(text: str, said: str) -> None:
    """Division by zero and roots of negative numbers are errors, not infinities."""
    with pytest.raises(ModelError, match=said):
        evaluate(parse_expression(text), VALUES)


def _expressions() -> st.SearchStrategy[Expression]:
    leaves = st.one_of(
        st.sampled_from([Name("a"), Name("lambda"), Name("_t0")]),
        st.integers(0, 999).map(lambda n: Number(Fraction(n, 100))),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Binary, st.sampled_from(["+", "-", "*", "/"]), inner, inner),
            st.builds(Power, inner, st.integers(-3, 3)),
            st.builds(Call, st.sampled_from(["sin", "cos", "sqrt", "abs", "exp", "tanh"]), st.tuples(inner)),
            st.builds(Call, st.sampled_from(["min", "max", "pow"]), st.tuples(inner, inner)),
            inner.filter(lambda e: not isinstance(e, Number)).map(lambda e: Binary("-", ZERO, e)),
        ),
        max_leaves=12,
    )


@given(_expressions())
@settings(max_examples=300, deadline=None)
def test_text_of_a_formula_reads_back_as_the_same_nodes(expression: Expression) -> None:
    """Writing and parsing are inverse, parentheses included."""
    assert parse_expression(formula_text(expression)) == expression


@pytest.mark.parametrize("value", [Fraction(2), Fraction(1, 3), Fraction(2, 10**80), Fraction(10**70 + 1)])
def test_root_has_sixty_digits(value: Fraction) -> None:
    """The square of the root differs from the value by less than 1e-60 of it."""
    assert abs(root(value) ** 2 / value - 1) < Fraction(1, 10**60)


@pytest.mark.parametrize("angle", ["33 deg", "1 rad", "1e4 rad"])
def test_sine_and_cosine_lie_on_the_unit_circle(angle: str) -> None:
    """s^2 + c^2 = 1 to 1e-59."""
    at = {"a": parse_quantity(angle).value}
    sine, cosine = evaluate(parse_expression("sin(a)"), at), evaluate(parse_expression("cos(a)"), at)
    assert abs(sine**2 + cosine**2 - 1) < Fraction(1, 10**59)


DIMENSIONS = {
    name: parse_unit(unit).dimension for name, unit in [("l", "m"), ("m", "kg"), ("w", "rad/s"), ("q", "rad")]
}


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("m*l^2/12", "kg*m^2"),
        ("m*l*w^2", "N"),
        ("l*sin(q) + l", "m"),
        ("sqrt(l^2 + l*l)", "m"),
        ("0", "kg"),
        ("l + 0", "m"),
        ("l*q", "m"),
        ("-l", "m"),
        ("l*0*m", "N"),
        ("l*exp(-q)*pow(l/l, q)*log(2)*tanh(q)", "m"),
        ("abs(l)", "m"),
        ("min(l, 2*l) + max(0, l)", "m"),
    ],
)
def test_formula_of_the_right_dimension_passes(text: str, unit: str) -> None:
    """The radian counts as 1 inside a formula, and zero as anything."""
    require_dimension(parse_expression(text), parse_unit(unit).dimension, DIMENSIONS)


@pytest.mark.parametrize(
    ("text", "unit", "said"),
    [
        ("m", "m", r'"m" is a mass \(kg\), but a length \(m\) is needed'),
        ("l + m", "m", r"joins a length \(m\) and a mass \(kg\)"),
        ("sin(l)", "1", r"has a length \(m\) in it; give sin an angle"),
        ("sqrt(l)", "m", r"takes the root of a length"),
        ("abs(m)", "m", r"a mass \(kg\), but a length"),
        ("exp(l)", "1", r"has a length \(m\) in it; give exp a number"),
        ("pow(2, m)", "1", r"has a mass \(kg\) in it; give pow a number"),
        ("min(l, m)", "m", r"joins a length \(m\) and a mass \(kg\) by min"),
        ("max(l, 1)", "m", r"by max; give both"),
        ("l*l", "m", r"quantity in m\^2"),
        ("2", "m", "number without a unit"),
    ],
)
def test_formula_of_another_dimension_is_refused(text: str, unit: str, said: str) -> None:
    """The sentence names the formula, what it is, and what is needed."""
    with pytest.raises(ModelError, match=said):
        require_dimension(parse_expression(text), parse_unit(unit).dimension, DIMENSIONS)
