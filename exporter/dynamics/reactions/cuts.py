"""Which joints are cut open to balance what hangs on them, and which transmit unknown forces into what was cut off.

In: a mechanism, whether it is planar, and the coordinates that drive it. Out: a `CutTree`. The joints that transmit
most carry the tree, whatever joints carry coordinates in the file: so the fewest components are unknown. Joints with
coordinates that drive the mechanism are of the tree; their motions give no equation, as the equations of motion hold
by themselves. A link that may spin between two balls is a leaf: its far ball transmits a force along the link, beside
what the link's own inertia asks for.
"""

from collections.abc import Iterable

from exporter.dynamics.reactions.components import (
    FREEDOM,
    ZERO_AXIS,
    AlongLink,
    Component,
    FreeMotion,
    components_of,
    free_motions,
)
from exporter.kinematics.closures.passive_spin import PassiveSpin
from exporter.kinematics.closures.passive_spins import passive_spins
from exporter.kinematics.protocol.frames import Vector3, apply, cross
from exporter.model.evaluate import evaluate
from exporter.model.expression import ZERO
from exporter.model.joints import GROUND, Joint
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.parameter_sets import parameter_sets
from exporter.records import dataclass

PLANAR_FREEDOM = {**FREEDOM, "free": 3}


@dataclass(frozen=True, slots=True)
class Cut:
    """A joint of the tree: what hangs on it is the body beyond it and what hangs on that."""

    joint: Joint
    inboard: str  # body
    outboard: str  # body
    inside: frozenset[str]  # bodies that hang on it

    @property
    def child_is_outboard(self) -> bool:
        """Whether the child of the joint hangs on its parent."""
        return self.joint.child.body == self.outboard

    def side_of(self, joint: Joint) -> int:
        """How a joint's wrench acts on what is cut off: 1 as on its child, -1 against it, 0 not from outside."""
        return int(joint.child.body in self.inside) - int(joint.parent.body in self.inside)


@dataclass(frozen=True, slots=True)
class Link:
    """A link that may spin between two balls; `far` is the one that is not of the tree."""

    body: str
    near: Joint
    far: Joint
    ground: Vector3  # r, the axis of ground that its spin is held by
    idle: bool  # no mass moves, and nothing turns it, when it spins

    @property
    def ends(self) -> tuple[Frame, Frame]:
        """The link's own frames: at the near and the far ball."""
        return self.near.frame_on(self.body), self.far.frame_on(self.body)


@dataclass(frozen=True, slots=True)
class CutTree:
    """The cuts, parents before children, the unknown components and the equations that determine them."""

    cuts: dict[str, Cut]  # by the body outboard
    unknowns: tuple[Component, ...]
    equations: tuple[FreeMotion, ...]
    links: tuple[Link, ...]

    def cut_of(self, joint: str) -> Cut | None:
        """The cut at a joint of the mechanism; None where the joint is not of the tree."""
        return next((cut for cut in self.cuts.values() if cut.joint.name == joint), None)


def cut_tree(mechanism: Mechanism, *, planar: bool) -> CutTree:
    """The tree of cuts of a mechanism, driven by its independent coordinates."""
    links = () if planar else tuple(_links(mechanism))
    far = {link.far.name for link in links}
    joints = _spanning(mechanism, [joint for joint in mechanism.joints if joint.name not in far], planar=planar)
    cuts = _cuts(joints)
    rigid = {link.body for link in links}
    of_tree = {cut.joint.name for cut in cuts.values()}
    unknowns = [
        component
        for joint in mechanism.joints
        if joint.name not in of_tree and joint.name not in far
        for component in components_of(joint, planar=planar, along=_slender(mechanism, joint))
    ]
    unknowns += [Component(link.far, "force", AlongLink(*link.ends)) for link in links]
    equations = [
        motion
        for body, cut in cuts.items()
        if body not in rigid
        for motion in free_motions(cut.joint, mechanism.independent, planar=planar)
        if motion.coordinate not in mechanism.independent
    ]
    return CutTree(cuts, tuple(unknowns), tuple(equations), links)


