"""Whether blocks follow one after the other for a choice of coordinates, their branches aside: quick, for many choices.

In: a mechanism and names of coordinates. Out: yes or no.
"""

from dataclasses import replace
from functools import cached_property

from exporter.errors import Unsolved
from exporter.kinematics.planar.decomposition import decompose
from exporter.kinematics.planar.directions import directions
from exporter.kinematics.planar.model import PlanarModel, planar_model
from exporter.kinematics.planar.planarity import is_planar
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.spatial.plan import plan_of
from exporter.model.couplings import following
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass


@dataclass(frozen=True)
class Structure:
    """The closures of a mechanism, read once."""

    mechanism: Mechanism

    @cached_property
    def _planar(self) -> PlanarModel | None:
        return planar_model(self.mechanism) if is_planar(self.mechanism) else None

    def is_triangular(self, names: tuple[str, ...]) -> bool:
        """Whether each block of this choice stands alone."""
        found = following(self.mechanism.couplings, names)
        if found.tied or found.waiting:
            return False
        names = (*names, *found.names)
        try:
            return self._in_plane(self._planar, names) if self._planar else self._in_space(names)
        except Unsolved:
            return False

    def _in_plane(self, model: PlanarModel, names: tuple[str, ...]) -> bool:
        known = {name for name in model.slides if name in names}
        return all(len(system.closures) == 1 for system in decompose(model, directions(model, names), known))

    def _in_space(self, names: tuple[str, ...]) -> bool:
        plan = plan_of(replace(self.mechanism, independent=names, couplings=(), model_hash=""))
        return all(block.kind is not SpatialKind.SEEDED_NEWTON for block in plan.blocks)
