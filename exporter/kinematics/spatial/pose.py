"""The pose of a spatial mechanism in a sequence: known coordinates, centres and placements.

In: a SpatialForm and the values of its independent coordinates. Used by: `blocks`, which add what they solve,
and to `functions`. Bodies, centres and coordinates that follow from poses are written when they are first asked for.
"""

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction

from exporter.kinematics.closures.passive_spin import PassiveSpin
from exporter.kinematics.protocol.derivatives import Rules
from exporter.kinematics.protocol.frame_values import FrameValues, frame_values
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.motions import ElementaryMotion, motions_of
from exporter.kinematics.protocol.scope import COORDINATES, Scope
from exporter.kinematics.protocol.turning import KnownSlide, KnownTurn, Step
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.spatial.chain import Chain, Item, RigidTransformation, cut_chain
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.groebner.extraction import Variables
from exporter.kinematics.spatial.placement import CarriedPlacement, Columns, GroundPlacement, Placement, span_placement
from exporter.kinematics.spatial.relative import relative_coordinates
from exporter.kinematics.spatial.roots import Angle, RootWriter, Sign
from exporter.model import expression
from exporter.model.joints import GROUND
from exporter.model.mechanism import Frame, Joint
from exporter.model.size import nominal_place
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value

MATRIX_POINTS = 3  # points of a body from which its rotation matrix pays


@dataclass(frozen=True, slots=True)
class StraightArm:
    """A slide through the centre of a universal joint: how long it is, and its sense, 1 along z and -1 against it."""

    length: Value
    sense: Sign


