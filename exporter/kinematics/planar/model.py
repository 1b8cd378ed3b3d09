"""Planar mechanisms as sums of turning vectors: every loop closure is one complex equation.

In: a Mechanism with three-dimensional frames. Used by: `decomposition`, `position`, `scene`.
All revolute axes are parallel to one normal n; a body's orientation is Rot(n, phi) R0 with a constant R0, chosen so
that bodies which slides and fixed joints keep parallel have the same phi, where these joints close a loop too. A vector
fixed in a body is then D z with D = exp(i phi) and a constant complex z in the plane (e1, e2), plus a constant part
along n. A loop closure is  sum of D_b z  +  sum of s D_b e  = 0,  with the part along n zero for every pose.
"""

from dataclasses import field
from fractions import Fraction

from exporter.errors import ModelError
from exporter.kinematics.planar.orientation import (
    GROUND_ORIENTATION,
    PARALLEL_SINE,
    Orientation,
    Orientations,
    along_normal,
    axis_in_plane,
    in_plane,
    sum_at,
    unit_in_plane,
)
from exporter.kinematics.planar.plane import Plane, Term, gather, negative
from exporter.kinematics.planar.zero_attitudes import AttitudeLink, Links, zero_attitudes
from exporter.kinematics.protocol.frames import IDENTITY, Vector3, cross, dot, square_root
from exporter.kinematics.protocol.linear_sums import LinearSum, PlaneVector, linear_sum, opposite
from exporter.model.joints import GROUND
from exporter.model.mechanism import Axis, Frame, Joint, Mechanism
from exporter.model.parameter_sets import parameter_sets, set_text
from exporter.records import dataclass

LARGEST_NORMAL_GAP = Fraction(1, 10**9)  # m; gap along the normal up to which a loop counts as closed


@dataclass(frozen=True, slots=True)
class Closure:
    """sum of terms = 0, from one closing joint."""

    name: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """The angle of a tree joint: phi_child - phi_parent + (the angle of `offset`) = sign * coordinate."""

    coordinate: str
    parent: str
    child: str
    sign: int
    offset: PlaneVector | None = None  # exp(i angle); None where the angle is 0, as it is of independent coordinates


@dataclass(frozen=True, slots=True)
class PlanarModel:
    """What the plane keeps of a mechanism."""

    mechanism: Mechanism
    plane: Plane
    bodies: tuple[str, ...]  # without ground, tree order
    shift: dict[str, Orientation]  # by how much every body is turned at phi = 0, the joint angles of the tree being 0
    orientation: dict[str, Orientation]  # R0 of every body: body axes to ground axes at phi = 0
    origin: dict[str, tuple[Term, ...]]  # in-plane position of every body's origin
    height: dict[str, LinearSum]  # m, constant position of the origin along the normal
    turns: tuple[Turn, ...]
    slides: tuple[str, ...]  # displacement coordinates, those of closing joints included
    rigid: tuple[tuple[str, str], ...]  # pairs of bodies with the same phi (prismatic and fixed joints)
    closures: tuple[Closure, ...]
    dropped: tuple[str, ...]  # redundant closure equations, as sentences


def planar_model(mechanism: Mechanism) -> PlanarModel:
    """The planar model of a mechanism that `exporter.kinematics.planar.planarity` finds planar.

    Raises:
        ModelError: a planar joint that closes a loop or has an axis other than z, slides and fixed joints around a loop
            that do not fit together, or a loop that does not close along the normal or by the axis of its child frame.
    """
    _check_planar_joints(mechanism)
    plane = plane_of(mechanism)
    raw = Orientations(mechanism, plane.normal)
    shift = zero_attitudes(mechanism, tuple(body for body in raw.of if body != GROUND), _links(mechanism, raw))
    orientation = {body: raw.of[body].then(shift[body]) for body in raw.of}
    walk = _Walk(mechanism, raw, shift, orientation, plane)
    for joint in mechanism.spanning_tree().outwards():
        walk.tree_joint(joint)
    closures, dropped = [], []
    for joint in mechanism.joints:
        if joint.closes:
            closure, sentence = walk.closing_joint(joint)
            closures.append(closure)
            dropped.append(sentence)
    return PlanarModel(
        mechanism,
        plane,
        tuple(name for name in walk.origin if name != GROUND),
        shift,
        orientation,
        walk.origin,
        walk.height,
        tuple(walk.turns),
        tuple(walk.slides),
        tuple(walk.rigid),
        tuple(closures),
        tuple(sentence for sentence in dropped if sentence),
    )


def _check_planar_joints(mechanism: Mechanism) -> None:
    for joint in mechanism.joints:
        if joint.type == "planar" and (joint.closes or joint.axis != IDENTITY[2]):
            what = "closes a loop, which it cannot in a plane" if joint.closes else "has an axis other than z"
            raise ModelError(f"{mechanism.name}: the planar joint '{joint.name}' {what}; turn its frames instead")


def plane_of(mechanism: Mechanism) -> Plane:
    """The plane that a planar mechanism moves in."""
    orientations = Orientations(mechanism)
    turning = next(joint for joint in mechanism.joints if joint.type in ("revolute", "planar"))
    normal = orientations.axis(turning, turning.parent)
    if next(component for component in reversed(normal) if component != 0) < 0:
        normal = (-normal[0], -normal[1], -normal[2])
    return _basis(normal)


