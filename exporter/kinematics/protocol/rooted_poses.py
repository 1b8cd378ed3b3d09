"""The poses of a mechanism on any roots of its blocks, in one sequence that is written once: signs are inputs of it.

Made by: each engine for its triangular form. Used by: the choice of the branch, assembly modes, verification.
Everything is evaluated in float64 at nominal parameters; inputs are not checked.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import combinations, product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.protocol.coordinate_rows import (
    CoordinateValues,
    coordinate_of,
    margins_of,
    write_coordinates,
    write_margins,
)
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Assembly
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence, Signal

Array = NDArray[Any]
Signs = tuple[int, ...]
"""Of the roots, 1 or -1, one for every block."""


class RootedBlock(Protocol):
    """A block, as far as its roots go."""

    @property
    def id(self) -> str:
        """A name within the mechanism, "L1"."""

    @property
    def degree(self) -> int:
        """How many roots it has."""

    @property
    def sign(self) -> int:
        """Which of two it takes, 1 or -1."""


class PoseValues(CoordinateValues, Protocol):
    """A pose in a sequence."""

    @property
    def margins(self) -> list[Margin]:
        """Margins and pivots of the blocks."""


Write = Callable[[Builder, Scope, dict[str, Value], Mapping[str, Value]], PoseValues]
"""Writes a pose at values of the independent coordinates, on roots whose signs are values too, by block."""


@dataclass(frozen=True, slots=True)
class AssembledRows:
    """What the blocks give at some rows."""

    coordinates: Array  # (rows, c), all of them, rad and m; angles within half a turn
    margins: dict[str, Array]  # block -> (rows,)
    pivots: dict[str, Array]  # block -> (rows,)
    status: Array  # (rows,)

    def assembly(self, mechanism: Mechanism, signs: Signs, row: int, *, closed: bool = True) -> Assembly:
        """One row as an assembly mode; `closed` says whether the original closures hold."""
        names = mechanism.coordinates()
        coordinates = {name: float(value) for name, value in zip(names, self.coordinates[row], strict=True)}
        margins, pivots = (
            {block: float(values[row]) for block, values in some.items()} for some in (self.margins, self.pivots)
        )
        return Assembly(signs, coordinates, margins, pivots, closed=closed)

    def row(self, number: int) -> "AssembledRows":
        """One of the rows."""
        chosen = slice(number, number + 1)
        margins, pivots = (
            {block: values[chosen] for block, values in some.items()} for some in (self.margins, self.pivots)
        )
        return AssembledRows(self.coordinates[chosen], margins, pivots, self.status[chosen])


def _stack_rows(parts: Sequence[AssembledRows]) -> AssembledRows:
    """All rows of several, one below the other."""
    margins, pivots = (
        {block: np.concatenate([some[block] for some in each]) for block in each[0]}
        for each in ([part.margins for part in parts], [part.pivots for part in parts])
    )
    coordinates, status = np.vstack([part.coordinates for part in parts]), np.concatenate([p.status for p in parts])
    return AssembledRows(coordinates, margins, pivots, status)


@dataclass(frozen=True)
class RootedPoses:
    """Poses of a triangular form at rows of the independent coordinates, each row on roots of its own."""

    mechanism: Mechanism
    blocks: Sequence[RootedBlock]
    dependent: tuple[str, ...]
    write: Write
    _at_design: dict[Signs, AssembledRows] = field(default_factory=dict, init=False, compare=False, repr=False)

    def at(self, signs: Signs | Sequence[Signs], independent: Array) -> AssembledRows:
        """Evaluate at (rows, f) of the independent coordinates.

        Args:
            signs: of all rows, or of each.
            independent: one row for each of the signs, or one for all.
        """
        two = [number for number, block in enumerate(self.blocks) if block.degree > 1]
        roots = np.atleast_2d(np.asarray(signs, dtype=float))[:, two]
        rows = max(len(roots), len(independent))
        given = np.broadcast_to(independent, (rows, independent.shape[1]))
        found = interpret(self._sequence, np.hstack([given, np.broadcast_to(roots, (rows, len(two)))]))
        values = {output.signal.name: found.outputs[:, k] for k, output in enumerate(self._sequence.outputs)}
        own = dict(zip(self.mechanism.independent, given.T, strict=True))
        columns = [coordinate_of(values | own, name) for name in self.mechanism.coordinates()]
        margins, pivots = (margins_of(values, role) for role in ("margin", "pivot"))
        return AssembledRows(np.stack(columns, axis=-1), margins, pivots, found.status)

    def at_design(self, signs: Signs | Sequence[Signs]) -> AssembledRows:
        """Evaluate at the independent coordinates of the design pose; each root once, however often it is asked for."""
        asked: list[Signs] = [tuple(each) for each in np.atleast_2d(signs).tolist()]
        fresh = [each for each in dict.fromkeys(asked) if each not in self._at_design]
        if fresh:
            found = self.at(fresh, design_row(self.mechanism))
            self._at_design.update((each, found.row(number)) for number, each in enumerate(fresh))
        return _stack_rows([self._at_design[each] for each in asked])

    @cached_property
    def _sequence(self) -> OperationSequence:
        builder = Builder("pose", "float64")
        scope = Scope(builder, self.mechanism, nominal=True)
        coordinates = {name: builder.input(Signal(name, "1")) for name in self.mechanism.independent}
        signs = {each.id: builder.input(Signal(f"{each.id}.sign", "1")) for each in self.blocks if each.degree > 1}
        pose = self.write(builder, scope, coordinates, signs)
        write_coordinates(builder, pose, self.dependent, self.mechanism.displacements())
        write_margins(builder, pose.margins)
        return builder.finish()


def design_row(mechanism: Mechanism) -> Array:
    """The independent coordinates at the design pose, one row (1, f)."""
    return np.array([[float(mechanism.pose[name]) for name in mechanism.independent]])


def own_signs(blocks: Sequence[RootedBlock]) -> Signs:
    """The roots that blocks take."""
    return tuple(block.sign for block in blocks)


def every_sign(blocks: Sequence[RootedBlock]) -> list[Signs]:
    """Every combination of roots, in a fixed order."""
    return list(product(*((1, -1) if block.degree > 1 else (1,) for block in blocks)))


def flipped_signs(blocks: Sequence[RootedBlock], fixed: Collection[int] = ()) -> Iterator[Signs]:
    """Every combination of roots, their own first, then those that differ in one, in two; `fixed` blocks keep them."""
    free = [number for number, block in enumerate(blocks) if block.degree > 1 and number not in fixed]
    for count in range(len(free) + 1):
        for chosen in combinations(free, count):
            yield tuple(-block.sign if number in chosen else block.sign for number, block in enumerate(blocks))
