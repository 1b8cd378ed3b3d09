"""A pose in motion with its accelerations: what equations of motion give, by whichever engine.

In: nothing. Out: `AcceleratedPose`. Used by: the functions of an export, and the integration step.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from exporter.dynamics.factorisation import ProjectedEquations
from exporter.dynamics.moving_state import MovingState
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import SolvedMotion, SolvedPose
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value

if TYPE_CHECKING:  # few mechanisms ask for reactions
    from exporter.dynamics.reactions.forces import Mechanics


@dataclass(frozen=True)
class BalancedBodies:
    """Accelerated bodies: the mechanism by the coordinates that drive it, what loads see, and what writes the rest."""

    mechanism: Mechanism
    state: MovingState
    mechanics: "Callable[[], Mechanics]"


@dataclass(frozen=True)
class AcceleratedPose:
    """A pose in motion, and the accelerations of the independent coordinates in their order."""

    pose: SolvedPose
    motion: SolvedMotion  # at the actual rates
    accelerations: dict[str, Value]
    bodies: BalancedBodies  # those of the triangular form
    equations: ProjectedEquations | None = None  # what they were solved from; None where they follow from others'


Values = dict[str, Value]
Equations = Callable[[Builder, Scope, Values, Values, Values], AcceleratedPose]
"""Writes them: coordinates, rates, and the coordinates as loads see them."""
