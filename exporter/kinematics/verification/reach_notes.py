"""Which part of its ranges an export reaches, where that is not all of them.

In: a `Probe`. Out: a note with ranges that are reached wholly, as far as random places tell; parameters are nominal.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.closures.closing import Array
from exporter.kinematics.seeded.part_in_words import WHOLLY_REACHED, inside, parameters_in_words, part_in_words
from exporter.kinematics.verification.probe import Probe
from exporter.records import dataclass

Holds = Callable[[Array], Array]
PLACES = 400  # random places over the ranges
NEXT_TO_ALL = 0.97  # of the places: what is flagged at fewer lies next to the ends of the ranges
PLACES_OF_A_SET = 32  # of each tried set of parameters


def reach_notes(probe: Probe) -> tuple[str, ...]:
    """How much is reached; nothing where it is next to all, has been told, or another choice of coordinates goes on."""
    mechanism = probe.solved.mechanism
    if mechanism.alternative or not any(joint.closes for joint in mechanism.joints):
        return ()
    look = _Look(probe)
    told = any(WHOLLY_REACHED in note for note in probe.solved.notes)
    return (*(() if told else look.of_coordinates()), *look.of_parameters())


def reached_ranges(probe: Probe) -> dict[str, tuple[Fraction, Fraction]] | None:
    """Ranges of the independent coordinates, of few digits, that are reached wholly; None where next to all are."""
    if not any(joint.closes for joint in probe.solved.mechanism.joints):
        return None
    ends = _Look(probe).reached_ends()
    return None if ends is None else {name: inside(probe.solved.mechanism, name, *ends[name]) for name in ends}


@dataclass(frozen=True)
class _Look:
    probe: Probe

    def of_coordinates(self) -> tuple[str, ...]:
        """What is reached of the independent coordinates' ranges, parameters nominal."""
        ends = self.reached_ends()
        if ends is None:
            return ()
        low, high = ({name: each[end] for name, each in ends.items()} for end in (0, 1))
        return (part_in_words(self.probe.solved.mechanism, float(self._nominal[1].mean()), low, high),)

    def reached_ends(self) -> dict[str, tuple[float, float]] | None:
        """Ends of a box of the independent coordinates that is reached wholly; None where next to all is."""
        cube, clear = self._nominal
        if clear.mean() >= NEXT_TO_ALL:
            return None
        low, high = self._box(self._coordinates, self._clear_at, cube[~clear])
        return {name: (low[name], high[name]) for name in low}

    def of_parameters(self) -> tuple[str, ...]:
        """What of the ranges of tunable parameters gives no more flags than the nominal values do."""
        own = self._parameters
        share = float(self.probe.at(self.probe.ranges.random(PLACES)).clear.mean())
        if own.start == own.stop or share >= NEXT_TO_ALL * float(self._nominal[1].mean()):
            return ()
        cube = np.random.Generator(np.random.Philox(PLACES_OF_A_SET)).uniform(-1, 1, (PLACES_OF_A_SET, own.start))
        least = self._clear_at(cube).sum()

        def holds(sets: Array) -> Array:
            pairs = np.repeat(sets, len(cube), axis=0), np.tile(cube, (len(sets), 1))
            return np.asarray(self._clear_at(pairs[1], pairs[0]).reshape(len(sets), -1).sum(axis=1) >= least)

        corners = np.vstack([np.eye(own.stop - own.start), -np.eye(own.stop - own.start)])
        ends = self._box(own, holds, corners[~holds(corners)])
        return (parameters_in_words(self.probe.solved.mechanism, share, *ends),)

    @property
    def _coordinates(self) -> slice:
        return slice(0, len(self.probe.solved.mechanism.independent))

    @property
    def _parameters(self) -> slice:
        return slice(self._coordinates.stop, len(self.probe.ranges.names))

    @cached_property
    def _nominal(self) -> tuple[Array, NDArray[np.bool_]]:
        """Random points of the coordinates' cube, (n, f), and which of them have no flag."""
        cube = np.random.Generator(np.random.Philox(PLACES)).uniform(-1, 1, (PLACES, self._coordinates.stop))
        return cube, self._clear_at(cube)

    def _clear_at(self, coordinates: Array, parameters: Array | None = None) -> NDArray[np.bool_]:
        """Where there is no flag, (n,), at points of the cubes of coordinates and of parameters; nominal without."""
        rows = np.tile(self.probe.ranges.design, (len(coordinates), 1))
        rows[:, self._coordinates] = self._placed(coordinates, self._coordinates)
        if parameters is not None:
            rows[:, self._parameters] = self._placed(parameters, self._parameters)
        return np.asarray(self.probe.at(rows).clear)

    def _placed(self, points: Array, where: slice) -> Array:
        """Points (n, k) of a cube over some ranges, SI units."""
        low, high = self.probe.ranges.low[where], self.probe.ranges.high[where]
        return np.asarray((high + low) / 2 + (high - low) / 2 * points)

    def _box(self, where: slice, holds: Holds, failed: Array) -> tuple[dict[str, float], dict[str, float]]:
        """Ends by name, SI units, of a box about the design values in which all holds."""
        from exporter.kinematics.seeded.wholly_reached import widest_box  # noqa: PLC0415 - few exports need it

        low, high, design = (getattr(self.probe.ranges, name)[where] for name in ("low", "high", "design"))
        ends = widest_box((2 * design - high - low) / (high - low), holds, failed)
        names = self.probe.ranges.names[where]
        first, last = (dict(zip(names, self._placed(end, where).tolist(), strict=True)) for end in ends)
        return first, last
