"""Watches every refusal of some packages while tests run: was it raised, and was its condition also seen to hold not?

An import hook compiles the packages' modules with two calls added: one around each exception that is raised, one where
the `if` before it decided otherwise (or, where no `if` stands before it, where the function returned). Nothing is
measured by line numbers: a refusal's name is its function and its number in it.
"""

import ast
import functools
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

PROGRAMMING_ERRORS = frozenset({"TypeError", "ValueError", "KeyError", "NotImplementedError", "RuntimeError"})
"""Raised where the code itself is wrong, and by no input."""
Note = Callable[[str, bool], None]  # name of the refusal; raised, or its condition did not hold


@dataclass(frozen=True, slots=True)
class Refusal:
    """A `raise` in the code."""

    name: str  # "hil.session._check_identity 2"
    text: str  # as it stands in the code, shortened


def refusals_of(module: str, source: str) -> list[Refusal]:
    """The refusals of a module in the order of its text."""
    return [Refusal(name, _text(node)) for name, node in _named(module, ast.parse(source))]


def _text(node: ast.Raise) -> str:
    words = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return " ... ".join(words)[:100] or ast.unparse(node)[:100]


def _named(module: str, tree: ast.Module) -> Iterator[tuple[str, ast.Raise]]:
    for function, qualified in _functions(tree, module):
        raises = [node for node in _own_statements(function) if isinstance(node, ast.Raise) and _refuses(node)]
        yield from ((f"{qualified} {number}", node) for number, node in enumerate(raises, 1))


def _functions(node: ast.AST, qualified: str) -> Iterator[tuple[ast.FunctionDef, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue  # holds no function with a name
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            name = f"{qualified}.{child.name}"
            if isinstance(child, ast.FunctionDef):
                yield child, name
            yield from _functions(child, name)
        else:
            yield from _functions(child, qualified)


def _own_statements(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Everything in the function but what stands in functions and classes inside it, in the order of the text."""
    pending = list(reversed(function.body))
    while pending:
        node: ast.AST = pending.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))


def _refuses(node: ast.Raise) -> bool:
    if not isinstance(node.exc, ast.Call):
        return False
    called = node.exc.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name not in PROGRAMMING_ERRORS


def watched(module: str, source: str, path: str) -> Any:
    """The code object of a module whose refusals call `__refused__` and `__accepted__`."""
    tree = ast.parse(source, path)
    for function, qualified in list(_functions(tree, module)):
        _watch(function, qualified)
    return compile(ast.fix_missing_locations(tree), path, "exec")


def _watch(function: ast.FunctionDef, qualified: str) -> None:
    raises = [node for node in _own_statements(function) if isinstance(node, ast.Raise) and _refuses(node)]
    names = {id(node): f"{qualified} {number}" for number, node in enumerate(raises, 1)}
    decided = {name for branch in _own_statements(function) for name in _watch_branches(branch, names)}
    for node in raises:
        node.exc = _call("__refused__", names[id(node)], node.exc)
    left = [name for name in names.values() if name not in decided]
    if left:
        function.decorator_list.append(_call("__watching__", *left))


def _watch_branches(node: ast.AST, names: dict[int, str]) -> list[str]:
    """Note in the other branch of an `if` that a refusal of this one was not needed."""
    if not isinstance(node, ast.If):
        return []
    inside = [_directly(node.body, names), _directly(node.orelse, names)]
    node.body[:0] = [ast.Expr(_call("__accepted__", name)) for name in inside[1]]
    node.orelse[:0] = [ast.Expr(_call("__accepted__", name)) for name in inside[0]]
    return [*inside[0], *inside[1]]


def _directly(body: Sequence[ast.stmt], names: dict[int, str]) -> list[str]:
    return [names[id(statement)] for statement in body if id(statement) in names]


def _call(function: str, *arguments: Any) -> ast.Call:
    values = [each if isinstance(each, ast.AST) else ast.Constant(each) for each in arguments]
    return ast.Call(ast.Name(function, ast.Load()), values, [])


class Watcher(importlib.abc.MetaPathFinder):
    """Finds the modules of some packages before others do, and has them compiled with their refusals watched."""

    def __init__(self, packages: Sequence[str], note: Note) -> None:
        self.packages = tuple(packages)
        self.note = note

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> Any:
        """A spec whose loader watches; None for other modules."""
        if not any(name == package or name.startswith(f"{package}.") for package in self.packages):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path, self.note)
        return spec

    def install(self) -> None:
        """Watch all modules that are imported from now on."""
        sys.meta_path.insert(0, self)


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, note: Note) -> None:
        super().__init__(name, path)
        self.note = note

    def get_code(self, fullname: str) -> Any:
        source = Path(self.path).read_text(encoding="utf-8")
        return watched(fullname, source, self.path) if "raise " in source else super().get_code(fullname)

    def exec_module(self, module: ModuleType) -> None:
        note = self.note

        def refused(name: str, error: BaseException) -> BaseException:
            note(name, True)
            return error

        def watching(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
            return lambda function: _returning(function, names, note)

        vars(module).update(__refused__=refused, __accepted__=lambda name: note(name, False), __watching__=watching)
        super().exec_module(module)


def _returning(function: Callable[..., Any], names: Sequence[str], note: Note) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        result = function(*arguments, **named)
        for name in names:
            note(name, False)
        return result

    return call
