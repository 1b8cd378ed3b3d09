"""Assembles the mechanism: Newton on the original closures, continued from the design pose along the branch.

In: values of the independent coordinates, one row each; out: all coordinates, or NaN where the branch does not reach.
No predictor next to a fold: started from the neighbour farther from it, Newton approaches it from its own side.
The sign of det(Phi_d) tells two assemblies that meet at a fold apart; every loop is told by its own, for two loops that
one coordinate drives may come to their folds at the same time.
"""

from dataclasses import dataclass

import numpy as np

from exporter.errors import NotAssembled
from sil.reference.chunks import joined, row_slices
from sil.reference.closure_inverse import closure_inverse
from sil.reference.closures import ITERATIONS, Closures, chosen_closures, chosen_rows, least_squares
from sil.reference.couplings import followed
from sil.reference.linear import condition_numbers
from sil.reference.loop_newton import NewtonGoal, newton_of
from sil.reference.motion import configuration
from sil.reference.rotations import Array

LONGEST_STEP = 0.5
"""Newton moves no coordinate farther in one step, in rad or length scales: next to a fold it would land turns away."""
CLOSED_OPENING = 1e-13
"""A row counts as assembled when no closure, redundant ones included, is open by more (over the length scale)."""


FINAL_GOAL = NewtonGoal(ITERATIONS, 1e-14, CLOSED_OPENING)
PASSING_GOAL = NewtonGoal(8, 1e-4, 1e-5)  # on the way from the design pose
NEAR_STEPS, WIDE_STEPS, NARROW_STEPS = 4, 15, 90
"""Steps from the design pose with several independent coordinates: to rows near it, to others, and to rows lost."""
WIDEST = np.pi / WIDE_STEPS
"""Rows that are nearer than so many steps of this length, in rad or length scales, take as many as they need."""
LONGEST_MOVE = 0.6
"""A dependent coordinate that moves farther in a wide step, in rad or length scales, may have changed its branch."""
LONGEST_CORRECTION = LONGEST_MOVE / 2
"""A pose that is farther from where the steps before lead to may be another one than theirs."""
COARSE_STEPS = 18
"""Continuation steps to each side of the design pose, over half a turn or the range of a displacement."""
SMOOTH_SHARE = 0.9
"""Between nodes whose determinants are so alike there is no fold to come near to."""
FINE_NODES = 3600
"""Nodes that are filled in over the whole of it, so that Newton starts close by."""


@dataclass(frozen=True, slots=True)
class Design:
    """The assembled design pose and what is decided there once."""

    coordinates: Array  # (c,)
    rows: tuple[int, ...]  # independent closure equations
    orientation: float  # sign of det(Phi_d) on them
    sides: Array  # (loops,), the sign of every loop's part of det(Phi_d)


def design_of(closures: Closures, near: Array | None = None, settled: float = 0.0) -> Design:
    """Assemble the design pose from a pose near it, (c,); None: the model's approximate one.

    `settled` is how long the last step of Newton's method may be.

    Raises:
        ModelError: it cannot be assembled, or is singular.
    """
    skeleton = closures.skeleton
    pose = skeleton.mechanism.pose
    given = [float(pose.get(name, 0)) for name in skeleton.coordinates]
    start = np.array([given if near is None else near], dtype=np.float64)
    start[0, list(skeleton.independent)] = [given[column] for column in skeleton.independent]
    if not skeleton.dependent:
        return Design(start[0], (), 1.0, np.empty(0))
    found = least_squares(closures, start, settled)
    opening = float(np.abs(closures.residual(configuration(found))).max())
    if not opening <= CLOSED_OPENING:
        raise NotAssembled(
            f"'{skeleton.mechanism.name}' does not close at its design pose: a loop stays open by {opening:.3g} of the "
            "longest link; check lengths and the values under 'pose'"
        )
    scaled = dependent_jacobian(closures, found)[0]
    rows = chosen_rows(scaled, len(skeleton.dependent))
    orientation = float(np.sign(np.linalg.det(scaled[list(rows)])))
    return Design(found[0], rows, orientation, sides_of(closures, rows, found[0]))


