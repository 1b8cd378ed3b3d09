"""Shared fixtures: tools that a test needs, golden files, test data on disk."""

import difflib
import importlib.util
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

from exporter.errors import MissingTool
from targets.toolchain import find

pytest_plugins = ("detectors", "computing_time")
ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
GOLDEN = ROOT / "tests" / "golden"

os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(ROOT / "build" / "zig-cache"))  # nothing outside the checkout
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as a script's jobs in the background inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files with what was produced")


def missing(tool: str, why: str) -> NoReturn:
    """Skip where a laptop lacks a tool; fail where CI does, since CI installs what it needs."""
    message = f"{tool} is not installed: {why}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def require_tool() -> Callable[[str], str]:
    """Give the path of a tool, as in `require_tool("gcc")`, or skip (fail in CI)."""

    def find(tool: str) -> str:
        path = shutil.which(tool)
        if path is None:
            missing(tool, "run ci/setup")
        return str(path)

    return find


@pytest.fixture(scope="session")
def require_browser() -> str:
    """The path of a browser, or skip (fail in CI)."""
    from hil.report.pdf import find_browser  # not before its refusals are watched

    try:
        return find_browser()
    except MissingTool:
        return missing("a browser", "run ci/setup --browser")


@pytest.fixture(scope="session")
def require_profile() -> Callable[[str], None]:
    """See that the compiler of a target profile is there, as in `require_profile("win32")`, or skip (fail in CI)."""

    def see(profile: str) -> None:
        try:
            find(profile)
        except MissingTool as lacking:
            missing(profile, str(lacking))

    return see


@pytest.fixture(scope="session")
def require_singular() -> None:
    """See that Singular is there, on the PATH or out of its wheel, or skip: it is optional everywhere, in CI too."""
    from exporter.kinematics.baselines.singular import INSTALL, singular

    if singular() is None:
        pytest.skip(f"Singular is missing: {INSTALL}")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Hold a text against tests/golden/NAME and show the difference."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            return
        known = path.read_bytes().decode() if path.exists() else ""
        difference = "".join(
            difflib.unified_diff(known.splitlines(keepends=True), text.splitlines(keepends=True), name, "produced")
        )
        assert known == text, f"{name} differs; if that is meant, run pytest --update-golden\n{difference}"

    return check


@pytest.fixture(scope="session")
def load_data_module() -> Callable[[str], ModuleType]:
    """Import a module of tests/data by its name."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"kinefix_tests_{name}", DATA / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def wire(load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str]) -> ModuleType:
    """The module of a board at a TCP port."""
    require_tool("gcc")
    return load_data_module("tcp_board")


@pytest.fixture(scope="session")
def board_export(tmp_path_factory: pytest.TempPathFactory, require_tool: Callable[[str], str]) -> Path:
    """The library's slider-crank in float32 with a tunable length, for that board, exported once."""
    from exporter.cli import main

    require_tool("gcc")
    folder = tmp_path_factory.mktemp("board") / "export"
    with suppress(SystemExit):
        main(["export", "slider_crank", "--tunable", "l1", "--out", str(folder)])
    return folder
