"""A mechanism in numbers: what the reference's kinematics and dynamics run on.

In: a `Mechanism` (exact data); out: a `Skeleton` (float64 constants, bodies by index, joints in tree order).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from exporter.errors import ModelError
from exporter.model.expression import Vector
from exporter.model.mechanism import Body, Frame, Joint, Load, Mechanism
from sil.reference.couplings import Tie, is_periodic, notices_whole_turns, ties_of, told, told_behind_loops
from sil.reference.expressions import Real, evaluate
from sil.reference.rotations import AXES, Array, rotation

GROUND = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A frame: body index, position (3,) in m and orientation (3, 3) in body axes."""

    body: int
    at: Array
    turn: Array


@dataclass(frozen=True, slots=True)
class Motion:
    """One elementary motion of a joint: a turn about, or a slide along, an axis of the frame reached so far."""

    kind: Literal["turn", "slide"]
    axis: Array
    coordinate: int


@dataclass(frozen=True, slots=True)
class TreeJoint:
    """A joint of the tree: the child's pose is parent frame, motions in order, inverse of the child frame."""

    parent: Place
    child: Place
    motions: tuple[Motion, ...]


@dataclass(frozen=True, slots=True)
class ClosingJoint:
    """A joint that closes a loop."""

    name: str
    type: str
    parent: Place
    child: Place
    axis: Array


@dataclass(frozen=True, slots=True)
class BodyMass:
    """Mass (kg), centre of mass (3,) and inertia about it (3, 3) in body axes, of the body with this index."""

    body: int
    mass: float
    center: Array
    inertia: Array


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A mechanism in float64. Coordinates are columns in the mechanism's order; body 0 is ground."""

    mechanism: Mechanism
    values: dict[str, Real]  # of the parameters
    coordinates: tuple[str, ...]
    angles: tuple[bool, ...]  # per coordinate: an angle, or a displacement
    independent: tuple[int, ...]
    links: tuple[TreeJoint, ...]
    closings: tuple[ClosingJoint, ...]
    masses: tuple[BodyMass, ...]
    length: float  # m; residuals are given over it
    ties: tuple[Tie, ...] = ()  # couplings
    design: tuple[float, ...] = ()  # all coordinates at the design pose where an export states it, (c,)

    @property
    def units(self) -> Array:
        """1 for an angle, the length scale for a displacement, (c,): what makes a coordinate dimensionless."""
        return np.array([1.0 if angle else self.length for angle in self.angles])

    @property
    def dependent(self) -> tuple[int, ...]:
        """Columns that are not independent."""
        return tuple(i for i in range(len(self.coordinates)) if i not in self.independent)

    @property
    def told(self) -> tuple[int, ...]:
        """Columns that couplings alone tell where the independent ones are given."""
        return tuple(column for column, _ in self.following)

    @property
    def following(self) -> tuple[tuple[int, Tie], ...]:
        """These columns, each with the coupling that tells it, in order."""
        return told(self.ties, self.independent)

    @property
    def following_loops(self) -> tuple[tuple[int, Tie], ...]:
        """What couplings tell that read what loops give, likewise."""
        return told_behind_loops(self.ties, self.independent, self.looped)

    @property
    def looped(self) -> frozenset[int]:
        """Columns of tree joints on the way between the two bodies of a closing joint."""
        found: set[int] = set()
        for closing in self.closings:
            found |= self._moving(closing.parent.body) ^ self._moving(closing.child.body)
        return frozenset(found)

    def _moving(self, body: int) -> set[int]:
        """Columns that move a body."""
        carriers, found = {link.child.body: link for link in self.links}, set[int]()
        while body != GROUND:
            found |= {motion.coordinate for motion in carriers[body].motions}
            body = carriers[body].parent.body
        return found

    def design_value(self, column: int) -> float:
        """A coordinate at the design pose: as the export states it, else as the model does; 0 where neither does."""
        return self.design[column] if self.design else float(self.mechanism.pose.get(self.coordinates[column], 0))

    @property
    def turning(self) -> tuple[bool, ...]:
        """Per independent coordinate: an angle after whose whole turn everything stands as before."""
        if notices_whole_turns(self.following_loops, self.angles):
            return (False,) * len(self.independent)
        return tuple(is_periodic(self.ties, self.independent, self.angles, column) for column in self.independent)


