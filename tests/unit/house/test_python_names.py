"""docs/python-names.md lists what the pages import, all of it is there, and what has moved is found with a sentence."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from exporter.moved import MOVED

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "python-names.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OURS = ("exporter", "sil", "hil", "targets")


def rows(part: str) -> list[list[str]]:
    """The cells of a table's rows, below its head."""
    lines = [line for line in part.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


LISTED, AGAIN = PAGE.split("## Moved")
NAMES = {(row[0].strip("`"), name) for row in rows(LISTED) for name in re.findall(r"`(\w+)`", row[1])}


def imported() -> set[tuple[str, str]]:
    """What the Python blocks of all pages import from Kinefix."""
    found = set()
    for page in PAGES:
        for block in re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
            for node in ast.walk(ast.parse(block)):
                if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in OURS:
                    found |= {(node.module, alias.name) for alias in node.names}
    return found


def test_the_page_lists_what_the_pages_import_and_no_more() -> None:
    assert len(NAMES) > 20
    assert imported() == NAMES


@pytest.mark.parametrize(("module", "name"), sorted(NAMES))
def test_a_listed_name_is_there(module: str, name: str) -> None:
    assert hasattr(importlib.import_module(module), name)


def test_the_page_tells_what_has_moved() -> None:
    assert {row[0].strip("`"): row[1].strip("`") for row in rows(AGAIN)} == MOVED
    assert set(MOVED.values()) <= {module for module, _ in NAMES}


@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_is_the_new_module_and_says_so(old: str) -> None:
    """In a process of its own: a module is imported once."""
    script = f"import importlib; a = importlib.import_module({old!r}); b = importlib.import_module({MOVED[old]!r})"
    checked = f"{script}; assert a is b; assert b.__spec__.name == {MOVED[old]!r}"
    run = subprocess.run([sys.executable, "-c", checked], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert f"FutureWarning: {old} is {MOVED[old]} now" in run.stderr


def test_a_name_that_never_was_is_still_not_there() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such"):
        importlib.import_module("exporter.kinematics.no_such")
