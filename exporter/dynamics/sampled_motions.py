"""Random poses of a mechanism, and how its bodies move there per unit of every independent rate, in float64.

In: a Mechanism, its parameters at their nominal values. Out: velocities of all centres of mass and spins of
all bodies. Newton's method closes the loops from the design pose, so that it takes no triangular form. Where it does
not reach half of the poses, these are drawn nearer to the design pose; those that it still does not reach are left out.
"""

import numpy as np

from exporter.kinematics.closures.closing import Closures, close_rows, jacobians, joint_closures
from exporter.kinematics.closures.numeric import COMPLEX_STEP, Array, numbers_of, poses_of, step_rows
from exporter.kinematics.closures.pose_row import pose_row
from exporter.kinematics.closures.tolerances import ZERO_SINGULAR_VALUE
from exporter.model.couplings import ratio_values
from exporter.model.evaluate import evaluate
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass

POSES = 16  # at which motions are looked at, the design pose among them
SEED = 9
WIDEST_HALF_RANGE = 4.0  # rad or lengths to each side of the design pose, where ranges are wider
MOST_HALVINGS = 6  # times the way to poses that are not reached is halved
LEAST_AXES_VOLUME = 1e-3  # volume that three axes of a ball span, above which its angles give way to the spin


@dataclass(frozen=True, slots=True)
class SampledMotions:
    """Velocities (poses, bodies, c, 3) per unit rate of every tree coordinate, ground axes, and what moves them.

    `basis` (poses, c, f) holds the rates of all tree coordinates per unit rate of each independent one. In the plane
    the rate of an angle is that of the body against ground, as the planar engine has it: a body that cannot turn does
    not, however much the angles between bodies do. In space the three angles of the ball that carries a body which its
    points span are replaced by its spin in ground axes for the same reason.
    """

    centres: Array
    angular_velocities: Array
    turns: Array  # (poses, bodies, 3, 3)
    basis: Array


def sampled_motions(mechanism: Mechanism, spanned: frozenset[str] = frozenset(), *, planar: bool) -> SampledMotions:
    """At the design pose and random ones within the ranges; the engine sums `spanned` bodies from their points."""
    closures, rows = sampled_rows(mechanism)  # spins that nothing drives take the smallest motion
    count = len(mechanism.coordinates())
    moved = poses_of(closures.numbers, step_rows(rows))
    centres, angular_velocities, turns = [], [], []
    for body, centre in _centres(mechanism).items():
        turn = _by_pose(moved.turn[body], len(rows), count, (3, 3))
        origin = _by_pose(moved.origin[body], len(rows), count, (3,))
        angular_velocity = np.imag(turn) / COMPLEX_STEP @ np.swapaxes(np.real(turn), -1, -2)
        centres.append(np.imag(origin + turn @ centre) / COMPLEX_STEP)
        angular_velocities.append(
            np.stack([angular_velocity[..., 2, 1], angular_velocity[..., 0, 2], angular_velocity[..., 1, 0]], axis=-1)
        )
        turns.append(np.real(turn[:, 0]))
    found = np.stack(centres, axis=1), np.stack(angular_velocities, axis=1)
    summed = _sum_rates(mechanism, found[1]) if planar else _turned(mechanism, found[1], spanned)
    centres_of, spins_of = (np.einsum("pbci,pcd->pbdi", part, np.linalg.inv(summed)) for part in found)
    return SampledMotions(centres_of, spins_of, np.stack(turns, axis=1), summed @ _basis(closures, rows))


def sampled_rows(mechanism: Mechanism) -> tuple[Closures, Array]:
    """The closures, and values of all coordinates, (poses, c), at the design pose and random ones within the ranges."""
    closures = joint_closures(mechanism)
    return closures, _close_rows(closures, _rows(closures))


def _sum_rates(mechanism: Mechanism, angular_velocities: Array) -> Array:
    """Rates of bodies against ground, about the plane's normal, per rate of every tree coordinate; slides are kept."""
    names, tree = mechanism.coordinates(), mechanism.spanning_tree()
    every = angular_velocities.reshape(-1, 3)
    signs = np.rint(np.einsum("bci,i->bc", angular_velocities[0], every[np.linalg.norm(every, axis=1).argmax()]))
    sign = signs[np.abs(signs).argmax(axis=0), range(len(names))]
    total = np.eye(len(names))
    for joint in tree.joints.values():
        before = [name for each in tree.path(joint.parent.body) for name in each.coordinates]
        for position, name in enumerate(joint.coordinates):
            for other in (*before, *joint.coordinates[: position + 1]) if sign[names.index(name)] else ():
                total[names.index(name), names.index(other)] = sign[names.index(other)]
    return np.tile(total, (len(angular_velocities), 1, 1))


