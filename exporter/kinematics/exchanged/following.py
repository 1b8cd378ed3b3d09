"""The sought coordinates at many values of the given ones, offline: Newton in stages from the design pose.

In: an `Exchange` and targets. Out: rows of the sought coordinates. The triangular form is evaluated by
interpreting the sequence that it writes, all rows at once.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.errors import RangesRefused
from exporter.kinematics.closures.rank import newton_steps
from exporter.kinematics.closures.reasons import reaches
from exporter.kinematics.exchanged.form import Exchange
from exporter.kinematics.exchanged.iterate import Writer
from exporter.kinematics.protocol.coordinate_rows import coordinate_of, write_coordinates
from exporter.kinematics.protocol.scope import Scope
from exporter.records import dataclass
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal

Array = NDArray[Any]
STAGES = 16  # from the design pose to a target
PASSING_ITERATIONS = 3  # Newton steps in a stage on the way
FINAL_ITERATIONS = 10  # of Newton in the last stage
SETTLED_STEP = 1e-13  # a step below this, in units of the coordinates, ends a stage
LARGEST_SEQUENCE_MISS = 1e-14  # the same after the steps of a sequence
TURNED_BACK = "the mechanism itself gets there, but what is tabulated turns back, or meets an edge, on the way"
NOT_FOLLOWED = "the mechanism itself is not followed to there either, by Newton's method on its closures"
LARGEST_MISS = 1e-11  # what a target may be missed by, in units of the coordinates


@dataclass(frozen=True)
class Probe:
    """A sequence: coordinates of the triangular form -> given coordinates and their Jacobian by all of these."""

    exchange: Exchange
    sequence: OperationSequence

    def at(self, sought: Array, common: Array) -> tuple[Array, Array, Array]:
        """Given coordinates (m, g), Jacobian (m, g, f), and which rows have no flag (m,); angles within half a turn.

        Columns of the Jacobian: the sought coordinates, then the common ones.
        """
        exchange = self.exchange
        columns = dict(zip((*exchange.sought, *exchange.common), np.hstack([sought, common]).T, strict=True))
        rows = np.stack([columns[name] for name in exchange.inner.mechanism.independent], axis=-1)
        result = interpret(self.sequence, rows)
        outputs = {output.signal.name: result.outputs[:, k] for k, output in enumerate(self.sequence.outputs)}
        values = [coordinate_of(outputs, name) for name in exchange.given]
        size = len(exchange.given), len(columns)
        jacobian = result.outputs[:, -size[0] * size[1] :].reshape(len(rows), *size)
        return np.stack(values, axis=-1), jacobian, result.status == 0

    def gaps(self, found: Array, targets: Array) -> Array:
        """Found less target, angles within half a turn."""
        gaps = found - targets
        for position, name in enumerate(self.exchange.given):
            if self.exchange.mechanism.is_angle(name):
                gaps[:, position] = np.remainder(gaps[:, position] + np.pi, 2 * np.pi) - np.pi
        return np.asarray(gaps)


def probe_of(exchange: Exchange) -> Probe:
    """The sequence, at nominal parameters in float64."""
    builder = Builder("probe", "float64")
    writer = Writer(exchange, builder, Scope(builder, exchange.inner.mechanism, nominal=True))
    at = {name: builder.input(Signal(name, "1")) for name in exchange.inner.mechanism.independent}
    pose = writer.pose(at)
    write_coordinates(builder, pose, exchange.given, exchange.mechanism.displacements())
    every = (*exchange.sought, *exchange.common)
    entries = [entry for row in writer.jacobian(at, every) for entry in row]
    for number, entry in enumerate(entries):
        builder.output(Signal(f"jacobian.{number}", "1", group=Group.OUTPUT), entry)
    return Probe(exchange, builder.finish())


def follow_targets(probe: Probe, design: dict[str, float], targets: Array) -> Array:
    """Rows (m, g) of the sought coordinates at targets (m, f) of the mechanism's independent coordinates.

    Raises:
        RangesRefused: a target that the sought coordinates do not follow to from the design pose.
    """
    exchange = probe.exchange
    names = exchange.mechanism.independent
    given, common = ([names.index(name) for name in each] for each in (exchange.given, exchange.common))
    start = np.array([design[name] for name in names])
    rows = np.repeat(np.array([[design[name] for name in exchange.sought]]), len(targets), axis=0)
    for stage in range(1, STAGES + 1):
        aims = start + (targets - start) * (stage / STAGES)
        rows = _settle_rows(
            probe, rows, aims[:, common], aims[:, given], FINAL_ITERATIONS if stage == STAGES else PASSING_ITERATIONS
        )
    _check(probe, design, rows, targets)
    return rows


def _settle_rows(probe: Probe, rows: Array, common: Array, aims: Array, iterations: int) -> Array:
    exchange = probe.exchange
    limits = np.array([float(exchange.longest_step(name)) for name in exchange.sought])
    for _ in range(iterations):
        found, jacobian, _ = probe.at(rows, common)
        step = newton_steps(jacobian[:, :, : len(exchange.sought)], probe.gaps(found, aims))
        rows = rows - step * np.minimum(1.0, 1.0 / np.maximum(np.abs(step) / limits, 1.0).max(axis=1, keepdims=True))
        if np.abs(step).max() < SETTLED_STEP:
            break
    return rows


def transferred(probe: Probe, rows: Array, targets: Array, bounds: Mapping[str, float]) -> Array:
    """The largest rates of the sought coordinates (g,) at these rows, where all others are at their bounds."""
    exchange = probe.exchange
    names, count = exchange.mechanism.independent, len(exchange.sought)
    _, jacobian, _ = probe.at(rows, targets[:, [names.index(name) for name in exchange.common]])
    given, common = (np.array([bounds[name] for name in each]) for each in (exchange.given, exchange.common))
    inverse = np.linalg.inv(jacobian[:, :, :count])
    size = np.abs(inverse) @ given + np.abs(inverse @ jacobian[:, :, count:]) @ common
    return np.asarray(size.max(axis=0))


def steps_reach(probe: Probe, seeds: Array, targets: Array, steps: int) -> bool:
    """Whether so many steps bring all seeds (m, g) to their targets (m, f)."""
    exchange = probe.exchange
    names = exchange.mechanism.independent
    given, common = ([names.index(name) for name in each] for each in (exchange.given, exchange.common))
    rows = _settle_rows(probe, seeds, targets[:, common], targets[:, given], steps)
    return bool(_miss_of(probe, rows, targets[:, common], targets[:, given]).max() < LARGEST_SEQUENCE_MISS)


def _miss_of(probe: Probe, rows: Array, common: Array, aims: Array) -> Array:
    """What the given coordinates miss, in their units, (m,)."""
    units = np.array([float(probe.exchange.unit(name)) for name in probe.exchange.given])
    return np.asarray((np.abs(probe.gaps(probe.at(rows, common)[0], aims)) / units).max(axis=1))


def _check(probe: Probe, design: dict[str, float], rows: Array, targets: Array) -> None:
    exchange = probe.exchange
    names = exchange.mechanism.independent
    given, common = ([names.index(name) for name in each] for each in (exchange.given, exchange.common))
    _, jacobian, clear = probe.at(rows, targets[:, common])
    missed = _miss_of(probe, rows, targets[:, common], targets[:, given])
    _, first, _ = probe.at(
        np.array([[design[name] for name in exchange.sought]]), np.array([[design[name] for name in exchange.common]])
    )
    count = len(exchange.sought)
    side = np.linalg.det(jacobian[:, :, :count]) * np.linalg.det(first[:, :, :count])
    lost = np.flatnonzero(~(clear & (missed < LARGEST_MISS) & (side > 0)))
    if not len(lost):
        return
    start = np.array([design[name] for name in names])
    spans = np.maximum(np.ptp(targets, axis=0), 1e-12)
    nearest = min(lost, key=lambda row: float(np.abs((targets[row] - start) / spans).max()))
    where = ", ".join(f"{name} = {value:.6g}" for name, value in zip(names, targets[nearest], strict=True))
    does = "this does" if count == 1 else "these do"
    itself = TURNED_BACK if reaches(exchange.mechanism, start, targets[nearest]) else NOT_FOLLOWED
    raise RangesRefused(
        f"{exchange.mechanism.name}: driven by {', '.join(names)} it is solved through a table of "
        f"{', '.join(exchange.sought)}, and {does} not follow from the design pose to {where} ({len(lost)} of "
        f"{len(targets)} tried places over the ranges are beyond): {itself}"
    )
