"""Tests of Robot Framework with their endings, by its own reader: a suite's teardown that failed fails its tests.

In: `output.xml`. Out: `RunTest` for each test. A test in which no keyword of a library ran has shown nothing: so it is
in a dry run, which lets keywords of users, loops and branches pass.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hil.errors import BenchError
from hil.requirements.endings import Ending, RunTest

TAG_PREFIX = "req:"
DRY_RUN = "no keyword ran, as in a dry run"
NOT_RUN, BUILT_IN = "NOT RUN", "BuiltIn"
CALLERS = ("run keyword", "repeat keyword", "wait until keyword succeeds")
"""How keywords of Robot begin that only call others: they pass in a dry run."""
RUN_IN_DRY_RUN = ("import library", "import resource", "set library search order", "set tags", "remove tags")
"""Keywords of Robot that run in a dry run: they prepare a test, and show nothing."""
REMOVED = '<span class="robot-note">Content '
"""Begins what rebot notes on a keyword whose own ones it flattened or removed: whether they ran is not told."""
NOT_TOLD = "which keywords ran is not told: rebot has flattened or removed them; give output.xml as robot wrote it"
ENDINGS = {"PASS": Ending.PASSED, "SKIP": Ending.SKIPPED}


def robot_tests(path: Path) -> list[RunTest]:
    """Every test of a result file; raises `BenchError` where Robot Framework cannot read it."""
    from robot.api import ExecutionResult  # noqa: PLC0415 - not for --help
    from robot.errors import DataError  # noqa: PLC0415

    try:
        result: Any = ExecutionResult(str(path))
    except DataError as error:
        raise BenchError(f"{path} is no result of Robot Framework ({error}); run the tests again") from error
    return [_run_test(path, test) for test in result.suite.all_tests]


def numbers_in(tags: Iterable[str]) -> tuple[str, ...]:
    """The numbers of requirements among tags: "req:SYS-12" is SYS-12."""
    return tuple(tag[len(TAG_PREFIX) :].strip() for tag in tags if tag.lower().startswith(TAG_PREFIX))


def _run_test(path: Path, test: Any) -> RunTest:
    ending, message = ENDINGS.get(test.status, Ending.FAILED), str(test.message).strip()
    if ending is Ending.PASSED:
        message = ""
        leaves = list(_leaves(test))
        if not any(map(_has_run, leaves)):
            ending, message = Ending.SKIPPED, NOT_TOLD if any(map(_is_removed, leaves)) else DRY_RUN
    return RunTest(str(test.full_name), ending, message, numbers_in(test.tags), path.as_posix())


def _leaves(item: Any) -> Iterator[Any]:
    """Keywords that call no other one, in a test, a keyword or a branch."""
    inside = [each for each in getattr(item, "body", ()) if each.type != each.MESSAGE]
    inside += [each for name in ("setup", "teardown") if (each := getattr(item, name, None))]
    for each in inside:
        yield from _leaves(each)
    if not inside and item.type in (item.KEYWORD, item.SETUP, item.TEARDOWN):
        yield item


def _has_run(keyword: Any) -> bool:
    name = str(keyword.name or "").lower()
    if _is_removed(keyword) or (keyword.owner == BUILT_IN and name in RUN_IN_DRY_RUN):
        return False
    return keyword.status != NOT_RUN and not name.startswith(CALLERS)


def _is_removed(keyword: Any) -> bool:
    return REMOVED in str(keyword.message or "")
