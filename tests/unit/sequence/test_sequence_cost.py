"""Operations are counted by class, as the header of an export prints them."""

from fractions import Fraction

from exporter.sequence.builder import Builder
from exporter.sequence.cost import Cost, cost
from exporter.sequence.guards import checked_input, clamped_radicand
from exporter.sequence.operations import Group, Signal


def test_each_class_is_counted_by_hand() -> None:
    """A root of a difference of squares with its guards, counted on paper."""
    builder = Builder("f", "float32")
    x = checked_input(builder, Signal("x", "rad", "", Fraction(-2), Fraction(2), Fraction(1)))
    sine, cosine = builder.sincos(x)  # 1 sincos; |x| <= 2: 1 abs, 1 compare, 1 not, 1 select
    radicand = 1 - builder.square(sine)  # 1 mul, 1 add
    root = builder.sqrt(clamped_radicand(builder, radicand))  # 1 compare; (r + |r|)/2: abs, add, mul; 1 sqrt
    builder.output(Signal("o", "1", group=Group.OUTPUT), -(root / cosine))  # 1 div, 1 negate
    # the status: two flags into bits, one or
    assert cost(builder.finish()) == Cost(
        add=2, mul=2, div=1, sqrt=1, sincos=1, compare=2, select=1, negate=1, abs=2, logic=4
    )


def test_text_names_what_occurs() -> None:
    """Multiplications first; classes without a count are left out."""
    assert Cost(add=15, mul=37, div=2, sqrt=1, sincos=1).text() == "37 mul, 15 add, 2 div, 1 sqrt, 1 sincos"
    assert Cost().text() == "no operations"


def test_dictionary_has_every_class() -> None:
    """Reports can rely on a fixed set of keys."""
    assert list(Cost(add=1).as_dict()) == [
        "add", "mul", "div", "sqrt", "sincos", "atan2", "asin", "acos", "compare", "select", "negate", "abs", "logic"
    ]  # fmt: skip
