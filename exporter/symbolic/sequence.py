"""Writes a SymPy expression into a sequence: one memoised walk with a stack of its own.

In: an expression and a `Writer`. Out: the handle of its value. Each node is visited once however often it is
shared, and nothing recurses, so a chain of thousands of nested steps is as good as any other. SymPy's tree methods
(free_symbols, subs, cse, simplify) and its comparisons are never called: they are recursive or exponential here.
"""

import difflib
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from exporter.errors import ModelError
from exporter.records import dataclass
from exporter.sequence.builder import Flag, Value
from exporter.symbolic.guards import Guards
from exporter.symbolic.handles import Handle, condition
from exporter.symbolic.rules import AVAILABLE_FUNCTIONS, REPLACEMENTS, operands_of, rule_of
from exporter.symbolic.symbol_names import leaf_name


@dataclass(slots=True)
class Writer:
    """What the walk needs: guards (with the builder), the handles of names, and the nodes already written.

    Nodes are remembered by identity, so the expressions must stay alive as long as the writer: the model holds them.
    """

    guards: Guards
    names: dict[str, Value] = field(default_factory=dict)
    memo: dict[int, Handle] = field(default_factory=dict)

    def value(self, expression: Any, place: str) -> Value:
        """The real value of an expression.

        Raises:
            ModelError: it is no finite real number, uses an unknown name or function, or needs a policy.
        """
        self.guards.place = place
        try:
            handle = self._walk(expression)
        except ModelError as error:
            raise _with_zeros(error, self, expression) from error
        if not isinstance(handle, Value):
            raise ModelError(
                f"{place} is {'a condition' if isinstance(handle, Flag) else 'infinite'}; it must be a number"
            )
        return handle

    def condition(self, expression: Any, place: str) -> Flag:
        """Whether a condition holds.

        Raises:
            ModelError: it is a number, or see `value`.
        """
        self.guards.place = place
        return condition(self.guards, self._walk(expression))

    def _walk(self, expression: Any) -> Handle:
        stack = [expression]
        while stack:
            node = stack[-1]
            if id(node) in self.memo:
                stack.pop()
                continue
            operands = operands_of(node)
            missing = [operand for operand in operands if id(operand) not in self.memo]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            self.memo[id(node)] = self._apply(node, [self.memo[id(operand)] for operand in operands])
        return self.memo[id(expression)]

    def _apply(self, node: Any, handles: list[Handle]) -> Handle:
        name = leaf_name(node)
        if name is not None:
            return self._named(name)
        rule = rule_of(node)
        if rule is None:
            raise ModelError(
                f"{self.guards.place} uses {type(node).__name__}, which has no fixed-time form; "
                f"{REPLACEMENTS.get(type(node), '')}available are {AVAILABLE_FUNCTIONS}"
            )
        return rule(self.guards, node, handles)

    def _named(self, name: str) -> Value:
        value = self.names.get(name)
        if value is not None:
            return value
        near = difflib.get_close_matches(name, sorted(self.names), n=1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise ModelError(
            f"{self.guards.place} uses '{name}', which is no input, parameter or earlier step; {hint}add "
            f"given('{name}', minimum, maximum), a parameter or a definition before it"
        )


def names_in(expression: Any) -> tuple[str, ...]:
    """The names that an expression depends on, sorted; by the same kind of walk."""
    seen: set[int] = set()
    found: set[str] = set()
    stack = [expression]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        name = leaf_name(node)
        if name is None:
            stack.extend(operands_of(node))
        else:
            found.add(name)
    return tuple(sorted(found))


def _with_zeros(error: ModelError, writer: Writer, expression: Any) -> ModelError:
    """A division by zero is explained by the constants that are zero."""
    if "divides by zero" not in str(error):
        return error
    zeros = [name for name in names_in(expression) if _is_zero(writer.names, name)]
    because = f": parameter {' and '.join(repr(name) for name in zeros)} is 0" if zeros else ""
    return ModelError(f"{error}{because}; give a value that is not zero, or make it tunable with a range without zero")


def _is_zero(names: Mapping[str, Value], name: str) -> bool:
    return name in names and names[name].constant == 0
