"""Which part of its ranges an export reaches, where that is not all of them.

In: a `Probe`. Out: a note with ranges that are reached wholly, as far as random places tell; parameters are nominal.
"""

import numpy as np

from exporter.kinematics.closures.closing import Array
from exporter.kinematics.seeded.part_in_words import WHOLLY_REACHED, part_in_words
from exporter.kinematics.verification.probe import Probe

PLACES = 400  # random places over the ranges
NEXT_TO_ALL = 0.97  # of the places: what is flagged at fewer lies next to the ends of the ranges


def reach_notes(probe: Probe) -> tuple[str, ...]:
    """How much is reached; nothing where it is next to all, has been told, or another choice of coordinates goes on."""
    mechanism, ranges = probe.solved.mechanism, probe.ranges
    told = any(WHOLLY_REACHED in note for note in probe.solved.notes)
    if told or mechanism.alternative or not any(joint.closes for joint in mechanism.joints):
        return ()
    count = len(mechanism.independent)
    middle, half = (ranges.high + ranges.low)[:count] / 2, (ranges.high - ranges.low)[:count] / 2

    def is_clear(cube: Array) -> Array:
        rows = np.tile(ranges.design, (len(cube), 1))
        rows[:, :count] = middle + half * cube
        return probe.at(rows).clear

    cube = np.random.Generator(np.random.Philox(PLACES)).uniform(-1, 1, (PLACES, count))
    clear = is_clear(cube)
    if clear.mean() >= NEXT_TO_ALL:
        return ()
    from exporter.kinematics.seeded.wholly_reached import widest_box  # noqa: PLC0415 - few exports need it

    low, high = widest_box((ranges.design[:count] - middle) / half, is_clear, cube[~clear])
    return (part_in_words(mechanism, float(clear.mean()), middle + half * low, middle + half * high),)
