"""Robot Framework and pytest with workers on one bench file at once, and dry runs without any tool.

The files are those of docs/requirements.md.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.compiled


@pytest.fixture
def folder(load_data_module: Callable[[str], ModuleType], tmp_path: Path) -> Path:
    """The files of the page, without an export."""
    page = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
    for block in load_data_module("page_blocks").blocks_of(page):
        if block.mark == "file":
            (tmp_path / block.value).write_text(block.text, encoding="utf-8")
    return tmp_path


def start(folder: Path, *words: str, path: str | None = None) -> "subprocess.Popen[str]":
    """A program of this Python in the folder."""
    environment = {**os.environ, "PATH": os.environ["PATH"] if path is None else path}
    command = [sys.executable, "-m", *words]
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Exit code and output."""
    with process:
        said = process.communicate()[0]
    return process.returncode, said


def test_robot_and_pytest_share_one_bench_file_from_a_cold_cache(
    folder: Path, board_export: Path, require_tool: Callable[[str], str]
) -> None:
    """A suite of Robot Framework and two workers of pytest: all pass, and the library is built once."""
    require_tool("gcc")
    bench = (folder / "bench.toml").read_text(encoding="utf-8")
    (folder / "bench.toml").write_text(bench.replace("out/slider_crank", board_export.as_posix()), encoding="utf-8")
    users = [
        start(folder, "robot", "--outputdir", "robot", "crank.robot"),
        start(folder, "pytest", "-q", "-n", "2", "--kinefix-bench", "bench.toml"),
    ]
    said = [ended(user) for user in users]
    assert [code for code, _ in said] == [0, 0], said
    assert len(list((folder / "bench-work" / "host").glob("*/libslider_crank.so"))) == 1
    junit = (folder / "robot" / "ramp" / "report.xml").read_text(encoding="utf-8")
    assert '<property name="requirements" value="SYS-4" />' in junit


def test_a_dry_run_needs_no_device_and_no_tool(folder: Path) -> None:
    """There is no export, no compiler and no emulator; what is misspelt is found all the same."""
    code, said = ended(start(folder, "robot", "--dryrun", "--output", "none", "crank.robot", path="/nowhere"))
    assert code == 0, said
    suite = (folder / "crank.robot").read_text(encoding="utf-8")
    for right, wrong in (("2 kN", "2 kNN"), ("90 deg", "90deg"), ("during=200 ms", "during=0 ms"), ("Outputs S", "S")):
        suite = suite.replace(right, wrong)
    (folder / "wrong.robot").write_text(suite, encoding="utf-8")
    code, said = ended(start(folder, "robot", "--dryrun", "--output", "none", "wrong.robot", path="/nowhere"))
    assert code == 4
    assert "5 tests, 1 passed, 4 failed" in said
    for words in ('unit "kNN" is not known', "needs a space between", "is zero", "No keyword with name"):
        assert words in said


def test_pytest_without_a_bench_file_says_what_it_needs(folder: Path) -> None:
    """An error of each test, and none passes."""
    code, said = ended(start(folder, "pytest", "-q"))
    assert code == 1
    assert "kinefix_bench needs a bench file: give --kinefix-bench" in said
