"""The linearly implicit step, ROS2, with whole matrices, for the reference of the differential test.

In: coordinates and rates (rows, k), what gives the equations of motion at a state. Out: both one step later.
With y = (x, v), f = (v, a) and A = (0, I; -M^-1 K, -M^-1 C),

  (I - g h A) k1 = f(y),   (I - g h A) k2 = f(y + h k1) - 2 k1,   y' = y + h (3 k1 + k2) / 2,   g = 1 - 1/sqrt(2),

where K and C have the slopes of the named elements by what they act along, and none below zero.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from plain_forces import acts_along, law
from plain_motion import Forced
from plain_rotations import Array
from plain_state import State

GAMMA = 1 - np.sqrt(0.5)


@dataclass(frozen=True)
class Now:
    """The equations of motion at one state."""

    forced: Forced
    state: State
    given: list[int]  # columns of the independent coordinates

    def matrix(self, document: Mapping[str, Any]) -> Array:
        """A, (rows, 2k, 2k)."""
        mass, rows = self.forced.mass, len(self.forced.mass)
        count = len(self.given)
        weights = [np.zeros((rows, count, count)), np.zeros((rows, count, count))]
        for name, element in stiff_elements(document).items():
            along, formula = acts_along(name, element), law(name, element)
            line = np.einsum("ni,nik->nk", self.state.slopes[along], self.forced.moves)
            for k, by in enumerate((along, f"{along}.rate")):
                slope = np.maximum(-self.state.derivative(formula, by), 0.0)
                weights[k] += slope[:, None, None] * line[:, :, None] * line[:, None, :]
        whole = np.zeros((rows, 2 * count, 2 * count))
        whole[:, :count, count:] = np.eye(count)
        whole[:, count:, :count], whole[:, count:, count:] = (-np.linalg.solve(mass, weight) for weight in weights)
        return whole

    def slope(self, rates: Array) -> Array:
        """f, (rows, 2k)."""
        return np.concatenate([rates, self.forced.accelerations[:, self.given]], axis=1)


def stiff_elements(document: Mapping[str, Any]) -> dict[str, Any]:
    """Elements that [step] names, or all but actuators."""
    elements = document.get("elements", {})
    named = document["step"].get("implicit", [name for name, each in elements.items() if each["type"] != "actuator"])
    return {name: elements[name] for name in named}


def step_implicitly(
    document: Mapping[str, Any], at: Callable[[Array, Array], Now], x: Array, v: Array, h: float
) -> tuple[Array, Array]:
    """Coordinates and rates a period later."""
    count = x.shape[1]
    first = at(x, v)
    k1 = _solved(first.matrix(document), h, first.slope(v))
    later, faster = x + h * k1[:, :count], v + h * k1[:, count:]
    second = at(later, faster)
    k2 = _solved(second.matrix(document), h, second.slope(faster) - 2 * k1)
    end = h * (3 * k1 + k2) / 2
    return x + end[:, :count], v + end[:, count:]


def _solved(matrix: Array, h: float, right: Array) -> Array:
    return np.asarray(np.linalg.solve(np.eye(matrix.shape[1]) - GAMMA * h * matrix, right[:, :, None])[:, :, 0])