def sides_of(closures: Closures, rows: tuple[int, ...], coordinates: Array) -> Array:
    """The sign of every loop's determinant on these equations at one pose, (c,): (loops,)."""
    return newton_of(chosen_closures(closures, rows), LONGEST_STEP).sides(coordinates[:, None])[:, 0]


def dependent_jacobian(closures: Closures, coordinates: Array) -> Array:
    """Phi_d, (rows, m, n), displacements over the length scale: dimensionless."""
    skeleton, jacobian = closures.skeleton, closures.residual_and_jacobian(configuration(coordinates))[1]
    return np.asarray((jacobian * skeleton.units)[..., list(skeleton.dependent)])


@dataclass(frozen=True, slots=True)
class Path:
    """Poses along one independent coordinate, by its distance from the design pose (ascending)."""

    distances: Array  # (nodes,)
    coordinates: Array  # (nodes, c)
    tangents: Array  # (nodes, c), of the coordinates, by the distance
    determinants: Array  # (nodes,), of Phi_d on the chosen rows
    spacing: float  # a fold lies less than this beyond an end
    periodic: bool


@dataclass(frozen=True, slots=True)
class Assembly:
    """What is needed to assemble at any value of the independent coordinates."""

    closures: Closures
    design: Design
    path: Path | None  # for one independent coordinate
    patient: bool = True  # rows that wide steps lose are tried in narrow ones

    def assemble(self, independent: Array) -> Array:
        """All coordinates, (rows, c), from (rows, f); NaN where the branch does not reach."""
        if not self.closures.skeleton.dependent:
            everything = np.empty_like(independent)
            everything[:, list(self.closures.skeleton.independent)] = independent
            return everything
        if self.path is not None:
            parts = [independent[rows] for rows in row_slices(len(independent))]
            return joined(self.settle(_nearest(self.path, self.design, self.closures, p[:, 0]), p) for p in parts)
        return self._homotopy(independent)

    def conditions(self, coordinates: Array) -> Array:
        """Condition number of the scaled Phi_d, (rows,)."""
        if not self.closures.skeleton.dependent:
            return np.ones(len(coordinates))
        jacobian = dependent_jacobian(self.closures, coordinates)[:, list(self.design.rows)]
        return condition_numbers(jacobian, chosen_closures(self.closures, self.design.rows).loops)

    def orientations(self, coordinates: Array) -> Array:
        """Sign of det(Phi_d) on the chosen rows, (rows,)."""
        return np.asarray(np.sign(_determinants(self.closures, self.design, coordinates)))

    def settle(self, starts: Array, independent: Array, goal: NewtonGoal = FINAL_GOAL) -> Array:
        """Newton from `starts` at these independent values; NaN where it ends open or on another branch."""
        columns = list(self.closures.skeleton.independent)
        coordinates = starts.copy()
        coordinates[:, columns] = independent
        coordinates = followed(self.closures.skeleton.ties, columns, coordinates)
        alive = np.isfinite(coordinates).all(axis=1)
        result = np.full_like(coordinates, np.nan)
        if alive.any():
            result[alive] = _newton(self.closures, self.design, coordinates[alive], goal)
        return result

    def _homotopy(self, independent: Array) -> Array:
        """Straight from the design pose, angles the short way round; first in wide steps, then in narrow ones.

        Narrow steps start where wide ones lost a row. Lost rows are few, and taken together.
        """
        parts = [self._in_wide_steps(independent[rows]) for rows in row_slices(len(independent))]
        found, nodes, done = (joined(part[k] for part in parts) for k in range(3))
        lost = np.flatnonzero(~np.isfinite(found).all(axis=1)) if self.patient else np.arange(0)
        for rows in row_slices(len(lost)) if len(lost) else ():
            some = lost[rows]
            found[some] = self._in_narrow_steps(independent[some], nodes[some], done[some])
        return found

    def _in_wide_steps(self, independent: Array) -> tuple[Array, Array, Array]:
        """Poses, (rows, c), and of lost rows the last node and which part of the way, (rows,), it stands at."""
        steps = self._steps_to(independent)
        found, nodes, done = self._straight_path(independent, steps)
        for more in (NEAR_STEPS, WIDE_STEPS):
            again = (steps < more) & ~np.isfinite(found).all(axis=1)
            if again.any():
                steps[again] = more
                found[again], nodes[again], done[again] = self._straight_path(independent[again], steps[again])
        return found, nodes, done

    def _design_nodes(self, rows: int) -> tuple[Array, Array, Array]:
        """No pose, the design pose as the last node, and no part of the way, of so many rows."""
        nodes = np.broadcast_to(self.design.coordinates, (rows, len(self.design.coordinates))).copy()
        return np.full_like(nodes, np.nan), nodes, np.zeros(rows)

    def _steps_to(self, independent: Array) -> Array:
        """How many steps every row takes at first, (rows,): it depends on no other row."""
        units = self.closures.skeleton.units[list(self.closures.skeleton.independent)]
        longest = np.abs(self._from_design(independent) / units).max(axis=1)
        needed = np.maximum(np.ceil(longest / WIDEST), 1)
        return np.where(needed <= NEAR_STEPS, needed, WIDE_STEPS)

    def _from_design(self, independent: Array) -> Array:
        """Distances from the design pose, angles the short way round."""
        skeleton = self.closures.skeleton
        columns, turn = list(skeleton.independent), np.array(skeleton.turning)
        distance = independent - self.design.coordinates[columns]
        return np.where(turn, distance - 2 * np.pi * np.round(distance / (2 * np.pi)), distance)

    def _straight_path(self, independent: Array, steps: Array) -> tuple[Array, Array, Array]:
        """Poses, last nodes and their parts of the way, each row in its number of steps, (rows,).

        A step starts where the one before leads to, the first one along the tangents of the design pose. A row is lost
        where a step moves a dependent coordinate too far.
        """
        origin, distance = (
            self.design.coordinates[list(self.closures.skeleton.independent)],
            self._from_design(independent),
        )
        found, nodes, done = self._design_nodes(len(independent))
        starts = self._along_tangents(nodes, distance / np.maximum(steps, 1)[:, None])
        lost = np.zeros(len(independent), dtype=np.bool_)
        for step in range(1, int(steps.max(initial=0)) + 1):
            going = np.flatnonzero(~lost & (steps >= step))
            part = step / steps[going]
            there = self.settle(starts[going], origin + distance[going] * part[:, None], PASSING_GOAL)
            kept = self._moves(there, nodes[going]) <= LONGEST_MOVE
            kept &= self._moves(there, starts[going]) <= LONGEST_CORRECTION
            lost[going[~kept]] = True
            going, there = going[kept], there[kept]
            starts[going], nodes[going], done[going] = 2 * there - nodes[going], there, part[kept]
        alive = np.flatnonzero(~lost)
        found[alive] = self.settle(nodes[alive], independent[alive])
        return found, nodes, done

    def _along_tangents(self, nodes: Array, distance: Array) -> Array:
        """The first nodes, (rows, c), as the design pose's tangents tell them; itself where they lead too far."""
        dependent = list(self.closures.skeleton.dependent)
        design = configuration(self.design.coordinates[None])
        tangents = closure_inverse(self.closures, self.design.rows, design).motions[0]
        told = nodes.copy()
        told[:, dependent] += distance @ tangents.T
        return np.where((self._moves(told, nodes) <= LONGEST_MOVE)[:, None], told, nodes)

    def _moves(self, there: Array, nodes: Array) -> Array:
        """How far the dependent coordinates move at most, (rows,), in rad or length scales; infinite without a pose."""
        skeleton = self.closures.skeleton
        dependent = [column for column in skeleton.dependent if column not in skeleton.told]
        moves = (np.abs(there - nodes)[:, dependent] / skeleton.units[dependent]).max(axis=1, initial=0.0)
        return np.where(np.isfinite(there).all(axis=1), moves, np.inf)

    def _in_narrow_steps(self, independent: Array, nodes: Array, done: Array) -> Array:
        """Poses from nodes that stand at a part of the way each; a step may move a coordinate as far as it will."""
        origin, distance = (
            self.design.coordinates[list(self.closures.skeleton.independent)],
            self._from_design(independent),
        )
        found, at = np.full_like(nodes, np.nan), nodes.copy()
        alive, part = np.arange(len(independent)), done.copy()
        while len(alive):
            part[alive] = np.minimum(part[alive] + 1 / NARROW_STEPS, 1.0)
            at[alive] = self.settle(at[alive], origin + distance[alive] * part[alive, None], PASSING_GOAL)
            alive = alive[np.isfinite(at[alive]).all(axis=1)]
            there = alive[part[alive] >= 1.0]
            found[there], alive = self.settle(at[there], independent[there]), alive[part[alive] < 1.0]
        return found


