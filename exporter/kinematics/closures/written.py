"""The original loop closures with their partial derivatives, as values of a sequence: what Newton's methods iterate on.

In: a Mechanism, planar or spatial, and values of all coordinates. Used by: the baselines and the loop blocks of the
spatial engine. Each loop is written in the axes of the last body that both of its sides hang on, so that motions common
to both never appear. The partial derivative of a point by a turn is axis x arm, by a slide the axis; of u.w by a turn
it is axis.(u x w).
"""

from collections.abc import Mapping, Sequence
from dataclasses import field

from exporter.kinematics.protocol.frame_values import FrameValues, frame_values
from exporter.kinematics.protocol.frames import triad
from exporter.kinematics.protocol.motions import ElementaryMotion, motions_of
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.turning import turn_vector
from exporter.kinematics.protocol.vectors import Matrix, Vector, constant_vector, identity
from exporter.model import expression
from exporter.model.couplings import Coupling
from exporter.model.mechanism import Axis, Frame, Joint, Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value

X: Axis = (1, 0, 0)  # type: ignore[assignment]  # whole numbers are rationals
Y: Axis = (0, 1, 0)  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Equation:
    """One scalar closure equation: its value, and its derivative by every coordinate that it depends on."""

    closure: str  # name of the closing joint
    is_length: bool  # in m; else dimensionless
    value: Value
    partials: dict[str, Value]  # derivatives that are zero in every pose are left out


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Values of all coordinates: (cosine, sine) of an angle, or a displacement; angles themselves for couplings."""

    pairs: Mapping[str, tuple[Value, Value]]
    slides: Mapping[str, Value]
    angles: Mapping[str, Value] = field(default_factory=dict)

    def value(self, name: str) -> Value:
        """A coordinate of a coupling, rad or m."""
        return self.angles[name] if name in self.angles else self.slides[name]


@dataclass(frozen=True, slots=True)
class _Move:
    """What a coordinate does to whatever hangs on it."""

    motion: ElementaryMotion
    axis: Vector
    at: Vector

    def of_point(self, point: Vector) -> Vector:
        """Derivative of a point that moves with it."""
        return self.axis if self.motion.kind == "slide" else self.axis.cross(point - self.at)


@dataclass
class _Side:
    """One side of a loop, from the common body outwards."""

    place: Vector
    turn: Matrix
    moves: list[_Move] = field(default_factory=list)


def _by_columns(matrix: Matrix, other: Matrix) -> Matrix:
    return matrix.times_matrix(other)


def _transpose(matrix: Matrix) -> Matrix:
    builder = matrix.columns[0].x.builder
    first, second, third = (matrix.transposed_times(unit) for unit in identity(builder).columns)
    return Matrix((first, second, third))


@dataclass
class Walker:
    """Walks along the tree of one mechanism in one sequence."""

    mechanism: Mechanism
    scope: Scope
    _frames: dict[Frame, FrameValues] = field(default_factory=dict)

    @property
    def builder(self) -> Builder:
        """What is written with."""
        return self.scope.builder

    def equations(self, coordinates: Coordinates, closure: str) -> list[Equation]:
        """The equations of one closing joint, always as many and in the same order."""
        joint = next(joint for joint in self.mechanism.joints if joint.name == closure)
        return self._equations_of(joint, coordinates)

    def coupling(self, coupling: Coupling, coordinates: Coordinates) -> Equation:
        """What the others of a coupling give its follower, less the follower."""
        value, partials = self.scope.value(coupling.offset), dict[str, Value]()
        for name, ratio in coupling.ratios.items():
            partials[name] = self.scope.value(ratio)
            value = value + partials[name] * coordinates.value(name)
        partials[coupling.follower] = self.builder.real(-1)
        is_length = self.mechanism.is_displacement(coupling.follower)
        return Equation(coupling.follower, is_length, value - coordinates.value(coupling.follower), partials)

    def distance(self, name: str, ends: tuple[Frame, Frame], square: Value, coordinates: Coordinates) -> Equation:
        """Half of what the squared distance of two points is too large by."""
        sides = self.mechanism.spanning_tree().branches(ends[0].body, ends[1].body)
        near, far = (self._side(path, end, coordinates) for path, end in zip(sides, ends, strict=True))
        gap = far.place - near.place
        partials = {move.motion.coordinate: gap.dot(move.of_point(far.place)) for move in far.moves}
        partials |= {move.motion.coordinate: -gap.dot(move.of_point(near.place)) for move in near.moves}
        return _equation(name, (gap.squared() - square) / 2, partials, is_length=True)

    def point(self, frame: Frame, coordinates: Coordinates) -> Vector:
        """Where a frame's origin is, ground axes."""
        return self._side(self.mechanism.spanning_tree().path(frame.body), frame, coordinates).place

    def direction(self, body: str, local: expression.Vector, coordinates: Coordinates) -> Vector:
        """A direction that is fixed in a body, ground axes."""
        x, y, z = (self.scope.value(part) for part in local)
        origin = Frame(body, (expression.ZERO, expression.ZERO, expression.ZERO))
        return self._side(self.mechanism.spanning_tree().path(body), origin, coordinates).turn.times(Vector(x, y, z))

    def _frame(self, frame: Frame) -> FrameValues:
        if frame not in self._frames:
            self._frames[frame] = frame_values(self.scope, frame)
        return self._frames[frame]

    def _side(self, path: Sequence[Joint], end: Frame, coordinates: Coordinates) -> _Side:
        """From the origin and axes of the first joint's parent body to a frame."""
        builder = self.builder
        side = _Side(constant_vector(builder, (0, 0, 0)), identity(builder))
        entered: FrameValues | None = None
        for joint in path:
            self._cross_body(side, entered, self._frame(joint.parent))
            for motion in motions_of(joint):
                self._move(side, motion, coordinates)
            entered = self._frame(joint.child)
        self._cross_body(side, entered, self._frame(end))
        return side

    def _cross_body(self, side: _Side, entered: FrameValues | None, left: FrameValues) -> None:
        """From the frame by which a body was entered (None: its own origin) to the one by which it is left."""
        gap, turn = left.at, left.turn
        if entered is not None:
            gap = entered.turn.transposed_times(left.at - entered.at)
            turn = _by_columns(_transpose(entered.turn), left.turn)
        side.place = side.place + side.turn.times(gap)
        side.turn = _by_columns(side.turn, turn)

    def _move(self, side: _Side, motion: ElementaryMotion, coordinates: Coordinates) -> None:
        axis = side.turn.times(constant_vector(self.builder, motion.axis))
        side.moves.append(_Move(motion, axis, side.place))
        if motion.kind == "slide":
            side.place = side.place + axis.scaled(coordinates.slides[motion.coordinate])
            return
        cosine, sine = coordinates.pairs[motion.coordinate]
        units = identity(self.builder).columns
        first, second, third = (side.turn.times(turn_vector(motion.axis, cosine, sine, unit)) for unit in units)
        side.turn = Matrix((first, second, third))

    # -- one loop ----------------------------------------------------------------------------------------------------

    def _equations_of(self, joint: Joint, coordinates: Coordinates) -> list[Equation]:
        first, second = self.mechanism.spanning_tree().branches(*joint.bodies)
        with self.builder.part("p", f"from ground to {joint.parent.body}"):
            parent = self._side(first, joint.parent, coordinates)
        with self.builder.part("c", f"from ground to {joint.child.body}"):
            child = self._side(second, joint.child, coordinates)
        directions, pairs = _primitives(joint)
        if len(directions) == len(parent.turn.columns):
            found = [self._component(joint, parent, child, k) for k in range(3)]
        else:
            found = [self._along(joint, parent, child, u) for u in directions]
        return found + [self._alignment(joint, parent, child, u, w) for u, w in pairs]

    def _component(self, joint: Joint, parent: _Side, child: _Side, k: int) -> Equation:
        """p_child - p_parent along an axis of the common body."""
        partials = {move.motion.coordinate: move.of_point(child.place).parts()[k] for move in child.moves}
        partials |= {move.motion.coordinate: -move.of_point(parent.place).parts()[k] for move in parent.moves}
        return _equation(joint.name, (child.place - parent.place).parts()[k], partials, is_length=True)

    def _along(self, joint: Joint, parent: _Side, child: _Side, direction: Axis) -> Equation:
        """p_child - p_parent along a direction that is fixed on the parent."""
        u = parent.turn.times(constant_vector(self.builder, direction))
        gap = child.place - parent.place
        partials = {move.motion.coordinate: u.dot(move.of_point(child.place)) for move in child.moves}
        for move in parent.moves:
            moved = -u.dot(move.of_point(parent.place))
            turned = move.axis.cross(u).dot(gap) if move.motion.kind == "turn" else self.builder.real(0)
            partials[move.motion.coordinate] = moved + turned
        return _equation(joint.name, u.dot(gap), partials, is_length=True)

    def _alignment(self, joint: Joint, parent: _Side, child: _Side, on_parent: Axis, on_child: Axis) -> Equation:
        """A direction of the parent stays across one of the child."""
        u = parent.turn.times(constant_vector(self.builder, on_parent))
        w = child.turn.times(constant_vector(self.builder, on_child))
        across = u.cross(w)
        partials = {m.motion.coordinate: m.axis.dot(across) for m in parent.moves if m.motion.kind == "turn"}
        partials |= {m.motion.coordinate: -m.axis.dot(across) for m in child.moves if m.motion.kind == "turn"}
        return _equation(joint.name, u.dot(w), partials, is_length=False)


def _equation(closure: str, value: Value, partials: Mapping[str, Value], *, is_length: bool) -> Equation:
    kept = {name: partial for name, partial in partials.items() if partial.constant != 0}
    return Equation(closure, is_length, value, kept)


def _primitives(joint: Joint) -> tuple[tuple[Axis, ...], tuple[tuple[Axis, Axis], ...]]:
    """Directions of the parent along which the frames coincide, and pairs (parent, child) that stay perpendicular."""
    n = joint.axis
    first, second = triad(n)
    everywhere, one_axis = (first, second, n), ((first, n), (second, n))
    no_turn = ((first, second), (second, n), (n, first))
    table: dict[str, tuple[tuple[Axis, ...], tuple[tuple[Axis, Axis], ...]]] = {
        "revolute": (everywhere, one_axis),
        "prismatic": ((first, second), no_turn),
        "cylindrical": ((first, second), one_axis),
        "universal": (everywhere, ((X, Y),)),
        "spherical": (everywhere, ()),
        "planar": ((n,), one_axis),
        "fixed": (everywhere, no_turn),
        "free": ((), ()),
    }
    return table[joint.type]
