"""Evaluates the exported positions, and where they have rates the velocities, along a path.

In: a mechanism, a precision and a `Path`. Out: `TracedPath`: every coordinate, points of interest, margins, pivots and
status words, one row per pose, as the exported C would give them bit for bit.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from exporter.errors import ModelError
from exporter.functions.program import program_of_mechanism
from exporter.model.complete import completed
from exporter.model.mechanism import Mechanism
from exporter.progress import say
from exporter.sequence.operations import Group, OperationSequence, Precision
from exporter.sequence.program import Program
from sil.reference.rotations import Array
from sil.reference.skeleton import skeleton_of
from sil.runners.interpreted import interpret_rows
from sil.trace.path import Path

PACE_SHARE = 0.5
"""Without times the path is run so that the fastest coordinate moves at this part of its bound."""


@dataclass(frozen=True, slots=True)
class TracedPath:
    """What the export gives along a path."""

    mechanism: Mechanism
    precision: Precision
    path: Path
    coordinates: Array  # (rows, c) in the mechanism's order, rad and m; angles run on over a turn
    outputs: dict[str, Array]  # what the export gives besides coordinates, "toe.x" -> (rows,)
    given: dict[str, Array]  # what positions give by the export's names, and rates that they were run at
    rates: dict[str, Array]  # "s.rate" -> (rows,), by the path's times, else at its pace
    margins: dict[str, Array]  # "margin.L1", "pivot.L1" -> (rows,), dimensionless
    units: dict[str, str]  # of all of these
    place_status: NDArray[np.uint32]  # (rows,), of positions
    rate_status: NDArray[np.uint32]  # (rows,), of velocities

    @property
    def status(self) -> NDArray[np.uint32]:
        """Status of positions and velocities together."""
        return self.place_status | self.rate_status

    def column(self, name: str) -> Array:
        """A coordinate."""
        return np.asarray(self.coordinates[:, self.mechanism.coordinates().index(name)])


def trace_path(mechanism: Mechanism, precision: Precision, path: Path) -> TracedPath:
    """Run the export's positions and velocities along a path.

    Raises:
        ModelError: the mechanism cannot be exported, or is solved by a method that needs the pose before.
    """
    whole = with_every_angle(mechanism)
    program = program_of_mechanism(whole, precision)
    say(f"interpreting the export at {len(path.values):,} poses")
    position = _columns(program, "position", path.values)
    rates = _rates(mechanism, path)
    velocity = _columns(program, "velocity", np.concatenate([path.values, rates], axis=1))
    aliases = {signal: alias for alias, signal in whole.outputs.items()}
    own = {f"{name}.rate": rates[:, k] for k, name in enumerate(mechanism.independent)}
    per_second = {f"{name}.rate": f"{mechanism.unit_of(name)}/s" for name in path.names}
    coordinates, followers = [], _followers(mechanism)
    for name in mechanism.coordinates():
        if name in path.names:
            coordinates.append(path.values[:, path.names.index(name)])
            continue
        value = position.values[aliases.get(name, name)]
        coordinates.append(np.unwrap(value) if mechanism.is_angle(name) and name not in followers else value)
    return TracedPath(
        mechanism=mechanism,
        precision=precision,
        path=path,
        coordinates=np.stack(coordinates, axis=1),
        outputs={
            n: v
            for n, v in position.values.items()
            if position.roles[n] == "value" and not _spells_coordinate(n, whole)
        },
        given={**position.values, **own},
        rates=velocity.values,
        margins={n: v for n, v in position.values.items() if position.roles[n] in ("margin", "pivot")},
        units={**per_second, **velocity.units, **position.units},
        place_status=position.status,
        rate_status=velocity.status,
    )


def with_every_angle(mechanism: Mechanism) -> Mechanism:
    """A mechanism that is asked to give every dependent coordinate as itself, and all other outputs."""
    asked = set(mechanism.outputs.values())
    wanted = {name: name for name in mechanism.coordinates() if name not in (*mechanism.independent, *asked)}
    return completed(replace(mechanism, outputs={**mechanism.outputs, **wanted}, chosen_outputs=()))


def _followers(mechanism: Mechanism) -> set[str]:
    """What couplings tell, also from what loops give: an export gives these with all whole turns."""
    skeleton = skeleton_of(mechanism)
    told = (*skeleton.following, *skeleton.following_loops)
    return {skeleton.coordinates[column] for column, _ in told}


@dataclass(frozen=True, slots=True)
class _Columns:
    values: dict[str, Array]
    roles: dict[str, str]
    units: dict[str, str]
    status: NDArray[np.uint32]


def _spells_coordinate(name: str, mechanism: Mechanism) -> bool:
    """Whether an output spells a coordinate: itself, its sine or its cosine."""
    base = mechanism.outputs.get(name, name).removesuffix(".sin").removesuffix(".cos")
    return base in mechanism.coordinates()


def _columns(program: Program, function: str, rows: Array) -> _Columns:
    sequence = _sequence(program, function, rows.shape[1])
    done = interpret_rows(program, function, rows)
    signals = [output.signal for output in sequence.outputs if output.signal.group is Group.OUTPUT]
    values = {s.name: done.outputs[:, k].astype(np.float64) for k, s in enumerate(signals)}
    roles, units = {s.name: str(s.role.value) for s in signals}, {s.name: s.unit for s in signals}
    return _Columns(values, roles, units, done.status)


def _sequence(program: Program, name: str, width: int) -> OperationSequence:
    sequence = next(each for each in program.functions if each.name == name)
    taken = [signal for signal in sequence.inputs if signal.group is Group.INPUT]
    if len(taken) != width:
        raise ModelError(
            f"{program.name}: the method of its positions takes {len(taken)} inputs a call and starts from the pose "
            "before; trace a triangular form"
        )
    return sequence


def _rates(mechanism: Mechanism, path: Path) -> Array:
    """Rates of the independent coordinates, (rows, f): by the path's times, else at a pace within their bounds."""
    if path.times is not None:
        return np.asarray(np.gradient(path.values, path.times, axis=0))
    slopes = np.gradient(path.values, axis=0)
    bounds = np.array([float(mechanism.ranges[name].rate or 1) for name in mechanism.independent])
    fastest = float(np.abs(slopes / bounds).max())
    return np.asarray(slopes * (PACE_SHARE / fastest if fastest else 0.0))