def _newton(closures: Closures, design: Design, coordinates: Array, goal: NewtonGoal) -> Array:
    """Newton on the chosen rows; NaN where a row ends open or on the other side of a fold."""
    newton = newton_of(chosen_closures(closures, design.rows), LONGEST_STEP)
    columns, signs = newton.run(np.ascontiguousarray(coordinates.T), goal)
    on_branch = (signs == design.sides[:, None]).all(axis=0)
    columns[:, ~((closures.opening(columns) <= goal.closed) & on_branch)] = np.nan
    return np.ascontiguousarray(columns.T)


def _determinants(closures: Closures, design: Design, coordinates: Array) -> Array:
    return np.asarray(np.linalg.det(dependent_jacobian(closures, coordinates)[:, list(design.rows)]))


def assembly_of(closures: Closures, design: Design | None = None, nodes: int = FINE_NODES) -> Assembly:
    """Assemble the design pose, unless it is given, and, with one independent coordinate, the path along it.

    With fewer nodes than usual other poses are not followed in narrow steps either.

    Raises:
        ModelError: the design pose cannot be assembled, or is singular.
    """
    design = design_of(closures) if design is None else design
    bare = Assembly(closures, design, None, patient=nodes >= FINE_NODES)
    if len(closures.skeleton.independent) != 1 or not closures.skeleton.dependent:
        return bare
    return Assembly(closures, design, _path(bare, nodes))


