"""Symbolic models that several tests use. Each function takes nothing, so that `load` finds it."""

from itertools import pairwise

import sympy as sp

from exporter.symbolic import (
    Division,
    Root,
    SymbolicModel,
    define,
    frozen,
    given,
    output,
    solve,
    tunable,
)

x, y, q, k, c = sp.symbols("x y q k c")
AWKWARD = ("x0", "x1", "_t0", "tmp0", "int", "I", "E", "lambda", "double", "in", "q[0]", "c")
"""Names that C, SymPy or a generator's temporaries would like for themselves."""


def reciprocal_powers() -> SymbolicModel:
    """7 a^-5 - 3 a^2, as in sympy/sympy#15335."""
    a = sp.Symbol("a")
    return SymbolicModel(
        "powers",
        (given("a", -2, 2, nominal=1),),
        (output("y", 7 * a**-5 - 3 * a**2),),
        division=Division("1e-3"),
    )


def awkward_names() -> SymbolicModel:
    """Symbols with the names of temporaries and keywords, with and without assumptions, as in sympy/sympy#25043."""
    x0, factor = sp.Symbol("x0", real=True), sp.Symbol("c", positive=True)
    return SymbolicModel(
        "awkward",
        tuple(given(name, -4, 4) for name in AWKWARD),
        (
            output("f", factor * x0**2 + factor * (x0**4 - x0**2)),
            output("sum", sum(sp.Symbol(name) for name in AWKWARD)),
            output("return", sp.Symbol("lambda") * sp.Symbol("x0")),
        ),
    )


def gear_ratio() -> SymbolicModel:
    """Quotients of whole numbers and of an integer parameter, as in sympy/sympy#16882."""
    teeth, half = sp.Symbol("N", integer=True), sp.Rational(1, 2)
    return SymbolicModel(
        "gears",
        (given("x", -1, 1),),
        (
            output("half", half + 0 * x),
            output("third", -3 / teeth),
            output("quotient", teeth / 2),
            output("mean", (teeth + 1) / 2 * half),
            output("scaled", x / 3 + 3 / teeth),
        ),
        parameters=(tunable("N", 7, 1, 200, integer=True, about="teeth"),),
    )


def bearing() -> SymbolicModel:
    """The angle of a vector."""
    return SymbolicModel("bearing", (given("y", -2, 2), given("x", -2, 2)), (output("angle", sp.atan2(y, x)),))


def versine() -> SymbolicModel:
    """2 sin(x/2)^2: the form of 1 - cos(x) that does not cancel, entered unevaluated (sympy/sympy#24246)."""
    form = sp.Mul(2, sp.Pow(sp.sin(sp.Mul(sp.Rational(1, 2), x, evaluate=False)), 2, evaluate=False), evaluate=False)
    return SymbolicModel("versine", (given("x", -4, 4),), (output("v", form),))


def arrays(*, use_last: bool = False) -> SymbolicModel:
    """Indexed inputs and parameters; p[4] is declared and, by default, not used (sympy/sympy#13231)."""
    p, u, state = sp.IndexedBase("p"), sp.IndexedBase("u"), sp.IndexedBase("q")
    last = p[4] if use_last else 0
    return SymbolicModel(
        "arrays",
        (*(given(f"q[{i}]", -1, 1) for i in range(2)), *(given(f"u[{i}]", -1, 1) for i in range(2))),
        (
            output("acc[0]", p[0] * state[0] + u[0] * p[1] + last),
            output("acc[1]", p[2] * state[1] + u[1] * p[3]),
            output("lam[0]", sp.sin(state[0]) + u[1]),
            output("lam[1]", sp.Max(state[0], state[1], u[0])),
        ),
        parameters=tuple(frozen(f"p[{i}]", i + 1) for i in range(5)),
    )


def arrays_using_all() -> SymbolicModel:
    """The model with arrays, p[4] in use."""
    return arrays(use_last=True)


def reflection() -> SymbolicModel:
    """[[sin q, cos q], [cos q, -sin q]] x = (2, 3): det = -1, but a pivot vanishes at q = 0 (sympy/sympy#24780)."""
    sin, cos = sp.sin(q), sp.cos(q)
    return SymbolicModel(
        "reflection",
        (given("q", -4, 4),),
        (output("x1", sp.Symbol("a")), output("x2", sp.Symbol("b"))),
        steps=(solve(["a", "b"], [[sin, cos], [cos, -sin]], [2, 3], threshold="1e-6"),),
    )


def nested(depth: int) -> SymbolicModel:
    """f_{k+1} = sin(f_k) cos(f_k) + x from f_0 = x, as one expression."""
    value: sp.Expr = x
    for _ in range(depth):
        product = sp.Mul(sp.sin(value, evaluate=False), sp.cos(value, evaluate=False), evaluate=False)
        value = sp.Add(product, x, evaluate=False)
    return SymbolicModel("nested", (given("x", -1, 1),), (output("y", value),))


