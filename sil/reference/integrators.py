"""One step of a fixed-step integrator over many rows: what `dostep` is held against."""

from collections.abc import Callable
from typing import Literal

from sil.reference.rotations import Array

Method = Literal["euler", "semi_implicit_euler", "rk4"]
Derivative = Callable[[Array, Array], Array]
"""(positions, rates) -> accelerations, all (rows, f)."""


def integrate_step(
    method: Method, period: float, positions: Array, rates: Array, derivative: Derivative
) -> tuple[Array, Array]:
    """Positions and rates one period later; inputs are held through the step."""
    match method:
        case "euler":
            return positions + period * rates, rates + period * derivative(positions, rates)
        case "semi_implicit_euler":
            later = rates + period * derivative(positions, rates)
            return positions + period * later, later
        case "rk4":
            return _rk4(period, positions, rates, derivative)


def _rk4(h: float, q: Array, v: Array, f: Derivative) -> tuple[Array, Array]:
    """The classical Runge-Kutta step (Kutta 1901)."""
    a1 = f(q, v)
    v2 = v + h / 2 * a1
    a2 = f(q + h / 2 * v, v2)
    v3 = v + h / 2 * a2
    a3 = f(q + h / 2 * v2, v3)
    v4 = v + h * a3
    a4 = f(q + h * v3, v4)
    return q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
