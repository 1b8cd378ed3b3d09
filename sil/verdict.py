"""What a check found: a value against its limit, the worst vector and how to run it again."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Verdict:
    """One check of one function. It passes where value <= limit; NaN fails."""

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

    @property
    def passed(self) -> bool:
        """Whether the value is within its limit."""
        return bool(self.value <= self.limit)

    @property
    def margin(self) -> float:
        """How far the value is from its limit."""
        return self.limit - self.value

    def as_dict(self) -> dict[str, Any]:
        """For JSON; a value that is not finite becomes text."""
        counted = {} if self.fewest is None else {"fewest": self.fewest}
        return counted | {
            "check": self.check,
            "function": self.function,
            "passed": self.passed,
            "value": _plain(self.value),
            "limit": _plain(self.limit),
            "margin": _plain(self.margin),
            "unit": self.unit,
            "detail": self.detail,
            "worst_vector": self.worst,
            "worst_inputs": self.inputs,
            "replay": self.replay,
        }

    def sentence(self) -> str:
        """One line for a terminal."""
        mark = "ok  " if self.passed else "FAIL"
        unit = "" if self.unit == "1" else f" {self.unit}"
        return f"{mark} {self.function}: {self.check} {self.value:.3g}{unit}, limit {self.limit:.3g}{unit}"


def _plain(value: float) -> float | str:
    return value if np.isfinite(value) else str(value)


def worst_of(errors: NDArray[Any]) -> tuple[float, int | None]:
    """The largest error and its row; NaN counts as larger than all; (0, None) of nothing."""
    if errors.size == 0:
        return 0.0, None
    per_row = errors if errors.ndim == 1 else errors.max(axis=1)
    index = int(np.argmax(np.where(np.isnan(per_row), np.inf, per_row)))
    return float(per_row[index]), index