def defined(depth: int) -> SymbolicModel:
    """The nested recurrence, as a chain of definitions."""
    names = ["x", *(f"f{step}" for step in range(1, depth + 1))]
    steps = [
        define(after, sp.sin(sp.Symbol(before)) * sp.cos(sp.Symbol(before)) + x) for before, after in pairwise(names)
    ]
    return SymbolicModel("defined", (given("x", -1, 1),), (output("y", sp.Symbol(names[-1])),), steps=tuple(steps))


def nested_400() -> SymbolicModel:
    """400 steps."""
    return nested(400)


def conditional() -> SymbolicModel:
    """Two conditionals inside a sum (sympy/sympy#1908)."""
    first = sp.Piecewise((x, x < 1), (x**2, True))
    second = sp.Piecewise((1, x > 0), (0, True))
    return SymbolicModel("conditional", (given("x", -5, 5),), (output("y", 2 * first + second),))


def clips() -> SymbolicModel:
    """Roots, quotients and an arc function that only clips and conditions of their arms prove."""
    quarter = sp.Rational(1, 4)
    outputs = (
        output("root", sp.sqrt(sp.Max(0, 1 - x**2))),
        output("arc", sp.asin(sp.Max(-1, sp.Min(1, x)))),
        output("reciprocal", sp.Piecewise((1 / x, sp.Abs(x) > quarter), (0, True))),
        output("nested", sp.Piecewise((sp.sqrt(4 - 1 / x), x > quarter), (0, True))),
        output("slope", sp.diff(sp.Max(0, x - 1) ** 2, x)),
    )
    return SymbolicModel("clips", (given("x", -3, 3),), outputs)


def float_mix() -> SymbolicModel:
    """x^(3/2) + x^2/3 + sqrt(y)/2 sin(x): tempts a printer into pow, integer quotients and double literals."""
    value = x ** sp.Rational(3, 2) + x**2 / 3 + sp.sqrt(y) / 2 * sp.sin(x)
    return SymbolicModel("float_mix", (given("x", 0, 4), given("y", 0, 4)), (output("f", value),))


def guarded_mix() -> SymbolicModel:
    """Every guard and every function in one model."""
    value = (
        sp.sqrt(x - y) / (x + y)
        + sp.asin(x)
        + sp.acos(y / 4)
        + sp.atan(x)
        + sp.tan(y)
        + sp.sign(x) * sp.Min(x, y, 1)
        + sp.Abs(y)
        + sp.Piecewise((sp.sin(x) / x, sp.Abs(x) > sp.Rational(1, 1000)), (1, True))
    )
    return SymbolicModel(
        "guarded_mix",
        (given("x", -2, 2, nominal=1), given("y", -2, 2, nominal="0.5")),
        (output("f", value), output("angle", sp.atan2(y, x))),
        division=Division("1e-4"),
        root=Root(),
    )


def dense(order: int) -> SymbolicModel:
    """A fully symbolic dense system, diagonally heavy at the nominal point."""
    entries = [(i, j) for i in range(order) for j in range(order)]
    return SymbolicModel(
        "dense",
        (
            *(given(f"a{i}{j}", 3 * (i == j) - 1, 3 * (i == j) + 1) for i, j in entries),
            *(given(f"b{i}", -1, 1) for i in range(order)),
        ),
        tuple(output(f"y{i}", sp.Symbol(f"s{i}")) for i in range(order)),
        steps=(
            solve(
                [f"s{i}" for i in range(order)],
                [[sp.Symbol(f"a{i}{j}") for j in range(order)] for i in range(order)],
                [sp.Symbol(f"b{i}") for i in range(order)],
                threshold="1e-6",
            ),
        ),
    )


def dense_4() -> SymbolicModel:
    """Four unknowns."""
    return dense(4)


def growth() -> SymbolicModel:
    """Exponentials, logarithms, real powers, whole numbers and rests."""
    return SymbolicModel(
        "growth",
        (given("x", "0.25", 8, nominal=1), given("y", -3, 3), given("q", 0, 5)),
        (
            output("decay", sp.exp(-(x**2)) + sp.exp(y)),
            output("level", sp.log(x + y**2) * sp.tanh(y / 3)),
            output("roots", q ** sp.Rational(1, 3) + x ** sp.Rational(-2, 3)),
            output("power", x**y + 2**y),
            output("steps", sp.floor(7 * x / 3) + sp.ceiling(y)),
            output("rest", sp.Mod(3 * y, x) - sp.Mod(x, -sp.pi)),
            output("far", sp.exp(-50 * x) * 10**6),
            output("arm", sp.Piecewise((sp.log(y), y > 1), (y - 1, True))),
        ),
    )