@dataclass
class SpatialPose:
    """What is known, as values of one sequence."""

    form: SpatialForm
    builder: Builder
    scope: Scope
    rules: Rules
    inputs: dict[str, Value]  # independent coordinates
    signs: Mapping[str, Value]  # of the roots of blocks whose branch is a value of the sequence
    displacements: frozenset[str]  # coordinates that are no angles, inner ones too
    angles: dict[str, Angle] = field(default_factory=dict)
    slides: dict[str, Value] = field(default_factory=dict)
    solved_centers: dict[str, Vector] = field(default_factory=dict)
    straight_arms: dict[tuple[tuple[str, ...], str], StraightArm] = field(default_factory=dict)  # by path and centre
    margins: list[Margin] = field(default_factory=list)
    points: tuple[Frame, ...] = ()  # points of interest, which the cost of a body's placement depends on
    variables: Variables | None = None  # of lexicographic bases
    _placements: dict[str, Placement] = field(default_factory=dict)
    _placements_on: dict[tuple[str, str], Placement] = field(default_factory=dict)  # by the body that carries
    _frames: dict[Frame, FrameValues] = field(default_factory=dict)

    @property
    def tools(self) -> RootWriter:
        """What blocks write with."""
        return RootWriter(self.builder, self.rules, self.form.length)

    def sign_of(self, block: Block) -> Sign:
        """Which root a block takes."""
        return self.signs.get(block.id, block.sign)

    # -- coordinates -------------------------------------------------------------------------------------------------

    def angle(self, coordinate: str) -> Angle:
        """An angular coordinate."""
        if coordinate not in self.angles:
            self._read(coordinate)
        return self.angles[coordinate]

    def displacement(self, coordinate: str) -> Value:
        """A displacement."""
        if coordinate not in self.slides:
            self._read(coordinate)
        return self.slides[coordinate]

    def pair(self, coordinate: str) -> tuple[Value, Value]:
        """Cosine and sine of an angular coordinate."""
        angle = self.angle(coordinate)
        return angle.cosine, angle.sine

    def _read(self, coordinate: str) -> None:
        """Coordinates of a joint between two bodies that are placed."""
        joints = (*self.form.mechanism.joints, *self.form.tree.joints)
        joint = next(joint for joint in joints if coordinate in joint.coordinates)
        angles, slides = relative_coordinates(self, joint, beyond=joint.name in self.form.beyond)
        self.angles.update({name: angle for name, angle in angles.items() if name not in self.angles})
        self.slides.update({name: slide for name, slide in slides.items() if name not in self.slides})

    def step(self, motion: ElementaryMotion) -> Step:
        """A motion whose coordinate is known."""
        if motion.kind == "slide":
            return KnownSlide(motion.axis, self.displacement(motion.coordinate))
        angle = self.angle(motion.coordinate)
        return KnownTurn(motion.axis, angle.cosine, angle.sine, angle.rate)

    def is_known(self, motion: ElementaryMotion) -> bool:
        """Whether a motion's coordinate is known by now."""
        return motion.coordinate in self.angles or motion.coordinate in self.slides

    # -- bodies ------------------------------------------------------------------------------------------------------

    def frame(self, frame: Frame) -> FrameValues:
        """A frame's constants."""
        if frame not in self._frames:
            self._frames[frame] = frame_values(self.scope, frame)
        return self._frames[frame]

    def placement(self, body: str) -> Placement:
        """Where a body is; its place in the plan must have come."""
        if body == GROUND:
            return GroundPlacement()
        if body not in self._placements:
            entry = next(entry for entry in self.form.plan.placed if entry.body == body)
            self._placements[body] = self._spanned(body, entry.centers) if entry.centers else self._carried(body)
        return self._placements[body]

    def _carried(self, body: str) -> CarriedPlacement:
        tree = self.form.tree.spanning_tree()
        parent = self.placement(tree.joints[body].parent.body)
        return self._carried_by(parent, body, self.columns(body))

    def _carried_by(self, parent: Placement, body: str, columns: Columns | None) -> CarriedPlacement:
        joint = self.form.tree.spanning_tree().joints[body]
        steps = tuple(self.step(motion) for motion in motions_of(joint))
        return CarriedPlacement(parent, self.frame(joint.parent), steps, self.frame(joint.child), self.rules, columns)

    def _placement_on(self, carrier: str, body: str) -> Placement:
        """Where a body is in the axes of one that carries it."""
        if body == carrier:
            return GroundPlacement()
        if (carrier, body) not in self._placements_on:
            path = self.form.tree.spanning_tree().path(body, {carrier})
            parent = self._placement_on(carrier, path[-1].parent.body)
            self._placements_on[carrier, body] = self._carried_by(parent, body, self.columns(body, path))
        return self._placements_on[carrier, body]

    def _carries(self, carrier: str, body: str) -> bool:
        """Whether a body that is no ground carries another by joints whose coordinates place it."""
        path = self.form.tree.spanning_tree().path(body, {carrier, GROUND})
        spanned = {entry.body for entry in self.form.plan.placed if entry.centers}
        started = path[0].parent.body if path else body
        return started == carrier != GROUND and spanned.isdisjoint(joint.child.body for joint in path)

    def _spanned(self, body: str, centers: tuple[str, ...]) -> Placement:
        joints = {joint.name: joint for joint in self.form.tree.joints}
        spins = next((link for link in self.form.plan.spins if link.body == body), None)
        if spins is not None:
            return self._idle(spins)
        local = [self.frame(joints[name].frame_on(body)).at for name in centers]
        return span_placement([self.center(name) for name in centers], local)

    def _idle(self, link: PassiveSpin) -> Placement:
        """A link between two balls: its line, and an axis across it that its spin is held by."""
        first, second = (self.center(joint.name) for joint in link.joints)
        start, end = (self.frame(joint.frame_on(link.body)).at for joint in link.joints)
        local_line, line = end - start, second - first
        local_axis = constant_vector(self.builder, link.inside).cross(local_line)
        axis = constant_vector(self.builder, link.ground).cross(line)
        near = f"link {link.body} lies along the direction that its spin is measured from"
        square = self.tools.away_from_zero(axis.squared(), self.form.length**2, near)
        across = axis.scaled(1 / self.builder.sqrt(square))
        local_across = local_axis.scaled(1 / self.scope.root(local_axis.squared()))
        return span_placement((first, second, first + across), (start, end, start + local_across))

    def columns(self, body: str, path: tuple[Joint, ...] | None = None) -> Columns | None:
        """Whether the rotation matrix pays, and how points are then summed; along a path, else from the ground."""
        mechanism, tree = self.form.tree, self.form.tree.spanning_tree()
        frames = [frame for joint in mechanism.joints for frame in (joint.parent, joint.child) if frame.body == body]
        frames += [frame for frame in self.points if frame.body == body]
        places = {nominal_place(mechanism, frame) for frame in frames}
        places.discard(nominal_place(mechanism, tree.joints[body].child))
        turns = sum(motion.kind == "turn" for joint in path or tree.path(body) for motion in motions_of(joint))
        if turns < 2 or len(places) < MATRIX_POINTS:
            return None
        values = [{place[k] for place in places} for k in range(3)]
        order = sorted(range(3), key=lambda k: (len(values[k]), k))
        x, y, z = (next(iter(each)) if len(each) == 1 else Fraction(0) for each in values)
        return Columns((order[0], order[1], order[2]), (x, y, z))

    # -- points ------------------------------------------------------------------------------------------------------

    def point(self, frame: Frame) -> Vector:
        """Where a frame of a placed body is, ground axes."""
        return self.placement(frame.body).point(self.frame(frame).at)

    def direction(self, body: str, local: expression.Vector) -> Vector:
        """A direction that is fixed in a placed body, ground axes."""
        x, y, z = (self.scope.value(part) for part in local)
        return self.placement(body).direction(Vector(x, y, z))

    def center(self, name: str, carrier: str | None = None) -> Vector:
        """Where a joint's centre is: solved, or a point of that of its bodies that was placed first.

        In the axes of a body that carries it, else in ground axes.
        """
        if carrier is not None:
            frame = self._first_frame(name)
            return self._placement_on(carrier, frame.body).point(self.frame(frame).at)
        if name not in self.solved_centers:
            self.solved_centers[name] = self.point(self._first_frame(name))
        return self.solved_centers[name]

    def _first_frame(self, center: str) -> Frame:
        """The frame of a joint on that of its two bodies that is placed first."""
        joint = next(joint for joint in self.form.tree.joints if joint.name == center)
        order = [GROUND, *(entry.body for entry in self.form.plan.placed)]
        return min((joint.parent, joint.child), key=lambda frame: order.index(frame.body))

    def carrier_of(self, path: tuple[Joint, ...], center: str) -> str | None:
        """The body that a chain stands on, where it carries the body of the centre too; None where it does not."""
        carrier, body = path[0].parent.body, self._first_frame(center).body
        solved = (block.centers[0] for block in self.form.blocks if block.kind is SpatialKind.THREE_SPHERES)
        return carrier if center not in solved and self._carries(carrier, body) else None

    def chain(self, path: tuple[Joint, ...], carrier: str | None = None) -> Chain:
        """The chain of these tree joints, cut at the motions that are not known yet; in the axes of what carries it."""
        items: list[Item] = []
        for joint in path:
            items.append(RigidTransformation(self.frame(joint.parent), out_of=True))
            items.extend(self.step(motion) if self.is_known(motion) else motion for motion in motions_of(joint))
            items.append(RigidTransformation(self.frame(joint.child), out_of=False))
        base = GroundPlacement() if carrier is not None else self.placement(path[0].parent.body)
        return cut_chain(base, items, self.rules)


def start_pose(
    form: SpatialForm,
    builder: Builder,
    scope: Scope,
    coordinates: dict[str, Value],
    points: tuple[Frame, ...] = (),
    signs: Mapping[str, Value] | None = None,
) -> SpatialPose:
    """A pose that knows the independent coordinates only, with the roots of blocks that are values."""
    displacements = frozenset((*form.mechanism.displacements(), *form.tree.displacements()))
    pose = SpatialPose(form, builder, scope, Rules(builder), coordinates, signs or {}, displacements, points=points)
    for name, value in coordinates.items():
        if name in displacements:
            pose.slides[name] = value
            continue
        with builder.step(*COORDINATES, part=True):
            sine, cosine = builder.sincos(value)
        pose.angles[name] = Angle(cosine, sine, lambda d, value=value: d.of(value))  # type: ignore[misc]
    return pose
