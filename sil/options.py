"""What a campaign is asked for, and the command that asks for it again."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sil.limits import Limits

SEED = 20_110_301
COUNT = 100_000  # vectors of a function
RUNNER = "host"
FEWEST_VECTORS = 400
"""Vectors from which on every check can be expected to find some that it can compare."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a campaign is asked for."""

    functions: tuple[str, ...] = ()  # none: all of the export
    count: int = COUNT
    seed: int = SEED
    runner: str = RUNNER  # interpreter, host, emulated, m7 or all
    limits: Limits | None = None  # none: those of the number type
    row: int | None = None  # run this vector alone
    parameters: Mapping[str, float] = field(default_factory=dict)  # run at these alone; none: at all sets


DEFAULT_OPTIONS = Options()


def excuse_of_few(count: int, option: str) -> str:
    """Why a check that none of few vectors is fit for is not judged; empty where there are enough."""
    return (
        f"none of {count:,} vectors is fit for it; take {FEWEST_VECTORS:,} or more with {option}"
        if count < FEWEST_VECTORS
        else ""
    )


def replay_command(folder: Path, options: Options, function: str, row: int) -> str:
    """What a user types to run one vector again, from any folder; its number tells the set of parameters."""
    words = ["kinefix", "sil", folder.resolve().as_posix(), "--function", function]
    words += ["--count", str(options.count), "--seed", str(options.seed), "--replay", str(row)]
    words += [] if options.runner == RUNNER else ["--runner", options.runner]
    for name, value in options.parameters.items():
        words += ["--parameter", f"{name}={value!r}"]
    return shlex.join(words)
