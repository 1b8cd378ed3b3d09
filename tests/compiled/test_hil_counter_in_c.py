"""Differences of the firmware's counter, compiled for this computer: across the wrap, counting up or down, 24 bits."""

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiled

ECU = Path(__file__).resolve().parents[2] / "targets" / "ecu"
SOURCE = """
#include "counter.h"
uint32_t ticks(uint32_t mask, uint32_t direction, uint32_t begin, uint32_t end);
uint32_t ticks(uint32_t mask, uint32_t direction, uint32_t begin, uint32_t end)
{
    const ecu_counter_t counter = {ECU_COUNTER_CYCLES, 168000000U, mask, direction, 0};
    return ecu_counter_ticks(&counter, begin, end);
}
"""
UP, DOWN = 1, 0xFFFFFFFF


@pytest.mark.parametrize(
    ("mask", "direction", "begin", "end", "expected"),
    [
        (0xFFFFFFFF, UP, 0xFFFFFF00, 0x00000200, 768),
        (0xFFFFFFFF, UP, 0x7FFFFFFF, 0x80000001, 2),
        (0xFFFFFFFF, DOWN, 0x00000200, 0xFFFFFF00, 768),
        (0x00FFFFFF, UP, 0xFFFFF0, 0x000010, 0x20),
        (0x00FFFFFF, DOWN, 0x000010, 0xFFFFF0, 0x20),
    ],
)
def test_a_span_across_the_wrap_is_right(
    require_tool: Callable[[str], str], tmp_path: Path, mask: int, direction: int, begin: int, end: int, expected: int
) -> None:
    """0xFFFFFF00 to 0x200 are 768 cycles, which at 168 MHz are 4.57142857143 us; signed differences go wrong."""
    compiler = require_tool("gcc")
    (tmp_path / "ticks.c").write_text(SOURCE, encoding="utf-8")
    command = [compiler, "-std=c11", "-shared", "-fPIC", f"-I{ECU}", "ticks.c", "-o", "ticks.so"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    library = ctypes.CDLL(str(tmp_path / "ticks.so"))
    library.ticks.restype = ctypes.c_uint32
    assert library.ticks(*(ctypes.c_uint32(value) for value in (mask, direction, begin, end))) == expected
    if expected == 768:
        assert expected / 168e6 * 1e6 == pytest.approx(4.57142857143, rel=1e-11)
