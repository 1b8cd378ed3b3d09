"""Tests that ran, with the requirements that they name, from result files of Robot Framework and pytest.

In: `output.xml` of Robot Framework, whose tests have tags `req:SYS-12`, or a JUnit file, whose cases have properties
`requirement`. Out: `RunTest` for each test. A test of a dry run counts as one that did not run.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree

from exporter.missing import no_file
from hil.errors import BenchError

TAG_PREFIX = "req:"
PROPERTY = "requirement"
DRY_RUN = "a dry run runs nothing"


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


def read_results(path: Path) -> list[RunTest]:
    """Every test of a result file; raises `BenchError` where it is none, or a tag has no number."""
    if not path.is_file():
        raise BenchError(f"{no_file(path, 'result file')}; give output.xml of robot, or what pytest --junitxml wrote")
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise BenchError(f"{path} is no XML ({error}); run the tests again") from error
    if root.tag not in ("robot", "testsuites", "testsuite"):
        raise BenchError(f"{path} begins with <{root.tag}>; give output.xml of robot, or what pytest --junitxml wrote")
    tests = list(_robot_tests(path, root, ()) if root.tag == "robot" else _junit_tests(path, root))
    for test in tests:
        if "" in test.requirements:
            raise BenchError(f"{path}: test '{test.name}' names a requirement without a number; write req:SYS-12")
    return tests


def numbers_in(tags: Iterable[str]) -> tuple[str, ...]:
    """The numbers of requirements among tags: "req:SYS-12" is SYS-12."""
    return tuple(tag[len(TAG_PREFIX) :].strip() for tag in tags if tag.lower().startswith(TAG_PREFIX))


def _robot_tests(path: Path, element: ElementTree.Element, suites: tuple[str, ...]) -> Iterator[RunTest]:
    for suite in element.findall("suite"):
        yield from _robot_tests(path, suite, (*suites, suite.get("name", "")))
    for test in element.findall("test"):
        numbers = numbers_in((each.text or "").strip() for each in test.findall("tag"))
        ending, message = _robot_ending(test)
        yield RunTest(".".join((*suites, test.get("name", ""))), ending, message, numbers, path.as_posix())


def _robot_ending(test: ElementTree.Element) -> tuple[Ending, str]:
    status = test.find("status")
    if status is None:
        return Ending.FAILED, "it has no status"
    ended = {each.get("status") for each in test.iter("status") if each is not status}
    if status.get("status") == "PASS" and ended <= {"NOT RUN"}:
        return Ending.SKIPPED, DRY_RUN
    ending = {"PASS": Ending.PASSED, "SKIP": Ending.SKIPPED}.get(status.get("status", ""), Ending.FAILED)
    return ending, "" if ending is Ending.PASSED else (status.text or "").strip()


def _junit_tests(path: Path, root: ElementTree.Element) -> Iterator[RunTest]:
    for case in root.iter("testcase"):
        numbers = [each.get("value", "") for each in case.iter("property") if each.get("name") == PROPERTY]
        ending, message = _junit_ending(case)
        name = ".".join(part for part in (case.get("classname"), case.get("name")) if part)
        yield RunTest(
            name, ending, message, tuple(dict.fromkeys(number.strip() for number in numbers)), path.as_posix()
        )


def _junit_ending(case: ElementTree.Element) -> tuple[Ending, str]:
    for kind, ending in (("failure", Ending.FAILED), ("error", Ending.FAILED), ("skipped", Ending.SKIPPED)):
        found = case.find(kind)
        if found is not None:
            return ending, (found.get("message") or found.text or "").strip()
    return Ending.PASSED, ""
