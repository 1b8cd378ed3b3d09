"""README.md, docs/first-mechanism.md, docs/bench.md and docs/can.md, typed by a reader into an empty folder."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.emulated


@pytest.mark.parametrize("page", ["README.md", "docs/first-mechanism.md", "docs/bench.md", "docs/can.md"])
def test_a_reader_gets_what_the_page_says(
    load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str], tmp_path: Path, page: str
) -> None:
    """Every command, every shown output, every excerpt."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)
    reader = load_data_module("page_blocks")
    reader.Reader(tmp_path, page).read(reader.blocks_of((ROOT / page).read_text(encoding="utf-8")))
