"""C of other generators from the textbook equations: SymPy's `cse` printed by `ccode`, and CasADi's code generator.

In: equations as in `peer_positions`, and how many inputs they take. Out: a `Callee`. CasADi is optional.
"""

import importlib.util
from collections.abc import Callable
from typing import Any

import sympy as sp
from c_calls import Callee, on_arrays
from peer_vectors import Vector

Equations = Callable[[Vector, Any], Vector]
CASADI_MISSING = "not installed: pip install 'kinefix[peers]'"


class SymPyAlgebra:
    """Symbols for values that equations name, so that expressions stay small."""

    sin, cos, sqrt = staticmethod(sp.sin), staticmethod(sp.cos), staticmethod(sp.sqrt)

    def __init__(self) -> None:
        self.known: dict[sp.Symbol, sp.Expr] = {}

    def named(self, value: Any) -> Any:
        """A symbol in place of a value that is more than a number or a symbol."""
        if not isinstance(value, sp.Expr) or value.is_Atom:
            return value
        symbol = sp.Symbol(f"n{len(self.known)}")
        self.known[symbol] = value
        return symbol


def sympy_code(equations: Equations, inputs: int) -> Callee:
    """What `cse` with its basic optimisations shares among all values, each in one line of C."""
    algebra = SymPyAlgebra()
    given = sp.symbols(f"x:{inputs}")
    wanted = equations(list(given), algebra)
    outputs = dict(zip(sp.symbols(f"y:{len(wanted)}"), wanted, strict=True))
    values = {**algebra.known, **outputs}
    shared, reduced = sp.cse(list(values.values()), optimizations="basic")
    lines = [f"const double {name} = in[{place}];" for place, name in enumerate(given)]
    for name, value in in_order({**dict(shared), **dict(zip(values, reduced, strict=True))}, set(given)):
        lines.append(f"const double {name} = {sp.ccode(value)};")
    lines += [f"out[{place}] = {name};" for place, name in enumerate(outputs)]
    text = "\n".join(["#include <math.h>", "void peer(const double *in, double *out)", "{", *lines, "}", ""])
    return on_arrays(text, "peer", len(wanted))


def in_order(values: dict[sp.Symbol, sp.Expr], known: set[sp.Symbol]) -> list[tuple[sp.Symbol, sp.Expr]]:
    """Every value after those that it needs."""
    found: dict[sp.Symbol, sp.Expr] = {}

    def find(name: sp.Symbol) -> None:
        if name not in found and name not in known:
            for needed in sorted(sp.sympify(values[name]).free_symbols, key=str):
                find(needed)
            found[name] = values[name]

    for name in values:
        find(name)
    return list(found.items())


def casadi_installed() -> bool:
    """Whether CasADi can be imported."""
    return importlib.util.find_spec("casadi") is not None


class CasadiAlgebra:
    """CasADi shares what is equal by itself."""

    def __init__(self, casadi: Any) -> None:
        self.sin, self.cos, self.sqrt = casadi.sin, casadi.cos, casadi.sqrt

    @staticmethod
    def named(value: Any) -> Any:
        """The value."""
        return value


def casadi_code(equations: Equations, inputs: int) -> Callee:
    """Scalar expressions, `casadi.cse`, and the code generator without its header."""
    import casadi  # noqa: PLC0415 - optional

    given = casadi.SX.sym("x", inputs)
    wanted = equations([given[place] for place in range(inputs)], CasadiAlgebra(casadi))
    function = casadi.Function("peer", [given], [casadi.cse(casadi.vertcat(*wanted))])
    generator = casadi.CodeGenerator("peer", {"with_header": False})
    generator.add(function)
    room = [max(1, size()) for size in (function.sz_arg, function.sz_res, function.sz_iw, function.sz_w)]
    declaration = "int peer(const double **arg, double **res, long long *iw, double *w, int memory);"
    arrays = "const double *arg[{}] = {{in}}; double *res[{}] = {{out}}; long long iw[{}]; double w[{}];".format(*room)
    call = f"{arrays} (void)peer(arg, res, iw, w, 0)"
    return Callee({"peer.c": generator.dump()}, "peer", declaration, call, len(wanted))
