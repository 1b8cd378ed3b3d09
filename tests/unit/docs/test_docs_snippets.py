"""The snippets of the pages that need no tool outside of Kinefix: analysis, c-interface, pipeline, CONTRIBUTING.

Tables of pipeline.md and c-interface.md are held against the code that they speak of.
"""

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from exporter.c99.flags import NUMERIC_FLAGS
from exporter.c99.names import Names
from exporter.sequence.status import BITS, EFMI_BITS

ROOT = Path(__file__).resolve().parents[3]
Load = Callable[[str], ModuleType]


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture
def reader(load_data_module: Load) -> ModuleType:
    """tests/data/page_blocks.py."""
    return load_data_module("page_blocks")


@pytest.mark.parametrize("name", ["docs/analysis.md", "docs/c-interface.md", "docs/pipeline.md", "CONTRIBUTING.md"])
def test_a_reader_gets_what_the_page_says(reader: ModuleType, tmp_path: Path, name: str) -> None:
    """Every snippet, in order, in an empty folder."""
    reader.Reader(tmp_path, name).read(reader.blocks_of(page(name)))


@pytest.mark.parametrize("name", ["docs/c-interface.md", "docs/using-the-export.md"])
def test_flags_on_the_page_are_those_of_the_manifest(reader: ModuleType, name: str) -> None:
    """The block that is not run."""
    flags = next(
        block for block in reader.blocks_of(page(name)) if block.language == "text" and block.mark == "not run"
    )
    assert tuple(flags.text.split()) == NUMERIC_FLAGS


def test_status_bits_on_the_page_are_those_of_the_code() -> None:
    """Number and name; eFMI's by name."""
    section = page("docs/c-interface.md").split("## Status")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", section, re.MULTILINE)
    assert {name: int(bit) for bit, name in rows} == {name: bit for name, (bit, _) in BITS.items()}
    assert all(f"`{name}`" in section for name in EFMI_BITS)


def test_mangled_names_on_the_page() -> None:
    """Keywords, a leading underscore, units."""
    names = Names()
    assert names.of("int") == "int_v"
    assert names.of("I") == "I_v"
    assert names.of("lambda") == "lambda"
    assert names.of("_t0") == "v_t0"
    assert names.of("theta.acceleration", "rad/s^2") == "theta_acceleration_rad_s2"
    assert names.of("inertia", "kg*m^2") == "inertia_kgm2"


def test_types_of_the_pipeline_are_where_the_page_says() -> None:
    """Each row's type is a class of its module."""
    table = re.search(r"<!-- types -->\n(.*?)<!-- end", page("docs/pipeline.md"), re.DOTALL)
    assert table is not None
    rows = re.findall(r"^\| `(\w+)` \| `([\w.]+)` \|", table[1], re.MULTILINE)
    assert len(rows) == table[1].count("\n") - 2
    for name, module in rows:
        found = getattr(importlib.import_module(module), name)
        assert found.__module__ == module


def test_folders_of_the_pipeline_exist_and_none_is_left_out() -> None:
    """Every folder of the four packages down to two levels, data folders and templates aside."""
    table = re.search(r"<!-- folders -->\n(.*?)<!-- end", page("docs/pipeline.md"), re.DOTALL)
    assert table is not None
    named = set(re.findall(r"`([\w/]+)/`", table[1]))
    assert all((ROOT / folder).is_dir() for folder in named if "/" in folder or folder != "templates")
    packages = {
        found.parent.relative_to(ROOT).as_posix()
        for package in ("exporter", "targets", "sil", "hil")
        for found in (ROOT / package).glob("*/__init__.py")
    }
    left_out = packages - named
    assert left_out <= {"sil/checks", "sil/runners", "sil/report", "hil/report"}


def test_modules_that_the_way_names_exist() -> None:
    """`exporter.x.y` in code type."""
    for module in set(re.findall(r"`((?:exporter|targets|sil|hil)(?:\.\w+)+)`", page("docs/pipeline.md"))):
        assert importlib.import_module(module) is not None
