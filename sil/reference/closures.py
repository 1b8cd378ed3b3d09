"""Loop closures: the equations that a closing joint puts on the tree's coordinates, their Jacobian and bias.

Every joint is spelled with three primitives, in full 3D:
  point      u . (p_child - p_parent) = 0,  u fixed on the parent;
  alignment  u . w = 0,  u fixed on the parent, w on the child;
  turn       a component of 2 tan(angle / 2) times the axis of what turns the parent's triad into the child's = 0, which
             three alignments would allow to be half a turn.
A planar loop in space has redundant equations; `chosen_rows` picks independent ones.
"""

from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from exporter.errors import ModelError, SingularPose
from sil.reference.chunks import joined, row_slices
from sil.reference.motion import COMPLEX_STEP, Configuration, Twist, configuration, move_bodies, unit_rates
from sil.reference.rotations import AXES, Array, cross, dot, perpendicular
from sil.reference.skeleton import GROUND, ClosingJoint, Place, Skeleton, skeleton_of
from sil.reference.spins import links_between_balls, spins_of

HALF_TURN = 1e-6  # of 1 + 2 cos(angle) + 1: below, two frames count as half a turn apart, and the loop as open
ITERATIONS = 40  # of Newton; next to a double root every step halves the distance


@dataclass(frozen=True, slots=True)
class PointEquation:
    """Two points coincide along a direction fixed on the parent (body axes); in m."""

    parent: Place
    child: Place
    direction: Array

    def value_and_rate(self, twist: Twist) -> tuple[Array, Array]:
        """The residual and its time derivative."""
        direction = twist.pose.direction(self.parent.body, self.direction)
        gap = twist.pose.point(self.child) - twist.pose.point(self.parent)
        opening = twist.of_point(self.child.body, self.child.at) - twist.of_point(self.parent.body, self.parent.at)
        turning = cross(twist.spins[self.parent.body], direction)
        return dot(direction, gap), dot(turning, gap) + dot(direction, opening)


@dataclass(frozen=True, slots=True)
class AlignmentEquation:
    """A direction of the parent is perpendicular to one of the child (body axes); dimensionless."""

    parent: int
    child: int
    on_parent: Array
    on_child: Array

    def value_and_rate(self, twist: Twist) -> tuple[Array, Array]:
        """The residual and its time derivative."""
        u = twist.pose.direction(self.parent, self.on_parent)
        w = twist.pose.direction(self.child, self.on_child)
        return dot(u, w), dot(twist.spins[self.parent] - twist.spins[self.child], cross(u, w))


@dataclass(frozen=True, slots=True)
class TurnEquation:
    """Two triads (body axes) are parallel, about the axis that is left of these two; dimensionless."""

    parent: int
    child: int
    on_parent: tuple[Array, Array, Array]
    on_child: tuple[Array, Array, Array]
    about: tuple[int, int]

    def value_and_rate(self, twist: Twist) -> tuple[Array, Array]:
        """The residual and its time derivative."""
        u = [twist.pose.direction(self.parent, each) for each in self.on_parent]
        w = [twist.pose.direction(self.child, each) for each in self.on_child]
        spin = twist.spins[self.parent] - twist.spins[self.child]

        def product(i: int, j: int) -> tuple[Array, Array]:
            return dot(u[i], w[j]), dot(spin, cross(u[i], w[j]))

        (one, one_rate), (other, other_rate) = product(*self.about), product(*self.about[::-1])
        along = [product(k, k) for k in range(3)]
        size, size_rate = 1 + sum(value for value, _ in along), sum(rate for _, rate in along)
        size = np.where(np.real(size) < HALF_TURN, HALF_TURN, size)
        value = 2 * (one - other) / size
        return value, (2 * (one_rate - other_rate) - value * size_rate) / size


Equation = PointEquation | AlignmentEquation | TurnEquation


