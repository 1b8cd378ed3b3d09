"""A listener of Robot Framework that says which test runs, for whoever waits."""

from typing import Any

from exporter.progress import say


class SaidTests:
    """Says each test as it begins, with its number; the names of its methods are those that Robot Framework calls."""

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self) -> None:
        self._number = 0
        self._total = 0

    def start_suite(self, data: Any, result: Any) -> None:  # noqa: ARG002 - the protocol's
        """The outermost suite knows how many tests there are."""
        self._total = self._total or data.test_count

    def start_test(self, data: Any, result: Any) -> None:  # noqa: ARG002 - the protocol's
        """Say the test that begins."""
        self._number += 1
        say(f"test {data.name}", self._number, self._total)
