"""Blocks, placements and the plan that they make up: data of the spatial engine, and small questions about frames.

Made by: `plan` and `search`. Used by: `pose`, `writing`, `form`, show.
"""

from dataclasses import dataclass
from enum import StrEnum

from exporter.kinematics.closures.passive_spin import PassiveSpin
from exporter.kinematics.spatial.groebner.steps import UnivariateEquation
from exporter.kinematics.spatial.loops.system import LoopSystem


class SpatialKind(StrEnum):
    """The spatial block library."""

    CIRCLE_AND_SPHERE = "circle and sphere"  # a turning body and a link of constant length
    LINE_AND_SPHERE = "line and sphere"  # a sliding body and a link of constant length
    THREE_SPHERES = "three spheres with a rigid base edge"
    LENGTH_OF_ARM = "length from a universal joint"  # a slide behind two turns whose axes meet
    TWO_TURNS = "universal joint, length known"
    TWO_TURNS_ALIGNED = "two turns to a hinge"  # its point and its axis known
    ONE_TURN = "turn towards a point"
    ONE_SLIDE = "slide to a point"
    TURN_AND_SLIDE = "turn and slide to a point"
    THREE_SLIDES = "three slides and spheres"  # a body that does not turn, held at three known distances
    SLIDES_TO_PLANES = "slides to planes"  # a body that does not turn, held in as many planes
    TURN_AND_PLANES = "slides and a turn to planes"  # held in one plane more than it has slides
    POLYNOMIAL = "lexicographic basis"
    SEEDED_NEWTON = "seeded Newton: a table and two Newton steps"
    LOOP_NEWTON = "loop closure: a table and Newton steps"  # two; four over a part of the ranges
    LOOP_POINT = "turn to a point of a loop"
    LOOP_DIRECTION = "turn to a direction of a loop"
    LOOP_AXES = (
        "last turn of a loop, to its axes"  # all else of the loop is known, and nothing turns in its closing joint
    )
    LOOP_SLIDE = "slide to a point of a loop"
    LOOP_SLIDES = "one of several slides of a loop"
    LOOP_PLANE_SLIDE = "slide to a plane of a loop"
    LOOP_ANGLE = "constant angle of two directions in a loop"
    LOOP_PLANE = "constant distance of a point and a plane in a loop"
    LOOP_DISTANCE = "constant distance of two points in a loop"


DEGREE = {
    SpatialKind.CIRCLE_AND_SPHERE: 2,
    SpatialKind.LINE_AND_SPHERE: 2,
    SpatialKind.THREE_SLIDES: 2,
    SpatialKind.TURN_AND_PLANES: 2,
    SpatialKind.THREE_SPHERES: 2,
    SpatialKind.LENGTH_OF_ARM: 2,
    SpatialKind.TWO_TURNS: 2,
    SpatialKind.TWO_TURNS_ALIGNED: 1,
    SpatialKind.ONE_TURN: 1,
    SpatialKind.ONE_SLIDE: 1,
    SpatialKind.TURN_AND_SLIDE: 1,
    SpatialKind.LOOP_ANGLE: 2,
    SpatialKind.LOOP_PLANE: 2,
    SpatialKind.LOOP_DISTANCE: 2,
}


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
