"""Fixtures for pytest on what the keywords do: a bench that is opened once, and a mark for requirements.

Used by: pytest, which loads it by its entry point. Nothing heavy is imported before a fixture is asked for.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hil.driving.bench_fixture import OpenBench

MARK = "requirement"
NOT_RUN = "not run"
PLANS = ("--setup-plan", "--setup-only")
"""Options with which pytest lets tests pass that it does not run."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Which bench file, which of its targets."""
    group = parser.getgroup("kinefix")
    group.addoption("--kinefix-bench", metavar="BENCH.toml", help="bench file of the fixture kinefix_bench")
    group.addoption("--kinefix-target", metavar="NAME", help="one of its targets, instead of the one that it names")
    parser.addini("kinefix_bench", "bench file of the fixture kinefix_bench, relative to this file", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line("markers", f'{MARK}(number, ...): the test shows these requirements, such as "SYS-12"')


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the numbers of a test's requirements into its JUnit case, however it ends, and whether it is run at all."""
    without = next((name for name in PLANS if config.getoption(name.strip("-").replace("-", ""))), "")
    for item in items:
        item.user_properties += [(NOT_RUN, without)] if without else []
        numbers = [str(number) for mark in item.iter_markers(MARK) for number in mark.args]
        item.user_properties += [(MARK, number) for number in numbers]


@pytest.fixture(scope="session")
def kinefix_session(request: pytest.FixtureRequest) -> "Iterator[OpenBench]":
    """The bench of --kinefix-bench, opened once in each process."""
    from hil.driving.bench_fixture import OpenBench  # noqa: PLC0415 - not before a test asks for it

    config = request.config
    given, ini = config.getoption("--kinefix-bench"), config.getini("kinefix_bench")
    if not given and not ini:
        pytest.fail("kinefix_bench needs a bench file: give --kinefix-bench BENCH.toml, or kinefix_bench in pytest.ini")
    path = Path(given) if given else config.rootpath / ini
    with OpenBench(path, config.getoption("--kinefix-target")) as bench:
        yield bench


@pytest.fixture
def kinefix_bench(kinefix_session: "OpenBench") -> "OpenBench":
    """The open bench with inputs, state and parameters as they are when it is opened."""
    kinefix_session.restore()
    return kinefix_session
