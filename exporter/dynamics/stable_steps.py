"""The largest period with which each method of integration is stable, from the equations linearised at rest.

In: A of d(q, u)/dt = A (q, u), and the part of it that a linearly implicit step knows. Out: for each method the
largest h up to which one step lets nothing grow that the machine itself does not let grow: of what a step multiplies
(q, u) by, as many eigenvalues lie outside the unit circle as A has with a positive real part, at most. How fast these
motions grow, as a pendulum that stands upright falls, is a matter of accuracy and not of stability.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from exporter.dynamics.implicit_step import GAMMA
from exporter.records import dataclass

Array = NDArray[np.float64]
StepMap = Callable[[Array, Array, Array], Array]
"""What a step multiplies (q, u) by, (poses, 2 f, 2 f), of A, its known part, and h, (poses, 1, 1)."""

GROWTH = 1e-6  # of a step whose length is that of the fastest eigenvalue: growth that counts as rounding
FINEST = 1e-4  # over the fastest eigenvalue: a step that is unstable there is unstable at any
LONGEST = 10.0  # s; what is stable so far counts as stable at any period
GRID = 1.2  # from one period that is tried to the next
HALVINGS = 30


def _euler(a: Array, _: Array, h: Array) -> Array:
    return _one(a) + h * a


def _semi_implicit_euler(a: Array, _: Array, h: Array) -> Array:
    """u' = u + h a(q, u), q' = q + h u'."""
    count = a.shape[-1] // 2
    later = np.broadcast_to(_one(a), a.shape).copy()
    later[:, count:] += h * a[:, count:]
    later[:, :count] += h * later[:, count:]
    return later


def _rk4(a: Array, _: Array, h: Array) -> Array:
    z, one = h * a, _one(a)
    return np.asarray(one + z @ (one + z / 2 @ (one + z / 3 @ (one + z / 4))))


def _linearly_implicit(a: Array, known: Array, h: Array) -> Array:
    one = _one(a)
    solve = np.linalg.inv(one - float(GAMMA) * h * known)
    k1 = solve @ a
    k2 = solve @ (a @ (one + h * k1) - 2 * k1)
    return np.asarray(one + h * (3 * k1 + k2) / 2)


def _one(a: Array) -> Array:
    return np.eye(a.shape[-1])


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
    found, finite = {}, np.flatnonzero(np.isfinite(whole).all(axis=(1, 2)))
    for method, step_map in STEP_MAPS.items():
        if method == "linearly_implicit" and not np.isfinite(known[0]).all():
            continue
        steps = largest_stable_steps(step_map, whole[finite], known[finite])
        worst = int(steps.argmin())
        found[method] = StableStep(float(steps[0]), float(steps[worst]), int(finite[worst]))
    return found


def fastest_eigenvalue(whole: Array) -> float:
    """Largest magnitude of an eigenvalue over all poses, 1/s."""
    finite = whole[np.isfinite(whole).all(axis=(1, 2))]
    return float(np.abs(np.linalg.eigvals(finite)).max())


def largest_stable_steps(step_map: StepMap, whole: Array, known: Array) -> Array:
    """The periods up to which a method is stable at each of some poses, s, (poses,); all are tried together."""
    values = np.linalg.eigvals(whole)
    fastest = np.abs(values).max(axis=1)
    growing = (values.real > GROWTH * fastest[:, None]).sum(axis=1)

    def are_stable(poses: NDArray[np.int64], h: Array) -> NDArray[np.bool_]:
        factors = np.abs(np.linalg.eigvals(step_map(whole[poses], known[poses], h[:, None, None])))
        bound = 1 + GROWTH * np.minimum(1.0, h * fastest[poses]) + 1e-12
        return np.asarray((factors > bound[:, None]).sum(axis=1) <= growing[poses])

    moving = fastest > 0
    low = np.where(moving, 0.0, np.inf)
    high = FINEST / np.where(moving, fastest, 1.0)
    poses = np.flatnonzero(moving)
    while len(poses):
        poses = poses[are_stable(poses, high[poses])]
        low[poses], high[poses] = high[poses], GRID * high[poses]
        low[poses[low[poses] > LONGEST]] = np.inf
        poses = poses[np.isfinite(low[poses])]
    poses = np.flatnonzero((low > 0) & np.isfinite(low))
    for _ in range(HALVINGS if len(poses) else 0):
        middle = (low[poses] + high[poses]) / 2
        stable = are_stable(poses, middle)
        low[poses], high[poses] = np.where(stable, middle, low[poses]), np.where(stable, high[poses], middle)
    return low