def skeleton_of(mechanism: Mechanism, parameters: Mapping[str, float] | None = None) -> Skeleton:
    """The numbers of a mechanism, at the parameters' own values or at other ones.

    Raises:
        ModelError: a joint type is not known to the reference, or bodies do not hang on ground by the tree.
    """
    numbers = {p.name: np.asarray(float(p.value)) for p in mechanism.parameters}
    numbers.update({name: np.asarray(value) for name, value in (parameters or {}).items()})
    index = {"ground": GROUND, **{body.name: i for i, body in enumerate(mechanism.bodies, start=1)}}
    coordinates = mechanism.coordinates()
    reader = _Reader(numbers, index, coordinates)
    tree = [joint for joint in mechanism.joints if not joint.closes]
    motions = {joint.name: reader.motions(joint) for joint in tree}
    angles = {m.coordinate: m.kind == "turn" for group in motions.values() for m in group}
    links = _tree_order([TreeJoint(reader.place(j.parent), reader.place(j.child), motions[j.name]) for j in tree])
    closings = tuple(reader.closing_joint(joint) for joint in mechanism.joints if joint.closes)
    return Skeleton(
        mechanism=mechanism,
        values=numbers,
        coordinates=coordinates,
        angles=tuple(angles[i] for i in range(len(coordinates))),
        independent=tuple(coordinates.index(name) for name in mechanism.independent),
        links=links,
        closings=closings,
        masses=tuple(reader.mass(body) for body in mechanism.bodies),
        length=_length_scale(links, closings),
        ties=ties_of(mechanism, numbers),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns exact data into arrays."""

    values: Mapping[str, Real]
    index: Mapping[str, int]
    coordinates: tuple[str, ...]

    def vector(self, vector: Vector) -> Array:
        return np.array([float(evaluate(part, self.values)) for part in vector])

    def place(self, frame: Frame) -> Place:
        turn = np.eye(3)
        for axis, angle in frame.rotation.turns:
            radians = evaluate(angle, self.values)
            turn = turn @ rotation(AXES[axis], np.sin(radians), np.cos(radians))
        return Place(self.index[frame.body], self.vector(frame.at), turn)

    def motions(self, joint: Joint) -> tuple[Motion, ...]:
        spelled = _elementary_motions(_axis(joint))
        if joint.type not in spelled:
            known = ", ".join(sorted(spelled))
            raise ModelError(f"joint '{joint.name}' is {joint.type}; in the tree the reference knows {known}")
        pairs = zip(spelled[joint.type], joint.coordinates, strict=True)
        return tuple(Motion(kind, axis, self.coordinates.index(name)) for (kind, axis), name in pairs)

    def closing_joint(self, joint: Joint) -> ClosingJoint:
        return ClosingJoint(joint.name, joint.type, self.place(joint.parent), self.place(joint.child), _axis(joint))

    def mass(self, body: Body) -> BodyMass:
        xx, yy, zz, xy, xz, yz = (float(evaluate(entry, self.values)) for entry in body.inertia)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return BodyMass(
            self.index[body.name], float(evaluate(body.mass, self.values)), self.vector(body.center_of_mass), inertia
        )


def _elementary_motions(axis: Array) -> dict[str, tuple[tuple[Literal["turn", "slide"], Array], ...]]:
    """Every joint type as elementary motions in order, about or along axes that move with the ones before."""
    x, y, z = AXES["x"], AXES["y"], AXES["z"]
    position: tuple[tuple[Literal["turn", "slide"], Array], ...] = (("slide", x), ("slide", y), ("slide", z))
    euler: tuple[tuple[Literal["turn", "slide"], Array], ...] = (("turn", z), ("turn", y), ("turn", x))
    return {
        "revolute": (("turn", axis),),
        "prismatic": (("slide", axis),),
        "cylindrical": (("turn", axis), ("slide", axis)),
        "universal": (("turn", x), ("turn", y)),
        "spherical": euler,
        "planar": (("slide", x), ("slide", y), ("turn", z)),
        "free": (*position, *euler),
        "fixed": (),
    }


def load_place(skeleton: Skeleton, load: Load) -> Place:
    """Where a force or torque acts.

    Raises:
        ModelError: the load names no frame.
    """
    if load.on is None:
        raise ModelError(f"load '{load.name}' acts on no frame; name one under 'on'")
    return frame_place(skeleton, load.on)


def frame_place(skeleton: Skeleton, frame: Frame) -> Place:
    """A frame of the model in numbers."""
    index = {"ground": GROUND, **{body.name: i for i, body in enumerate(skeleton.mechanism.bodies, start=1)}}
    return _Reader(skeleton.values, index, skeleton.coordinates).place(frame)


def _axis(joint: Joint) -> Array:
    axis = np.array([float(part) for part in joint.axis])
    return np.asarray(axis / np.linalg.norm(axis))


def _tree_order(links: list[TreeJoint]) -> tuple[TreeJoint, ...]:
    """Parents before children."""
    placed, ordered, waiting = {GROUND}, [], list(links)
    while waiting:
        ready = [link for link in waiting if link.parent.body in placed]
        if not ready:
            raise ModelError("the tree does not hang on ground: no joint leads from ground to the remaining bodies")
        ordered += ready
        placed.update(link.child.body for link in ready)
        waiting = [link for link in waiting if link.child.body not in placed]
    return tuple(ordered)


LEAST_LENGTH_RATIO = 0.01  # of a moving body's length to the ground's: below, bodies have none of their own


def _length_scale(links: tuple[TreeJoint, ...], closings: tuple[ClosingJoint, ...]) -> float:
    """The longest distance between two joint frames of one moving body; 1 m where all coincide.

    Where moving bodies have next to no length, as shafts and crosses have that lie on each other, that of the ground.
    """
    places: dict[int, list[Array]] = {}
    frames = [place for joint in links for place in (joint.parent, joint.child)]
    frames += [place for joint in closings for place in (joint.parent, joint.child)]
    for place in frames:
        places.setdefault(place.body, []).append(place.at)
    longest = {
        body: max(float(np.linalg.norm(one - other)) for one in points for other in points)
        for body, points in places.items()
    }
    ground = longest.pop(GROUND, 0.0)
    moving = max(longest.values(), default=0.0)
    return (moving if moving > LEAST_LENGTH_RATIO * ground else ground) or 1.0