def _basis(normal: Vector3) -> Plane:
    start = next(row for row in IDENTITY if abs(dot(row, normal)) < Fraction(9, 10))
    along = dot(start, normal)
    raw = (start[0] - along * normal[0], start[1] - along * normal[1], start[2] - along * normal[2])
    length = square_root(dot(raw, raw))
    e1 = (raw[0] / length, raw[1] / length, raw[2] / length)
    return Plane(e1, cross(normal, e1), normal)


def _links(mechanism: Mechanism, raw: Orientations) -> Links:
    rigid, turning = [], []
    for joint in mechanism.joints:
        ends = joint.bodies
        if joint.closes and joint.type != "revolute":
            rigid.append(AttitudeLink(*ends, raw.frame(joint.parent).since(raw.frame(joint.child)), joint.name))
        elif joint.type in ("prismatic", "fixed"):
            rigid.append(AttitudeLink(*ends))
        elif not joint.closes and joint.coordinates[-1] in mechanism.independent:
            turning.append(AttitudeLink(*ends))
    return Links(tuple(rigid), tuple(turning))


@dataclass
class _Walk:
    """Collects the planar model along the tree."""

    mechanism: Mechanism
    raw: Orientations
    shift: dict[str, Orientation]
    orientation: dict[str, Orientation]
    plane: Plane
    origin: dict[str, tuple[Term, ...]] = field(default_factory=lambda: {GROUND: ()})
    height: dict[str, LinearSum] = field(default_factory=lambda: {GROUND: ()})
    turns: list[Turn] = field(default_factory=list)
    slides: list[str] = field(default_factory=list)
    rigid: list[tuple[str, str]] = field(default_factory=list)

    def tree_joint(self, joint: Joint) -> None:
        """Place the child body."""
        parent, child = joint.parent, joint.child
        place, height = self._frame_place(parent)
        if joint.type in ("revolute", "planar"):
            self.turns.append(self._turn(joint))
        else:
            self.rigid.append((parent.body, child.body))
        for axis, slide in self._slides_of(joint):
            place = (*place, self._slide_term(joint, axis, slide))
        self.origin[child.body] = gather((*place, *negative(self._arm(child))))
        self.height[child.body] = linear_sum((*height, *opposite(self._along_normal(child))))

    def closing_joint(self, joint: Joint) -> tuple[Closure, str]:
        """The closure of a loop, and a sentence on what is redundant in space."""
        place, height = self._frame_place(joint.parent)
        other, other_height = self._frame_place(joint.child)
        if joint.type == "prismatic":
            place = (*place, self._slide_term(joint, joint.axis, f"{joint.name}.slide"))
        if joint.type != "revolute":
            self.rigid.append(joint.bodies)
        self._check_height(joint, linear_sum((*height, *opposite(other_height))))
        self._check_axis(joint)
        redundant = f"loop '{joint.name}': 3 of its spatial closure equations are redundant and were dropped"
        return Closure(joint.name, gather((*place, *negative(other)))), redundant

    def _check_height(self, joint: Joint, gap: LinearSum) -> None:
        for values in parameter_sets(self.mechanism) if gap else ():
            apart = float(abs(sum_at(gap, values)))
            if apart > LARGEST_NORMAL_GAP:
                text = set_text(self.mechanism, values)
                raise ModelError(
                    f"{self.mechanism.name}: the loop of '{joint.name}' does not close{f' at {text}' if text else ''}: "
                    f"its two frames stay {apart:.6g} m apart along the axes; align the points of its bodies"
                )

    def _check_axis(self, joint: Joint) -> None:
        other = self.raw.axis(joint, joint.child)
        if joint.type == "revolute" and any(abs(part) > PARALLEL_SINE for part in cross(self.plane.normal, other)):
            raise ModelError(
                f"{self.mechanism.name}: the loop of '{joint.name}' does not close: the axis in its child frame is "
                "not parallel to the plane's normal; turn the frame"
            )

    def _frame_place(self, frame: Frame) -> tuple[tuple[Term, ...], LinearSum]:
        height = linear_sum((*self.height[frame.body], *self._along_normal(frame)))
        return (*self.origin[frame.body], *self._arm(frame)), height

    def _arm(self, frame: Frame) -> tuple[Term, ...]:
        return (Term(frame.body, in_plane(self.plane, self.orientation[frame.body], frame.at)),)

    def _along_normal(self, frame: Frame) -> LinearSum:
        return along_normal(self.plane, self.orientation[frame.body], frame.at)

    def _slides_of(self, joint: Joint) -> tuple[tuple[Axis, str], ...]:
        """The displacements of a tree joint, each with its axis in the parent frame."""
        if joint.type == "prismatic":
            return ((joint.axis, joint.coordinates[0]),)
        if joint.type == "planar":
            return ((IDENTITY[0], joint.coordinates[0]), (IDENTITY[1], joint.coordinates[1]))
        return ()

    def _slide_term(self, joint: Joint, along: Axis, slide: str) -> Term:
        frame = self.raw.frame(joint.parent).then(self.shift[joint.parent.body])
        self.slides.append(slide)
        return Term(joint.parent.body, axis_in_plane(self.plane, frame, along), slide)

    def _turn(self, joint: Joint) -> Turn:
        parent, child = joint.bodies
        sign = 1 if dot(self.raw.axis(joint, joint.parent), self.plane.normal) > 0 else -1
        offset = self.shift[child].since(self.shift[parent])
        return Turn(
            joint.coordinates[-1],
            parent,
            child,
            sign,
            None if offset == GROUND_ORIENTATION else unit_in_plane(self.plane, offset),
        )
