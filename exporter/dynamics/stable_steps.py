"""The largest period with which each method of integration is stable, from the equations linearised at rest.

In: A of d(q, u)/dt = A (q, u), and the part of it that a linearly implicit step knows. Out: for each method the
largest h up to which one step lets nothing grow that the machine itself does not let grow: of what a step multiplies
(q, u) by, as many eigenvalues lie outside the unit circle as A has with a positive real part, at most. How fast these
motions grow, as a pendulum that stands upright falls, is a matter of accuracy and not of stability.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exporter.dynamics.implicit_step import GAMMA

Array = NDArray[np.float64]
StepMap = Callable[[Array, Array, float], Array]  # of A, its known part and h: what a step multiplies (q, u) by

GROWTH = 1e-6  # of a step whose length is that of the fastest eigenvalue: growth that counts as rounding
FINEST = 1e-4  # over the fastest eigenvalue: a step that is unstable there is unstable at any
LONGEST = 10.0  # s; what is stable so far counts as stable at any period
GRID = 1.2  # from one period that is tried to the next
HALVINGS = 30


def _euler(a: Array, _: Array, h: float) -> Array:
    return np.eye(len(a)) + h * a


def _semi_implicit_euler(a: Array, _: Array, h: float) -> Array:
    """u' = u + h a(q, u), q' = q + h u'."""
    count = len(a) // 2
    later = np.eye(2 * count)
    later[count:] += h * a[count:]
    later[:count] += h * later[count:]
    return later


def _rk4(a: Array, _: Array, h: float) -> Array:
    z = h * a
    one = np.eye(len(a))
    return np.asarray(one + z @ (one + z / 2 @ (one + z / 3 @ (one + z / 4))))


def _linearly_implicit(a: Array, known: Array, h: float) -> Array:
    one = np.eye(len(a))
    solve = np.linalg.inv(one - float(GAMMA) * h * known)
    k1 = solve @ a
    k2 = solve @ (a @ (one + h * k1) - 2 * k1)
    return np.asarray(one + h * (3 * k1 + k2) / 2)


STEP_MAPS: Mapping[str, StepMap] = {
    "euler": _euler,
    "semi_implicit_euler": _semi_implicit_euler,
    "rk4": _rk4,
    "linearly_implicit": _linearly_implicit,
}


@dataclass(frozen=True, slots=True)
class StableStep:
    """Largest stable period of a method, s: 0 where it is stable at none, infinite where at any up to LONGEST."""

    at_design: float
    worst: float
    at: int  # row of the worst pose


def stable_steps(whole: Array, known: Array) -> dict[str, StableStep]:
    """By method, over poses (rows, 2 f, 2 f) of which the first is the design pose.

    A method that needs the known part is left out where there is none; so are poses whose matrices are not finite.
    """
    found = {}
    for method, step_map in STEP_MAPS.items():
        if method == "linearly_implicit" and not np.isfinite(known[0]).all():
            continue
        pairs = [
            (row, largest_stable_step(step_map, a, part))
            for row, (a, part) in enumerate(zip(whole, known, strict=True))
            if np.isfinite(a).all()
        ]
        row, worst = min(pairs, key=lambda pair: (pair[1], pair[0]))
        found[method] = StableStep(pairs[0][1], worst, row)
    return found


def fastest_eigenvalue(whole: Array) -> float:
    """Largest magnitude of an eigenvalue over all poses, 1/s."""
    finite = whole[np.isfinite(whole).all(axis=(1, 2))]
    return float(np.abs(np.linalg.eigvals(finite)).max())


def largest_stable_step(step_map: StepMap, a: Array, known: Array) -> float:
    """The period up to which a method is stable at one pose, s."""
    values = np.linalg.eigvals(a)
    fastest = float(np.abs(values).max())
    if fastest == 0.0:
        return np.inf
    growing = int((values.real > GROWTH * fastest).sum())

    def is_stable(h: float) -> bool:
        factors = np.abs(np.linalg.eigvals(step_map(a, known, h)))
        return bool((factors > 1 + GROWTH * min(1.0, h * fastest) + 1e-12).sum() <= growing)

    low, high = 0.0, FINEST / fastest
    while is_stable(high):
        low, high = high, GRID * high
        if low > LONGEST:
            return np.inf
    if low == 0.0:
        return 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_stable(middle) else (low, middle)
    return low
