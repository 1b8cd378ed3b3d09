"""What the tests compute, children and all: CPU seconds at the end of a run, and the ten files that took most of it."""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

SHOWN = 10


def computed_s() -> float:
    """CPU seconds of this process and of the children that ended."""
    return sum(os.times()[:4])


class Spent:
    """CPU seconds by file, and of the processes that run tests as wholes: these import and collect too."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()
        self.processes_s = 0.0

    def join(self, files: dict[str, float], processes_s: float) -> None:
        """Add what another process spent."""
        self.files.update(files)
        self.processes_s += processes_s

    def lines(self) -> list[str]:
        """The total, then the files that took most."""
        most = [f"  {seconds:7.1f}  {file}" for file, seconds in self.files.most_common(SHOWN)]
        return [f"computing time: {self.processes_s:,.0f} s of CPU, most of it in", *most]


SPENT = Spent()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Take the time of a test with its fixtures."""
    before = computed_s()
    try:
        return (yield)
    finally:
        SPENT.files[item.location[0]] += computed_s() - before


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Add up this process, and send it to the one that collects."""
    has_workers = session.config.pluginmanager.hasplugin("dsession")  # they tell their time themselves
    SPENT.processes_s += sum(os.times()[:2]) if has_workers else computed_s()
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["computing_time"] = (dict(SPENT.files), SPENT.processes_s)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Join the time of a worker."""
    SPENT.join(*getattr(node, "workeroutput", {}).get("computing_time", ({}, 0.0)))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print it once, where several files ran."""
    if not hasattr(config, "workeroutput") and len(SPENT.files) > 1:
        for line in SPENT.lines():
            terminalreporter.line(line)
