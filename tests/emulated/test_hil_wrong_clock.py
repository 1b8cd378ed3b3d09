"""Firmware whose times were made wrong on purpose: zeros, numbers of its own, finishes before their starts."""

import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from exporter.export import write_export
from hil.bench import read_bench
from hil.campaign import Plan, run_campaign
from hil.check_names import BenchCheck
from sil.verdict import Outcome
from targets.ecu import firmware as building

pytestmark = pytest.mark.emulated

BENCH = """
schema = 1
[bench]
name = "wrong clock"
target = "emulated"
export = "export"
function = "dostep"
[target.emulated]
kind = "emulated"
[timing]
period = "1 ms"
deadline = "400 us"
"""
STEP = "head.status = kfx_model_step(bench_run_counter(), row, outputs, &head.ticks);"
FINISH = "entry.head.response_ticks = since(run.release, finish);"
WRONG = {
    "zeros in lockstep": ("bench_requests.c", STEP, f"{STEP} head.ticks = 0U;", f"{BenchCheck.CONSTANCY} in lockstep"),
    "a number of its own": (
        "bench_requests.c", STEP, f"{STEP} head.ticks = 7U;", f"{BenchCheck.CONSTANCY} in either mode",
    ),
    "finishes before starts": ("bench_run.c", FINISH, "entry.head.response_ticks = 1U;", BenchCheck.MISSED),
}  # fmt: skip


@pytest.fixture(scope="module")
def place(
    tmp_path_factory: pytest.TempPathFactory,
    load_data_module: Callable[[str], ModuleType],
    require_tool: Callable[[str], str],
) -> Path:
    """The hand-written slider-crank with a bench file."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)
    place = tmp_path_factory.mktemp("clock")
    write_export(load_data_module("sample_program").slider_crank_program("float32"), place / "export", {})
    (place / "bench.toml").write_text(BENCH, encoding="utf-8")
    return place


def failed(place: Path) -> set[str]:
    """The checks that fail."""
    result = run_campaign(read_bench(place / "bench.toml"), Plan(lockstep=40, free_run=200, vectors=16, seed=1))
    return {verdict.check for verdict in result.verdicts if verdict.outcome is Outcome.FAILED}


def test_the_right_clock_passes(place: Path) -> None:
    assert failed(place) == set()


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_clock_does_not_pass(place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str) -> None:
    name, right, wrong, check = WRONG[what]
    sources = tmp_path / "ecu"
    shutil.copytree(building.ECU, sources)
    text = (sources / name).read_text(encoding="utf-8")
    assert text.count(right) == 1
    (sources / name).write_text(text.replace(right, wrong), encoding="utf-8")
    monkeypatch.setattr(building, "ECU", sources)
    assert check in failed(place)
