"""Golden files: the C text that an engineer reads changes only on purpose (pytest --update-golden)."""

import re
from collections.abc import Callable
from types import ModuleType

import pytest

from exporter.c99 import program_files

HASHES = re.compile(r"(_ID\b.*UINT32_C\()0x[0-9A-F]{8}")


@pytest.mark.parametrize(
    ("precision", "tunable", "names"),
    [
        ("float32", True, ["slider_crank.h", "slider_crank.c", "slider_crank_arrays.h", "kfx_bits_f32.h"]),
        ("float64", False, ["slider_crank.h", "slider_crank.c", "kfx_bits_f64.h"]),
    ],
)
def test_the_printed_c_is_the_golden_one(
    load_data_module: Callable[[str], ModuleType],
    golden: Callable[[str, str], None],
    precision: str,
    tunable: bool,
    names: list[str],
) -> None:
    """Ids are hashes of other files, so they are masked; all else is held to the byte."""
    files = program_files(load_data_module("sample_program").slider_crank_program(precision, tunable=tunable))
    for name in names:
        golden(f"{precision}/{name}", HASHES.sub(r"\g<1>0x********", files[name]))