def assembly_without_pose(closures: Closures) -> Assembly:
    """Closures without a design pose: they tell residuals, and reach no pose."""
    skeleton = closures.skeleton
    nowhere = np.full(len(skeleton.coordinates), np.nan)
    return Assembly(closures, Design(nowhere, tuple(range(len(skeleton.dependent))), 0.0, np.full(1, np.nan)), None)


def _path(assembly: Assembly, nodes: int) -> Path:
    """Follow the one independent coordinate both ways as far as its range or one turn goes, then fill in."""
    skeleton = assembly.closures.skeleton
    column = skeleton.independent[0]
    periodic = skeleton.turning[0]
    below, above = (np.pi, np.pi) if periodic else _reach(assembly, column)
    backward, forward = _walk(assembly, column, -below), _walk(assembly, column, above)
    if periodic and _whole(forward) != _whole(backward):
        forward = _walk(assembly, column, 2 * above) if _whole(forward) else forward
        backward = _walk(assembly, column, -2 * below) if _whole(backward) else backward
    coarse = np.array(
        [*(node for _, node in backward[::-1]), assembly.design.coordinates, *(node for _, node in forward)]
    )
    spacing = (above + below) / nodes
    return _fill_path(assembly, _path_of(assembly, coarse, spacing, periodic=False), periodic=periodic)


def _path_of(assembly: Assembly, nodes: Array, spacing: float, *, periodic: bool) -> Path:
    column = assembly.closures.skeleton.independent[0]
    determinants = _determinants(assembly.closures, assembly.design, nodes)
    distances = nodes[:, column] - assembly.design.coordinates[column]
    return Path(distances, nodes, _tangents(assembly, nodes), determinants, spacing, periodic)


def _tangents(assembly: Assembly, nodes: Array) -> Array:
    """All coordinates per unit of the one that is independent, (nodes, c)."""
    found = np.ones_like(nodes)
    inverse = closure_inverse(assembly.closures, assembly.design.rows, configuration(nodes))
    found[:, list(assembly.closures.skeleton.dependent)] = inverse.motions[:, :, 0]
    return found


def _reach(assembly: Assembly, column: int) -> tuple[float, float]:
    """How far a displacement goes below and above the design pose: its range, or the length scale."""
    skeleton = assembly.closures.skeleton
    bounds = skeleton.mechanism.ranges.get(skeleton.coordinates[column])
    start = float(assembly.design.coordinates[column])
    if bounds is None:
        return skeleton.length, skeleton.length
    return max(start - float(bounds.minimum), 0.0), max(float(bounds.maximum) - start, 0.0)


