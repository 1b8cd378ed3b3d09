"""The faults file: which frames something happens to, how often and what, checked against `faults.schema.json`.

Used by: `hil.faults.way`, which draws, and `hil.faults.steps`, which steps the device meanwhile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.checked_toml import read_checked
from hil.errors import BenchError
from hil.faults.kinds import Direction, Kind

SCHEMA = Path(__file__).with_name("faults.schema.json")
DEFAULT_STEPS = 10_000  # of a run under faults
BOTH_DIRECTIONS = "both"


@dataclass(frozen=True, slots=True)
class Rule:
    """Faults of some kinds at one rate, on frames of some requests and their answers."""

    rate: float  # part of the frames
    directions: tuple[Direction, ...] = tuple(Direction)
    kinds: tuple[Kind, ...] = ()  # none: all that the link knows
    requests: tuple[str, ...] = ()  # names of types; none: all

    def meets(self, direction: Direction, request: str) -> bool:
        """Whether it is about a frame of this direction that belongs to a request of this type."""
        return direction in self.directions and (not self.requests or request in self.requests)


@dataclass(frozen=True, slots=True)
class FaultFile:
    """A whole faults file."""

    path: Path
    sha256: str
    rules: tuple[Rule, ...]
    seed: int = 1
    steps: int = DEFAULT_STEPS

    @property
    def source(self) -> str:
        """In words: the file, its hash, its seed."""
        return f"{self.path.name}, SHA-256 {self.sha256}, seed {self.seed}"


def read_faults(path: Path) -> FaultFile:
    """Read a faults file; raises `BenchError` when it is missing, no TOML, or against the schema."""
    table, sha256 = read_checked(path, SCHEMA, "faults file", "examples/faults.toml")
    rules = tuple(_rule(entry) for entry in table["fault"])
    return FaultFile(path, sha256, rules, table.get("seed", 1), table.get("steps", DEFAULT_STEPS))


def _rule(entry: dict[str, Any]) -> Rule:
    direction = entry.get("direction", BOTH_DIRECTIONS)
    return Rule(
        rate=entry["rate"],
        directions=tuple(Direction) if direction == BOTH_DIRECTIONS else (Direction(direction),),
        kinds=tuple(Kind(name) for name in entry.get("kinds", ())),
        requests=tuple(entry.get("requests", ())),
    )


def require_kinds(file: FaultFile, kinds: Sequence[Kind], medium: str) -> None:
    """See that all faults can happen on this kind of link; raises `BenchError` naming the first that cannot."""
    for rule in file.rules:
        if unknown := [kind for kind in rule.kinds if kind not in kinds]:
            raise BenchError(
                f"{file.path}: fault.kinds: '{unknown[0]}' cannot happen on this bench, which runs over {medium}; "
                f"choose of {', '.join(kinds)}"
            )
