"""The solve order of a spatial mechanism, found by constructions on points and bodies.

In: a Mechanism and its independent coordinates. Out: a `Plan`: blocks in order, and how each body is placed.
Known so far are the poses of some bodies and the centres of some joints. Until every body is placed: a joint whose
coordinates are known carries its child; three known centres span a body; a chain of joints that ends in a known centre
is solved for its coordinates; a body with one unknown coordinate that a link of constant length ties to a known centre
is solved by circle and sphere; the third centre of a body with two known ones is held by a link: three spheres.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import combinations

import numpy as np

from exporter.errors import NoForm
from exporter.kinematics.closures.numeric import Array
from exporter.kinematics.closures.passive_spin import PassiveSpin
from exporter.kinematics.closures.passive_spins import passive_spins
from exporter.kinematics.protocol.frames import Vector3, difference, dot
from exporter.kinematics.protocol.motions import ElementaryMotion, motions_of
from exporter.kinematics.spatial.arm_kinds import arm_kind, is_aligned
from exporter.kinematics.spatial.block import Block, BodyPlacement, Plan, Relation
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.spatial.loops.system import LoopSearch
from exporter.kinematics.spatial.relations.cycle import Sides
from exporter.kinematics.spatial.relations.holds import HoldSearch, Run
from exporter.kinematics.spatial.relations.lines import SAME
from exporter.kinematics.spatial.relations.samples import Samples
from exporter.kinematics.spatial.relations.search import relation_search
from exporter.kinematics.spatial.spanning_trees import closing_joints, exchanges
from exporter.kinematics.spatial.three_centers import COLLINEAR_SINE, NARROW_SINE, spread, three_centers
from exporter.model.joints import CENTERED_JOINT_TYPES, GROUND
from exporter.model.mechanism import Frame, Joint, Mechanism
from exporter.model.size import nominal_place

POINT_EQUATIONS = 3  # of a ball that closes a loop: as many unknown turns can be solved together
SPACE_DIRECTIONS = 3  # of space
HELD_MOTIONS = (2, 3)  # unknown motions of a body that loops tell together
TRIED_TREES = 200  # ways to open the loops that are tried
TOLD_BY_LEVER = (SpatialKind.ONE_TURN, SpatialKind.TWO_TURNS)  # arms whose last turn must move the end
SHORT_LEVER = 0.5  # of the length: rounding of places counts for more in an angle that is told by a shorter one


def plan_of(mechanism: Mechanism) -> Plan:
    """The solve order.

    Raises:
        NoForm: some bodies can only be solved together, which the block library cannot.
    """
    plan, waiting = partial_plan(mechanism, mechanism)
    if waiting:
        raise NoForm(stuck(mechanism, waiting))
    return plan


def partial_plan(
    tree: Mechanism,
    mechanism: Mechanism,
    given: Sequence[str] = (),
    spins: tuple[PassiveSpin, ...] | None = None,
    loops: LoopSearch | None = None,
) -> tuple[Plan, tuple[str, ...]]:
    """The solve order as far as it goes, and the bodies that wait; `tree` is the mechanism with loops opened elsewhere.

    Coordinates of the mechanism that are none of the tree's are read from poses. Where nothing fits, the bodies `given`
    are taken as placed. `spins`: the mechanism's links between two balls, where they are known already. `loops`: what
    no block solves is solved by Newton steps on its closures.
    """
    search = _Search(tree, mechanism, passive_spins(mechanism) if spins is None else spins, loops)
    search.run()
    for body in given:
        search.place(BodyPlacement(body))
    search.run()
    return (
        Plan(tuple(search.blocks), tuple(search.placed), frozenset(search.read), search.spins),
        tuple(search.waiting),
    )


def plan_solution(mechanism: Mechanism, loops: LoopSearch | None = None) -> tuple[Plan, Mechanism]:
    """The solve order, and the mechanism with its loops opened where that needs it; `loops`: see `partial_plan`.

    Raises:
        NoForm: some bodies can only be solved together, wherever loops are opened.
    """
    spins = passive_spins(mechanism)
    plan, waiting = partial_plan(mechanism, mechanism, spins=spins, loops=loops)
    if not waiting:
        return plan, mechanism
    looked_at = {closing_joints(mechanism)}
    queue = [(len(waiting), 0, mechanism, waiting)]
    while queue and len(looked_at) < TRIED_TREES:
        _, _, tree, near = heappop(queue)
        for other in exchanges(tree, near, looked_at):
            looked_at.add(closing_joints(other))
            plan, left = partial_plan(other, mechanism, spins=spins)
            if not left and all(block.kind is not SpatialKind.SEEDED_NEWTON for block in plan.blocks):
                return plan, other
            heappush(queue, (len(left), len(looked_at), other, left))
    raise NoForm(stuck(mechanism, waiting))


def stuck(mechanism: Mechanism, waiting: Sequence[str]) -> str:
    """That these bodies must be solved together."""
    return (
        f"{mechanism.name}: with {', '.join(mechanism.independent)} independent, the bodies {', '.join(waiting)} must "
        "be solved together, which no block of this version does"
    )


Way = tuple[tuple[Joint, ...], tuple[ElementaryMotion, ...]]
"""Tree joints that lead to a body, and those of their motions that are not known."""


class _Search:
    """What is known so far, and what was done for it."""

    def __init__(
        self, mechanism: Mechanism, user: Mechanism, spins: tuple[PassiveSpin, ...], loops: LoopSearch | None
    ) -> None:
        self.mechanism, self.loops = mechanism, loops
        self.joints = {joint.name: joint for joint in mechanism.joints}
        others = (joint for joint in user.joints if self.joints[joint.name] != joint)
        self.read_from = (*mechanism.joints, *others)
        self.joints_on: dict[str, list[Joint]] = {name: [] for name in (GROUND, *(b.name for b in mechanism.bodies))}
        for joint in mechanism.joints:
            for body in joint.bodies:
                self.joints_on[body].append(joint)
        self.motions = {joint.name: motions_of(joint) for joint in mechanism.joints if not joint.closes}
        self.tree = mechanism.spanning_tree()
        self.waiting = [body.name for body in mechanism.bodies]
        self.reached = {GROUND}  # bodies that are placed
        self.ways: dict[str, Way] = {}  # to bodies that wait, as far as they were asked for since the last step
        self.known = set(mechanism.independent)
        self.spins = spins
        self.centers: set[str] = set()
        self.read: set[str] = set()
        self.blocks: list[Block] = []
        self.placed: list[BodyPlacement] = []
        self.relations = relation_search(user)
        self.samples: Samples = self.relations.samples
        self._see_centers(GROUND)

    def run(self) -> None:
        """Until nothing fits."""
        while self.waiting and (self.place_a_body() or self.solve_a_block()):
            pass

    # -- bodies ------------------------------------------------------------------------------------------------------

    def place_a_body(self) -> bool:
        """Place one body that is known; False where none is."""
        for body in self.waiting:
            joint = self.tree.joints[body]
            if joint.parent.body not in self.waiting and all(name in self.known for name in joint.coordinates):
                self.place(BodyPlacement(body))
                return True
        for body in self.waiting:
            places = self._places(body)
            three = three_centers(self._centers_on(body), places)
            if three and (spread(three, places) > NARROW_SINE or not self._only_turns(body)):
                self.place(BodyPlacement(body, three))
                return True
        for link in self.spins:
            ends = tuple(joint.name for joint in link.joints)
            if link.body in self.waiting and self.centers.issuperset(ends):
                self.place(BodyPlacement(link.body, ends))
                return True
        return False

    def place(self, placed: BodyPlacement) -> None:
        """Take a body as placed."""
        self.waiting.remove(placed.body)
        self.reached.add(placed.body)
        self.ways.clear()
        self.placed.append(placed)
        self._see_centers(placed.body)
        self._read_coordinates()

    def _see_centers(self, body: str) -> None:
        self.centers.update(joint.name for joint in self.joints_on[body] if joint.type in CENTERED_JOINT_TYPES)

    def _read_coordinates(self) -> None:
        """Coordinates of joints between two placed bodies follow from their poses."""
        found = tuple(
            name
            for joint in self.read_from
            if not set(joint.bodies) & set(self.waiting)
            for name in joint.coordinates
            if name not in self.known
        )
        found = tuple(dict.fromkeys(found))
        self.known.update(found)
        self.read.update(found)
        if found and self.blocks:
            last = self.blocks[-1]
            self.blocks[-1] = replace(last, coordinates=(*last.coordinates, *found))

    def _centers_on(self, body: str) -> list[str]:
        return [joint.name for joint in self.joints_on[body] if joint.name in self.centers]

    def _places(self, body: str) -> dict[str, Vector3]:
        """Where centres are on a body."""
        return {
            joint.name: nominal_place(self.mechanism, joint.frame_on(body))
            for joint in self.joints_on[body]
            if joint.type in CENTERED_JOINT_TYPES
        }

    def _only_turns(self, body: str) -> bool:
        """Whether a hinge on a placed body tells it by one angle, which keeps digits that three narrow centres lose."""
        joint = self.tree.joints[body]
        return joint.parent.body not in self.waiting and [each.kind for each in self.motions[joint.name]] == ["turn"]

    # -- blocks ------------------------------------------------------------------------------------------------------

    def solve_a_block(self) -> bool:
        """Add the next block; False where the library has none that fits."""
        kinds = (
            self._arms(),
            self._dyads(),
            self._tetrahedra(),
            self._sliding(),
            self._relations(),
            self._held_by_loops(),
            self._held() if self.loops is None else (),
            self._point_loops() if self.loops is None else (),
            self._newton_loops(),
        )
        used = kinds[-1:] if self.loops is not None and self.loops.alone else kinds
        found = next((block for blocks in used for block in blocks), None)
        if found is None:
            return False
        block = replace(self._without_root(found), id=f"L{len(self.blocks) + 1}")
        self.blocks.append(block)
        self.known.update(block.coordinates)
        self.ways.clear()
        if block.kind is SpatialKind.THREE_SPHERES:
            self.centers.add(block.centers[0])
        return True

    def _without_root(self, block: Block) -> Block:
        """The block, or one that tells some of its coordinates without a root, as loops do that hold more than a point.

        The root of a distance is singular where nothing of the mechanism is, and cancels near there.
        """
        if block.degree == 1 or block.relation is not None:
            return block
        rootless = self.relations.rootless(self._open_loops(), self.known.__contains__, block.coordinates)
        return next(rootless, block)

    def way_to(self, body: str) -> "Way":
        """Tree joints from the last placed body to this one, and motions along them whose coordinates are not known."""
        if body not in self.ways:
            path = self.tree.path(body, self.reached)
            every = (motion for joint in path for motion in self.motions[joint.name])
            self.ways[body] = path, tuple(motion for motion in every if motion.coordinate not in self.known)
        return self.ways[body]

    def _arms(self) -> Iterator[Block]:
        """Chains from a placed body to a body with a known centre beyond them."""
        for body in self.waiting:
            path, unknown = self.way_to(body)
            inner = {joint.name for joint in path}
            for center in self._centers_on(body):
                kind = arm_kind(path, unknown) if center not in inner else None
                if kind in TOLD_BY_LEVER and self.samples.ends_on_axis(path, unknown[-1], self.joints[center]):
                    continue
                if kind is SpatialKind.TWO_TURNS and self._is_aligned(path, unknown, center):
                    kind = SpatialKind.TWO_TURNS_ALIGNED
                if kind is not None and self._beyond(path, center):
                    solved = unknown[-1:] if kind is SpatialKind.LENGTH_OF_ARM else unknown
                    names = tuple(motion.coordinate for motion in solved)
                    if kind in TOLD_BY_LEVER:
                        yield from self._by_directions(path, unknown, self.joints[center])
                    yield Block("", kind, tuple(joint.name for joint in path), (center,), body, names)

    def _is_aligned(self, path: tuple[Joint, ...], unknown: tuple[ElementaryMotion, ...], center: str) -> bool:
        """Whether a path with no other motions ends in a hinge on a placed body that tells both turns."""
        hinge, last = self.joints[center], path[-1].child.body
        other = hinge.frame_beyond(last).body
        alone = sum(len(motions_of(joint)) for joint in path) == len(unknown)
        return alone and other not in self.waiting and is_aligned(self.mechanism, path, hinge)

    def _by_directions(self, path: Sequence[Joint], turns: Sequence[ElementaryMotion], end: Joint) -> Iterator[Block]:
        """One of the turns, by directions, where these tell more, as the end of the path is near to the last axis."""
        lever = self.samples.lever(path, turns[-1], end) / self.samples.length
        if lever < SHORT_LEVER:
            names = tuple(turn.coordinate for turn in turns)
            least = lever / SHORT_LEVER
            yield from self.relations.by_directions(self._open_loops(), self.known.__contains__, names, least)

    def _coincide(self, one: Frame, other: Frame) -> bool:
        """Whether two frames of a body have one place."""
        return bool(np.abs(self.samples.place(one) - self.samples.place(other)).max() < SAME * self.samples.length)

    def _beyond(self, path: tuple[Joint, ...], center: str) -> bool:
        """Whether the centre is away from the last joint's own origin, so that it tells the angles."""
        last = path[-1]
        there = nominal_place(self.mechanism, self.joints[center].frame_on(last.child.body))
        slides = any(motion.kind == "slide" for joint in path for motion in motions_of(joint))
        gap = difference(there, nominal_place(self.mechanism, last.child))
        return slides or len(path) > 1 or dot(gap, gap) > 0

    def _dyads(self) -> Iterator[Block]:
        """A body with one unknown motion, tied by a link to a known centre."""
        for body in self.waiting:
            path, unknown = self.way_to(body)
            if len(unknown) != 1:
                continue
            inner = {joint.name for joint in path}
            for joint in self.joints_on[body]:
                if joint.name in inner or joint.type not in CENTERED_JOINT_TYPES:
                    continue
                if unknown[0].kind == "turn" and self.samples.ends_on_axis(path, unknown[0], joint):
                    continue
                link = joint.frame_beyond(body).body
                for far in self._centers_on(link):
                    if self._coincide(joint.frame_on(link), self.joints[far].frame_on(link)):
                        continue
                    kind = SpatialKind.CIRCLE_AND_SPHERE if unknown[0].kind == "turn" else SpatialKind.LINE_AND_SPHERE
                    names = (unknown[0].coordinate,)
                    yield Block("", kind, tuple(each.name for each in path), (joint.name, far), link, names)

    def _tetrahedra(self) -> Iterator[Block]:
        """A body with two known centres whose third is held by a link with a known centre."""
        for body in self.waiting:
            known = self._centers_on(body)
            if len(known) != 2:
                continue
            for joint in self.joints_on[body]:
                if joint.type not in CENTERED_JOINT_TYPES or joint.name in self.centers:
                    continue
                link = joint.frame_beyond(body).body
                for far in self._centers_on(link):
                    if spread((known[0], known[1], joint.name), self._places(body)) > COLLINEAR_SINE:
                        yield Block("", SpatialKind.THREE_SPHERES, (), (joint.name, *known, far), body)

    def _sliding(self) -> Iterator[Block]:
        """A body that only slides, in three directions, held by three links of constant length."""
        for body in self.waiting:
            path, unknown = self.way_to(body)
            if len(unknown) != SPACE_DIRECTIONS or any(motion.kind == "turn" for motion in unknown):
                continue
            held = self._spheres_of(body)
            if len(held) == SPACE_DIRECTIONS:
                centers = tuple(name for pair in held for name in pair)
                yield _held_block(SpatialKind.THREE_SLIDES, Run(path, unknown), body, centers)

    def _held_by_loops(self) -> Iterator[Block]:
        """A body whose unknown motions stand in a row, held by the distances or planes that as many loops tell."""
        loops = self._open_loops()
        for body in self.waiting:
            run = Run(*self.way_to(body))
            if len(run.unknown) not in HELD_MOTIONS or any(run.turns[:-1]):
                continue
            search = HoldSearch(self.relations, loops, self.known.__contains__)
            planes = search.planes(run)
            if planes:
                kind = SpatialKind.TURN_AND_PLANES if run.turns[-1] else SpatialKind.SLIDES_TO_PLANES
                yield _held_block(kind, run, body, holds=planes)
            distances = search.distances(run) if len(run.unknown) == SPACE_DIRECTIONS and not run.turns[-1] else []
            if len(distances) >= SPACE_DIRECTIONS:
                yield _held_block(SpatialKind.THREE_SLIDES, run, body, holds=distances[:SPACE_DIRECTIONS])

    def _relations(self) -> Iterator[Block]:
        """A coordinate of a loop that follows from what the loop's other motions leave where it is."""
        yield from self.relations.block(self._open_loops(), self.known.__contains__)

    def _open_loops(self) -> list[Sides]:
        """The loops of closing joints that hold something of what waits."""
        loops = [self._sides(joint) for joint in self.mechanism.joints if joint.closes and joint.type != "free"]
        return [sides for sides in loops if sides.parent or sides.child]

    def _sides(self, joint: Joint) -> Sides:
        """Both sides of a loop, from placed bodies or from a body that carries both."""
        one, other = (self.way_to(frame.body)[0] for frame in (joint.parent, joint.child))
        common = next((k for k, pair in enumerate(zip(one, other, strict=False)) if pair[0] is not pair[1]), None)
        common = min(len(one), len(other)) if common is None else common
        return Sides(joint, one[common:], other[common:])

    def _spheres_of(self, body: str) -> list[tuple[str, str]]:
        """The first three links of a sliding body whose spheres have their middles on no line; fewer where none have.

        Of two links side by side, as in the forearms of a delta robot, one tells nothing new.
        """
        found: list[tuple[str, str]] = []
        middles: list[Array] = []
        for sought, far in self._links_of(body):
            link = self.joints[sought].frame_beyond(body).body
            middle = self.samples.point(self.joints[far].frame_beyond(link))
            middle = middle - self.samples.point(self.joints[sought].frame_on(body))
            if not any(np.abs(middle - other).max() < SAME * self.samples.length for other in middles):
                middles.append(middle)
                found.append((sought, far))
        chosen = next(
            (each for each in combinations(range(len(found)), SPACE_DIRECTIONS) if _off_line(each, middles)), ()
        )
        return [found[k] for k in chosen]

    def _held(self) -> Iterator[Block]:
        """A body on one joint, held by as many links of constant length as the joint has unknown coordinates."""
        for body in self.waiting:
            path, unknown = self.way_to(body)
            held = self._links_of(body) if len(path) == 1 < len(unknown) else []
            if held and len(unknown) == len(held):
                names = tuple(motion.coordinate for motion in unknown)
                centers = tuple(name for pair in held for name in pair)
                yield Block("", SpatialKind.SEEDED_NEWTON, (path[0].name,), centers, body, names)

    def _point_loops(self) -> Iterator[Block]:
        """A ball that closes a loop of three unknown turns: for a lexicographic basis, whose steps `search` finds."""
        for joint in self.mechanism.joints:
            if joint.closes and joint.type == "spherical":
                unknown = [motion for body in joint.bodies for motion in self.way_to(body)[1]]
                names = tuple(dict.fromkeys(motion.coordinate for motion in unknown))
                turns = all(motion.kind == "turn" for motion in unknown)
                if turns and len(unknown) == len(names) == POINT_EQUATIONS:
                    yield Block("", SpatialKind.POLYNOMIAL, (), (joint.name,), joint.child.body, names)

    def _newton_loops(self) -> Iterator[Block]:
        """Loops that are closed by Newton steps."""
        system = self.loops.smallest(self.known, self.waiting) if self.loops is not None else None
        if system is not None:
            names = tuple(name for name in self.mechanism.coordinates() if name in system.unknowns)
            yield Block("", SpatialKind.LOOP_NEWTON, (), (), "", names, system=system)

    def _links_of(self, body: str) -> list[tuple[str, str]]:
        """Joints whose links hold the body, each with the first known centre of its link."""
        own = self.tree.joints[body]
        held = [j for j in self.joints_on[body] if j.type in CENTERED_JOINT_TYPES and j.name not in self.centers]
        links = [(j.name, self._centers_on(j.frame_beyond(body).body)) for j in held if j is not own]
        return [(name, centers[0]) for name, centers in links if centers]


def _held_block(
    kind: SpatialKind, run: Run, body: str, centers: tuple[str, ...] = (), holds: Sequence[Relation] = ()
) -> Block:
    """A block of all unknown motions of a body."""
    path, names = (joint.name for joint in run.path), (motion.coordinate for motion in run.unknown)
    return Block("", kind, tuple(path), centers, body, tuple(names), holds=tuple(holds))


def _off_line(numbers: Sequence[int], points: Sequence[Array]) -> bool:
    """Whether three points (rows, 3) lie on no line."""
    first, second, third = (points[k] for k in numbers)
    return bool(np.abs(np.cross(second - first, third - first)).max() > SAME)
