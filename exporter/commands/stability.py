"""The largest stable period of every method of integration, for `kinefix analyse`.

In: a solved mechanism with masses, and places of its independent coordinates. Out: `Stability`.
"""

import math
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from exporter.dynamics.linearised import linearised
from exporter.dynamics.stable_steps import StableStep, fastest_eigenvalue, stable_steps
from exporter.kinematics.protocol.solution import Solution
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass

ROUNDING = 1e-3  # of a period that is found by differences
MOST_POSES = 24  # that are linearised, the design pose among them


@dataclass(frozen=True, slots=True)
class MethodPeriod:
    """Largest stable periods of a method, s: 0 for none, infinite for any."""

    method: str
    at_design: float
    worst: float
    where: str  # the worst pose, where it is another than the design pose


@dataclass(frozen=True, slots=True)
class Stability:
    """What the equations of motion at rest say of the period."""

    fastest: float  # 1/s
    poses: int
    steps: tuple[MethodPeriod, ...]
    method: str  # the file's
    period: float  # s, the file's


def stability_of(mechanism: Mechanism, solved: Solution, places: NDArray[np.float64]) -> Stability:
    """The periods at the design pose and at the worst of some places (rows, f)."""
    names = solved.mechanism.independent
    design = np.array([[float(mechanism.pose[name]) for name in names]])
    chosen = places[np.linspace(0, len(places) - 1, min(len(places), MOST_POSES - 1)).astype(int)]
    everywhere = np.vstack([design, chosen])
    matrices = linearised(solved, everywhere)
    reached = np.isfinite(matrices.whole).all(axis=(1, 2))
    steps = tuple(
        MethodPeriod(method, each.at_design, each.worst, _where(names, everywhere[each.at]) if _differs(each) else "")
        for method, each in stable_steps(matrices.whole, matrices.known).items()
    )
    step = mechanism.step
    return Stability(fastest_eigenvalue(matrices.whole), int(reached.sum()), steps, step.method, float(step.period))


def _differs(step: StableStep) -> bool:
    """Whether the worst pose is worse than the design pose by more than rounding."""
    return step.worst < step.at_design * (1 - ROUNDING)


def _where(names: tuple[str, ...], place: NDArray[np.float64]) -> str:
    return ", ".join(f"{name} = {value:.4g}" for name, value in zip(names, place, strict=True))


def stability_facts(stability: Stability) -> dict[str, object]:
    """A `Stability` as what JSON holds: a period without a limit is null."""
    facts = asdict(stability)
    for each in facts["steps"]:
        for key in ("at_design", "worst"):
            each[key] = None if math.isinf(each[key]) else each[key]
    return facts
