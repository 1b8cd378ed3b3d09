"""Writes the equilibrium of what hangs on each joint, and solves it for what the joints transmit.

In: a `Plan` and the `Mechanics` of an accelerated pose. Out: the wrench of the parent on the child of any joint that
was asked for. What hangs on a cut needs K, the sum of its bodies' m (a - g) and H' less the loads; the cut's joint
gives K less what other joints transmit into it. Along a free motion it gives the load on the coordinate alone.
"""

from collections.abc import Iterator
from dataclasses import field
from fractions import Fraction
from functools import cached_property

from exporter.dynamics.factorisation import LARGEST_FACTOR, limitable_value
from exporter.dynamics.moving_state import MovingState
from exporter.dynamics.reactions.components import BALLS, Part, components_of
from exporter.dynamics.reactions.cuts import Cut, Link
from exporter.dynamics.reactions.forces import (
    Mechanics,
    PlacedWrench,
    applied_wrenches,
    driving_load,
    driving_wrench,
)
from exporter.dynamics.reactions.plan import Plan
from exporter.dynamics.reactions.selection import PAIR, Block
from exporter.dynamics.reactions.statics import Wrench, across_cut, coefficient, unit_wrench
from exporter.kinematics.baselines.elimination import largest_first
from exporter.kinematics.protocol.limits import PIVOT_THRESHOLD
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.model.mechanism import Frame, Joint, Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import limitable, positive_pivot, signed_pivot
from exporter.sequence.linear.elimination import solve
from exporter.sequence.linear.policy import BY_SELECT, Policy
from exporter.sequence.operations import Precision

LARGEST_MULTIPLIER = Fraction(256)  # of an elimination in fixed order: 1 / WEAK_PIVOT at the poses it was found by
LARGEST_REACTION: dict[Precision, Fraction] = {"float32": Fraction(10**15), "float64": Fraction(10**60)}
"""Limit of forces and torques (N, N*m) where a sequence could not be shown to be finite otherwise."""
SINGULAR = "the equilibrium of a joint's reactions is singular in this pose"


