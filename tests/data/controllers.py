"""Symbolic models with states for the tests: made for this project, each small enough to be stepped by hand."""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from exporter.symbolic import State, SymbolicModel, define, given, output, state, tunable

e, i, k, r, x, mode, raw = sp.symbols("e i k r x mode raw")


def pi_controller(integral: State | None = None) -> SymbolicModel:
    """PI with its integral frozen while the output is at its limit; tunable gain; reset to its start value."""
    frozen = sp.Piecewise((i + k * e / 100, sp.Abs(raw) <= 5), (i, True))
    return SymbolicModel(
        "pi_frozen",
        (given("e", -10, 10), given("r", 0, 1)),
        (output("u", sp.Max(-5, sp.Min(5, raw))),),
        (tunable("k", "2", 1, 3),),
        (define("raw", k * e + i),),
        states=(integral or state("i", -4, 4, next=frozen, reset=r, start=k / 10),),
        period="10 ms",
    )


def lag(method: str = "rk4", **more: Any) -> SymbolicModel:
    """A rate that pulls the state towards the input, x' = 3 (e - x)."""
    return SymbolicModel(
        "lag",
        (given("e", -1, 1),),
        (output("y", 2 * x),),
        states=(state("x", more.pop("minimum", -2), 2, rate=3 * (e - x), start=sp.Rational(1, 2), **more),),
        period="100 ms",
        method=method,
    )


def counter(every: int = 3, **more: Any) -> SymbolicModel:
    """Adds the input at every third step, as a whole number from 0 to 9."""
    return SymbolicModel(
        "counter",
        (given("e", -5, 5), given("r", 0, 1)),
        (output("n", x),),
        states=(state("x", 0, 9, next=x + e, every=every, integer=True, reset=r, **more),),
    )


def machine(following: Any = None) -> SymbolicModel:
    """Off, starting, on: 0 -> 1 above 2, 1 -> 2 at the next step, back below -2."""
    arms: Sequence[Any] = ((1, sp.Eq(mode, 0) & (e > 2)), (2, sp.Eq(mode, 1)), (0, e < -2), (mode, True))
    law = sp.Piecewise(*arms) if following is None else following
    return SymbolicModel(
        "machine",
        (given("e", -5, 5),),
        (output("on", sp.Piecewise((1, sp.Eq(mode, 2)), (0, True))),),
        states=(state("mode", 0, 2, next=law, integer=True),),
    )


def sums(*, told: bool = True, both: bool = False) -> SymbolicModel:
    """Two sums within [-1, 1]: the first is limited by its range, which says so, the second by its own law, silently.

    The values are the same for all arguments: without `told` the first is silent too, with `both` neither is.
    """

    def following(sum_: Any, silent: bool) -> Any:
        return sp.Max(-1, sp.Min(1, sum_ + e)) if silent else sum_ + e

    z = sp.Symbol("z")
    return SymbolicModel(
        "sums",
        (given("e", -1, 1),),
        (output("both", x + z),),
        states=(state("x", -1, 1, next=following(x, not told)), state("z", -1, 1, next=following(z, not both))),
    )
