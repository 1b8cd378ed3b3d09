"""docs/labview.md, docs/library-users.md: every command and program on the pages runs; tables are the code's."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from exporter.sequence.status import BITS
from targets.labview.interface import CODES, INSTANCES
from targets.labview.vectors import DEFAULT_ROWS

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("page", ["docs/labview.md", "docs/library-users.md"])
def test_a_reader_gets_what_the_page_says(
    load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str], tmp_path: Path, page: str
) -> None:
    require_tool("x86_64-linux-gnu-gcc")
    reader = load_data_module("page_blocks")
    reader.Reader(tmp_path, page).read(reader.blocks_of((ROOT / page).read_text(encoding="utf-8")))


def test_the_page_lists_every_code_and_condition() -> None:
    text = (ROOT / "docs" / "labview.md").read_text(encoding="utf-8")
    codes = dict(re.findall(r"^\| (-\d) \| (.+?) \|", text, re.MULTILINE))
    assert list(codes) == [str(code.number) for code in CODES]
    assert all(codes[str(code.number)].startswith(code.about) for code in CODES)
    for name, (bit, _) in BITS.items():
        assert f"{bit} {name}" in text
    assert f"There are {INSTANCES} more" in text
    assert f"has {DEFAULT_ROWS} rows" in text
