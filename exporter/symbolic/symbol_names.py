"""Which name of the model a leaf of an expression stands for.

In: a SymPy node. Out: a name, or None where the node is no leaf. Assumptions play no part: Symbol("x0") and
Symbol("x0", real=True) are the same input.
"""

from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from exporter.errors import ModelError

SUFFIXES = {1: ".rate", 2: ".acceleration"}
"""Name of a time derivative by its order, as for the coordinates of a mechanism."""


def leaf_name(node: Any) -> str | None:
    """The name, or None.

    "x" for Symbol("x"), "q[0]" for IndexedBase("q")[0], "theta" for Function("theta")(t) and "theta.rate" for its
    derivative, as sympy.physics.mechanics writes coordinates.

    Raises:
        ModelError: a Dummy, which has no name of its own, or an index that is no number.
    """
    if isinstance(node, sp.Dummy):
        raise ModelError(f"'{node.name}' is a Dummy; two of them may share a name, so use Symbol('{node.name}')")
    if isinstance(node, sp.Symbol):
        return str(node.name)
    if isinstance(node, sp.Indexed):
        return _indexed_name(node)
    if isinstance(node, AppliedUndef):
        return _function_name(node)
    if isinstance(node, sp.Derivative):
        return _derivative_name(node)
    return None


def _indexed_name(node: Any) -> str:
    base, *indices = node.args
    if not all(isinstance(index, sp.Integer) for index in indices):
        raise ModelError(f"'{base}' has an index that is no number; write each element, such as {base}[0]")
    return f"{base}[{','.join(str(int(index)) for index in indices)}]"


def _function_name(node: Any) -> str | None:
    return str(type(node).__name__) if len(node.args) == 1 and isinstance(node.args[0], sp.Symbol) else None


def _derivative_name(node: Any) -> str | None:
    function, *variables = node.args
    if not isinstance(function, AppliedUndef) or len(variables) != 1:
        return None
    variable, order = variables[0].args
    name = _function_name(function)
    if name is None or str(variable) != str(function.args[0]) or int(order) not in SUFFIXES:
        return None
    return name + SUFFIXES[int(order)]
