"""What an export is for: ranges of the independent coordinates and of the tunable parameters that shape a mechanism.

In: a Mechanism. Out: `Ranges`, and places in them: ends singly, corners, random places. Of an angle's range
at most one turn about the design pose counts, for everything repeats beyond.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from exporter.kinematics.closures.closing import Array
from exporter.kinematics.seeded.seed import corners
from exporter.model.mechanism import Mechanism
from exporter.model.parameter_sets import shaping_names
from exporter.model.reach import reach_of
from exporter.records import dataclass

ALL_CORNERS = 6  # quantities up to which every corner is a place
RANDOM_CORNERS = 64  # of the corners of more quantities
SEED = 20110831


@dataclass(frozen=True, slots=True)
class Ranges:
    """Quantities with their ends and their design values, SI units; the independent coordinates come first."""

    names: tuple[str, ...]
    low: Array  # (q,)
    high: Array
    design: Array

    def ends(self) -> Array:
        """Every end of every range, the other quantities at their design values, (2 q, q)."""
        rows = np.repeat(self.design[None], 2 * len(self.names), axis=0)
        for number in range(len(self.names)):
            rows[2 * number, number], rows[2 * number + 1, number] = self.low[number], self.high[number]
        return rows

    def corners(self) -> Array:
        """All corners of up to `ALL_CORNERS` quantities, `RANDOM_CORNERS` of those of more, (n, q)."""
        count = len(self.names)
        if count <= ALL_CORNERS:
            return np.where(corners(count) > 0, self.high, self.low)
        sides = np.random.Generator(np.random.Philox(SEED)).integers(0, 2, (RANDOM_CORNERS, count))
        return np.where(sides > 0, self.high, self.low)

    def ways(self, targets: Array, stages: int) -> Array:
        """Straight from the design values to targets (n, q), (stages + 1, n, q)."""
        return np.asarray(self.design + np.linspace(0, 1, stages + 1)[:, None, None] * (targets - self.design))

    def random(self, count: int) -> Array:
        """Seeded random places, (count, q)."""
        generator = np.random.Generator(np.random.Philox(SEED))
        return np.asarray(generator.uniform(self.low, self.high, (count, len(self.names))))

    def columns(self, rows: Array) -> Mapping[str, Array]:
        """Values by name of rows (n, q)."""
        return dict(zip(self.names, rows.T, strict=True))


def ranges_of(mechanism: Mechanism) -> Ranges:
    """The ranges that the file declares."""
    entries = [*_coordinates(mechanism), *_parameters(mechanism)]
    low, high, design = (np.array([values[number] for _, values in entries]) for number in range(3))
    return Ranges(tuple(name for name, _ in entries), low, high, design)


def _coordinates(mechanism: Mechanism) -> Iterator[tuple[str, tuple[float, float, float]]]:
    for name in mechanism.independent:
        yield name, (*reach_of(mechanism, name), float(mechanism.pose[name]))


def _parameters(mechanism: Mechanism) -> Iterator[tuple[str, tuple[float, float, float]]]:
    """Tunable parameters that a joint's place or direction depends on."""
    shaping = shaping_names(mechanism)
    for each in mechanism.parameters:
        if each.name in shaping and each.minimum is not None and each.maximum is not None:
            yield each.name, (float(each.minimum), float(each.maximum), float(each.value))
