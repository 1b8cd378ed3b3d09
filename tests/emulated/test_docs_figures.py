"""The tables of figures in README.md and docs/ are what the code gives: benchmarks/documented_figures.py, run again."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMED = "12.2"  # the compilers that the pages name; others give other counts

pytestmark = pytest.mark.emulated


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    sys.modules.pop("documented_figures", None)
    import documented_figures

    return documented_figures


def test_tables_are_fresh(figures: ModuleType, require_tool: Callable[[str], str]) -> None:
    """Byte for byte; with other compilers than the pages name there is nothing to compare."""
    for tool in ("gcc", "arm-none-eabi-gcc", "valgrind"):
        require_tool(tool)
    for compiler in ("gcc", "arm-none-eabi-gcc"):
        version = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True, check=True).stdout
        if not version.startswith(f"{NAMED}."):
            pytest.skip(f"{compiler} is {version.strip()}; the pages name {NAMED}")
    for name in figures.PAGES:
        known = (ROOT / name).read_text(encoding="utf-8")
        assert figures.refreshed(known) == known, f"{name}: run benchmarks/documented_figures.py --write"


def test_every_page_with_figures_is_refreshed(figures: ModuleType) -> None:
    """A marked table in a page that the script does not know would grow old."""
    marked = {
        path.relative_to(ROOT).as_posix()
        for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
        if re.search(r"^<!-- figures: ", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert marked == set(figures.PAGES)