def equations_of(closing: ClosingJoint) -> tuple[Equation, ...]:
    """The equations of one closing joint.

    Raises:
        ModelError: the joint type is not known to the reference.
    """
    first, second = perpendicular(closing.axis)
    triad = (first, second, closing.axis)
    one_axis = ((first, closing.axis), (second, closing.axis))
    spelled: dict[str, tuple[tuple[Array, ...], tuple[tuple[Array, Array], ...]]] = {
        "revolute": (triad, one_axis),
        "prismatic": ((first, second), ()),
        "fixed": (triad, ()),
        "cylindrical": ((first, second), one_axis),
        "spherical": (triad, ()),
        "universal": (triad, ((AXES["x"], AXES["y"]),)),
        "planar": ((AXES["z"],), ((AXES["x"], AXES["z"]), (AXES["y"], AXES["z"]))),
        "free": ((), ()),
    }
    if closing.type not in spelled:
        known = ", ".join(sorted(spelled))
        raise ModelError(f"closing joint '{closing.name}' is {closing.type}; the reference knows {known}")
    points, alignments = spelled[closing.type]
    parent, child = closing.parent, closing.child
    return (
        *(PointEquation(parent, child, parent.turn @ u) for u in points),
        *(AlignmentEquation(parent.body, child.body, parent.turn @ u, child.turn @ w) for u, w in alignments),
        *(_parallel(closing, triad) if closing.type in ("prismatic", "fixed") else ()),
    )


def _parallel(closing: ClosingJoint, triad: tuple[Array, Array, Array]) -> tuple[TurnEquation, ...]:
    """The frames of a joint that leaves no turn."""
    first, second, third = (closing.parent.turn @ each for each in triad)
    others = [closing.child.turn @ each for each in triad]
    bodies = closing.parent.body, closing.child.body
    pairs = ((0, 1), (1, 2), (2, 0))
    return tuple(
        TurnEquation(*bodies, (first, second, third), (others[0], others[1], others[2]), pair) for pair in pairs
    )


@dataclass(frozen=True, slots=True, eq=False)
class Closures:
    """All closure equations of a skeleton. Lengths are given over the length scale, so all are dimensionless."""

    skeleton: Skeleton
    equations: tuple[Equation, ...]
    scales: Array  # (m,)

    @property
    def held_spins(self) -> tuple[AlignmentEquation, ...]:
        """The equations of spins of links between two balls, which stand last."""
        loops = sum(len(equations_of(closing)) for closing in self.skeleton.closings)
        return tuple(each for each in self.equations[loops:] if isinstance(each, AlignmentEquation))

    def residual(self, at: Configuration) -> Array:
        """Phi, (rows, m)."""
        return self.value_and_rate(at, np.zeros((1, len(self.skeleton.coordinates))))[0]

    def residual_and_jacobian(self, at: Configuration) -> tuple[Array, Array]:
        """Phi (rows, m) and Phi_q (rows, m, c), not to be written to: the last one is kept."""
        return _residual_and_jacobian(self, at)

    def bias(self, at: Configuration, rates: Array) -> Array:
        """The part of Phi's second derivative without accelerations, d(Phi_q)/dt q', (rows, m)."""
        return np.imag(self.value_and_rate(at.stepped(rates), rates)[1]) / COMPLEX_STEP

    def value_and_rate(self, at: Configuration, rates: Array) -> tuple[Array, Array]:
        """Phi (rows, m) and its rate (..., rows, m) at rates (..., rows, c), or (..., 1, c) of all rows."""
        alike = rates.shape[-2] == 1
        parts = [
            self._of_rows(at.of_rows(rows), rates if alike else rates[..., rows, :])
            for rows in row_slices(len(at.values))
        ]
        return joined(value for value, _ in parts), joined((rate for _, rate in parts), axis=-2)

    def _of_rows(self, at: Configuration, rates: Array) -> tuple[Array, Array]:
        twist = move_bodies(self.skeleton, at, rates)
        pairs = [equation.value_and_rate(twist) for equation in self.equations]
        rows = at.values.shape[:-1]
        shape = np.broadcast_shapes(rows, rates.shape[:-1])
        if not pairs:
            return np.zeros((*rows, 0)), np.zeros((*shape, 0))
        values = np.stack([np.broadcast_to(value, rows) for value, _ in pairs], axis=-1)
        speeds = np.stack([np.broadcast_to(speed, shape) for _, speed in pairs], axis=-1)
        return values / self.scales, speeds / self.scales


