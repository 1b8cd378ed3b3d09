"""The state of a symbolic model as data: what it remembers from one step to the next. Written with `exporter.symbolic`.

A state is discrete, where its next value is given, or continuous, where its rate is, which the model's method
integrates over one period. Used by: `exporter.symbolic.model`, the writer of `dostep`, the reference of sil.
"""

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from exporter.records import dataclass

METHODS: dict[str, str] = {"euler": "explicit Euler", "rk4": "Runge-Kutta 4"}
"""What integrates continuous states, with its title in the C."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class State:
    """A number that one step leaves for the next, within its range whatever happens."""

    name: str
    unit: str
    minimum: Fraction
    maximum: Fraction
    start: sp.Basic  # of parameters alone
    next: sp.Basic | None = None  # its value one step later; None: it is continuous
    rate: sp.Basic | None = None  # its time derivative; None: it is discrete
    every: int = 1  # it changes at every so many steps only
    reset: sp.Basic | None = None  # a condition under which it goes to `to` instead
    to: sp.Basic | None = None  # where a reset puts it; None: its start value
    integer: bool = False  # it is always a whole number
    about: str = ""

    @property
    def reset_value(self) -> sp.Basic:
        """Where a reset puts it."""
        return self.start if self.to is None else self.to


def clock_name(every: int) -> str:
    """The state that counts the steps of a sample time, from 0 to every - 1."""
    return f"clock.{every}"


def whole_states(states: Sequence[State]) -> tuple[str, ...]:
    """Names of the states that are whole numbers, clocks too."""
    clocks = (clock_name(every) for every in sample_times(states))
    return (*(state.name for state in states if state.integer), *clocks)


def sample_times(states: Sequence[State]) -> tuple[int, ...]:
    """The sample times longer than a period, in periods, in the order in which states first have them."""
    return tuple(dict.fromkeys(state.every for state in states if state.every > 1))
