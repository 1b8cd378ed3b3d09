"""Small faults in Python: a list of operators, every place where one fits, and the text with one fault made.

In: source text. Out: `Fault`s in a fixed order, and mutated source. Annotations, decorators, docstrings and
what an error says are left alone.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

OPERATORS = ("sign", "operand", "constant", "dropped guard", "swapped index", "stale value")
_LEFT_ALONE = {"annotation", "returns", "decorator_list", "exc"}
_STORING = {"append", "add", "update", "extend", "setdefault", "insert", "register"}


@dataclass(frozen=True, slots=True)
class Fault:
    """One place and what is made wrong there."""

    operator: str
    line: int
    before: str
    number: int  # among all faults of the file


@dataclass(frozen=True, slots=True)
class _Change:
    operator: str
    node: ast.AST
    apply: Callable[[], None]


def faults_of(source: str) -> list[Fault]:
    """Every fault that the operators can make."""
    return [
        Fault(change.operator, getattr(change.node, "lineno", 0), ast.unparse(change.node)[:100], number)
        for number, change in enumerate(_changes(ast.parse(source)))
    ]


def with_fault(source: str, number: int) -> str:
    """The source with the fault of this number; comments are lost."""
    tree = ast.parse(source)
    list(_changes(tree))[number].apply()
    return ast.unparse(ast.fix_missing_locations(tree))


def _changes(tree: ast.AST) -> Iterator[_Change]:
    """In the order of the text. All are found before one is applied."""
    bound: set[str] = set()
    yield from _inside(tree, bound)


def _inside(parent: ast.AST, bound: set[str]) -> Iterator[_Change]:
    if isinstance(parent, ast.FunctionDef):
        bound = {each.arg for each in [*parent.args.args, *parent.args.kwonlyargs]}
    for field, value in ast.iter_fields(parent):
        children = value if isinstance(value, list) else [value]
        for place, child in enumerate(children):
            if isinstance(child, ast.AST) and field not in _LEFT_ALONE and not isinstance(child, ast.JoinedStr):
                put = _putter(parent, field, place if isinstance(value, list) else None)
                yield from _of(child, put, bound)
                yield from _inside(child, bound)


def _putter(parent: ast.AST, field: str, place: int | None) -> Callable[[ast.AST], None]:
    def put(new: ast.AST) -> None:
        if place is None:
            setattr(parent, field, new)
        else:
            getattr(parent, field)[place] = new

    return put


def _of(node: ast.AST, put: Callable[[ast.AST], None], bound: set[str]) -> Iterator[_Change]:
    yield from _signs(node, put)
    yield from _operands(node)
    yield from _constants(node)
    yield from _guards(node, put)
    yield from _indices(node)
    yield from _stale(node, put, bound)


def _signs(node: ast.AST, put: Callable[[ast.AST], None]) -> Iterator[_Change]:
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.AugAssign(op=ast.Add() | ast.Sub()):
            other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            yield _Change("sign", node, lambda: setattr(node, "op", other))
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            yield _Change("sign", node, lambda: put(operand))


def _operands(node: ast.AST) -> Iterator[_Change]:
    match node:
        case ast.BinOp(op=ast.Sub() | ast.Div() | ast.MatMult()):
            yield _Change("operand", node, lambda: _exchange(node, "left", "right"))
        case ast.Call(args=[one, other, *_]) if not any(
            isinstance(each, ast.Constant | ast.Starred) for each in (one, other)
        ):
            yield _Change("operand", node, lambda: node.args.__setitem__(slice(2), [other, one]))


def _exchange(node: ast.AST, one: str, other: str) -> None:
    first, second = getattr(node, one), getattr(node, other)
    setattr(node, one, second)
    setattr(node, other, first)


def _constants(node: ast.AST) -> Iterator[_Change]:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        number = node.value
        yield _Change(
            "constant", node, lambda: setattr(node, "value", number + 1 if type(number) is int else number * 2)
        )


def _guards(node: ast.AST, put: Callable[[ast.AST], None]) -> Iterator[_Change]:
    match node:
        case ast.If(orelse=[], body=[*_, ast.Return() | ast.Continue() | ast.Raise()]):
            yield _Change("dropped guard", node.test, lambda: setattr(node, "test", ast.Constant(False)))
        case ast.IfExp(orelse=otherwise):
            yield _Change("dropped guard", node, lambda: put(otherwise))
        case ast.BoolOp(values=[*first, _]):
            yield _Change("dropped guard", node, lambda: setattr(node, "values", [*first, first[-1]]))
        case ast.Compare(ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
            other = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}[type(node.ops[0])]
            yield _Change("dropped guard", node, lambda: setattr(node, "ops", [other()]))


def _indices(node: ast.AST) -> Iterator[_Change]:
    match node:
        case ast.Subscript(slice=ast.Constant(value=int(index))):
            yield _Change(
                "swapped index", node, lambda: setattr(node, "slice", ast.Constant(1 if index == 0 else index - 1))
            )
        case (
            ast.Assign(targets=[ast.Tuple(elts=[one, other, *_] as names)])
            | ast.For(target=ast.Tuple(elts=[one, other, *_] as names))
        ):
            yield _Change("swapped index", node, lambda: names.__setitem__(slice(2), [other, one]))


def _stale(node: ast.AST, put: Callable[[ast.AST], None], bound: set[str]) -> Iterator[_Change]:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))) if name in _STORING:
            yield _Change("stale value", node, lambda: put(ast.Pass()))
        case ast.Assign(targets=[ast.Name(id=name)]):
            if name in bound:
                yield _Change("stale value", node, lambda: put(ast.Pass()))
            bound.add(name)
        case ast.AugAssign():
            yield _Change("stale value", node, lambda: put(ast.Pass()))
