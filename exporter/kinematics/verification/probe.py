"""What an export would give at places of its ranges, beside what the original closures say to it.

In: a `Solution` and rows of its `Ranges`. Out: `ProbedRows`. The sequence is the exported one in float64,
tunable parameters are its inputs; the closures are evaluated from the mechanism alone (`spatial.numeric`), without
blocks.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from exporter.kinematics.closures.assemblies import body_places
from exporter.kinematics.closures.closing import Array, Closures, openings
from exporter.kinematics.closures.numeric import Numbers, numbers_at, poses_of
from exporter.kinematics.closures.passive_spins import closures_of
from exporter.kinematics.closures.tolerances import SOLUTION_RESIDUAL
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.protocol.solution_rows import pose_sequence, rows_of
from exporter.kinematics.verification.ranges import Ranges, ranges_of
from exporter.model.units import si_unit
from exporter.records import dataclass
from exporter.sequence.operations import OperationSequence

EPSILON = float(np.finfo(np.float64).eps)
ROUNDINGS = 1000  # eps over a root or pivot: what a block near an edge may leave open beside


@dataclass(frozen=True)
class ProbedRows:
    """What came at some rows."""

    clear: Array  # (n,), no flag
    residual: Array  # (n,), of the original closures over the length
    allowed: Array  # (n,), what rounding may leave of it
    margins: dict[str, Array]  # "L1.margin", "L1.pivot" -> (n,), magnitudes
    place_bodies: Callable[[], Array]  # see `places`

    @cached_property
    def places(self) -> Array:
        """Where all bodies are, (n, k)."""
        return self.place_bodies()

    @property
    def wrong(self) -> Array:
        """Rows without a flag whose loops are open, (n,)."""
        return np.asarray(self.clear & ~(self.residual <= self.allowed))


@dataclass(frozen=True)
class Probe:
    """A solved mechanism, ready for evaluation."""

    solved: Solution

    @cached_property
    def ranges(self) -> Ranges:
        """What the file declares."""
        return ranges_of(self.solved.mechanism)

    @cached_property
    def _sequence(self) -> OperationSequence:
        return pose_sequence(self.solved, nominal=False)

    @cached_property
    def _closures(self) -> Closures:
        return closures_of(self.solved.mechanism)

    @cached_property
    def _nominal_numbers(self) -> Numbers:
        return numbers_at(self.solved.mechanism, {})

    def at(self, rows: Array) -> ProbedRows:
        """What comes at rows (n, q) of the ranges."""
        mechanism, values = self.solved.mechanism, self.ranges.columns(rows)
        count, driven = len(rows), len(mechanism.independent)
        set_values = {name: values[name] for name in self.ranges.names[driven:]}
        numbers = numbers_at(mechanism, set_values) if set_values else self._nominal_numbers
        closures = replace(self._closures, numbers=numbers, values={**self._closures.values, **set_values})
        found = rows_of(self.solved, self._sequence, self._inputs(rows), rows[:, :driven])
        poses = poses_of(numbers, found.coordinates)
        margins = {name: np.abs(value) for name, value in found.margins.items() if not name.endswith(".residual")}
        return ProbedRows(
            found.good,
            openings(replace(closures, spins=()), found.coordinates, poses),
            _residual_limits(margins, count),
            margins,
            partial(body_places, closures, found.coordinates, poses),
        )

    def coordinates(self, rows: Array) -> Array:
        """All coordinates, (n, c), at rows (n, q)."""
        found = rows_of(
            self.solved, self._sequence, self._inputs(rows), rows[:, : len(self.solved.mechanism.independent)]
        )
        return found.coordinates

    def where(self, place: Array) -> str:
        """A place (q,) in words with units; parameters that are nominal there are left out."""
        mechanism, design = self.solved.mechanism, self.ranges.design
        units = {each.name: each.unit for each in mechanism.parameters}
        units |= {name: si_unit(kind) for name, kind in mechanism.dimensions().items()}
        named = [
            f"{name} = {value:.6g} {units[name]}"
            for number, (name, value) in enumerate(zip(self.ranges.names, place, strict=True))
            if number < len(mechanism.independent) or value != design[number]
        ]
        return ", ".join(named)

    def _inputs(self, rows: Array) -> Array:
        """Rows of the sequence's inputs."""
        values = self.ranges.columns(rows)
        nominal = self.solved.mechanism.nominal_values()
        signals = [each.name for each in self._sequence.inputs]
        given = [values[name] if name in values else np.full(len(rows), float(nominal[name])) for name in signals]
        return np.stack(given, axis=-1) if given else np.zeros((len(rows), 0))


def _residual_limits(margins: dict[str, Array], count: int) -> Array:
    """Roots of margins, and pivots, are what rounding is divided by."""
    least = np.ones(count)
    for name, value in margins.items():
        least = np.minimum(least, np.sqrt(value) if name.endswith(".margin") else value)
    return np.asarray(SOLUTION_RESIDUAL + ROUNDINGS * EPSILON / np.maximum(least, np.sqrt(EPSILON)))
