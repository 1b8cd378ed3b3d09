"""What a check found: a value against its limit, on how many rows, the worst of them and how to run it again.

A check has one of four outcomes. Only `PASSED` counts for a pass; `FAILED` and `NOTHING_COMPARED` stand against it;
`NOT_JUDGED` does neither and always comes with its reason in words, which every report shows.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sil.figures import NO_MEASUREMENT, count_text, figure

NO_VALUE = float("nan")


class Outcome(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOTHING_COMPARED = "nothing compared"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One check of one function. It passes where something was compared and value <= limit; NaN fails."""

    check: str  # "closure residual"
    function: str
    value: float
    limit: float
    unit: str
    detail: str  # one sentence: what was compared, on how many vectors
    worst: int | None = None  # index of the worst vector
    inputs: dict[str, str] = field(default_factory=dict)  # of the worst vector, hexadecimal floats
    replay: str = ""
    fewest: int | None = None  # of counts whose spread this is
    compared: int | None = None  # rows that were compared; None where what is judged are no rows
    reason: str = ""  # why it is not judged; empty where it is
    parameters: dict[str, str] = field(default_factory=dict)  # of the worst vector where not nominal, hexadecimal
    unknown: str = ""  # why there is no value, where a check fails for want of one
    beyond: int = 0  # vectors of the function without a flag that the reference does not reach

    @property
    def outcome(self) -> Outcome:
        """How the check ended."""
        if self.reason:
            return Outcome.NOT_JUDGED
        if self.compared == 0:
            return Outcome.NOTHING_COMPARED
        return Outcome.PASSED if self.value <= self.limit else Outcome.FAILED

    @property
    def passed(self) -> bool:
        """Whether something was compared and is within its limit."""
        return self.outcome is Outcome.PASSED

    @property
    def stands_against(self) -> bool:
        """Whether a run with this verdict cannot pass."""
        return self.outcome in (Outcome.FAILED, Outcome.NOTHING_COMPARED)

    @property
    def measured(self) -> bool:
        """Whether there is a value to be told; a failed check may have none."""
        return self.outcome in (Outcome.PASSED, Outcome.FAILED)

    @property
    def margin(self) -> float:
        """How far the value is from its limit."""
        return self.limit - self.value

    def as_dict(self) -> dict[str, Any]:
        """For JSON; a value that is not finite becomes text, one that does not exist None."""
        return {
            **({} if self.fewest is None else {"fewest": self.fewest}),
            **({"beyond_reach": self.beyond} if self.beyond else {}),
            "check": self.check,
            "function": self.function,
            "outcome": self.outcome.value,
            "passed": self.passed,
            "value": self._plain(self.value),
            "limit": self._plain(self.limit),
            "margin": self._plain(self.margin),
            "unit": self.unit,
            "compared": self.compared,
            "reason": self.reason,
            "detail": self.detail,
            "worst_vector": self.worst,
            "worst_inputs": self.inputs,
            "worst_parameters": self.parameters,
            "replay": self.replay,
        }

    def _plain(self, value: float) -> float | str | None:
        if np.isfinite(value):
            return value
        return str(value) if self.measured else None

    def sentence(self) -> str:
        """One line for a terminal."""
        mark = {Outcome.PASSED: "ok  ", Outcome.NOT_JUDGED: "--  "}.get(self.outcome, "FAIL")
        return f"{mark} {self.function}: {self.check}{self._result_text()}"

    def _result_text(self) -> str:
        match self.outcome:
            case Outcome.NOT_JUDGED:
                return f": not judged, {self.reason}"
            case Outcome.NOTHING_COMPARED:
                return f": nothing compared ({self.detail})"
        unit = "" if self.unit == "1" else f" {self.unit}"
        value = figure(self.value)
        why = f" ({self.unknown})" if self.unknown else ""
        found = f": {value}{why}" if value == NO_MEASUREMENT else f" {value}{unit}"
        return f"{found}, limit {figure(self.limit)}{unit}"


def not_judged(check: str, function: str, reason: str, detail: str = "", replay: str = "") -> Verdict:
    """A check that could not be made, and why in words."""
    return Verdict(check, function, NO_VALUE, NO_VALUE, "1", detail, replay=replay, reason=reason)


def all_pass(verdicts: Iterable[Verdict]) -> bool:
    """Whether a run passes: a verdict passed, and none stands against it. Without a verdict nothing is shown."""
    found = tuple(verdicts)
    return any(verdict.passed for verdict in found) and not any(verdict.stands_against for verdict in found)


def summary(verdicts: Iterable[Verdict]) -> str:
    """In words how the checks ended: "passed 6 checks", "FAILED in 2 of 9 checks, nothing compared in 1"."""
    found = tuple(verdicts)
    number = {outcome: sum(verdict.outcome is outcome for verdict in found) for outcome in Outcome}
    parts = []
    if number[Outcome.FAILED]:
        parts.append(f"FAILED in {number[Outcome.FAILED]:,} of {count_text(len(found), 'check')}")
    if number[Outcome.NOTHING_COMPARED]:
        missing = number[Outcome.NOTHING_COMPARED]
        parts.append(
            f"{'' if parts else 'FAILED: '}nothing compared in {missing:,} of {count_text(len(found), 'check')}"
        )
    if not parts:
        passed = number[Outcome.PASSED]
        parts.append(f"passed {count_text(passed, 'check')}" if passed else "NOTHING JUDGED")
    if number[Outcome.NOT_JUDGED]:
        parts.append(f"{number[Outcome.NOT_JUDGED]:,} not judged")
    return ", ".join(parts)


def worst_of(errors: NDArray[Any]) -> tuple[float, int | None]:
    """The largest error and its row; NaN counts as larger than all; (NaN, None) of nothing."""
    if errors.size == 0:
        return NO_VALUE, None
    per_row = errors if errors.ndim == 1 else errors.max(axis=1)
    index = int(np.argmax(np.where(np.isnan(per_row), np.inf, per_row)))
    return float(per_row[index]), index