def _links(mechanism: Mechanism) -> Iterable[Link]:
    driving = {joint.name for joint in mechanism.joints if set(joint.coordinates) & set(mechanism.independent)}
    for spin in passive_spins(mechanism):
        one, other = spin.joints
        if not {one.name, other.name} & driving:
            yield Link(spin.body, one, other, spin.ground, _is_idle(mechanism, spin))


def _is_idle(mechanism: Mechanism, spin: PassiveSpin) -> bool:
    """Whether a link's mass lies on its line, at any parameters, and no load acts on it."""
    ends = [end.body for each in mechanism.distances.values() for end in (each.start, each.end)]
    if spin.body in (*(load.on.body for load in mechanism.loads if load.on is not None), *ends):
        return False
    body = next(each for each in mechanism.bodies if each.name == spin.body)
    frames = [joint.frame_on(spin.body) for joint in spin.joints]
    for values in parameter_sets(mechanism):
        start, end, centre = (
            tuple(evaluate(part, values) for part in place) for place in (*(f.at for f in frames), body.center_of_mass)
        )
        xx, yy, zz, xy, xz, yz = (evaluate(part, values) for part in body.inertia)
        line, arm = (tuple(b - a for a, b in zip(start, other, strict=True)) for other in (end, centre))
        off_line = evaluate(body.mass, values) and any(cross(arm, line))  # type: ignore[arg-type]  # of three
        if off_line or any(apply(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), line)):  # type: ignore[arg-type]
            return False
    return True


def _slender(mechanism: Mechanism, joint: Joint) -> str:
    """The body of a joint that the fewest joints hold, in whose axes its equations are short; the ground has none."""
    held = {body: sum(body in other.bodies for other in mechanism.joints) for body in joint.bodies}
    return min((body for body in joint.bodies if body != GROUND), key=lambda body: held[body])


def _spanning(mechanism: Mechanism, joints: list[Joint], *, planar: bool) -> list[Joint]:
    """Joints that connect all bodies to ground, those that drive first, then those that transmit most."""
    freedom = PLANAR_FREEDOM if planar else FREEDOM
    driving = set(mechanism.independent)
    loaded = {load.coordinate for load in mechanism.loads} | {element.along for element in mechanism.elements}

    def rank(joint: Joint) -> tuple[bool, int, bool]:
        own = set(joint.coordinates)
        return not driving & own, freedom[joint.type], not loaded & own

    ranked = sorted(joints, key=rank)
    group = {body.name: body.name for body in mechanism.bodies} | {GROUND: GROUND}
    chosen = []
    loose = [_loose(body.name) for body in mechanism.bodies]
    for joint in (*ranked, *loose):
        one, other = (group[body] for body in joint.bodies)
        if one != other:
            chosen.append(joint)
            group = {body: one if name == other else name for body, name in group.items()}
    return chosen


def _loose(body: str) -> Joint:
    """What leaves a body wholly free, for one that no other joint of the tree reaches."""
    origin = (ZERO, ZERO, ZERO)
    return Joint(f"({body})", "free", Frame(GROUND, origin, name=GROUND), Frame(body, origin, name=body), ZERO_AXIS)


def _cuts(joints: list[Joint]) -> dict[str, Cut]:
    """The cuts, from the ground outwards."""
    found: dict[str, tuple[Joint, str]] = {}
    reached, waiting = [GROUND], list(joints)
    while waiting:
        joint = next(joint for joint in waiting if set(joint.bodies) & set(reached))
        waiting.remove(joint)
        inboard, outboard = joint.bodies if joint.parent.body in reached else joint.bodies[::-1]
        found[outboard] = joint, inboard
        reached.append(outboard)
    inside: dict[str, set[str]] = {body: {body} for body in found}
    for body in reversed(found):
        inboard = found[body][1]
        if inboard != GROUND:
            inside[inboard] |= inside[body]
    return {body: Cut(joint, inboard, body, frozenset(inside[body])) for body, (joint, inboard) in found.items()}
