"""Residuals of all closure equations and their Jacobian, of the coordinates in each loop alone.

With a the axis of a coordinate, o where it stands, and s = 1 on the child's side of the loop, -1 on the parent's (what
turns both sides turns neither against the other), the columns are, of a closure at p_child,

  point      s u . (a x (p_child - o)) of a turn, s u . a of a slide;
  alignment  -s a . (u x w), and of a turn equation the like sums of u_i x w_j.

Rows stand last: (equations, rows) and (equations, coordinates, rows).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from sil.reference.closure_equations import AlignmentEquation, Equation, PointEquation, TurnEquation
from sil.reference.couplings import Tie
from sil.reference.drift import Drift
from sil.reference.elimination import places_of
from sil.reference.motion import Configuration
from sil.reference.placing import Parts, Placed, motions_to, parts_of, place_bodies, turned
from sil.reference.rotations import Array, cross_rows, products
from sil.reference.skeleton import Skeleton

HALF_TURN = 1e-6  # of 1 + 2 cos(angle) + 1: below, two frames count as half a turn apart, and the loop as open


@dataclass(frozen=True, slots=True)
class Columns:
    """The coordinates of one kind of motion in a loop, and the side on which each stands."""

    numbers: list[int]
    sides: Array  # (numbers, 1)
    places: slice | list[int]  # columns of the Jacobian that they are written to

    def write(self, jacobian: Array, rows: slice, slopes: Array, moves: Array) -> None:
        """Scalar products of slopes, (equations, 3, rows), and of what each coordinate moves, (numbers, 3, rows)."""
        jacobian[rows, self.places] = products(slopes, moves) * self.sides

    def among(self, coordinates: Sequence[int]) -> "Columns":
        """The columns of some coordinates, written to a Jacobian of these alone."""
        kept = [k for k, number in enumerate(self.numbers) if number in coordinates]
        numbers = [self.numbers[k] for k in kept]
        return Columns(numbers, self.sides[kept], places_of([coordinates.index(number) for number in numbers]))


@dataclass(frozen=True, slots=True)
class Points:
    """Equations of two points that coincide, of one pair of points."""

    rows: slice
    parent: int
    child: int
    on_parent: Parts
    on_child: Parts
    directions: tuple[Parts, ...]  # fixed on the parent
    turning: Columns
    sliding: Columns

    @property
    def columns(self) -> tuple[Columns, ...]:
        """The coordinates that these equations read."""
        return self.turning, self.sliding

    def among(self, coordinates: Sequence[int], rows: slice) -> "Points":
        """These equations of some coordinates alone, written to other rows."""
        turning, sliding = (each.among(coordinates) for each in self.columns)
        return replace(self, rows=rows, turning=turning, sliding=sliding)

    def write_bias(self, drift: Drift, bias: Array) -> None:
        """Write what is left of second derivatives where no coordinate accelerates, to (equations, rows)."""
        ends = (self.child, self.on_child), (self.parent, self.on_parent)
        gap = drift.placed.point(*ends[0]) - drift.placed.point(*ends[1])
        speed, pull = (one - other for one, other in zip(*(drift.of_point(*end) for end in ends), strict=True))
        for row, parts in enumerate(self.directions, start=self.rows.start):
            along = turned(drift.placed.turns[self.parent], parts)
            first, second = drift.of_direction(self.parent, along)
            bias[row] = (second * gap + 2 * first * speed + along * pull).sum(axis=0)

    def evaluate(self, placed: Placed, residual: Array, jacobian: Array | None) -> None:
        """Write the rows of these equations."""
        at = placed.point(self.child, self.on_child)
        along = np.stack([turned(placed.turns[self.parent], each) for each in self.directions])
        residual[self.rows] = (along * (at - placed.point(self.parent, self.on_parent))).sum(axis=1)
        if jacobian is not None and self.turning.numbers:
            arms = at - np.stack([placed.centres[column] for column in self.turning.numbers])
            moves = cross_rows(placed.axes_of(self.turning.numbers), arms)
            self.turning.write(jacobian, self.rows, along, moves)
        if jacobian is not None and self.sliding.numbers:
            self.sliding.write(jacobian, self.rows, along, placed.axes_of(self.sliding.numbers))


@dataclass(frozen=True, slots=True)
class Directions:
    """Equations of the directions of two bodies: of each the directions on both, and the components of a turn."""

    rows: slice
    parent: int
    child: int
    pairs: tuple[tuple[tuple[Parts, ...], tuple[Parts, ...], tuple[int, int] | None], ...]
    turning: Columns

    @property
    def columns(self) -> tuple[Columns, ...]:
        """The coordinates that these equations read."""
        return (self.turning,)

    def among(self, coordinates: Sequence[int], rows: slice) -> "Directions":
        """These equations of some coordinates alone, written to other rows."""
        return replace(self, rows=rows, turning=self.turning.among(coordinates))

    def write_bias(self, drift: Drift, bias: Array) -> None:
        """Write what is left of second derivatives where no coordinate accelerates, to (equations, rows)."""
        for row, (on_parent, on_child, about) in enumerate(self.pairs, start=self.rows.start):
            u = [_orders(drift, self.parent, each) for each in on_parent]
            w = [_orders(drift, self.child, each) for each in on_child]
            bias[row] = _product(u[0], w[0])[2] if about is None else _turn_bias(u, w, *about)

    def evaluate(self, placed: Placed, residual: Array, jacobian: Array | None) -> None:
        """Write the rows of these equations."""
        one, other = placed.turns[self.parent], placed.turns[self.child]
        found = []
        for on_parent, on_child, about in self.pairs:
            u, w = [turned(one, each) for each in on_parent], [turned(other, each) for each in on_child]
            found.append(_aligned(u[0], w[0]) if about is None else _turn(u, w, *about))
        residual[self.rows] = [value for value, _ in found]
        if jacobian is not None and self.turning.numbers:
            slopes = -np.stack([slope for _, slope in found])
            self.turning.write(jacobian, self.rows, slopes, placed.axes_of(self.turning.numbers))


def _aligned(u: Array, w: Array) -> tuple[Array, Array]:
    """u . w, (rows,), and g with its rate (spin of the parent - spin of the child) . g, (3, rows)."""
    return (u * w).sum(axis=0), cross_rows(u, w)


def _turn(u: list[Array], w: list[Array], i: int, j: int) -> tuple[Array, Array]:
    """The component about the third axis of what turns u into w, likewise with its g."""
    (first, first_slope), (second, second_slope) = _aligned(u[i], w[j]), _aligned(u[j], w[i])
    along = [_aligned(u[k], w[k]) for k in range(3)]
    size, size_slope = 1 + sum(value for value, _ in along), sum(slope for _, slope in along)
    size = np.where(np.real(size) < HALF_TURN, HALF_TURN, size)
    value = 2 * (first - second) / size
    return value, (2 * (first_slope - second_slope) - value * size_slope) / size


@dataclass(frozen=True, slots=True)
class Coupled:
    """The equation of a coupling."""

    rows: slice
    tie: Tie
    tied: Columns  # the factors stand for sides

    @property
    def columns(self) -> tuple[Columns, ...]:
        """The coordinates that this equation reads."""
        return (self.tied,)

    def among(self, coordinates: Sequence[int], rows: slice) -> "Coupled":
        """This equation of some coordinates alone, written to another row."""
        return replace(self, rows=rows, tied=self.tied.among(coordinates))

    def write_bias(self, drift: Drift, bias: Array) -> None:
        """Nothing is left where no coordinate accelerates."""

    def evaluate(self, placed: Placed, residual: Array, jacobian: Array | None) -> None:
        """Write the row of this equation."""
        residual[self.rows] = self.tie.residual(placed.values)
        if jacobian is not None and self.tied.numbers:
            jacobian[self.rows, self.tied.places] = self.tied.sides


Orders = tuple[Array, Array, Array]
"""Something that moves, with its first and second derivative."""


def _orders(drift: Drift, body: int, parts: Parts) -> Orders:
    direction = turned(drift.placed.turns[body], parts)
    return direction, *drift.of_direction(body, direction)


def _product(u: Orders, w: Orders) -> Orders:
    """The scalar product of two directions, (rows,) each."""
    first, second = u[1] * w[0] + u[0] * w[1], u[2] * w[0] + 2 * u[1] * w[1] + u[0] * w[2]
    return (u[0] * w[0]).sum(axis=0), first.sum(axis=0), second.sum(axis=0)


def _turn_bias(u: list[Orders], w: list[Orders], i: int, j: int) -> Array:
    """The second derivative of `_turn`, by the rule for quotients."""
    above = [2 * (one - other) for one, other in zip(_product(u[i], w[j]), _product(u[j], w[i]), strict=True)]
    along = [_product(u[k], w[k]) for k in range(3)]
    size, first, second = (sum(each[order] for each in along) for order in range(3))
    size = np.where(1 + size < HALF_TURN, HALF_TURN, 1 + size)
    value = above[0] / size
    rate = (above[1] - value * first) / size
    return np.asarray((above[2] - 2 * rate * first - value * second) / size)


Group = Points | Directions | Coupled


def groups_of(skeleton: Skeleton, equations: Sequence[Equation]) -> tuple[Group, ...]:
    """Equations of one kind between one pair of points, or of bodies, taken together."""
    numbered = enumerate(equations)
    return tuple(_group(skeleton, list(members)) for _, members in groupby(numbered, key=lambda each: _key(each[1])))


def _key(equation: Equation) -> tuple[object, ...]:
    if isinstance(equation, Tie):
        return equation.factors, equation.constant
    if not isinstance(equation, PointEquation):
        return equation.parent, equation.child
    places = equation.parent, equation.child
    return tuple((place.body, *place.at.tolist()) for place in places)


def _group(skeleton: Skeleton, members: list[tuple[int, Equation]]) -> Group:
    first, rows = members[0][1], slice(members[0][0], members[-1][0] + 1)
    if isinstance(first, Tie):
        numbers = sorted(dict(first.factors))
        factors = np.array([[dict(first.factors)[k]] for k in numbers])
        return Coupled(rows, first, Columns(numbers, factors, places_of(numbers)))
    if isinstance(first, PointEquation):
        parent, child = first.parent, first.child
        directions = tuple(parts_of(each.direction) for _, each in members if isinstance(each, PointEquation))
        ends = parent.body, child.body, parts_of(parent.at), parts_of(child.at)
        return Points(rows, *ends, directions, *_columns(skeleton, parent.body, child.body))
    pairs = tuple(_pair(each) for _, each in members if not isinstance(each, PointEquation | Tie))
    return Directions(rows, first.parent, first.child, pairs, _columns(skeleton, first.parent, first.child)[0])


def _pair(
    equation: AlignmentEquation | TurnEquation,
) -> tuple[tuple[Parts, ...], tuple[Parts, ...], tuple[int, int] | None]:
    if isinstance(equation, AlignmentEquation):
        return (parts_of(equation.on_parent),), (parts_of(equation.on_child),), None
    on_parent, on_child = equation.on_parent, equation.on_child
    return tuple(parts_of(each) for each in on_parent), tuple(parts_of(each) for each in on_child), equation.about


def _columns(skeleton: Skeleton, parent: int, child: int) -> tuple[Columns, Columns]:
    """The turns and the slides that move the child's side of a loop or the parent's, and not both."""
    ways = [{motion.coordinate: motion for motion in motions_to(skeleton, body)} for body in (child, parent)]
    motions = ways[0] | ways[1]
    sides = {column: 1.0 if column in ways[0] else -1.0 for column in sorted(set(ways[0]) ^ set(ways[1]))}
    kinds = [[column for column in sides if motions[column].kind == kind] for kind in ("turn", "slide")]
    turning, sliding = (
        Columns(some, np.array([sides[k] for k in some]).reshape(-1, 1), places_of(some)) for some in kinds
    )
    return turning, sliding


def evaluate(skeleton: Skeleton, groups: Sequence[Group], at: Configuration) -> tuple[Array, Array]:
    """Residuals (equations, rows) and the Jacobian (equations, coordinates, rows)."""
    residual = _no_residual(groups, at)
    jacobian = np.zeros((len(residual), len(skeleton.coordinates), len(at.values)), residual.dtype)
    placed = place_bodies(skeleton, at)
    for group in groups:
        group.evaluate(placed, residual, jacobian)
    return residual, jacobian


def bias_of(groups: Sequence[Group], drift: Drift) -> Array:
    """Second derivatives of all residuals where no coordinate accelerates, (equations, rows)."""
    bias = np.zeros((max((group.rows.stop for group in groups), default=0), drift.spins[0].shape[-1]))
    for group in groups:
        group.write_bias(drift, bias)
    return bias


def residuals(skeleton: Skeleton, groups: Sequence[Group], at: Configuration) -> Array:
    """Residuals alone, (equations, rows)."""
    return write_residuals(groups, place_bodies(skeleton, at), _no_residual(groups, at))


def write_residuals(groups: Sequence[Group], placed: Placed, residual: Array) -> Array:
    """Residuals of placed bodies, written to (equations, rows)."""
    for group in groups:
        group.evaluate(placed, residual, None)
    return residual


def _no_residual(groups: Sequence[Group], at: Configuration) -> Array:
    equations = max((group.rows.stop for group in groups), default=0)
    return np.zeros((equations, len(at.values)), np.result_type(at.values, at.sines))
