"""The original mechanism in float64: poses of the tree and residuals of the closing joints, vectorised over rows.

In: a Mechanism and values of all coordinates. Out: closure residuals and their Jacobian by complex steps,
at nominal parameters. It knows nothing of blocks: it judges what they give.
"""

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.protocol.frames import Matrix3, rotation_matrix, triad
from exporter.kinematics.protocol.motions import motions_of
from exporter.model.evaluate import evaluate
from exporter.model.expression import Binary, Call, Expression, Lookup, Name, Number, Power
from exporter.model.joints import GROUND
from exporter.model.mechanism import Axis, Frame, Joint, Mechanism, Rotation
from exporter.model.tree import SpanningTree
from exporter.records import dataclass

Array = NDArray[Any]
UNTURNED = np.eye(3)
COMPLEX_STEP = 1e-40  # of a complex step
HALF_TURN = 1e-6  # of 1 + trace of a rotation: below, two frames count as half a turn apart
OPERATORS: dict[str, Callable[..., Array]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
FUNCTIONS: dict[str, Callable[..., Array]] = {
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "pow": np.power,
}


_Equations = tuple[list[Array], list[tuple[Array, Array]]]  # axes along which points meet; square pairs of axes


@dataclass(frozen=True, slots=True)
class Poses:
    """Origins (rows, 3) and orientations (rows, 3, 3) by body."""

    origin: dict[str, Array]
    turn: dict[str, Array]


@dataclass(frozen=True)
class Numbers:
    """A mechanism's constants in float64: place (3,) and turn (3, 3) of every joint's frames, in body axes."""

    mechanism: Mechanism
    place: dict[Frame, Array]
    turn: dict[Frame, Array]

    @cached_property
    def tree(self) -> SpanningTree:
        """The joints that carry coordinates."""
        return self.mechanism.spanning_tree()

    @cached_property
    def carriers(self) -> dict[str, "_Carrier"]:
        """The joints of the tree by body."""
        column = {name: k for k, name in enumerate(self.mechanism.coordinates())}
        return {body: _carrier(self, joint, column) for body, joint in self.tree.joints.items()}

    @cached_property
    def equations(self) -> dict[str, _Equations]:
        """What every closing joint holds."""
        return {each.name: _equations(each.type, each.axis) for each in self.mechanism.joints if each.closes}


@dataclass(frozen=True, slots=True)
class _Motion:
    """An elementary motion of a joint."""

    column: int  # of its coordinate
    axis: Array
    turning: tuple[Array, Array] | None  # see `_skew`


@dataclass(frozen=True, slots=True)
class _Carrier:
    """What takes the pose of a body to that of the next one; no turn where a frame stands as its body does."""

    parent: str
    turn: Array | None
    place: Array
    motions: tuple[_Motion, ...]
    back: Array | None
    origin: Array


def numbers_of(mechanism: Mechanism) -> Numbers:
    """The constants at nominal parameters."""
    values = mechanism.nominal_values()
    frames = {frame for joint in mechanism.joints for frame in (joint.parent, joint.child)}
    return Numbers(
        mechanism,
        {frame: np.array([float(evaluate(part, values)) for part in frame.at]) for frame in frames},
        {frame: _floats(rotation_matrix(frame.rotation, values)) for frame in frames},
    )


def numbers_at(mechanism: Mechanism, values: Mapping[str, Array]) -> Numbers:
    """The constants at rows of parameter values, each (rows,), or nominal: places (rows, 3) and turns (rows, 3, 3)."""
    known = {name: np.array([float(value)]) for name, value in mechanism.nominal_values().items()} | dict(values)
    frames = {frame for joint in mechanism.joints for frame in (joint.parent, joint.child)}
    found = {frame: frame_rows(frame, known) for frame in frames}
    return Numbers(mechanism, *({frame: each[k] for frame, each in found.items()} for k in range(2)))


def frame_rows(frame: Frame, values: Mapping[str, Array]) -> tuple[Array, Array]:
    """A frame's place (rows, 3) and turn (rows, 3, 3) in body axes, at rows of values of all parameters."""
    place = _stack_parts([evaluate_rows(part, values) for part in frame.at])
    return place, _rotate_values(frame.rotation, values)


def evaluate_rows(expression: Expression, values: Mapping[str, Array]) -> Array:
    """A formula at rows of values, (rows,) or a number, in float64."""
    match expression:
        case Number(value):
            return np.asarray(float(value))
        case Name(name):
            return values[name]
        case Binary(operator, left, right):
            return np.asarray(OPERATORS[operator](evaluate_rows(left, values), evaluate_rows(right, values)))
        case Power(base, exponent):
            return np.asarray(np.power(evaluate_rows(base, values), float(exponent)))
        case Lookup(known, arguments):
            rows = np.vectorize(lambda *row: float(known.table.value(*map(Fraction, row))))
            return np.asarray(rows(*(evaluate_rows(argument, values) for argument in arguments)))
        case Call(function, arguments):
            return np.asarray(FUNCTIONS[function](*(evaluate_rows(argument, values) for argument in arguments)))


def _stack_parts(parts: Sequence[Array]) -> Array:
    return np.stack(np.broadcast_arrays(*(np.atleast_1d(part) for part in parts)), axis=-1)


def _rotate_values(rotation: Rotation, values: Mapping[str, Array]) -> Array:
    turn = np.eye(3)
    for letter, angle in rotation.turns:
        axis = np.eye(3)["xyz".index(letter)]
        turn = turn @ rotations(axis, np.atleast_1d(evaluate_rows(angle, values)))
    return turn


def _floats(matrix: Matrix3) -> Array:
    return np.array([[float(part) for part in row] for row in matrix])


def poses_of(numbers: Numbers, coordinates: Array, bodies: Collection[str] | None = None) -> Poses:
    """Poses along the tree, of these bodies and what carries them; coordinates (rows, c) in the mechanism's order."""
    poses = Poses({GROUND: np.zeros(3)}, {GROUND: np.eye(3)})
    for body in bodies if bodies is not None else numbers.tree.joints:
        for joint in numbers.tree.path(body, poses.turn):
            _carry(joint.child.body, numbers.carriers[joint.child.body], poses, coordinates)
    return poses


def _carrier(numbers: Numbers, joint: Joint, column: Mapping[str, int]) -> _Carrier:
    at, to = joint.parent, joint.child
    motions = []
    for motion in motions_of(joint):
        axis = np.array([float(part) for part in motion.axis])
        motions.append(_Motion(column[motion.coordinate], axis, _skew(axis) if motion.kind == "turn" else None))
    back = np.swapaxes(numbers.turn[to], -1, -2)
    first, last = (None if np.array_equal(each, UNTURNED) else each for each in (numbers.turn[at], back))
    return _Carrier(at.body, first, numbers.place[at], tuple(motions), last, numbers.place[to])


def _carry(body: str, by: _Carrier, poses: Poses, coordinates: Array) -> None:
    turn = poses.turn[by.parent]
    origin = poses.origin[by.parent] + _times(turn, by.place)
    turn = turn if by.turn is None else turn @ by.turn
    for motion in by.motions:
        value = coordinates[:, motion.column]
        if motion.turning is None:
            origin = origin + _times(turn, motion.axis) * value[:, None]
        else:
            turn = turn @ _rotation(*motion.turning, value)
    turn = turn if by.back is None else turn @ by.back
    poses.turn[body] = turn
    poses.origin[body] = origin - _times(turn, by.origin)


def point_of(numbers: Numbers, poses: Poses, frame: Frame) -> Array:
    """Where a joint's frame is, (rows, 3) or (3,)."""
    return np.asarray(poses.origin[frame.body] + _times(poses.turn[frame.body], numbers.place[frame]))


def _times(matrix: Array, vector: Array) -> Array:
    return np.asarray(np.einsum("...ij,...j->...i", matrix, vector))


def _skew(axis: Array) -> tuple[Array, Array]:
    """The matrix of the vector product with an axis, and its square."""
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return skew, skew @ skew


def rotations(axis: Array, angle: Array) -> Array:
    """Turns (rows, 3, 3) about a unit axis (3,) by angles (rows,), rad."""
    return _rotation(*_skew(axis), angle)


def _rotation(skew: Array, square: Array, angle: Array) -> Array:
    sine, cosine = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.asarray(UNTURNED + sine * skew + (1 - cosine) * square)


def closing_residuals(
    numbers: Numbers, coordinates: Array, length: float, poses: Poses | None = None
) -> dict[str, Array]:
    """Residuals (rows, equations) of every closing joint; lengths over the length scale."""
    poses = poses or poses_of(numbers, coordinates)
    return {joint.name: _residual(joint, numbers, poses, length) for joint in numbers.mechanism.joints if joint.closes}


def _residual(joint: Joint, numbers: Numbers, poses: Poses, length: float) -> Array:
    at, to = joint.parent, joint.child
    parent, child = poses.turn[at.body] @ numbers.turn[at], poses.turn[to.body] @ numbers.turn[to]
    gap = point_of(numbers, poses, to) - point_of(numbers, poses, at)
    points, pairs = numbers.equations[joint.name]
    rows = [np.einsum("...i,...i->...", _times(parent, u), gap) / length for u in points]
    rows += [np.einsum("...i,...i->...", _times(parent, u), _times(child, w)) for u, w in pairs]
    if joint.type in ("prismatic", "fixed"):
        rows += _apart(np.swapaxes(parent, -1, -2) @ child)
    if not rows:  # a free joint holds nothing
        return np.zeros((*gap.shape[:-1], 0))
    count = np.broadcast_shapes(*(np.shape(row) for row in rows))
    return np.stack([np.broadcast_to(row, count) for row in rows], axis=-1)


def _apart(turn: Array) -> list[Array]:
    """2 tan(angle / 2) times the axis of a rotation: unlike its sines this is not zero at half a turn."""
    size = 1 + np.einsum("...ii->...", turn)
    size = np.where(np.real(size) < HALF_TURN, HALF_TURN, size)
    return [2 * (turn[..., j, i] - turn[..., i, j]) / size for i, j in ((1, 2), (2, 0), (0, 1))]


def _equations(kind: str, axis: Axis) -> _Equations:
    n = np.array([float(part) for part in axis])
    first, second = (np.array([float(part) for part in vector]) for vector in triad(axis))
    x, y, _ = np.eye(3)
    along, everywhere = [(first, n), (second, n)], [first, second, n]
    table: dict[str, _Equations] = {
        "revolute": (everywhere, along),
        "prismatic": ([first, second], []),
        "cylindrical": ([first, second], along),
        "universal": (everywhere, [(x, y)]),
        "spherical": (everywhere, []),
        "planar": ([n], along),
        "fixed": (everywhere, []),
        "free": ([], []),
    }
    return table[kind]


def closing_jacobians(numbers: Numbers, coordinates: Array, length: float) -> dict[str, Array]:
    """Jacobians (equations, c) of every closing joint at one row, displacements over the length scale."""
    units = units_of(numbers.mechanism, length)
    found = closing_residuals(numbers, step_rows(coordinates[None]), length)
    return {
        joint: np.ascontiguousarray((np.imag(each) / COMPLEX_STEP * units[:, None]).T) for joint, each in found.items()
    }


def units_of(mechanism: Mechanism, length: float) -> Array:
    """One unit of every coordinate, (c,): 1 rad, or the length scale in m."""
    return np.where(np.isin(mechanism.coordinates(), mechanism.displacements()), length, 1.0)


def complex_steps(residual: Callable[[Array], Array], rows: Array, units: Array) -> tuple[Array, Array]:
    """Residuals (n, m) at rows (n, c) of coordinates; derivatives, (n, m, c), per unit (c,) of each coordinate."""
    count = rows.shape[1]
    stepped = residual(step_rows(rows))
    found = stepped.reshape(len(rows), count, stepped.shape[1])
    columns = np.imag(found) / COMPLEX_STEP * units[:, None]
    return np.real(found[:, 0]), np.ascontiguousarray(columns.swapaxes(1, 2))


def step_rows(rows: Array) -> Array:
    """Rows (n, c) with every coordinate stepped alone, (n c, c)."""
    count = rows.shape[1]
    return np.asarray(rows[:, None, :] + 1j * COMPLEX_STEP * np.eye(count)).reshape(-1, count)
