"""A real board, where one is connected: KINEFIX_BENCH names a bench file whose target is of kind "board"."""

import os
from pathlib import Path

import pytest

from hil.bench import read_bench
from hil.campaign import plan_of, run_campaign

pytestmark = pytest.mark.hardware


def test_a_connected_board_passes_its_bench() -> None:
    """Agreement in lockstep and no missed deadline, in hardware time."""
    named = os.environ.get("KINEFIX_BENCH")
    if named is None:
        pytest.skip("no board: set KINEFIX_BENCH to a bench file whose target is of kind 'board'")
    bench = read_bench(Path(named))
    assert bench.target.kind == "board"
    result = run_campaign(bench, plan_of(bench, None, None, None))
    assert result.passed, result.headline
    assert result.timebase.label.startswith("hardware time")
