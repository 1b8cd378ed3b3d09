"""The table that seeds a seeded Newton block: polynomials in the one independent coordinate, made offline.

In: a mechanism, a body on one joint and the links that hold it at constant distances. Out: the order of
unknowns and links for elimination without pivoting, nominal pivots and the coefficients of a Chebyshev fit from which
Newton steps reach rounding over the whole range of the coordinate. A power more costs a product for each unknown, a
step more hundreds: one step wherever a polynomial comes near enough. Where tunable parameters move joints, two, which
start farther away at other values.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from exporter.errors import NoForm, NotAssembled, RangesRefused
from exporter.kinematics.closures.numeric import (
    Array,
    complex_steps,
    numbers_of,
    point_of,
    poses_of,
)
from exporter.kinematics.closures.pose_row import pose_row
from exporter.kinematics.closures.rank import newton_steps
from exporter.kinematics.seeded.ordered_elimination import Order, elimination_order
from exporter.kinematics.seeded.seed import TRIED_DECIMALS, Fit, fit_polynomials
from exporter.model.mechanism import Frame, Joint, Mechanism
from exporter.model.once import once_per_model
from exporter.model.parameter_sets import frozen_at_nominal, shaping_names
from exporter.records import dataclass

NODES = 41  # Chebyshev nodes over the range
LOWEST_DEGREE, HIGHEST_DEGREE = 3, 14  # degrees that are tried
MOST_STEPS = 2  # Newton steps of a seeded Newton block
LARGEST_RESIDUAL = 6e-16  # over the squared length, that the steps may leave at every place
ROUNDING_LEFT = 2  # times what is left where Newton's method has settled
LARGEST_ROUNDING = 2e-15  # that is taken for rounding: where nothing assembles far more is left
OFFLINE_STEPS = 12  # Newton steps offline
ROUNDING = 1e-14  # a Newton step below this (rad, m) was the last one

Coefficients = tuple[tuple[Fraction, ...], ...]  # per unknown, from the constant on


@dataclass(frozen=True, slots=True)
class ConstantDistance:
    """A constant distance: between a point of the body and a point elsewhere."""

    sought: Joint
    far: Joint
    near: Frame  # on the body
    anchor: Frame  # on a body that only independent coordinates move
    ends: tuple[Frame, Frame]  # on the link


@dataclass(frozen=True, slots=True)
class NewtonTable:
    """Unknowns and links in the order of elimination; a polynomial in t = (q - middle) / half per unknown."""

    unknowns: tuple[str, ...]
    links: tuple[ConstantDistance, ...]
    order: Order
    middle: Fraction
    half: Fraction
    coefficients: Coefficients
    steps: int  # of Newton's method, from there


def table_of(
    mechanism: Mechanism, body: str, unknowns: Sequence[str], links: Sequence[ConstantDistance], length: float
) -> NewtonTable:
    """The table, which is made of nominal values: once, whichever parameters are tunable and move no joint.

    Raises:
        NoForm: more than one coordinate drives the mechanism.
        RangesRefused: the range cannot be followed from the design pose, or no polynomial of moderate degree seeds the
            steps.
    """
    fewest = MOST_STEPS if shaping_names(mechanism) else 1
    return _nominal_table(frozen_at_nominal(mechanism), body, tuple(unknowns), tuple(links), length, fewest)


@once_per_model
def _nominal_table(
    mechanism: Mechanism,
    body: str,
    unknowns: tuple[str, ...],
    links: tuple[ConstantDistance, ...],
    length: float,
    fewest: int,
) -> NewtonTable:
    if len(mechanism.independent) != 1:
        raise NoForm(
            f"{mechanism.name}: {', '.join(unknowns)} must be solved together from {len(mechanism.independent)} "
            "coordinates, and a seeded Newton block is driven by one"
        )
    missing = [name for name in unknowns if name not in mechanism.pose]
    if missing:
        raise NotAssembled(
            f"{mechanism.name}: the pose gives no value of '{missing[0]}', which the table of {', '.join(unknowns)} "
            "starts from; add it under [coordinates] pose"
        )
    order = _elimination(mechanism, body, unknowns, links, length)
    ordered = tuple(unknowns[column] for column in order.columns)
    system = _system(mechanism, ordered, [links[row] for row in order.rows], length)
    limits = mechanism.ranges[mechanism.independent[0]]
    middle, half = (limits.maximum + limits.minimum) / 2, (limits.maximum - limits.minimum) / 2
    nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    start = np.array([float(mechanism.pose[name]) for name in ordered])
    values = _follow_targets(mechanism, system, ordered, start, float(middle) + float(half) * nodes)
    slides = _slides(mechanism, body)
    units = [length if name in slides else 1.0 for name in ordered]
    for steps, degree in product(range(fewest, MOST_STEPS + 1), range(LOWEST_DEGREE, HIGHEST_DEGREE + 1)):
        trial = _Trial(system, nodes, float(middle), float(half), steps)
        coefficients = trial.coefficients(fit_polynomials(nodes[:, None], values, degree), units)
        if coefficients is not None:
            sought = tuple(links[row] for row in order.rows)
            return NewtonTable(ordered, sought, order, middle, half, coefficients, steps)
    raise RangesRefused(
        f"{mechanism.name}: no polynomial up to degree {HIGHEST_DEGREE} seeds {MOST_STEPS} Newton steps for "
        f"{', '.join(unknowns)} over the range of {mechanism.independent[0]}"
    )


@dataclass(frozen=True)
class System:
    """The distances of a block's links, at an independent coordinate (n,) and unknowns (n, u)."""

    left: Callable[[Array], Array]  # rows of both (n, 1 + u), complex or not -> residuals (n, m)

    def residuals(self, independent: Array, unknown: Array) -> Array:
        """What the links are too long or too short by, (n, m)."""
        return self.left(np.column_stack([independent, unknown]))

    def linearised(self, independent: Array, unknown: Array) -> tuple[Array, Array]:
        """Residuals (n, m), and Jacobians by the unknowns (n, m, u)."""
        values = np.column_stack([independent, unknown])
        residuals, jacobians = complex_steps(self.left, values, np.ones(values.shape[1]))
        return residuals, jacobians[:, :, 1:]


