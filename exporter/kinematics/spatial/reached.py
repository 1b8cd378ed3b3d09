"""Which part of its ranges a spatial form reaches whose loops are closed by tables over a part of them.

In: a `SpatialForm` and its poses. Out: the form with a note, or a refusal where places without a flag are not those of
the design pose's assembly. Places are judged by following the closures from the design pose, which knows nothing of
the tables.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import prod

import numpy as np

from exporter.errors import RangesRefused
from exporter.kinematics.closures.closing import looped_coordinates
from exporter.kinematics.closures.coupled_rows import follower_rows, nominal_rows
from exporter.kinematics.protocol.rooted_poses import AssembledRows, RootedPoses, own_signs
from exporter.kinematics.seeded.part_in_words import LEAST_SHARE, part_in_words
from exporter.kinematics.seeded.seed import Box
from exporter.kinematics.seeded.wholly_reached import widest_box
from exporter.kinematics.spatial.evaluation import poses_of
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.loops.constraint import Array
from exporter.kinematics.spatial.loops.following import Follower
from exporter.kinematics.spatial.loops.places import Places, box_within_a_turn
from exporter.kinematics.spatial.loops.reached_part import STAGES
from exporter.kinematics.spatial.loops.same_assembly import on_same_assembly
from exporter.model.mechanism import Mechanism
from exporter.progress import say
from exporter.records import dataclass

TRIED = 2000  # random places over the ranges
TRIED_IN_BOX = 200  # and where they are reached wholly
TIGHTENINGS = 3  # of borders, each followed by a look
SEED = 20301
"""Not that of the fit, whose places prove nothing anew."""


def with_reached_part(form: SpatialForm, poses: RootedPoses, mechanism: Mechanism) -> SpatialForm:
    """The form with a note on what it reaches, its borders drawn so tightly that nothing beyond is given unflagged.

    `mechanism` is driven as the file says; the form may be driven by what follows from that by couplings too. Forms
    without tables over a part of their ranges stay as they are.

    Raises:
        RangesRefused: too little is reached, or another assembly is given somewhere without a flag.
    """
    if all(table.part is None for _, table in form.loop_tables):
        return form
    say(f"looking for what {form.mechanism.name} reaches of its ranges")
    row = poses.at_design(own_signs(form.blocks)).coordinates[0].tolist()
    design = dict(zip(form.mechanism.coordinates(), row, strict=True))
    followers = [Follower(mechanism, design, system) for system, table in form.loop_tables if table.part]
    for _ in range(TIGHTENINGS):
        judge = _Judge(mechanism, form, poses, tuple(followers))
        wrong = judge.wrong_places()
        if not len(wrong):
            return replace(form, notes=(*form.notes, *judge.notes()))
        form = _tightened(form, dict(zip(mechanism.independent, wrong.T, strict=True)))
        poses = poses_of(form)
    raise RangesRefused(judge.misled(wrong[0]))


def _tightened(form: SpatialForm, wrong: dict[str, Array]) -> SpatialForm:
    """With all borders drawn tighter than these places."""
    tables = tuple(
        (system, table if table.part is None else replace(table, part=table.part.excluding(wrong)))
        for system, table in form.loop_tables
    )
    return replace(form, loop_tables=tables)


@dataclass(frozen=True)
class _Judge:
    mechanism: Mechanism
    form: SpatialForm
    poses: RootedPoses
    followers: Sequence[Follower]

    def notes(self) -> tuple[str, ...]:
        """What is reached; nothing is said where all is.

        Raises:
            RangesRefused: it is too little.
        """
        low, high = self._whole
        if self._clear.all() and (low <= -1).all() and (high >= 1).all():
            return ()
        return (self._told(float(self._clear.mean()) * self._within_a_turn, low, high),)

    def wrong_places(self) -> Array:
        """Places (n, f) without a flag whose poses are not those that are followed to."""
        low, high = self._whole
        inside = np.random.Generator(np.random.Philox(SEED + 1)).uniform(low, high, (TRIED_IN_BOX, len(low)))
        return np.vstack([self._wrong(self._cube[self._clear]), self._wrong(inside)])

    @cached_property
    def _cube(self) -> Array:
        generator = np.random.Generator(np.random.Philox(SEED))
        cube = generator.uniform(-1, 1, (TRIED, len(self.mechanism.independent)))
        return np.where([name in self._names for name in self.mechanism.independent], cube, self._design)

    @cached_property
    def _clear(self) -> Array:
        return self.is_clear(self._cube)

    @property
    def _within_a_turn(self) -> float:
        """The part of the declared ranges that the box is, which ends after a turn: beyond it all is flagged."""
        halves = dict(zip(self.mechanism.independent, self.box.half, strict=True))
        ranges = {name: self.mechanism.ranges[name] for name in self._names}
        return prod(float(2 * halves[name] / (own.maximum - own.minimum)) for name, own in ranges.items())

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """The independent coordinates that loops or their couplings read, unlike motors before gears."""
        read = looped_coordinates(self.mechanism) | {*self.mechanism.coupled()}
        return tuple(name for name in self.mechanism.independent if name in read)

    @cached_property
    def _whole(self) -> tuple[Array, Array]:
        return widest_box(self._design, self.is_clear, self._cube[~self._clear])

    def _told(self, share: float, low: Array, high: Array) -> str:
        mechanism, names = self.mechanism, ", ".join(self._names)
        around = (high > self._design) | (self._design >= 1), (low < self._design) | (self._design <= -1)
        if share < LEAST_SHARE or not np.all(around):
            raise RangesRefused(
                f"{mechanism.name}: {share:.0%} of the ranges of {names} is reached from the design pose without a "
                "singular pose, too little to be of use; narrow these ranges"
            )
        ends = (dict(zip(self.mechanism.independent, self.box.place(end), strict=True)) for end in (low, high))
        return part_in_words(mechanism, share, *({name: end[name] for name in self._names} for end in ends))

    def is_clear(self, cube: Array) -> Array:
        """Whether there is no flag at points (n, f) of the cube, (n,)."""
        found = self._poses_at(self.box.place(cube))
        return np.asarray((found.status == 0) & np.isfinite(found.coordinates).all(axis=1))

    def _poses_at(self, targets: Array) -> AssembledRows:
        """The form's poses at values (n, f) of what drives the mechanism."""
        known, values = dict(zip(self.mechanism.independent, targets.T, strict=True)), nominal_rows(self.mechanism)
        for coupling in self.mechanism.following().order:
            known[coupling.follower] = follower_rows(coupling, values, known)
        rows = np.stack([known[name] for name in self.form.independent], axis=-1)
        return self.poses.at(own_signs(self.form.blocks), rows)

    def _wrong(self, cube: Array) -> Array:
        targets = self.box.place(cube)
        poses = Places(targets, self._poses_at(targets).coordinates)
        right = [on_same_assembly(follower, self.box, poses, STAGES) for follower in self.followers]
        return np.asarray(targets[~np.all(right, axis=0)])

    def misled(self, place: Array) -> str:
        """Why the ranges are refused where such a place is left."""
        mechanism = self.mechanism
        where = ", ".join(f"{name} = {value:.6g}" for name, value in zip(mechanism.independent, place, strict=True))
        return (
            f"{mechanism.name}: its ranges are not reached wholly from the design pose, and at {where} its table would "
            f"lead to another assembly without a flag; narrow the ranges of {', '.join(mechanism.independent)}"
        )

    @cached_property
    def box(self) -> Box:
        """The ranges."""
        return box_within_a_turn(self.mechanism)

    @cached_property
    def _design(self) -> Array:
        """The design pose as a point of the cube, (f,)."""
        middle, half = (np.array([float(each) for each in part]) for part in (self.box.middle, self.box.half))
        pose = np.array([float(self.mechanism.pose[name]) for name in self.mechanism.independent])
        return np.asarray((pose - middle) / half)
