"""A test that ran, or did not, and the requirements that it names."""

from dataclasses import dataclass
from enum import StrEnum


class Ending(StrEnum):
    """How a test ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class RunTest:
    """One test of one result file."""

    name: str  # with its suites
    ending: Ending
    message: str  # why it failed or was skipped
    requirements: tuple[str, ...]
    file: str  # the result file, as it was given
