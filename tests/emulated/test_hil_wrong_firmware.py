"""Firmware that was made wrong on purpose: every way of being wrong in a free run fails, its sound twin passes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from exporter.export import write_export
from hil.bench import read_bench
from hil.bench_runtime import BenchRuntime, open_bench
from hil.campaign import BenchResult, Runs, result_of
from hil.freerun import run_free
from hil.lockstep import random_vectors, run_lockstep
from sil.verdict import Outcome
from targets.ecu.firmware import build_firmware

pytestmark = pytest.mark.emulated

ACTIVATIONS = 1000
SOURCE = Path(__file__).resolve().parents[1] / "data" / "wrong_step.c"
BENCH = """
schema = 1
[bench]
name = "wrong on purpose"
target = "{profile}"
export = "export"
function = "{function}"
[target.m4f]
kind = "emulated"
elf = "firmware/firmware.elf"
[target.m3]
kind = "emulated"
profile = "arm-m3"
[target.m4f_double]
kind = "emulated"
[timing]
period = "1 ms"
deadline = "900 us"
[timeouts]
boot = "60 s"
reply = "60 s"
"""
VARIANTS = (
    "right", "a sign in all", "a sign in two", "a sign in the last", "a status bit in all", "a status bit in one",
    "a stale output in one", "a last place of the state in one", "longer every other time", "right again",
)  # fmt: skip
RESULTS, COST = "wrong results of the free run", "cost depends on inputs in free run"


@pytest.fixture(scope="module")
def tools(require_tool: Callable[[str], str]) -> None:
    """Compiler and emulator."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)


@pytest.fixture(scope="module")
def wrong(
    tmp_path_factory: pytest.TempPathFactory,
    load_data_module: Callable[[str], ModuleType],
    tools: None,  # noqa: ARG001 - skips
) -> Iterator[BenchRuntime]:
    """A firmware that is wrong in another way in each free run, and never in lockstep."""
    place = tmp_path_factory.mktemp("wrong")
    export = write_export(load_data_module("sample_program").slider_crank_program("float32"), place / "export", {})
    symbol = "slider_crank_dostep"
    macros = {symbol: "kfx_wrong_step", "KFX_RIGHT_STEP": f'"{symbol}"', "KFX_RUN": f"{ACTIVATIONS}U"}
    build_firmware(export, "dostep", place / "firmware", "bench", "arm-m4f", macros, (SOURCE,))
    (place / "bench.toml").write_text(BENCH.format(profile="m4f", function="dostep"), encoding="utf-8")
    with open_bench(read_bench(place / "bench.toml")) as runtime:
        yield runtime


def outcomes(result: BenchResult) -> dict[str, Outcome]:
    """How each check ended."""
    return {verdict.check: verdict.outcome for verdict in result.verdicts}


def test_every_variant_but_the_right_ones_fails(wrong: BenchRuntime) -> None:
    """Signs, status bits, a stale output, one last place, one instruction: each is found, and lockstep sees none."""
    found = {}
    for name in VARIANTS:
        timed = run_free(wrong, ACTIVATIONS, wrong.bench.timing, 64, seed=1)
        result = result_of(wrong, Runs(timed=timed))
        ended = outcomes(result)
        found[name] = (ended[RESULTS], ended[COST] is Outcome.PASSED and ended[RESULTS] is Outcome.PASSED)
        assert result.passed is (name in ("right", "right again"))
    assert {name for name, (results, _) in found.items() if results is Outcome.FAILED} == set(VARIANTS[1:8])
    assert [name for name, (_, all_right) in found.items() if all_right] == ["right", "right again"]
    assert not run_lockstep(wrong, random_vectors(wrong, 100, 1).rows).wrong.any()


@pytest.mark.parametrize(
    ("target", "real"), [("m3", "float32"), pytest.param("m4f_double", "float64", marks=pytest.mark.slow)]
)
def test_a_core_without_hardware_reals_does_not_pass_without_the_words(
    tmp_path: Path, load_data_module: Callable[[str], ModuleType], tools: None, target: str, real: str
) -> None:
    """Right results in time, and the first line says that the core is not fixed-time; the cost is not judged."""
    assert tools is None
    write_export(load_data_module("sample_program").slider_crank_program(real), tmp_path / "export", {})
    (tmp_path / "bench.toml").write_text(BENCH.format(profile=target, function="position"), encoding="utf-8")
    with open_bench(read_bench(tmp_path / "bench.toml")) as runtime:
        timed = run_free(runtime, 200, runtime.bench.timing, 64, seed=1)
        result = result_of(runtime, Runs([run_lockstep(runtime, random_vectors(runtime, 64, 1).rows)], timed=timed))
    assert result.passed
    assert f"not fixed-time: this core computes {real} by routines" in result.headline
    assert outcomes(result)[COST] is outcomes(result)["cost depends on inputs in lockstep"] is Outcome.NOT_JUDGED
    assert timed.analysis.durations.spread > 2
