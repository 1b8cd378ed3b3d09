"""The matrix: each requirement, the tests that name it, and what that shows.

In: tests that ran, and the list of requirements where there is one. Out: `Matrix`. A requirement is passed where tests
name it and all of them passed. A test that was skipped has shown nothing, so it leaves the requirement open, unless the
test of the same name passed in another file: on another target, whose results are given too.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from hil.requirements.endings import Ending, RunTest
from sil.figures import count_text


class Shown(StrEnum):
    """What tests say of a requirement."""

    PASSED = "passed"
    FAILED = "failed"
    OPEN = "open"  # a test of it was skipped and passed nowhere, and none failed
    UNTESTED = "untested"
    UNLISTED = "unlisted"  # a test names it, and the list does not have it


@dataclass(frozen=True, slots=True)
class Line:
    """A requirement with its tests."""

    number: str
    words: str  # of the list
    shown: Shown
    tests: tuple[RunTest, ...]

    @property
    def reason(self) -> str:
        """Why it is not passed; empty where it is."""
        match self.shown:
            case Shown.UNTESTED:
                return "no test names it"
            case Shown.UNLISTED:
                return f"{count_text(len(self.tests), 'test')} name it, and it is not in the list"
        told = failed_of(self.tests) or unshown_of(self.tests)
        return "; ".join(f"{test.name} {test.ending.value}: {test.message or 'without a word'}" for test in told)


@dataclass(frozen=True, slots=True)
class Matrix:
    """All requirements, and the tests that name none."""

    title: str
    lines: tuple[Line, ...]
    without: tuple[RunTest, ...]
    has_list: bool

    @property
    def passed(self) -> bool:
        """Whether there are requirements, and every one is passed."""
        return bool(self.lines) and all(line.shown is Shown.PASSED for line in self.lines)

    @property
    def headline(self) -> str:
        """The line that is read first."""
        return f"{'PASSED' if self.passed else 'FAILED'}: {self.counts}"

    @property
    def counts(self) -> str:
        """How many requirements there are, and how many are what."""
        counts = {shown: sum(line.shown is shown for line in self.lines) for shown in Shown}
        parts = ", ".join(f"{count:,} {shown.value}" for shown, count in counts.items() if count)
        listed = "" if self.has_list else "; no list was given, so nothing is said about untested ones"
        return f"{count_text(len(self.lines), 'requirement')}{f', {parts}' if parts else ''}{listed}"


def failed_of(tests: Sequence[RunTest]) -> list[RunTest]:
    """Tests that failed."""
    return [test for test in tests if test.ending is Ending.FAILED]


def unshown_of(tests: Sequence[RunTest]) -> list[RunTest]:
    """Tests that were skipped, and whose namesake passed in no other file: one of the same file is another test."""
    passed = {(test.name, test.file) for test in tests if test.ending is Ending.PASSED}
    skipped = (test for test in tests if test.ending is Ending.SKIPPED)
    return [each for each in skipped if not any(name == each.name and file != each.file for name, file in passed)]


def matrix_of(tests: Iterable[RunTest], listed: Mapping[str, str] | None, title: str = "Requirements") -> Matrix:
    """Requirements of the list in its order, then those that only tests name, by number."""
    by_number: dict[str, list[RunTest]] = {number: [] for number in listed or {}}
    without = []
    for test in tests:
        for number in test.requirements:
            by_number.setdefault(number, []).append(test)
        if not test.requirements:
            without.append(test)
    numbers = [*(listed or {}), *sorted(set(by_number) - set(listed or {}))]
    lines = tuple(_line(number, by_number[number], listed) for number in numbers)
    return Matrix(title, lines, tuple(without), listed is not None)


def _line(number: str, tests: list[RunTest], listed: Mapping[str, str] | None) -> Line:
    words = "" if listed is None else listed.get(number, "")
    return Line(number, words, _shown(tests, is_listed=listed is None or number in listed), tuple(tests))


def _shown(tests: list[RunTest], is_listed: bool) -> Shown:
    if failed_of(tests):
        return Shown.FAILED
    if not is_listed:
        return Shown.UNLISTED
    if not tests:
        return Shown.UNTESTED
    return Shown.OPEN if unshown_of(tests) else Shown.PASSED
