"""Assembly modes of a planar mechanism: combinations of root signs, evaluated at a pose.

In: a TriangularForm. Used by: `triangular` (the choice of the branch), show (pictures side by side), reports.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from exporter.kinematics.planar.form import TriangularForm
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.planar.solution import solve_pose
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.rooted_poses import Array, AssembledRows, RootedPoses, Signs, every_sign, own_signs
from exporter.kinematics.protocol.solution import EDGE_ROUNDING, Assembly
from exporter.progress import counted, say, unnamed
from exporter.records import dataclass
from exporter.sequence.builder import Value

MOST_TWO_ROOT_BLOCKS = 10  # up to which every combination of roots is evaluated
MOST_CANDIDATES = 64  # combinations of the roots of the blocks so far that are followed where there are more


@dataclass(frozen=True, slots=True)
class _PoseValues:
    """The coordinates of a pose, an angle as its cosine and sine."""

    pose: Pose

    @property
    def margins(self) -> list[Margin]:
        return self.pose.margins

    def displacement(self, coordinate: str) -> Value:
        return self.pose.slide[coordinate]

    def pair(self, coordinate: str) -> tuple[Value, Value]:
        pair = self.pose.relative(coordinate)
        return pair.re, pair.im


def poses_of(form: TriangularForm) -> RootedPoses:
    """The poses of a form on any of its roots, written once."""
    return RootedPoses(
        form.mechanism,
        form.blocks,
        form.dependent(),
        lambda builder, scope, coordinates, signs: _PoseValues(solve_pose(form, builder, scope, coordinates, signs)[0]),
    )


def assemblies(
    form: TriangularForm, independent: Mapping[str, float | Fraction], signs: Sequence[Signs] = ()
) -> tuple[Assembly, ...]:
    """The assembly modes on these roots at given independent coordinates (rad, m); on none, all, in a fixed order."""
    every = list(signs) or every_sign(form.blocks)
    found = poses_of(form).at(every, _row(form, independent))
    return tuple(found.assembly(form.mechanism, each, row) for row, each in enumerate(every))


def assembly_at(form: TriangularForm, independent: Mapping[str, float | Fraction]) -> Assembly:
    """The assembly mode of the form's own signs at given independent coordinates (rad, m)."""
    return assemblies(form, independent, [own_signs(form.blocks)])[0]


def _row(form: TriangularForm, independent: Mapping[str, float | Fraction]) -> Array:
    return np.array([[float(independent[name]) for name in form.independent]])


# -- those that a pose may mean --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Candidates:
    """Assembly modes that the design pose may mean, and those that were left behind after some of the blocks.

    Of what was left behind nothing after the block where it was is known: such a mode stands for all that begin so.
    """

    followed: tuple[Assembly, ...]
    left: tuple[Assembly, ...] = ()
    gaps: tuple[float, ...] = ()  # of those left behind, up to their block, rad or m


def candidates(form: TriangularForm) -> Candidates:
    """All modes, or of many blocks those nearest to the design pose, block by block."""
    two = [number for number, block in enumerate(form.blocks) if block.degree > 1]
    poses = poses_of(form)
    if len(two) <= MOST_TWO_ROOT_BLOCKS:
        return Candidates(_modes(form, poses, every_sign(form.blocks)))
    kept: list[Signs] = [tuple(1 for _ in form.blocks)]
    left: list[Assembly] = []
    far: list[float] = []
    for number in counted("telling the assemblies of the loops apart", two, unnamed):
        tried = [signs for each in kept for signs in (each, (*each[:number], -1, *each[number + 1 :]))]
        found = poses.at_design(tried)
        gaps = _gaps(form, found, number)
        order = np.argsort(gaps, kind="stable")
        kept = [tried[row] for row in sorted(order[:MOST_CANDIDATES])]
        dropped = [row for row in sorted(order[MOST_CANDIDATES:]) if np.isfinite(gaps[row])]
        left += [found.assembly(form.mechanism, tried[row], row) for row in dropped]
        far += [float(gaps[row]) for row in dropped]
    say("placing the assemblies that are left")
    return Candidates(_modes(form, poses, kept), tuple(left), tuple(far))


def _modes(form: TriangularForm, poses: RootedPoses, signs: Sequence[Signs]) -> tuple[Assembly, ...]:
    found = poses.at_design(signs)
    return tuple(found.assembly(form.mechanism, each, row) for row, each in enumerate(signs))


def _gaps(form: TriangularForm, found: AssembledRows, last: int) -> Array:
    """How far each row is from the pose in the blocks up to the last, (rows,), rad or m; infinite out of reach."""
    mechanism = form.mechanism
    gaps = np.zeros(len(found.coordinates))
    for block in form.blocks[: last + 1]:
        if block.id in found.margins:
            gaps[~(found.margins[block.id] >= -EDGE_ROUNDING)] = np.inf
        for name in block.coordinates:
            if name in mechanism.pose:
                difference = found.coordinates[:, mechanism.coordinates().index(name)] - float(mechanism.pose[name])
                turned = np.remainder(difference + np.pi, 2 * np.pi) - np.pi if mechanism.is_angle(name) else difference
                gaps = np.maximum(gaps, np.abs(turned))
    return gaps
