"""Exports with chosen outputs as compiled C: SIL, a step without outputs, a bench on this computer and LabVIEW."""

from pathlib import Path

import numpy as np
import pytest

from exporter.cli import main
from exporter.export import Export, export_source
from exporter.model.changes import Changes
from sil.campaign import run
from sil.options import Options
from targets.labview.package import build_package
from targets.python.host import build_host

pytestmark = pytest.mark.compiled
BENCH = """schema = 1
[bench]
name = "chosen"
target = "software"
export = "export"
function = "{function}"
[target.software]
kind = "sil"
[link.main]
kind = "tcp"
[timing]
period = "1 ms"
[run]
lockstep = 400
free_run = 0
"""


@pytest.fixture(autouse=True)
def _compiler(require_tool):
    require_tool("gcc")


def exported(folder: Path, model: str, *outputs: str) -> Export:
    """In float32."""
    return export_source(model, folder / "export", "float32", Changes(outputs=outputs))


@pytest.mark.parametrize(
    ("model", "outputs"),
    [
        ("gough_stewart", ("*.acceleration",)),
        ("slider_crank", ("beta", "*.rate")),
        ("double_wishbone_front", ("toe", "camber.rate")),
        ("four_bar", ("pivot.L1",)),
        ("rocker_four_bar", ("alpha2.rate",)),
    ],
)
def test_sil_passes_on_the_compiled_c(model: str, outputs: tuple[str, ...], tmp_path: Path) -> None:
    """What is given is right, total and repeatable."""
    campaign = run(exported(tmp_path, model, *outputs), Options(count=400))
    assert campaign.passed, [each.sentence() for each in campaign.verdicts if each.stands_against]


def test_a_step_without_outputs_gives_the_next_state(tmp_path: Path) -> None:
    """The state that the step with all outputs gives, to the last digits of float32."""
    bare = build_host(exported(tmp_path / "bare", "four_bar", "pivot.L1"), tmp_path / "bare" / "host")
    whole = build_host(exported(tmp_path / "whole", "four_bar"), tmp_path / "whole" / "host")
    rows = np.array([[0.5, 1.0, 2.0], [1.5, -3.0, 0.0], [float("nan"), 0.0, 0.0]], dtype=np.float32)
    made, right = bare.call("dostep", rows), whole.call("dostep", rows)
    assert made.outputs.shape == (3, 2)
    assert made.outputs == pytest.approx(right.outputs[:, :2], rel=1e-6)
    assert list(made.status) == list(right.status)


@pytest.mark.parametrize(
    ("model", "outputs", "function"), [("four_bar", "pivot.L1", "dostep"), ("gough_stewart", "*.rate", "dynamics")]
)
def test_a_bench_judges_what_is_there(
    model: str, outputs: str, function: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lockstep against the reference; what cannot be compared stands in the report with its reason."""
    exported(tmp_path, model, outputs)
    bench = tmp_path / "bench.toml"
    bench.write_text(BENCH.format(function=function), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["hil", str(bench)])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert f"{function}: closure residual: not judged, what it reads is not among the outputs" in said
    assert "FAIL" not in said


def test_labview_takes_functions_without_outputs(tmp_path: Path) -> None:
    """The package has the functions that are given, and rows of it are compared when it is built."""
    export = exported(tmp_path, "four_bar", "pivot.L1")
    folder = tmp_path / "labview"
    build_package(export, ["linux-x64"], folder)
    assert list(folder.rglob("*.zip"))
