"""Blocks, placements and the plan that they make up: data of the spatial engine, and small questions about frames.

Made by: `plan` and `search`. Used by: `pose`, `writing`, `form`, show.
"""

from exporter.kinematics.closures.passive_spin import PassiveSpin
from exporter.kinematics.spatial.block_kinds import DEGREE, SpatialKind
from exporter.kinematics.spatial.groebner.steps import UnivariateEquation
from exporter.kinematics.spatial.loops.system import LoopSystem
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class Invariants:
    """What stays where it is whatever a group of neighbouring motions of a loop does, by the motions that tell it."""

    empty: bool  # no motion: everything rests
    turnless: bool  # no turn: every direction rests
    point: tuple[int, ...] = ()  # of one axis, or of two that meet
    direction: int | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """What holds one coordinate of a loop, or several in a row: see `relations.search` and `relations.holds`."""

    joint: str  # that closes the loop
    parent: tuple[str, ...]  # tree joints to its parent, from a placed body or from one that carries both sides
    child: tuple[str, ...]  # tree joints to its child
    cut: int  # number of unknown motions behind the coordinate's that are in the first group
    behind: Invariants  # of one of several slides: those of the unknown turns
    before: Invariants
    plane_behind: bool = False  # the plane is what the first group leaves


@dataclass(frozen=True, slots=True)
class Block:
    """A construction with its unknowns. Joints by name; what each field holds depends on the kind (see `writing`)."""

    id: str
    kind: SpatialKind
    path: tuple[str, ...]  # tree joints from a placed body outwards
    centers: tuple[str, ...]  # joints whose centres it uses; a sought centre comes first
    body: str = ""  # that carries the sought centre
    coordinates: tuple[str, ...] = ()  # dependent coordinates that are known once it is solved
    sign: int = 1
    branch: str = ""
    steps: tuple[UnivariateEquation, ...] = ()  # of a lexicographic basis, in solve order
    system: LoopSystem | None = None  # that Newton steps solve
    relation: Relation | None = None  # of one coordinate in a loop
    holds: tuple[Relation, ...] = ()  # of all coordinates of the block, a loop each

    @property
    def degree(self) -> int:
        """Number of solutions."""
        return max((step.degree for step in self.steps), default=DEGREE.get(self.kind, 1))


@dataclass(frozen=True, slots=True)
class BodyPlacement:
    """How a body is placed: by its tree joint, spanned by the centres of three joints, or as a link between two."""

    body: str
    centers: tuple[str, ...] = ()  # empty: by the tree joint


@dataclass(frozen=True, slots=True)
class Plan:
    """Blocks in solve order and bodies in the order in which they are placed."""

    blocks: tuple[Block, ...]
    placed: tuple[BodyPlacement, ...]
    read: frozenset[str] = frozenset()  # coordinates that are read from poses
    spins: tuple[PassiveSpin, ...] = ()  # links that may spin about their own line