@lru_cache(maxsize=1)
def _residual_and_jacobian(closures: Closures, at: Configuration) -> tuple[Array, Array]:
    """Phi and Phi_q of the same configuration, which one check after the other asks for.

    Of 20,000 rows of a platform a Jacobian has a hundred megabytes, so one is kept.
    """
    values, rates = closures.value_and_rate(at, unit_rates(len(closures.skeleton.coordinates)))
    for each in (values, rates):
        each.setflags(write=False)
    return values, np.moveaxis(rates, 0, -1)


def closures_of(skeleton: Skeleton) -> Closures:
    """The equations of all closing joints, in their order, and of held spins; none for an open chain.

    Raises:
        ModelError: a closing joint is of an unknown type.
    """
    loops = _loops_of(skeleton)
    if not _leaves_spins(loops):
        return loops
    nominal = _loops_of(skeleton_of(skeleton.mechanism))
    spins = spins_of(skeleton, nominal.skeleton, partial(least_squares, nominal))
    held = tuple(AlignmentEquation(GROUND, body, across, along) for body, across, along in spins)
    return Closures(skeleton, (*loops.equations, *held), np.append(loops.scales, np.ones(len(held))))


def _loops_of(skeleton: Skeleton) -> Closures:
    """The equations of all closing joints, no spin held."""
    equations = tuple(equation for closing in skeleton.closings for equation in equations_of(closing))
    return Closures(
        skeleton, equations, np.array([skeleton.length if isinstance(e, PointEquation) else 1.0 for e in equations])
    )


def _leaves_spins(closures: Closures) -> bool:
    """Whether links between two balls leave more degrees of freedom than coordinates are independent."""
    skeleton = closures.skeleton
    if not closures.equations or not links_between_balls(skeleton.mechanism):
        return False
    pose = skeleton.mechanism.pose
    given = np.array([[float(pose.get(name, 0)) for name in skeleton.coordinates]])
    jacobian = closures.residual_and_jacobian(configuration(least_squares(closures, given)))[1][0]
    rank = int(np.linalg.matrix_rank(jacobian * skeleton.units, tol=1e-8))
    return len(skeleton.coordinates) - rank > len(skeleton.independent)


def least_squares(closures: Closures, coordinates: Array, settled: float = 0.0) -> Array:
    """Gauss-Newton on all closures, redundant ones included, over the dependent coordinates.

    It ends early after a step that is not longer than `settled`, in rad and m.
    """
    dependent = list(closures.skeleton.dependent)
    for _ in range(ITERATIONS):
        residual, jacobian = closures.residual_and_jacobian(configuration(coordinates))
        step = np.linalg.lstsq(jacobian[0][:, dependent], -residual[0], rcond=None)[0]
        coordinates = coordinates.copy()
        coordinates[0, dependent] += step
        if np.abs(step).max(initial=0.0) <= settled:
            break
    return coordinates


def chosen_rows(jacobian: Array, rank: int, tolerance: float = 1e-9) -> tuple[int, ...]:
    """`rank` independent rows of one Jacobian (m, n), the longest remaining first (Gram-Schmidt).

    Raises:
        ModelError: fewer rows than that are independent.
    """
    rest = np.array(jacobian, dtype=np.float64)
    rows: list[int] = []
    for _ in range(rank):
        lengths = np.linalg.norm(rest, axis=1)
        row = int(np.argmax(lengths))
        if lengths[row] <= tolerance:
            raise SingularPose(
                f"the loop closures fix {len(rows)} of {rank} dependent coordinates at the design pose; "
                "it is singular, or the independent coordinates cannot drive the mechanism"
            )
        direction = rest[row] / lengths[row]
        rest -= np.outer(rest @ direction, direction)
        rows.append(row)
    return tuple(sorted(rows))
