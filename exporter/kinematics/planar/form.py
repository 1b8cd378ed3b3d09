"""The triangular form of a planar mechanism: blocks in solve order, each with its unknowns, root sign and branch.

In: a Mechanism. Used by: `position` and `rates` (which write it into a sequence), dynamics, show. The form
is data; the root signs are set by `triangular`, which compares the assembly modes with the pose.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from exporter.errors import NoForm
from exporter.kinematics.planar.decomposition import System, Unknown, decompose
from exporter.kinematics.planar.directions import Direction, directions
from exporter.kinematics.planar.model import Closure, PlanarModel, Turn, planar_model
from exporter.kinematics.planar.plane import Term, gather
from exporter.kinematics.planar.shortcuts import Terms, components, shortest
from exporter.model.joints import GROUND
from exporter.model.mechanism import Mechanism
from exporter.progress import counted, unnamed
from exporter.records import dataclass


class BlockKind(StrEnum):
    """The planar block library. D are unknown directions, s displacements, W is known."""

    TWO_CIRCLES = "two circles"  # Da Za + Db Zb + W = 0
    CHARACTERISTIC_PAIR = "characteristic pair"  # the same by its distance equation
    CIRCLE_AND_LINE = "circle and line"  # Da Za + s t + W = 0, t known
    TURNING_SLIDE = "turning slide"  # Da (s e + Za) + W = 0
    TWO_LINES = "two lines"  # s1 t1 + s2 t2 + W = 0


DEGREE = {
    BlockKind.TWO_CIRCLES: 2,
    BlockKind.CHARACTERISTIC_PAIR: 2,
    BlockKind.CIRCLE_AND_LINE: 2,
    BlockKind.TURNING_SLIDE: 2,
    BlockKind.TWO_LINES: 1,
}


@dataclass(frozen=True, slots=True)
class Block:
    """One closure solved for two unknowns."""

    id: str  # "L1"
    closure: Closure
    kind: BlockKind
    unknowns: tuple[Unknown, ...]
    coordinates: tuple[str, ...]  # dependent coordinates that are known once it is solved
    sign: int = 1  # of the root; meaningless where the degree is 1
    branch: str = ""  # the user's name for it

    @property
    def degree(self) -> int:
        """Number of complex solutions."""
        return DEGREE[self.kind]


@dataclass(frozen=True, slots=True)
class TriangularForm:
    """A mechanism whose unknowns can be solved one block after the other."""

    model: PlanarModel
    independent: tuple[str, ...]
    direction: dict[str, Direction]
    blocks: tuple[Block, ...]

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is solved."""
        return self.model.mechanism

    def turn(self, coordinate: str) -> Turn | None:
        """The turn of an angular coordinate, None for a displacement."""
        return next((turn for turn in self.model.turns if turn.coordinate == coordinate), None)

    def dependent(self) -> tuple[str, ...]:
        """Dependent coordinates in solve order."""
        return tuple(name for block in self.blocks for name in block.coordinates)

    def terms(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        """A sum of moving vectors with one term per direction."""
        return canonical_terms(terms, self.direction)

    def with_signs(self, signs: tuple[int, ...], branches: tuple[str, ...] | None = None) -> "TriangularForm":
        """The form with other root signs, one per block."""
        names = branches or tuple(block.branch for block in self.blocks)
        blocks = tuple(
            replace(block, sign=sign, branch=name) for block, sign, name in zip(self.blocks, signs, names, strict=True)
        )
        return replace(self, blocks=blocks)


def unsigned_form(mechanism: Mechanism) -> TriangularForm:
    """The triangular form before its branches are chosen.

    Raises:
        ModelError: the mechanism is not planar, its degrees of freedom do not fit the choice of independent
            coordinates, or a block has more than two unknowns.
    """
    model = planar_model(mechanism)
    direction = directions(model, mechanism.independent)
    known_slides = {name for name in model.slides if name in mechanism.independent}
    blocks: list[Block] = []
    solved: set[Unknown] = set()
    listed: set[str] = set()
    systems = decompose(model, direction, known_slides)
    for number, system in enumerate(counted("solving the loops one after the other", systems, unnamed), start=1):
        solved.update(system.unknowns)
        coordinates = tuple(
            name
            for name in _known_coordinates(model, direction, solved)
            if name not in listed and name not in mechanism.independent
        )
        listed.update(coordinates)
        block = _block(f"L{number}", model, direction, system, coordinates)
        blocks.append(replace(block, closure=replace(block.closure, terms=_short_terms(block, blocks, direction))))
    return TriangularForm(model, mechanism.independent, direction, tuple(blocks))


def _short_terms(block: Block, before: Sequence[Block], direction: dict[str, Direction]) -> Terms:
    """A block's closure by those before it: with fewer components, or with fewer directions that are solved before.

    The latter keeps the loops of a long row near each other: each takes as many operations as the one before.
    """
    places = [known.closure for known in before if known.kind is BlockKind.TWO_LINES]
    terms = shortest(block.closure.terms, places, components)
    solved = {unknown.name for known in before for unknown in known.unknowns if unknown.kind == "direction"}

    def directions_solved(terms: Terms) -> tuple[int]:
        return (len({direction[term.body].root for term in terms} & solved),)

    return shortest(terms, [known.closure for known in reversed(before)], directions_solved)


def _known_coordinates(model: PlanarModel, direction: dict[str, Direction], solved: set[Unknown]) -> list[str]:
    roots = {GROUND, *(unknown.name for unknown in solved if unknown.kind == "direction")}
    names = []
    for joint in model.mechanism.joints:
        for coordinate in joint.coordinates:
            turn = next((turn for turn in model.turns if turn.coordinate == coordinate), None)
            if turn is not None and {direction[turn.parent].root, direction[turn.child].root} <= roots:
                names.append(coordinate)
            if turn is None and Unknown("slide", coordinate) in solved:
                names.append(coordinate)
    return names


def _block(
    name: str, model: PlanarModel, direction: dict[str, Direction], system: System, coordinates: tuple[str, ...]
) -> Block:
    if len(system.closures) > 1:
        raise NoForm(
            f"{model.mechanism.name}: with {', '.join(model.mechanism.independent)} independent, the loops "
            f"{', '.join(closure.name for closure in system.closures)} must be solved together "
            f"({len(system.unknowns)} unknowns), which no block of this version does"
        )
    closure = Closure(system.closures[0].name, canonical_terms(system.closures[0].terms, direction))
    by_pairs = model.mechanism.solver.method == "characteristic-pair"
    two_circles = BlockKind.CHARACTERISTIC_PAIR if by_pairs else BlockKind.TWO_CIRCLES
    kind = _kind(closure, direction, system.unknowns, two_circles)
    return Block(name, closure, kind, system.unknowns, _in_solve_order(model, kind, coordinates))


def _in_solve_order(model: PlanarModel, kind: BlockKind, coordinates: tuple[str, ...]) -> tuple[str, ...]:
    """Angles before displacements, except where the displacement is found first."""
    slides = tuple(name for name in coordinates if name in model.slides)
    angles = tuple(name for name in coordinates if name not in model.slides)
    return slides + angles if kind is BlockKind.TURNING_SLIDE else angles + slides


def _kind(
    closure: Closure, direction: dict[str, Direction], unknowns: tuple[Unknown, ...], two_circles: BlockKind
) -> BlockKind:
    kinds = [unknown.kind for unknown in unknowns]
    if kinds == ["direction", "direction"]:
        return two_circles
    if kinds == ["slide", "slide"]:
        return BlockKind.TWO_LINES
    if kinds != ["direction", "slide"]:
        raise NoForm(f"the loop {closure.name} has the unknowns {', '.join(kinds)}, which no planar block takes")
    root, slide = unknowns[0].name, unknowns[1].name
    carrier = next(term.body for term in closure.terms if term.slide == slide)
    return BlockKind.TURNING_SLIDE if direction[carrier].root == root else BlockKind.CIRCLE_AND_LINE


def canonical_terms(terms: tuple[Term, ...], direction: dict[str, Direction]) -> tuple[Term, ...]:
    """A sum of moving vectors, with bodies that turn alike replaced by the first of them."""
    first: dict[Direction, str] = {}
    for body, its_direction in direction.items():
        first.setdefault(its_direction, body)
    return gather(Term(first[direction[term.body]], term.vector, term.slide) for term in terms)