def _turned(mechanism: Mechanism, angular_velocities: Array, spanned: frozenset[str]) -> Array:
    """Rates per rate of every tree coordinate, (poses, c, c): three angles of spanned bodies give way to their spin."""
    names, carriers = mechanism.coordinates(), mechanism.spanning_tree().joints
    total = np.tile(np.eye(len(names)), (len(angular_velocities), 1, 1))
    for number, body in enumerate(mechanism.bodies):
        turns = [names.index(name) for name in carriers[body.name].coordinates if mechanism.is_angle(name)]
        if body.name in spanned and len(turns) == len("xyz"):
            regular = np.abs(np.linalg.det(angular_velocities[:, number][:, turns])) > LEAST_AXES_VOLUME
            total[np.ix_(regular, turns)] = angular_velocities[regular, number].swapaxes(1, 2)
    return total


def geometry(mechanism: Mechanism) -> bytes:
    """All numbers that poses follow from: alike for mechanisms that move alike."""
    numbers = numbers_of(mechanism)
    values = mechanism.nominal_values()
    ratios = [np.array(float(value)) for each in mechanism.couplings for value in ratio_values(each, values).values()]
    parts = [*numbers.place.values(), *numbers.turn.values(), *_centres(mechanism).values(), *ratios]
    return np.concatenate([part.ravel() for part in parts]).tobytes()


def _by_pose(values: Array, poses: int, count: int, shape: tuple[int, ...]) -> Array:
    """What may be alike for all rows, (poses, c, ...)."""
    return np.broadcast_to(values, (poses * count, *shape)).reshape(poses, count, *shape)


def _centres(mechanism: Mechanism) -> dict[str, Array]:
    values = mechanism.nominal_values()
    return {
        body.name: np.array([float(evaluate(part, values)) for part in body.center_of_mass])
        for body in mechanism.bodies
    }


def _rows(closures: Closures) -> Array:
    """The design pose, then random independent coordinates with its dependent ones."""
    mechanism, units = closures.mechanism, closures.units
    names = mechanism.coordinates()
    design = pose_row(mechanism)
    rows = np.tile(design, (POSES, 1))
    generator = np.random.Generator(np.random.Philox(SEED))
    for name in mechanism.independent:
        number, limits = names.index(name), mechanism.ranges[name]
        low = max(float(limits.minimum), design[number] - WIDEST_HALF_RANGE * units[number])
        high = min(float(limits.maximum), design[number] + WIDEST_HALF_RANGE * units[number])
        rows[1:, number] = generator.uniform(low, high, POSES - 1)
    return rows


def _close_rows(closures: Closures, rows: Array) -> Array:
    """The rows that Newton's method closes, at least the first; the way to the others is halved while they are most."""
    found = np.empty((0, rows.shape[1]))
    for _ in range(MOST_HALVINGS + 1):
        tried, good = close_rows(closures, rows, closures.mechanism.independent)
        good[0] |= not len(found) and not good.any()
        found, rows = np.concatenate([found, tried[good]]), rows[~good]
        if 2 * len(found) >= POSES:
            break
        rows = (rows + found[0]) / 2
    return found


def _dependent(closures: Closures) -> list[int]:
    mechanism = closures.mechanism
    return [number for number, name in enumerate(mechanism.coordinates()) if name not in mechanism.independent]


def _slopes(closures: Closures, rows: Array) -> Array:
    """Derivatives of the closures per rad or m, (rows, equations, c)."""
    return np.asarray(jacobians(closures, rows) / closures.units)


def _basis(closures: Closures, rows: Array) -> Array:
    """Rates of all tree coordinates per unit rate of each independent one, (poses, c, f)."""
    names, free = closures.mechanism.coordinates(), _dependent(closures)
    chosen = [names.index(name) for name in closures.mechanism.independent]
    basis = np.zeros((len(rows), len(names), len(chosen)))
    basis[:, chosen, range(len(chosen))] = 1.0
    if free:
        jacobian = _slopes(closures, rows)
        basis[:, free, :] = -np.linalg.pinv(jacobian[:, :, free], rcond=ZERO_SINGULAR_VALUE) @ jacobian[:, :, chosen]
    return basis
