"""docs/using-the-export.md, compiled by CMake, by hand and for a microcontroller; docs/requirements.md, run here."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/using-the-export.md", "docs/requirements.md")

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("page", PAGES)
def test_a_reader_gets_what_the_page_says(
    load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str], tmp_path: Path, page: str
) -> None:
    """In order, in an empty folder; blocks whose own tool is missing are left out on a laptop."""
    require_tool("gcc")
    reader = load_data_module("page_blocks")
    reader.Reader(tmp_path, page).read(reader.blocks_of((ROOT / page).read_text(encoding="utf-8")))
