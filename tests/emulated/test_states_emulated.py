"""A symbolic model with states on an emulated Cortex-M4F: its own state from the start, one count, the whole bench.

The oracle is the difference equation in Python, and the same C on this computer, bit for bit.
"""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from click.testing import CliRunner

from exporter.cli import kinefix
from exporter.export import Export, export_source, write_export
from exporter.symbolic.canonical import canonical
from exporter.symbolic.program import program_of_symbolic
from hil.bench import read_bench
from hil.bench_runtime import open_bench
from hil.driving.driver import Driver
from targets.audit.export import audit_export
from targets.labview.package import build_package

pytestmark = pytest.mark.emulated

PENDULUM = Path(__file__).resolve().parents[2] / "examples" / "pendulum.py"
BENCH = """
schema = 1
[bench]
name = "controller"
target = "emulated"
export = "export"
function = "dostep"
[target.emulated]
kind = "emulated"
profile = "arm-m4f"
icount_shift = 6
[timing]
period = "1 ms"
deadline = "400 us"
"""


@pytest.fixture(scope="module")
def exported(
    tmp_path_factory: pytest.TempPathFactory,
    load_data_module: Callable[[str], ModuleType],
    require_tool: Callable[[str], str],
) -> Export:
    """A PI controller with anti-windup and a reset, and a bench file beside it."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)
    folder, model = tmp_path_factory.mktemp("states"), load_data_module("controllers").pi_controller()
    (folder / "bench.toml").write_text(BENCH, encoding="utf-8")
    return write_export(program_of_symbolic(model, "float32"), folder / "export", canonical(model), "symbolic")


def test_the_device_steps_from_the_start_with_a_state_of_its_own(exported: Export) -> None:
    """u = clip(2 e + i), i grows by 0.02 e unless u is at its limit: 20 steps, nothing but inputs sent."""
    inputs = [(1.0, 0.0)] * 8 + [(9.0, 0.0)] * 4 + [(-1.0, 1.0)] + [(-1.0, 0.0)] * 7
    integral, expected = 0.2, []
    for error, reset in inputs:
        raw = 2 * error + integral
        integral = 0.2 if reset > 0.5 else integral + (0.02 * error if abs(raw) <= 5 else 0)
        expected.append((integral, max(-5.0, min(5.0, raw))))
    with open_bench(read_bench(exported.folder.parent / "bench.toml")) as device:
        run = Driver(device).step_rows(np.array(inputs))
    assert run.outputs == pytest.approx(np.array(expected), abs=2e-6)
    assert np.array_equal(run.outputs, run.host_outputs)
    assert not run.status.any()


def test_the_bench_passes_and_a_step_has_one_count(exported: Export) -> None:
    bench = str(exported.folder.parent / "bench.toml")
    ran = CliRunner().invoke(kinefix, ["hil", bench, "--lockstep", "64", "--free-run", "64"])
    assert ran.exit_code == 0, ran.output
    assert "integration step" in ran.output
    (dostep,) = audit_export(exported, "arm-m4f", ("dostep",)).functions
    assert dostep.verdict == "single path"


def test_the_package_for_labview_steps_like_the_sequences(exported: Export, tmp_path: Path) -> None:
    """The library of the package, run row by row in an emulator, has the bits of the interpreter, in one count."""
    (shipped,) = build_package(exported, ("linux-x64",), tmp_path / "labview").libraries
    assert {each.function for each in shipped.agreement} >= {"startup", "dostep"}


def test_a_mechanism_with_its_controller_runs_on_the_bench(tmp_path: Path, require_tool: Callable[[str], str]) -> None:
    """The pendulum of the examples, on the device from the start: bits of the host, both references, one count."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)
    export_source(f"{PENDULUM}:model", tmp_path / "export", "float32")
    (tmp_path / "bench.toml").write_text(BENCH, encoding="utf-8")
    ran = CliRunner().invoke(kinefix, ["hil", str(tmp_path / "bench.toml"), "--lockstep", "64", "--free-run", "64"])
    assert ran.exit_code == 0, ran.output
    assert "dynamics, mechanism" in ran.output
    assert "outputs, controller" in ran.output
    with open_bench(read_bench(tmp_path / "bench.toml")) as device:
        run = Driver(device).step_rows(np.full((400, 1), 0.2))
    assert np.array_equal(run.outputs, run.host_outputs)
    assert abs(run.outputs[-1, 1]) < 0.2
