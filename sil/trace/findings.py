"""What a trace found, in facts: flags, smallest margins, jumps, and whether the path can be followed.

In: `TracedPath`. Out: `Findings`, JSON-able by `dataclasses.asdict`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exporter.sequence.status import BITS
from sil.trace.choices import Choice, choices_at
from sil.trace.continuity import Jump, assembled_rows, bit_of, jumps_of, rows_outside
from sil.trace.evaluation import TracedPath
from sil.trace.signs import sign_changes

NARROW_MARGIN = 0.01
"""Where the smallest margin or pivot is below this, another choice of coordinates is looked for."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A pose of the path."""

    row: int  # from 0
    time: float | None  # s
    independent: dict[str, float]  # rad, m


@dataclass(frozen=True, slots=True)
class FlagFacts:
    """A status bit that was set along the path."""

    name: str
    rows: int
    first: Spot
    last: Spot


@dataclass(frozen=True, slots=True)
class MarginFacts:
    """The smallest value of a margin, or the smallest magnitude of a pivot."""

    name: str  # "margin.L1"
    smallest: float
    at: Spot


@dataclass(frozen=True, slots=True)
class JumpFacts:
    """Where the exported pose leaves the branch."""

    coordinate: str
    unit: str
    moved: float
    expected: float | None  # None where the reference cannot follow
    before: Spot
    after: Spot


@dataclass(frozen=True, slots=True)
class SignFacts:
    """Where a quaternion goes on with the other sign; the attitude itself does not jump."""

    name: str
    before: Spot
    after: Spot


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that trace says."""

    name: str
    title: str
    precision: str
    rows: int
    independent: tuple[str, ...]
    units: dict[str, str]  # of the independent coordinates
    continuous: bool
    unreached: int  # rows at which the mechanism cannot be
    outside: int  # rows beyond the ranges of the file
    flags: tuple[FlagFacts, ...]
    margins: tuple[MarginFacts, ...]
    jumps: tuple[JumpFacts, ...]
    signs: tuple[SignFacts, ...]
    narrow: bool  # a jump, a row out of reach, or a margin below NARROW_MARGIN
    worst: Spot | None  # smallest margin or pivot, the first jump, or the first row out of reach or range
    choices: tuple[Choice, ...]  # of other independent coordinates, where the worst pose is narrow; best first


def findings_of(found: TracedPath) -> Findings:
    """Judge a trace."""
    mechanism = found.mechanism
    jumps, reached, beyond = jumps_of(found), assembled_rows(found), rows_outside(found)
    margins = tuple(_margin_facts(found, name) for name in found.margins)
    worst = _worst(found, jumps, reached)
    narrow = bool(len(jumps)) or not (reached | beyond).all() or any(each.smallest < NARROW_MARGIN for each in margins)
    return Findings(
        name=mechanism.name,
        title=mechanism.title,
        precision=found.precision,
        rows=len(found.status),
        independent=mechanism.independent,
        units={name: mechanism.unit_of(name) for name in mechanism.independent},
        continuous=not jumps and bool(reached.all()),
        unreached=int((~reached & ~beyond).sum()),
        outside=int(beyond.sum()),
        flags=_flags(found),
        margins=margins,
        jumps=tuple(_jump(found, jump) for jump in jumps),
        signs=tuple(SignFacts(c.name, _spot(found, c.row), _spot(found, c.row + 1)) for c in sign_changes(found)),
        narrow=narrow,
        worst=None if worst is None else _spot(found, worst),
        choices=choices_at(mechanism, found.coordinates[_nearest(worst, reached)])
        if narrow and worst is not None
        else (),
    )


def _spot(found: TracedPath, row: int) -> Spot:
    path = found.path
    values = dict(zip(path.names, path.values[row].tolist(), strict=True))
    return Spot(int(row), None if path.times is None else float(path.times[row]), values)


def _flags(found: TracedPath) -> tuple[FlagFacts, ...]:
    facts = []
    for name in BITS:
        rows = np.flatnonzero(found.status & np.uint32(bit_of(name)))
        if len(rows):
            facts.append(FlagFacts(name, len(rows), _spot(found, rows[0]), _spot(found, rows[-1])))
    return tuple(facts)


def _margin_facts(found: TracedPath, name: str) -> MarginFacts:
    values = _size(found, name)
    row = int(values.argmin())
    return MarginFacts(name, float(values[row]), _spot(found, row))


def _size(found: TracedPath, name: str) -> NDArray[np.float64]:
    """A margin as it is, the magnitude of a pivot."""
    return np.abs(found.margins[name]) if name.startswith("pivot.") else found.margins[name]


def _jump(found: TracedPath, jump: Jump) -> JumpFacts:
    expected = jump.expected if np.isfinite(jump.expected) else None
    before, after = _spot(found, jump.row), _spot(found, jump.row + 1)
    return JumpFacts(jump.coordinate, found.mechanism.unit_of(jump.coordinate), jump.moved, expected, before, after)


def _worst(found: TracedPath, jumps: tuple[Jump, ...], reached: NDArray[np.bool_]) -> int | None:
    if not reached.all():
        return int(np.flatnonzero(~reached)[0])
    if jumps:
        return jumps[0].row
    if not found.margins:
        return None
    return int(np.min([_size(found, name) for name in found.margins], axis=0).argmin())


def _nearest(row: int | None, reached: NDArray[np.bool_]) -> int:
    """The row itself, or the one before or after it that the mechanism reaches."""
    rows = np.flatnonzero(reached)
    return int(rows[np.abs(rows - (row or 0)).argmin()]) if len(rows) else 0
