"""Where two assemblies meet inside the ranges: the margin of a root touches zero and grows again.

In: a `Solution`. Out: a note for the user of the export, or none. Example: where a parallelogram is stretched
out, both roots of its block are one. Bodies that move through that pose leave it on the other root. An export stays on
its own root, which bends the path of the bodies there. `exporter.kinematics.analysis.loops` finds poses at which the
closures lose rank, whether roots meet there or not, from samples and so less exactly.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from exporter.kinematics.closures.closing import Array
from exporter.kinematics.verification.probe import Probe
from exporter.records import dataclass

MARGIN_SUFFIX = ".margin"
FINE_STAGES, COARSE_STAGES = 96, 12  # stages of a way
LOW_MARGIN = 0.5  # a margin that stays above this at all stages of a way is not followed
ROUND_POINTS = 17  # of a round; the next one looks between the neighbours of the lowest
ROUNDS = 12
ROUND_BOTTOM = 16  # a margin that touches zero gets below this part of its rise to the ends of a round
ZERO_MARGIN = 1e-11  # a margin that counts as zero
WAY_STEP = 1e-3  # of a way, between the places that tell a touch from a crossing, and a bend from a smooth path
TOUCHING_RATIO = 0.35  # of margins one and two steps away: 1/4 where it touches, 1/2 where it crosses zero
PLACE_NUMBERS = 12  # of a body: its origin and three directions
LEAST_MOVE = 0.01  # lengths or directions over a whole way: a body that moves less rests
BEND_RATIO = 0.2  # of the longer step: a path bends where the step after a place differs by more from the step before


@dataclass(frozen=True, slots=True)
class MeetingPlace:
    """A place (q,) where both roots of a block are one."""

    place: Array
    block: str


def meeting_notes(probe: Probe) -> tuple[str, ...]:
    """A note on a pose of the ranges where both roots of a block are one; of several poses the first that is found.

    Looked at are straight ways from the design pose to all ends, and in larger stages to the corners, up to 0.2 % of a
    way before its end.
    """
    solved = probe.solved
    if not any(joint.closes for joint in solved.mechanism.joints):
        return ()
    found = _first_meeting(probe, probe.ranges.ends(), FINE_STAGES) or _first_meeting(
        probe, probe.ranges.corners(), COARSE_STAGES
    )
    if found is None:
        return ()
    block = next(facts.title for facts in solved.block_facts() if facts.id == found.block)
    return (
        f"two assemblies meet at {probe.where(found.place)}, and perhaps elsewhere in the ranges; both roots of "
        f"{block} are one there, and position sets BRANCH_NEAR_SWAP: {_beyond(probe, found)}",
    )


def _beyond(probe: Probe, found: MeetingPlace) -> str:
    """What follows for a motion through such a pose, or for parameters that are set beyond it."""
    mechanism = probe.solved.mechanism
    driven, moved = len(mechanism.independent), found.place != probe.ranges.design
    if not moved[:driven].any():
        names = ", ".join(name for name, each in zip(probe.ranges.names, moved, strict=True) if each)
        return f"set beyond that value of {names}, the functions stay on their root; check that it is the wanted one"
    stay = "all functions but dostep stay on theirs" if mechanism.alternative else "the functions stay on theirs"
    return f"bodies that move on leave that pose on the other root, {stay}; kinefix trace finds it on a path"


def _first_meeting(probe: Probe, targets: Array, stages: int) -> MeetingPlace | None:
    """The first on straight ways from the design pose to targets (n, q)."""
    ways = probe.ranges.ways(targets, stages)
    margins = probe.at(ways.reshape(-1, ways.shape[-1])).margins
    for line in _touching_lines(probe, list(_low_lines(ways, margins))):
        if line.bends(probe):
            return MeetingPlace(line.place(), line.margin.removesuffix(MARGIN_SUFFIX))
    return None


@dataclass(frozen=True, slots=True)
class _Line:
    """A part of a way from one place (q,) to another, by shares of the way, and a margin to look at there."""

    margin: str
    start: Array
    end: Array
    low: float
    high: float

    def at(self, shares: Array) -> Array:
        """Places, (n, q)."""
        return np.asarray(self.start + shares[:, None] * (self.end - self.start))

    def shares(self) -> Array:
        """Shares of the way that one round looks at, (ROUND_POINTS,)."""
        return np.linspace(self.low, self.high, ROUND_POINTS)

    def place(self) -> Array:
        """The middle, (q,), without what is left of zeros."""
        middle = self.at(np.array([(self.low + self.high) / 2]))[0]
        return np.where(np.abs(middle) < WAY_STEP**2 * np.abs(self.end - self.start), 0.0, middle)

    def bends(self, probe: Probe) -> bool:
        """Whether the margin is a square about the middle, and the path of the bodies bends there."""
        share = (self.low + self.high) / 2
        if not 2 * WAY_STEP <= share <= 1 - 2 * WAY_STEP:
            return False
        seen = probe.at(self.at(share + WAY_STEP * np.array([-2, -1, 1, 2])))
        far, near = seen.margins[self.margin][[0, 3]], seen.margins[self.margin][[1, 2]]
        before, behind = seen.places[1] - seen.places[0], seen.places[3] - seen.places[2]
        bend, first, second = (_of_bodies(each) for each in (behind - before, before, behind))
        longer = np.maximum(np.maximum(first, second), LEAST_MOVE * WAY_STEP)
        return bool((near < TOUCHING_RATIO * far).all() and (bend > BEND_RATIO * longer).any())


def _of_bodies(moves: Array) -> Array:
    """How far each body moves at most, (bodies,), of moves (k,) of all: a fast rotor hides no link."""
    return np.asarray(np.abs(moves).reshape(-1, PLACE_NUMBERS).max(axis=1, initial=0.0))


def _low_lines(ways: Array, margins: dict[str, Array]) -> Iterator[_Line]:
    """Where a margin is low, lower than at a stage beside and no higher than at the other: between these."""
    stages, count = ways.shape[:2]
    for name in (name for name in margins if name.endswith(MARGIN_SUFFIX)):
        along = margins[name][: stages * count].reshape(stages, count)
        before, behind = np.vstack([along[:1], along[:-1]]), np.vstack([along[1:], along[-1:]])
        lowest = (along <= np.minimum(before, behind)) & (along < np.minimum(LOW_MARGIN, np.maximum(before, behind)))
        for stage, way in zip(*np.nonzero(lowest), strict=True):
            low, high = np.clip([stage - 1, stage + 1], 0, stages - 1) / (stages - 1)
            yield _Line(name, ways[0, way], ways[-1, way], low, high)


def _touching_lines(probe: Probe, lines: list[_Line]) -> list[_Line]:
    """The lines on which a margin comes down to zero, shortened to that place; all are looked at together."""
    for _ in range(ROUNDS):
        if not lines:
            break
        seen = probe.at(np.vstack([line.at(line.shares()) for line in lines]))
        values = [seen.margins[line.margin].reshape(len(lines), ROUND_POINTS)[k] for k, line in enumerate(lines)]
        found = zip(lines, values, strict=True)
        lines = [
            _nearer(line, each) for line, each in found if each.min() * ROUND_BOTTOM <= max(each.max(), ZERO_MARGIN)
        ]
    return lines


def _nearer(line: _Line, values: Array) -> _Line:
    """Between the neighbours of the lowest."""
    least, shares = int(np.argmin(values)), line.shares()
    return replace(line, low=shares[max(least - 1, 0)], high=shares[min(least + 1, ROUND_POINTS - 1)])
