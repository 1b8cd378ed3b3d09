"""Which other independent coordinates drive a mechanism well at a pose where its own do not.

In: a mechanism and all its coordinates at a pose. Out: choices, best first. A choice is judged by
the condition number of the closures for what is then dependent, from the reference.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from exporter.model.mechanism import Mechanism
from sil.reference.closures import closures_of
from sil.reference.motion import configuration
from sil.reference.rotations import Array
from sil.reference.skeleton import skeleton_of

MOST_CHOICES = 2  # choices that are named
SINGULAR_RATIO = 1e-12  # smallest singular value over the largest
BETTER_SHARE = 0.4
"""Of the present choice's condition number; a choice with more is no help."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Independent coordinates."""

    independent: tuple[str, ...]
    condition: float  # of the closures at the pose
    ranged: bool  # the model gives them ranges and rates


def choices_at(mechanism: Mechanism, pose: Array) -> tuple[Choice, ...]:
    """The best choices at a pose (c,), with one coordinate exchanged. Whether they can be solved is not tried."""
    ranked = sorted(_conditions(mechanism, pose), key=lambda pair: pair[1])
    return tuple(
        Choice(names, condition, _has_rate_ranges(mechanism, names)) for names, condition in ranked[:MOST_CHOICES]
    )


def _has_rate_ranges(mechanism: Mechanism, names: tuple[str, ...]) -> bool:
    bounds = [mechanism.ranges.get(name) for name in names]
    return all(each is not None and each.rate is not None for each in bounds)


def _conditions(mechanism: Mechanism, pose: Array) -> Iterator[tuple[tuple[str, ...], float]]:
    """Choices with one coordinate exchanged that are clearly better there."""
    skeleton = skeleton_of(mechanism)
    jacobian = closures_of(skeleton).residual_and_jacobian(configuration(pose[None]))[1][0] * skeleton.units
    largest = BETTER_SHARE * _condition(jacobian, skeleton.independent)
    for own in skeleton.independent:
        for other in skeleton.dependent:
            chosen = tuple(other if column == own else column for column in skeleton.independent)
            condition = _condition(jacobian, chosen)
            if np.isfinite(condition) and condition <= largest:
                yield tuple(skeleton.coordinates[column] for column in chosen), condition


def _condition(jacobian: Array, independent: tuple[int, ...]) -> float:
    """Condition number of the closures (m, c) for all other coordinates; infinite where they are singular."""
    bound = [column for column in range(jacobian.shape[1]) if column not in independent]
    values = np.linalg.svd(jacobian[:, bound], compute_uv=False)
    return float(values[0] / values[-1]) if values[-1] > SINGULAR_RATIO * values[0] else np.inf
