"""Parses a formula of a model file into nodes: + - * / ^ (or **), integer powers, functions, names and numbers.

In: text. Out: `exporter.model.expression` nodes with exact rationals. Names and numbers are replaced by placeholders
before Python's `ast` sees the text, so a name may be any word (lambda, int, I), and a decimal keeps its digits. What
`ast` returns passes a whitelist; nothing is ever evaluated as code.
"""

import ast
import re
from collections.abc import Mapping
from fractions import Fraction

from exporter.errors import ModelError
from exporter.model.expression import (
    ARGUMENTS,
    ZERO,
    Binary,
    Call,
    Expression,
    Lookup,
    LookupTable,
    Name,
    Number,
    Operator,
    Power,
)
from exporter.model.units import parse_number
from exporter.records import dataclass

NO_TABLES: Mapping[str, LookupTable] = {}
LONGEST_FORMULA = 1000  # characters
LARGEST_POWER = 32

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*(?:\.rate\b)?)|(?P<operator>\*\*|[-+*/^(),]))",
    re.ASCII,
)
_OPERATORS: dict[type[ast.operator], Operator] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_FORMULA_RULES = (
    f"a formula has + - * / ^, {', '.join(ARGUMENTS)}, numbers, and names of parameters; in loads also of inputs, "
    "coordinates and distances, and their .rate"
)
_EXAMPLES: dict[str, str] = {
    name: f"one argument; write {name}(x)" if count == 1 else f"two arguments; write {name}(x, y)"
    for name, count in ARGUMENTS.items()
}
_CALLED = " and ".join(", ".join(ARGUMENTS).rsplit(", ", 1))


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The text with placeholders, and what they stand for."""

    text: str
    meaning: dict[str, Number | Name]


def parse_expression(text: str, tables: Mapping[str, LookupTable] = NO_TABLES) -> Expression:
    """The nodes of a formula, which may call these tables.

    Raises:
        ModelError: anything but the allowed operations; the sentence names what was found.
    """
    if len(text) > LONGEST_FORMULA:
        raise ModelError(f"the formula has {len(text)} characters; at most {LONGEST_FORMULA} are read: split it up")
    if not text.strip():
        raise ModelError('the formula is empty; write "0" for zero')
    tokens = _tokenize(text, tables)
    try:
        tree = ast.parse(tokens.text, mode="eval")
        return _Converter(text, tokens.meaning, tables).node(tree.body)
    except (SyntaxError, RecursionError, MemoryError):
        raise ModelError(f'"{text}" is not a formula; {_FORMULA_RULES}') from None


def _tokenize(text: str, tables: Mapping[str, LookupTable]) -> _Tokens:
    """Replace numbers and names by placeholders.

    Raises:
        ModelError: a character that no formula has, a call of something unknown, an attribute.
    """
    meaning: dict[str, Number | Name] = {}
    words: list[str] = []
    position = 0
    while position < len(text.rstrip()):
        match = _TOKEN.match(text, position)
        if match is None:
            character = text[position:].lstrip()[0]
            raise ModelError(f'"{character}" in "{text}" is not allowed; {_FORMULA_RULES}')
        position = match.end()
        words.append(_word(match, text, meaning, tables))
    return _Tokens(" ".join(words), meaning)


def _word(match: re.Match[str], text: str, meaning: dict[str, Number | Name], tables: Mapping[str, LookupTable]) -> str:
    if match["operator"]:
        return "**" if match["operator"] == "^" else match["operator"]
    placeholder = f"_{len(meaning)}_"
    if match["number"]:
        meaning[placeholder] = Number(parse_number(match["number"]))
        return placeholder
    name, rest = match["name"], text[match.end() :].lstrip()
    if rest.startswith("("):
        if name not in ARGUMENTS and name not in tables:
            own = f", and the tables {', '.join(tables)}" if tables else ""
            raise ModelError(f'the call of "{name}" in "{text}" is refused; a formula calls {_CALLED} only{own}')
        return name
    if rest.startswith("."):
        raise ModelError(f'an attribute of "{name}" in "{text}" is refused; {_FORMULA_RULES}')
    meaning[placeholder] = Name(name)
    return placeholder


@dataclass(frozen=True, slots=True)
class _Converter:
    """Python syntax nodes to our nodes, by whitelist."""

    text: str
    meaning: dict[str, Number | Name]
    tables: Mapping[str, LookupTable]

    def node(self, tree: ast.expr) -> Expression:
        match tree:
            case ast.Name(id=placeholder) if placeholder in self.meaning:
                return self.meaning[placeholder]
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.node(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._negated(self.node(operand))
            case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
                return Power(self.node(base), self._exponent(self.node(exponent)))
            case ast.BinOp(op=operator, left=left, right=right) if type(operator) in _OPERATORS:
                return Binary(_OPERATORS[type(operator)], self.node(left), self.node(right))
            case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]) if function in self._known():
                return self._call(function, [self.node(argument) for argument in arguments])
        raise ModelError(f'"{self.text}" is not a formula ({type(tree).__name__} is refused); {_FORMULA_RULES}')

    def _known(self) -> frozenset[str]:
        """What may be called."""
        return frozenset((*_EXAMPLES, *self.tables))

    def _call(self, function: str, arguments: list[Expression]) -> Call | Lookup:
        if function in self.tables:
            return self._lookup(self.tables[function], arguments)
        for known, count in ARGUMENTS.items():
            if known == function and len(arguments) == count:
                return Call(known, tuple(arguments))
        raise ModelError(f'"{function}" in "{self.text}" takes {_EXAMPLES[function]}')

    def _lookup(self, table: LookupTable, arguments: list[Expression]) -> Lookup:
        wanted = len(table.table.axes)
        if len(arguments) != wanted:
            raise ModelError(f'table "{table.name}" in "{self.text}" has {wanted} axes and {len(arguments)} arguments')
        return Lookup(table, tuple(arguments))

    @staticmethod
    def _negated(operand: Expression) -> Expression:
        return Number(-operand.value) if isinstance(operand, Number) else Binary("-", ZERO, operand)

    def _exponent(self, node: Expression) -> int:
        value = node.value if isinstance(node, Number) else Fraction(1, 2)
        if value.denominator != 1 or abs(value) > LARGEST_POWER:
            raise ModelError(
                f'a power in "{self.text}" is not an integer from -{LARGEST_POWER} to {LARGEST_POWER}; '
                "write one, or use sqrt"
            )
        return value.numerator