def _system(mechanism: Mechanism, unknowns: Sequence[str], links: Sequence[ConstantDistance], length: float) -> System:
    names = mechanism.coordinates()
    numbers = numbers_of(mechanism)
    columns = [names.index(name) for name in (mechanism.independent[0], *unknowns)]
    base = pose_row(mechanism)
    squares = [np.sum((numbers.place[one] - numbers.place[other]) ** 2) for one, other in (k.ends for k in links)]
    bodies = {frame.body for link in links for frame in (link.near, link.anchor)}

    def left(values: Array) -> Array:
        rows = np.tile(base, (len(values), 1)).astype(values.dtype)
        rows[:, columns] = values
        poses = poses_of(numbers, rows, bodies)
        gaps = [point_of(numbers, poses, link.near) - point_of(numbers, poses, link.anchor) for link in links]
        halves = [(np.einsum("ri,ri->r", gap, gap) - square) / 2 for gap, square in zip(gaps, squares, strict=True)]
        return np.stack(halves, axis=-1) / length**2

    return System(left)


def _newton(system: System, independent: Array, start: Array, steps: int) -> Array:
    """Unknowns (n, u) after so many steps; a row whose Jacobian is singular goes no further."""
    at = start
    for _ in range(steps):
        residual, jacobian = system.linearised(independent, at)
        step = newton_steps(jacobian, residual)
        at = at - step
        if np.abs(step).max() < ROUNDING:
            break
    return at


def _follow_targets(mechanism: Mechanism, system: System, names: Sequence[str], start: Array, targets: Array) -> Array:
    """Solutions at the targets, by continuation from the design pose both ways; (targets, unknowns)."""
    design = np.array([float(mechanism.pose[mechanism.independent[0]])])
    found = np.empty((len(targets), len(start)))
    origin = _newton(system, design, start[None], OFFLINE_STEPS)
    for side in (targets >= design, targets < design):
        here = origin
        for index in sorted(np.flatnonzero(side), key=lambda k: abs(targets[k] - design[0])):
            here = _newton(system, targets[[index]], here, OFFLINE_STEPS)
            residual = system.residuals(targets[[index]], here)
            if not np.abs(residual).max() < 1e-12:
                raise RangesRefused(
                    f"{mechanism.name}: Newton's method does not follow {', '.join(names)} from the design pose to "
                    f"{mechanism.independent[0]} = {targets[index]:.6g}"
                )
            found[index] = here[0]
    return found


@dataclass(frozen=True)
class _Trial:
    """Where coefficients are tried: a range of the independent coordinate, and so many Newton steps."""

    system: System
    nodes: Array  # on [-1, 1]
    middle: float
    half: float
    steps: int

    def coefficients(self, fit: Fit, units: Sequence[float]) -> Coefficients | None:
        """One decimal more than the fewest that let the steps reach rounding; None where no number does.

        The spare decimal is for the places between those that are tried.
        """
        found: list[Coefficients] = []
        for decimals in reversed(TRIED_DECIMALS):
            powers = fit.rounded(decimals, units).polynomials()
            tried = tuple(tuple(each.coefficients.get(k, Fraction(0)) for k in fit.exponents) for each in powers)
            if not self._reaches_targets(tried):
                break
            found.append(tried)
        return found[-2:][0] if found else None

    def _reaches_targets(self, coefficients: Coefficients) -> bool:
        between = np.concatenate([self.nodes, np.linspace(-1, 1, 2 * NODES)])
        seeds = [np.polyval([float(c) for c in each[::-1]], between) for each in coefficients]
        places = self.middle + self.half * between
        reached = _newton(self.system, places, np.stack(seeds, axis=-1), self.steps)
        settled = _newton(self.system, places, reached, OFFLINE_STEPS)
        left, rounding = (np.abs(self.system.residuals(places, each)).max() for each in (reached, settled))
        return bool(left < max(LARGEST_RESIDUAL, ROUNDING_LEFT * min(rounding, LARGEST_ROUNDING)))


def _slides(mechanism: Mechanism, body: str) -> set[str]:
    return set(mechanism.displacements()) & set(mechanism.spanning_tree().joints[body].coordinates)


def _elimination(
    mechanism: Mechanism, body: str, unknowns: Sequence[str], links: Sequence[ConstantDistance], length: float
) -> Order:
    """The order at the design pose; distances are squared."""
    system = _system(mechanism, unknowns, links, length)
    start = np.array([float(mechanism.pose[name]) for name in unknowns])
    matrix = system.linearised(np.array([float(mechanism.pose[mechanism.independent[0]])]), start[None])[1][0]
    slides = _slides(mechanism, body)
    units = [Fraction(length) if name in slides else Fraction(1) for name in unknowns]
    return elimination_order(matrix * length**2, [Fraction(length) ** 2] * len(links), units)
