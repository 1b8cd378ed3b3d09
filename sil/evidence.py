"""What one function did on its vectors: the material that every check judges.

Made by `sil.campaign`; read by `sil.checks`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.export import Export
from exporter.manifest import Function, Manifest
from sil.compare import Numbers, require_type
from sil.domain import Domain, Rows
from sil.figures import count_text
from sil.limits import Limits
from sil.parameter_sets import NOMINAL_SET, ParameterSet
from sil.runners.runner import RunResult
from sil.vectors import Vectors
from sil.verdict import NO_VALUE, Verdict, not_judged, worst_of
from sil.whole_poses import Call, WholePoses

WARNING_CONDITIONS = ("BRANCH_NEAR_SWAP", "LIMITED")
"""The status bits under which outputs keep their guarantee."""


def words_of(ran: RunResult) -> NDArray[np.uint32]:
    """Status per row, with what recalibrate says of the parameters."""
    return np.asarray(ran.status | np.uint32(ran.start_status), dtype=np.uint32)


def warnings_in(manifest: Manifest) -> np.uint32:
    """The mask of the conditions that are warnings; an export that cannot warn has none."""
    return np.uint32(sum(1 << manifest.status[name] for name in WARNING_CONDITIONS if name in manifest.status))


def flagged_rows(manifest: Manifest, ran: RunResult) -> NDArray[np.bool_]:
    """Per row whether a condition other than a warning is set, by the function or by recalibrate."""
    return np.asarray((words_of(ran) & ~warnings_in(manifest)) != 0)


def flag_counts(manifest: Manifest, status: NDArray[np.uint32]) -> dict[str, int]:
    """How many rows set each condition, by bit; conditions that no row sets are left out."""
    found = {}
    for name, bit in sorted(manifest.status.items(), key=lambda item: item[1]):
        number = int(((status >> bit) & 1).sum())
        if number:
            found[name] = number
    return found


@dataclass(frozen=True, slots=True)
class Series:
    """Errors of one check over the vectors it judged, for the report's plots."""

    check: str
    function: str
    limit: float
    unit: str
    rows: NDArray[np.int64]
    errors: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A function, its vectors and what the host library made of them."""

    export: Export
    function: Function
    domain: Domain
    vectors: Vectors
    ran: RunResult
    margins: NDArray[np.float64]  # (rows,), the smallest margin or pivot of the pose; 1 where the export tells none
    call: Call  # runs other rows through any function of the export, at the same parameters
    limits: Limits
    replay: Callable[[int], str]  # the command for a vector, counted from the first of all sets
    parameters: ParameterSet = NOMINAL_SET
    first: int = 0  # number of the first row within the vectors of all sets
    share: float = 1.0  # part of all vectors of the function
    whole: WholePoses | None = None  # what tells whole poses; None: the export's own functions
    excuse: str = ""  # why a check that none of these vectors is fit for is not judged; empty: then it does not pass

    @property
    def telling(self) -> WholePoses:
        """Functions that tell whole poses, margins and pivots, at the same parameters."""
        return self.whole or WholePoses(self.export.manifest, self.call)

    @property
    def unflagged(self) -> NDArray[np.int64]:
        """Rows with no status bit but warnings: their outputs are judged like any other's."""
        return np.flatnonzero(~flagged_rows(self.export.manifest, self.ran))

    def status_bit(self, name: str) -> NDArray[np.bool_]:
        """Per row whether a condition is set."""
        bit = np.uint32(1 << self.export.manifest.status[name])
        return np.asarray((self.ran.status & bit) != 0)

    def doubles(self, array: Rows) -> NDArray[np.float64]:
        """Exactly the same numbers in float64, after the type was asserted."""
        require_type(array, self.export.manifest.real, f"an array of {self.function.symbol}")
        return array.astype(np.float64)

    def verdict(self, check: str, errors: Numbers, rows: NDArray[Any], limit: float, unit: str, detail: str) -> Verdict:
        """The worst of `errors` (one or several per row of `rows`) against a limit.

        Without any row nothing was compared; that is not judged where there is an excuse, and else no pass.
        """
        if not len(rows):
            return self._empty_verdict(check, limit, unit, detail)
        value, at = worst_of(np.asarray(errors))
        at = None if value == 0 else at
        worst = None if at is None else int(rows[at])
        return Verdict(
            check=check,
            function=self.function.name,
            value=value,
            limit=limit,
            unit=unit,
            detail=detail,
            compared=len(rows),
            parameters={} if worst is None else self.parameters.hexadecimal,
            worst=None if worst is None else worst + self.first,
            inputs={} if worst is None else self.inputs_of(worst),
            replay="" if worst is None else self.replay(worst + self.first),
        )

    def _empty_verdict(self, check: str, limit: float, unit: str, detail: str) -> Verdict:
        if self.excuse:
            return not_judged(check, self.function.name, self.excuse, detail)
        bits = flag_counts(self.export.manifest, words_of(self.ran))
        said = ", ".join(f"{name} {number:,}" for name, number in bits.items())
        why = f"{detail}; of {count_text(len(self.ran.status), 'vector')} none is left, flags: {said or 'none'}"
        return Verdict(check, self.function.name, NO_VALUE, limit, unit, why, compared=0)

    def inputs_of(self, row: int) -> dict[str, str]:
        """A vector in hexadecimal floats, by signal name."""
        values = self.vectors.rows[row].astype(np.float64).tolist()
        return {name: value.hex() for name, value in zip(self.vectors.names, values, strict=True)}
