"""Loop closures of a skeleton: the equations of all closing joints, their Jacobian and bias.

A planar loop in space has redundant equations; `chosen_rows` picks independent ones.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np

from exporter.errors import SingularPose
from sil.reference.chunks import joined, row_slices
from sil.reference.closure_equations import AlignmentEquation, Equation, PointEquation, equations_of
from sil.reference.closure_jacobian import Group, Points, bias_of, evaluate, groups_of, residuals, write_residuals
from sil.reference.couplings import Tie
from sil.reference.drift import drift_of
from sil.reference.linear import System, independent_systems
from sil.reference.motion import Configuration, configuration
from sil.reference.placing import place_coordinates
from sil.reference.rotations import Array
from sil.reference.skeleton import GROUND, Skeleton, skeleton_of
from sil.reference.spins import links_between_balls, spins_of

ITERATIONS = 40  # of Newton; next to a double root every step halves the distance


@dataclass(frozen=True, eq=False)
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
        parts = [residuals(self.skeleton, self.groups, at.of_rows(rows)) for rows in row_slices(len(at.values))]
        return joined(parts, axis=-1).T / self.scales

    def sizes(self, at: Configuration) -> Array:
        """What residuals are measured by, (rows, m): the largest term of couplings and of points, at least 1.

        A term of a coupling is at least its ratio, in rad or length scales: no coordinate is told better than an angle
        of 1 rad. The terms of a point are levers, and a slide is one, as long as it stands out: its product with its
        direction is rounded as that of a lever is.
        """
        return self._sizes(at.values.T).T

    def _sizes(self, values: Array) -> Array:
        sizes = np.ones((len(self.equations), values.shape[1]))
        for group in self.groups:
            if isinstance(group, Points) and group.sliding.numbers:
                out = np.abs(values[group.sliding.numbers]).max(axis=0) / self.skeleton.length
                sizes[group.rows] = np.maximum(1.0, out)
        for number, equation in enumerate(self.equations):
            if isinstance(equation, Tie):
                units = self.skeleton.units
                terms = [abs(factor) * np.maximum(units[k], np.abs(values[k])) for k, factor in equation.factors]
                sizes[number] = np.maximum(1.0, np.max(terms, axis=0) / self.scales[number])
        return sizes

    def opening(self, values: Array) -> Array:
        """Largest residual, (rows,), at angles and displacements (c, rows)."""
        placed, residual = place_coordinates(self.skeleton, values), np.zeros((len(self.equations), values.shape[1]))
        write_residuals(self.groups, placed, residual)
        return np.asarray(np.abs(residual / self.scales[:, None] / self._sizes(values)).max(axis=0))

    def residual_and_jacobian(self, at: Configuration) -> tuple[Array, Array]:
        """Phi (rows, m) and Phi_q (rows, m, c), not to be written to: the last one is kept."""
        return _kept_jacobian(self, at)

    def bias(self, at: Configuration, rates: Array) -> Array:
        """The part of Phi's second derivative without accelerations, d(Phi_q)/dt q', (rows, m)."""
        parts = [
            bias_of(self.groups, drift_of(self.skeleton, at.of_rows(rows), rates[rows]))
            for rows in row_slices(len(at.values))
        ]
        return joined(parts, axis=-1).T / self.scales

    def evaluated(self, at: Configuration) -> tuple[Array, Array]:
        """Phi and Phi_q anew; complex of a complex configuration."""
        parts = [evaluate(self.skeleton, self.groups, at.of_rows(rows)) for rows in row_slices(len(at.values))]
        residual, jacobian = joined((one for one, _ in parts), axis=-1), joined((one for _, one in parts), axis=-1)
        jacobian /= self.scales[:, None, None]
        return residual.T / self.scales, np.moveaxis(jacobian, -1, 0)

    @cached_property
    def loops(self) -> tuple[System, ...]:
        """Equations that share dependent coordinates, with these: no equation outside reads them."""
        return independent_systems([self._dependents(row) for row in range(len(self.equations))])

    def _dependents(self, row: int) -> set[int]:
        """Places, among the dependent coordinates, of those that an equation reads."""
        group = next(each for each in self.groups if each.rows.start <= row < each.rows.stop)
        read = {column for columns in group.columns for column in columns.numbers}
        return {place for place, column in enumerate(self.skeleton.dependent) if column in read}

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Equations of one kind between one pair of points, or of bodies, taken together."""
        return groups_of(self.skeleton, self.equations)


@lru_cache(maxsize=1)
def _kept_jacobian(closures: Closures, at: Configuration) -> tuple[Array, Array]:
    """Phi and Phi_q of one configuration, which one check after the other asks for.

    Of 20,000 rows of a platform a Jacobian has a hundred megabytes, so one is kept.
    """
    values, jacobian = closures.evaluated(at)
    for each in (values, jacobian):
        each.setflags(write=False)
    return values, jacobian


@lru_cache(maxsize=16)
def chosen_closures(closures: Closures, rows: tuple[int, ...]) -> Closures:
    """Some of the equations: half of those of a planar loop in space are redundant."""
    return Closures(closures.skeleton, tuple(closures.equations[row] for row in rows), closures.scales[list(rows)])


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
    """The equations of all closing joints and couplings, no spin held."""
    loops = (equation for closing in skeleton.closings for equation in equations_of(closing))
    equations = (*loops, *skeleton.ties)
    return Closures(
        skeleton, equations, np.array([skeleton.length if _is_length(skeleton, e) else 1.0 for e in equations])
    )


def _is_length(skeleton: Skeleton, equation: Equation) -> bool:
    if isinstance(equation, Tie):
        return not skeleton.angles[equation.factors[0][0]]
    return isinstance(equation, PointEquation)


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
