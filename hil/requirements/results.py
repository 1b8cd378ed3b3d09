"""Tests that ran, with the requirements that they name, from result files of Robot Framework and pytest.

In: `output.xml` of Robot Framework, whose tests have tags `req:SYS-12`, or a JUnit file, whose cases have properties
`requirement`. Out: `RunTest` for each test. A test of a dry run counts as one that did not run.
"""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from exporter.missing import no_file
from hil.errors import BenchError
from hil.requirements.endings import Ending, RunTest
from hil.requirements.robot_results import robot_tests

PROPERTY, NOT_RUN = "requirement", "not run"  # as the plugin of pytest writes them


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
    tests = robot_tests(path) if root.tag == "robot" else list(_junit_tests(path, root))
    for test in tests:
        if "" in test.requirements:
            raise BenchError(f"{path}: test '{test.name}' names a requirement without a number; write req:SYS-12")
    return tests


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
    if (option := _value_of(case, NOT_RUN)) is not None:
        return Ending.SKIPPED, f"{option} runs no test"
    return Ending.PASSED, ""


def _value_of(case: ElementTree.Element, name: str) -> str | None:
    found = next((each for each in case.iter("property") if each.get("name") == name), None)
    return None if found is None else found.get("value", "")