def _whole(nodes: list[tuple[float, Array]]) -> bool:
    return bool(nodes) and nodes[-1][0] >= 1.0 - 1e-12


def _walk(assembly: Assembly, column: int, distance: float) -> list[tuple[float, Array]]:
    """Nodes one way from the design pose, each after the part of the distance done.

    Steps are halved in front of a fold until it is closer than the spacing of the fine nodes.
    """
    nodes: list[tuple[float, Array]] = []
    here, done, step = assembly.design.coordinates, 0.0, 1.0 / COARSE_STEPS
    while done < 1.0 - 1e-12 and step * COARSE_STEPS > 1.0 / 256:
        target = assembly.design.coordinates[column] + (done + step) * distance
        settled = assembly.settle(here[None], np.array([[target]]))[0]
        if not np.isfinite(settled).all():
            step /= 2
            continue
        here, done = settled, done + step
        nodes.append((done, settled))
    return nodes


def _fill_path(assembly: Assembly, coarse: Path, *, periodic: bool) -> Path:
    """The coarse nodes and a fine grid between and a little beyond them, ascending."""
    column = assembly.closures.skeleton.independent[0]
    low, high = coarse.distances[0] - coarse.spacing, coarse.distances[-1] + coarse.spacing
    count = max(2, int(np.ceil((high - low) / coarse.spacing)))
    targets = assembly.design.coordinates[column] + np.linspace(low, high, count)
    fine = assembly.settle(_nearest(coarse, assembly.design, assembly.closures, targets), targets[:, None])
    nodes = np.concatenate([coarse.coordinates, fine[np.isfinite(fine).all(axis=1)]])
    ascending = nodes[np.argsort(nodes[:, column], kind="stable")]
    return _path_of(assembly, ascending, coarse.spacing, periodic=periodic)


def _nearest(path: Path, design: Design, closures: Closures, values: Array) -> Array:
    """For each value where Newton's method starts, (rows, c): NaN beyond the path's ends.

    That is the neighbouring node that is farther from a fold, or, where neither is nearer, a place between both.
    """
    distance = values - design.coordinates[closures.skeleton.independent[0]]
    if path.periodic:
        distance = _into_path(path, distance - 2 * np.pi * np.round(distance / (2 * np.pi)))
    above = np.searchsorted(path.distances, distance).clip(1, len(path.distances) - 1)
    neighbours = np.stack([above - 1, above], axis=1)
    sizes = np.abs(path.determinants[neighbours])
    starts = path.coordinates[neighbours[np.arange(len(values)), sizes.argmax(axis=1)]]
    smooth = sizes.min(axis=1) >= SMOOTH_SHARE * sizes.max(axis=1)
    starts[smooth] = _between(path, neighbours[smooth], distance[smooth])
    inside = np.logical_and(distance >= path.distances[0] - path.spacing, distance <= path.distances[-1] + path.spacing)
    return np.where(inside[:, None], starts, np.nan)


def _between(path: Path, neighbours: Array, distance: Array) -> Array:
    """On Hermite's cubics between pairs of nodes, (rows, c); at a node where the distance lies beyond both."""
    ends = path.distances[neighbours]
    with np.errstate(divide="ignore", invalid="ignore"):  # of two nodes in one place
        part = np.nan_to_num((distance - ends[:, 0]) / (ends[:, 1] - ends[:, 0])).clip(0.0, 1.0)[:, None]
    low, high = (path.coordinates[neighbours[:, side]] for side in (0, 1))
    width, chord = (ends[:, 1] - ends[:, 0])[:, None], high - low
    first, last = (path.tangents[neighbours[:, side]] * width - chord for side in (0, 1))
    return np.asarray(low + part * (chord + (1 - part) * ((1 - part) * first - part * last)))


def _into_path(path: Path, distance: Array) -> Array:
    """An angle, a turn away where only that lies on the path."""
    low, high = path.distances[0] - path.spacing, path.distances[-1] + path.spacing
    distance = np.where((distance < low) & (distance + 2 * np.pi <= high), distance + 2 * np.pi, distance)
    return np.where((distance > high) & (distance - 2 * np.pi >= low), distance - 2 * np.pi, distance)