@dataclass
class Balance:
    """Forces on what is cut off, as they are written."""

    plan: Plan
    mechanics: Mechanics
    state: MovingState  # that loads see
    solved: dict[int, Value] = field(default_factory=dict)  # unknowns of the tree
    _needs: dict[str, Wrench] = field(default_factory=dict)  # by the body outboard of a cut

    @property
    def mechanism(self) -> Mechanism:
        """Whose joints are balanced."""
        return self.plan.mechanism

    @property
    def scope(self) -> Scope:
        """What formulas of the function that is written may name."""
        return self.state.scope

    def solve(self) -> None:
        """Solve the blocks that the plan names, one after the other."""
        for block in self.plan.blocks:
            names = ", ".join(dict.fromkeys(self.plan.tree.unknowns[u].joint.name for u in block.unknowns))
            with self.scope.builder.part(
                names, f"forces and torques of {names} from the equilibrium of what they hold"
            ):
                self._solve(block)

    def reaction(self, joint: str, part: Part) -> Vector:
        """The force or torque of the parent on the child, the torque about the origin of the joint's frame on it."""
        nothing = self.mechanics.zero().x
        held = next(each for each in self.mechanism.joints if each.name == joint)
        by_loads = driving_wrench(self.state, self.mechanics, held)
        given = all(each.part != part for each in components_of(held, planar=self.plan.planar))
        if given and (
            by_loads is None or held.type not in BALLS
        ):  # axes of a ball's angles are not normal to each other
            wrench = by_loads or self._none
        else:
            wrench = self._reaction(joint)
        vector = wrench.force if part == "force" else wrench.torque
        if not self.plan.planar:
            return vector
        return Vector(vector.x, vector.y, nothing) if part == "force" else Vector(nothing, nothing, vector.z)

    def _reaction(self, joint: str) -> Wrench:
        cut = self.plan.tree.cut_of(joint)
        if cut is None:
            return self._transmitted(next(each for each in self.mechanism.joints if each.name == joint))
        wrench = self._across(cut)
        return wrench if cut.child_is_outboard else -wrench

    @property
    def _none(self) -> Wrench:
        return Wrench(self.mechanics.zero(), self.mechanics.zero())

    # -- what is known -----------------------------------------------------------------------------------------------

    @cached_property
    def _applied(self) -> list[PlacedWrench]:
        return list(applied_wrenches(self.state, self.mechanics))

    def _needed(self, cut: Cut) -> Wrench:
        """K: what accelerates what hangs on a cut, less what is applied to it; about the cut's joint."""
        if cut.outboard not in self._needs:
            total = self._none
            for placed in self._own(cut.outboard):
                total = total + placed.wrench.moved(self.mechanics.arm(cut.joint, placed.at))
            for other in self.plan.tree.cuts.values():
                if other.inboard == cut.outboard:
                    total = total + self._needed(other).moved(self.mechanics.arm(cut.joint, other.joint))
            for link in self.plan.tree.links:
                if link.body == cut.outboard and not link.idle:
                    total = total - Wrench(self.mechanics.zero(), self._holding(link, total.torque))
            self._needs[cut.outboard] = total
        return self._needs[cut.outboard]

    def _own(self, body: str) -> Iterator[PlacedWrench]:
        """What a body asks for by itself."""
        moving = next(each for each in self.mechanism.bodies if each.name == body)
        inertial = self.mechanics.inertial(moving)
        if inertial is not None:
            yield PlacedWrench(Frame(body, moving.center_of_mass), inertial)
        for placed in self._applied:
            if placed.at.body == body:
                yield PlacedWrench(placed.at, -placed.wrench)

    @cached_property
    def _by_loads(self) -> dict[str, Wrench]:
        """What joints that are not of the tree transmit whatever is unknown: by loads on them, by a link's inertia."""
        cut = {each.joint.name for each in self.plan.tree.cuts.values()}
        found = {}
        for joint in self.mechanism.joints:
            wrench = driving_wrench(self.state, self.mechanics, joint) if joint.name not in cut else None
            if wrench is not None:
                found[joint.name] = wrench
        for link in self.plan.tree.links:
            wrench = self._across_link(link)
            if wrench is not None:
                found[link.far.name] = wrench
        return found

    def _across_link(self, link: Link) -> Wrench | None:
        """The force of the far ball across a link: about the near one it turns the link as its inertia asks for."""
        about = self._needed(self.plan.tree.cuts[link.body]).torque
        if all(part.constant == 0 for part in about.parts()):
            return None
        line = self.mechanics.arm(link.near, link.far)
        force = about.cross(line).scaled(1 / self._square(link))
        return Wrench(force if link.far.child.body == link.body else -force, self.mechanics.zero())

    def _holding(self, link: Link, about: Vector) -> Vector:
        """The torque of the ground that holds a link's spin: across r and the direction that stays normal to it.

        With d from ball to ball and M what the link needs about its near one, d - (r.d) r times M.d over d^2 - (r.d)^2.
        """
        builder, line = self.scope.builder, self.mechanics.arm(link.near, link.far)
        r = constant_vector(builder, link.ground)
        axis = r.cross(line)
        least = PIVOT_THRESHOLD[builder.precision] ** 2 * self.plan.length**2
        square = positive_pivot(builder, axis.squared(), least, f"link {link.body} lies along the axis that holds it")
        return axis.cross(r).scaled(about.dot(line) / square)

    def _square(self, link: Link) -> Value:
        """The square of the link's length, m^2."""
        start, end = ([self.scope.value(part) for part in frame.at] for frame in link.ends)
        total = self.scope.builder.real(0)
        for one, other in zip(start, end, strict=True):
            total = total + (other - one) * (other - one)
        return total

    # -- what is solved for ------------------------------------------------------------------------------------------

    def _transmitted(self, joint: Joint) -> Wrench:
        """The wrench of a joint that is not of the tree, all its unknowns solved."""
        total = self._by_loads.get(joint.name, self._none)
        for number, component in enumerate(self.plan.tree.unknowns):
            if component.joint.name == joint.name and number in self.solved:
                total = total + unit_wrench(self.mechanics, component).scaled(self.solved[number])
        return total

    def _across(self, cut: Cut, without: tuple[int, ...] = ()) -> Wrench:
        """What the inboard body does to what is cut off, less some unknowns, which are left to a solve."""
        total = self._needed(cut)
        for name, wrench in self._by_loads.items():
            joint = next(each for each in self.mechanism.joints if each.name == name)
            if side := cut.side_of(joint):
                moved = wrench.moved(self.mechanics.arm(cut.joint, joint))
                total = total - moved if side > 0 else total + moved
        for number, value in self.solved.items():
            unit = across_cut(self.mechanics, cut, self.plan.tree.unknowns[number]) if number not in without else None
            if unit is not None:
                total = total - unit.scaled(value)
        return total

    def _solve(self, block: Block) -> None:
        builder = self.scope.builder
        matrix, sides = [], []
        for number in block.equations:
            cut, motion = self.plan.cut_of_equation(number)
            entries = [coefficient(self.mechanics, cut, motion, self.plan.tree.unknowns[u]) for u in block.unknowns]
            matrix.append([builder.real(0) if entry is None else entry for entry in entries])
            side = self._across(cut).along(motion, self.mechanics.direction(motion.direction))
            load = driving_load(self.state, motion.coordinate) if motion.coordinate else None
            if load is not None:
                side = side - load if cut.child_is_outboard else side + load
            sides.append(limitable_value(side, LARGEST_REACTION, SINGULAR))
        found = solve(matrix, sides, self._policy(block))
        self.solved.update(zip(block.unknowns, found, strict=True))

    def _policy(self, block: Block) -> Policy:
        builder, count = self.scope.builder, len(block.unknowns)
        sizes = [self._size(block, k) for k in range(count)]

        def guarded(pivot: Value, row: int, number: int) -> Value:
            size = min(sizes) if row == BY_SELECT else sizes[number]
            if number == count - PAIR:  # a determinant
                size = size * sizes[number + 1]
            return signed_pivot(builder, pivot, size * PIVOT_THRESHOLD[builder.precision], SINGULAR)

        def factor(value: Value, row: int, number: int) -> Value:
            if row == BY_SELECT:
                return limitable_value(value, LARGEST_FACTOR, SINGULAR)
            largest = LARGEST_MULTIPLIER * self._unit(block, row) / self._unit(block, number)
            return limitable(builder, value, largest, SINGULAR)

        def unknown(value: Value, *_: int) -> Value:
            return limitable_value(value, LARGEST_REACTION, SINGULAR)

        names = [self.plan.tree.unknowns[u].joint.name for u in block.unknowns]
        policy = Policy(
            guarded, factor=factor, unknown=unknown, by_determinant=PAIR, names=names if count > PAIR else ()
        )
        return (
            Policy(guarded, largest_first, factor, unknown, by_determinant=PAIR, names=names)
            if block.exchanges
            else policy
        )

    def _size(self, block: Block, k: int) -> Fraction:
        """The size of a pivot in the units of the equations: m, or 1."""
        return Fraction(f"{block.pivots[k]:.2g}") * self._unit(block, k) / self.plan.units[block.unknowns[k]]

    def _unit(self, block: Block, k: int) -> Fraction:
        """What an equation of a block is measured in: torques in 1 N times the length, m; forces in 1 N."""
        motion = self.plan.tree.equations[block.equations[k]]
        return self.plan.length if motion.kind == "turn" else Fraction(1)
