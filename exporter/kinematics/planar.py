"""Planar mechanisms as sums of turning vectors: every loop closure is one complex equation.

Comes from: a Mechanism with three-dimensional frames. Goes to: `decomposition`, `position`, `draw`.
All revolute axes are parallel to one normal n; a body's orientation is Rot(n, phi) R0 with a constant R0. A vector
fixed in a body is then D z with D = exp(i phi) and a constant complex z in the plane (e1, e2), plus a constant part
along n. A loop closure is  sum of D_b z  +  sum of s D_b e  = 0,  with the part along n zero for every pose.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from exporter.errors import ModelError
from exporter.kinematics.frames import (
    IDENTITY,
    Matrix3,
    Vector3,
    apply,
    cross,
    dot,
    product,
    rotation_matrix,
    square_root,
    transpose,
)
from exporter.model.evaluate import evaluate
from exporter.model.expression import ONE, Expression, Vector
from exporter.model.mechanism import Axis, Frame, Joint, Mechanism

GROUND = "ground"
PARALLEL = Fraction(1, 10**9)  # sine of the angle up to which two axes count as parallel
CLOSED = Fraction(1, 10**9)  # m; gap along the normal up to which a loop counts as closed
SUPPORTED = ("revolute", "prismatic", "planar", "fixed")

LinearSum = tuple[tuple[Fraction, Expression], ...]  # sum of factor * expression, expressions distinct


@dataclass(frozen=True, slots=True)
class PlaneVector:
    """A constant vector in the plane of motion, in body axes at phi = 0."""

    re: LinearSum
    im: LinearSum


@dataclass(frozen=True, slots=True)
class Term:
    """D_body * vector, times the displacement `slide` where one is named."""

    body: str
    vector: PlaneVector
    slide: str = ""


@dataclass(frozen=True, slots=True)
class Closure:
    """sum of terms = 0, from one closing joint."""

    name: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """The angle of a tree joint: phi_child = phi_parent + sign * coordinate."""

    coordinate: str
    parent: str
    child: str
    sign: int


@dataclass(frozen=True, slots=True)
class Plane:
    """The plane of motion in ground axes."""

    e1: Vector3
    e2: Vector3
    normal: Vector3


@dataclass(frozen=True, slots=True)
class PlanarModel:
    """What the plane keeps of a mechanism."""

    mechanism: Mechanism
    plane: Plane
    bodies: tuple[str, ...]  # without ground, tree order
    orientation: dict[str, Matrix3]  # R0 of every body: body axes to ground axes at phi = 0
    origin: dict[str, tuple[Term, ...]]  # in-plane position of every body's origin
    height: dict[str, Fraction]  # m, constant position of the origin along the normal
    turns: tuple[Turn, ...]
    slides: tuple[str, ...]  # displacement coordinates, those of closing joints included
    rigid: tuple[tuple[str, str], ...]  # pairs of bodies with the same phi (prismatic and fixed joints)
    closures: tuple[Closure, ...]
    dropped: tuple[str, ...]  # redundant closure equations, as sentences


def parameter_values(mechanism: Mechanism) -> dict[str, Fraction]:
    """Nominal values of all parameters."""
    return {parameter.name: parameter.value for parameter in mechanism.parameters}


def planar_model(mechanism: Mechanism) -> PlanarModel:
    """The planar model of a mechanism.

    Raises:
        ModelError: a joint type that this version cannot treat, axes that are not parallel, a sliding axis out of
            the plane, or a loop that does not close along the normal.
    """
    _check_types(mechanism)
    values = parameter_values(mechanism)
    orientation = _orientations(mechanism, values)
    plane = _plane(mechanism, orientation, values)
    walk = _Walk(mechanism, values, orientation, plane)
    for joint in _tree_order(mechanism):
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
        orientation,
        walk.origin,
        walk.height,
        tuple(walk.turns),
        tuple(walk.slides),
        tuple(walk.rigid),
        tuple(closures),
        tuple(sentence for sentence in dropped if sentence),
    )


def why_spatial(mechanism: Mechanism) -> str:
    """What keeps a mechanism from being planar, as words; empty where it is planar.

    Planar are revolute, prismatic, planar and fixed joints whose turning axes are parallel, slides across them.
    """
    for joint in mechanism.joints:
        if joint.type not in SUPPORTED:
            return f"'{joint.name}' is {joint.type}"
    values = parameter_values(mechanism)
    orientation = _orientations(mechanism, values)
    axes = {
        joint: in_ground(joint.axis, orientation, values, joint.parent)
        for joint in mechanism.joints
        if joint.type != "fixed"
    }
    turning = [joint for joint in axes if joint.type != "prismatic"]
    if not turning:
        return "nothing turns"
    normal = axes[turning[0]]
    for joint, axis in axes.items():
        if joint.type != "prismatic" and any(abs(part) > PARALLEL for part in cross(normal, axis)):
            return f"the axis of '{joint.name}' is not parallel to that of '{turning[0].name}'"
        if joint.type == "prismatic" and abs(dot(normal, axis)) > PARALLEL:
            return f"'{joint.name}' slides out of the plane of motion"
    return ""


def is_planar(mechanism: Mechanism) -> bool:
    """Whether the planar engine can treat it."""
    return not why_spatial(mechanism)


def _check_types(mechanism: Mechanism) -> None:
    for joint in mechanism.joints:
        if joint.type == "planar" and (joint.closes or joint.axis != IDENTITY[2]):
            what = "closes a loop, which it cannot in a plane" if joint.closes else "has an axis other than z"
            raise ModelError(f"{mechanism.name}: the planar joint '{joint.name}' {what}; turn its frames instead")
        if joint.type not in SUPPORTED:
            raise ModelError(
                f"{mechanism.name}: joint '{joint.name}' is {joint.type}; this version solves planar loops of "
                f"{', '.join(SUPPORTED)} joints; spatial joints come with a later version"
            )


def _tree_order(mechanism: Mechanism) -> Iterable[Joint]:
    """Tree joints, each after the one that places its parent.

    Raises:
        ModelError: a body is not connected to ground by tree joints.
    """
    placed = {GROUND}
    waiting = [joint for joint in mechanism.joints if not joint.closes]
    while waiting:
        ready = [joint for joint in waiting if joint.parent.body in placed]
        if not ready:
            names = ", ".join(sorted(joint.child.body for joint in waiting))
            raise ModelError(f"{mechanism.name}: no tree joint connects {names} to ground; check parent and child")
        for joint in ready:
            placed.add(joint.child.body)
            yield joint
        waiting = [joint for joint in waiting if joint not in ready]


def _orientations(mechanism: Mechanism, values: Mapping[str, Fraction]) -> dict[str, Matrix3]:
    orientation = {GROUND: IDENTITY}
    for joint in _tree_order(mechanism):
        parent = product(orientation[joint.parent.body], rotation_matrix(joint.parent.rotation, values))
        orientation[joint.child.body] = product(parent, transpose(rotation_matrix(joint.child.rotation, values)))
    return orientation


def in_ground(axis: Axis, orientation: Mapping[str, Matrix3], values: Mapping[str, Fraction], frame: Frame) -> Vector3:
    """An axis of a frame in ground axes, at phi = 0."""
    return apply(product(orientation[frame.body], rotation_matrix(frame.rotation, values)), axis)


def _plane(mechanism: Mechanism, orientation: Mapping[str, Matrix3], values: Mapping[str, Fraction]) -> Plane:
    axes = [
        (joint, in_ground(joint.axis, orientation, values, joint.parent))
        for joint in mechanism.joints
        if joint.type in ("revolute", "planar")
    ]
    if not axes:
        raise ModelError(f"{mechanism.name}: no revolute joint, so no plane of motion; add one or export it as symbols")
    normal = axes[0][1]
    if next(component for component in reversed(normal) if component != 0) < 0:
        normal = (-normal[0], -normal[1], -normal[2])
    for joint, axis in axes[1:]:
        if any(abs(component) > PARALLEL for component in cross(normal, axis)):
            raise ModelError(
                f"{mechanism.name}: the axis of '{joint.name}' is not parallel to that of '{axes[0][0].name}'; "
                "this version solves planar loops only; spatial loops come with a later version"
            )
    return _basis(normal)


def _basis(normal: Vector3) -> Plane:
    start = next(row for row in IDENTITY if abs(dot(row, normal)) < Fraction(9, 10))
    along = dot(start, normal)
    raw = (start[0] - along * normal[0], start[1] - along * normal[1], start[2] - along * normal[2])
    length = square_root(dot(raw, raw))
    e1 = (raw[0] / length, raw[1] / length, raw[2] / length)
    return Plane(e1, cross(normal, e1), normal)


@dataclass
class _Walk:
    """Collects the planar model along the tree."""

    mechanism: Mechanism
    values: Mapping[str, Fraction]
    orientation: Mapping[str, Matrix3]
    plane: Plane
    origin: dict[str, tuple[Term, ...]] = field(default_factory=lambda: {GROUND: ()})
    height: dict[str, Fraction] = field(default_factory=lambda: {GROUND: Fraction(0)})
    turns: list[Turn] = field(default_factory=list)
    slides: list[str] = field(default_factory=list)
    rigid: list[tuple[str, str]] = field(default_factory=list)

    def tree_joint(self, joint: Joint) -> None:
        """Place the child body."""
        parent, child = joint.parent, joint.child
        place, height = self._frame_place(parent)
        if joint.type in ("revolute", "planar"):
            self.turns.append(Turn(joint.coordinates[-1], parent.body, child.body, self._turn_sign(joint)))
        else:
            self.rigid.append((parent.body, child.body))
        for axis, slide in self._slides_of(joint):
            place = (*place, self._slide_term(joint, axis, slide))
        self.origin[child.body] = gather((*place, *negative(self._arm(child))))
        self.height[child.body] = height - self._along_normal(child)

    def closing_joint(self, joint: Joint) -> tuple[Closure, str]:
        """The closure of a loop, and a sentence on what is redundant in space."""
        place, height = self._frame_place(joint.parent)
        other, other_height = self._frame_place(joint.child)
        if joint.type == "prismatic":
            place = (*place, self._slide_term(joint, joint.axis, f"{joint.name}.slide"))
        if joint.type != "revolute":
            self.rigid.append((joint.parent.body, joint.child.body))
        if abs(height - other_height) > CLOSED:
            raise ModelError(
                f"{self.mechanism.name}: the loop of '{joint.name}' does not close: its two frames stay "
                f"{float(abs(height - other_height)):.6g} m apart along the axes; align the points of its bodies"
            )
        self._check_axis(joint)
        redundant = f"loop '{joint.name}': 3 of its spatial closure equations are redundant and were dropped"
        return Closure(joint.name, gather((*place, *negative(other)))), redundant

    def _check_axis(self, joint: Joint) -> None:
        other = in_ground(joint.axis, self.orientation, self.values, joint.child)
        if joint.type == "revolute" and any(abs(part) > PARALLEL for part in cross(self.plane.normal, other)):
            raise ModelError(
                f"{self.mechanism.name}: the loop of '{joint.name}' does not close: the axis in its child frame is "
                "not parallel to the plane's normal; turn the frame"
            )

    def _frame_place(self, frame: Frame) -> tuple[tuple[Term, ...], Fraction]:
        return (*self.origin[frame.body], *self._arm(frame)), self.height[frame.body] + self._along_normal(frame)

    def _arm(self, frame: Frame) -> tuple[Term, ...]:
        return (Term(frame.body, self.in_plane(frame.body, frame.at)),)

    def in_plane(self, body: str, vector: Vector) -> PlaneVector:
        """The part of a body-fixed vector in the plane, at phi = 0."""
        return in_plane(self.plane, self.orientation[body], vector)

    def _along_normal(self, frame: Frame) -> Fraction:
        row = apply(transpose(self.orientation[frame.body]), self.plane.normal)
        return sum(
            (factor * evaluate(part, self.values) for factor, part in zip(row, frame.at, strict=True)), Fraction(0)
        )

    def _slides_of(self, joint: Joint) -> tuple[tuple[Axis, str], ...]:
        """The displacements of a tree joint, each with its axis in the parent frame."""
        if joint.type == "prismatic":
            return ((joint.axis, joint.coordinates[0]),)
        if joint.type == "planar":
            return ((IDENTITY[0], joint.coordinates[0]), (IDENTITY[1], joint.coordinates[1]))
        return ()

    def _slide_term(self, joint: Joint, along: Axis, slide: str) -> Term:
        axis = in_ground(along, self.orientation, self.values, joint.parent)
        if abs(dot(axis, self.plane.normal)) > PARALLEL:
            raise ModelError(
                f"{self.mechanism.name}: '{joint.name}' slides out of the plane of motion; "
                "this version solves planar loops only"
            )
        self.slides.append(slide)
        direction = PlaneVector(
            _linear_sum(((dot(axis, self.plane.e1), ONE),)), _linear_sum(((dot(axis, self.plane.e2), ONE),))
        )
        return Term(joint.parent.body, direction, slide)

    def _turn_sign(self, joint: Joint) -> int:
        axis = in_ground(joint.axis, self.orientation, self.values, joint.parent)
        return 1 if dot(axis, self.plane.normal) > 0 else -1


def in_plane(plane: Plane, orientation: Matrix3, vector: Vector) -> PlaneVector:
    """The part in the plane of a body-fixed vector (expressions, body axes), at phi = 0."""
    columns = transpose(orientation)
    rows = []
    for unit in (plane.e1, plane.e2):
        factors = apply(columns, unit)
        rows.append(_linear_sum(tuple(zip(factors, vector, strict=True))))
    return PlaneVector(rows[0], rows[1])


def _linear_sum(parts: Iterable[tuple[Fraction, Expression]]) -> LinearSum:
    total: dict[Expression, Fraction] = {}
    for factor, expression in parts:
        total[expression] = total.get(expression, Fraction(0)) + factor
    return tuple((factor, expression) for expression, factor in total.items() if factor != 0 and not _zero(expression))


def _zero(expression: Expression) -> bool:
    return getattr(expression, "value", None) == 0


def negative(terms: Iterable[Term]) -> tuple[Term, ...]:
    """The same sum with its sign changed."""
    return tuple(
        Term(
            term.body,
            PlaneVector(
                tuple((-factor, part) for factor, part in term.vector.re),
                tuple((-factor, part) for factor, part in term.vector.im),
            ),
            term.slide,
        )
        for term in terms
    )


def gather(terms: Iterable[Term]) -> tuple[Term, ...]:
    """One term per body and slide; what cancels is gone."""
    sums: dict[tuple[str, str], PlaneVector] = {}
    for term in terms:
        known = sums.get((term.body, term.slide), PlaneVector((), ()))
        sums[term.body, term.slide] = PlaneVector(
            _linear_sum((*known.re, *term.vector.re)), _linear_sum((*known.im, *term.vector.im))
        )
    return tuple(Term(body, vector, slide) for (body, slide), vector in sums.items() if vector.re or vector.im)
