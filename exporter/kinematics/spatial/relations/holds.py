"""Which loops hold a body whose unknown motions stand in a row: a point of it at a known distance, or in a plane.

In: the loops that pass through the body's unknown motions. Out: a relation of each loop whose other unknown motions, up
to a cut, are two groups of which both leave a point, or one a plane and the other a point.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice

import numpy as np

from exporter.kinematics.closures.numeric import Array
from exporter.kinematics.protocol.motions import ElementaryMotion
from exporter.kinematics.spatial.block import Relation
from exporter.kinematics.spatial.relations.cycle import Sides, chain_of, coordinates_of_round
from exporter.kinematics.spatial.relations.lines import SAME, GroupInvariants
from exporter.kinematics.spatial.relations.search import MOST_UNKNOWN, RelationSearch, cuts_of, relation_of
from exporter.model.mechanism import Joint
from exporter.records import dataclass

SLIDES_ACROSS = 2  # slides that span a plane


@dataclass(frozen=True, slots=True)
class Run:
    """Unknown motions of the tree joints from a placed body to another, in their order outwards."""

    path: tuple[Joint, ...]
    unknown: tuple[ElementaryMotion, ...]

    @property
    def turns(self) -> tuple[bool, ...]:
        """Which of the motions are turns."""
        return tuple(motion.kind == "turn" for motion in self.unknown)


@dataclass(frozen=True, slots=True)
class _Round:
    """A loop that passes through a run, outwards or inwards, and its other unknown motions behind the run."""

    sides: Sides
    outwards: bool
    others: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Plane:
    """A plane by which a loop holds a run, and how far each slide leads out of it, (rows, slides)."""

    relation: Relation
    slides: Array


@dataclass(frozen=True, slots=True)
class HoldSearch:
    """The loops of a mechanism, and which coordinates are known so far."""

    relations: RelationSearch
    loops: Sequence[Sides]
    is_known: Callable[[str], bool]

    def distances(self, run: Run) -> list[Relation]:
        """The loops that hold a point of the body at a known distance from another."""
        firsts = (next(self._distances_in(each), None) for each in self._rounds(run))
        return [relation for relation in firsts if relation is not None]

    def planes(self, run: Run) -> list[Relation]:
        """As many planes as there are motions, slides and behind them a turn at most; nothing where there are fewer.

        All planes are at rest, or all on the body. These tell a turn where two slides span the plane across it.
        """
        for on_body in (False, True):
            if on_body and run.turns[-1] and not self._are_across(run):
                continue
            found = [hold for each in self._rounds(run) for hold in islice(self._planes_in(each, run, on_body), 1)]
            chosen = next((each for each in combinations(found, len(run.unknown)) if _are_apart(each)), ())
            if chosen:
                return [hold.relation for hold in chosen]
        return []

    def _rounds(self, run: Run) -> Iterator[_Round]:
        own = {motion.coordinate for motion in run.unknown}
        for sides in self.loops:
            outwards = sides.parent[: len(run.path)] == run.path
            if not outwards and sides.child[: len(run.path)] != run.path:
                continue
            names = coordinates_of_round(sides)
            waiting = [number for number, name in enumerate(names) if not self.is_known(name)]
            first, last = min(map(names.index, own)), max(map(names.index, own))
            others = [number for number in waiting if number > last]
            others += [number + len(names) for number in waiting if number < first]
            if len(others) + len(own) == len(waiting) <= MOST_UNKNOWN:
                yield _Round(sides, outwards, tuple(others))

    def _distances_in(self, found: _Round) -> Iterator[Relation]:
        for cut, behind, before in self._cuts(found):
            if behind.point is not None and before.point is not None:
                yield relation_of(found.sides, cut, behind, before, plane_behind=False)

    def _planes_in(self, found: _Round, run: Run, on_body: bool) -> Iterator[_Plane]:
        lines = self.relations.lines(found.sides)
        names = [motion.coordinate for motion in lines.motions]
        slides = lines.directions[[names.index(each.coordinate) for each in run.unknown if each.kind == "slide"]]
        plane_behind = found.outwards == on_body
        for cut, behind, before in self._cuts(found):
            plane, other = (behind, before) if plane_behind else (before, behind)
            is_told = other.point is not None or other.invariants.empty
            if plane.direction is not None and plane.has_plane and is_told:
                relation = relation_of(found.sides, cut, behind, before, plane_behind)
                yield _Plane(relation, np.einsum("rx,krx->rk", lines.directions[plane.direction], slides))

    def _cuts(self, found: _Round) -> Iterator[tuple[int, GroupInvariants, GroupInvariants]]:
        return cuts_of(self.relations.lines(found.sides), found.others, found.sides)

    def _are_across(self, run: Run) -> bool:
        lines = self.relations.samples.lines(chain_of(run.path))
        *slides, turn = (lines.motions.index(motion) for motion in run.unknown)
        return len(slides) == SLIDES_ACROSS and all(lines.across[turn][number] for number in slides)


def _are_apart(planes: Sequence[_Plane]) -> bool:
    """Whether planes tell slides apart: no displacements leave all of them where they are."""
    sizes = np.linalg.svd(np.stack([plane.slides for plane in planes], axis=1), compute_uv=False)
    return bool(sizes[:, -1].min() > SAME)
