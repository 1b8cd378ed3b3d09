"""The emulated ECU over CAN: slcan on its second port, rows as signals, the same verdicts as over the serial line.

Oracle: the same C on this computer, bit for bit, and the reference of SIL; logs are read by python-can's readers.
"""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import can
import cantools
import pytest

from exporter.cli import main
from exporter.export import write_export
from hil.can.database import dbc_text
from hil.can.layout import layout_of
from targets.rows import function_of

pytestmark = pytest.mark.emulated

BENCH = """
schema = 1
[bench]
name = "over CAN"
target = "emulated"
export = "export"
function = "dostep"
[target.emulated]
kind = "emulated"
profile = "{profile}"
[link.main]
kind = "can"
base = {base}
log = "{log}"
[timing]
period = "1 ms"
[timeouts]
retries = 20
"""
FAULTS = """
schema = 1
seed = 11
steps = 160
[[fault]]
rate = 0.03
"""


@pytest.mark.parametrize(
    ("real", "profile", "base", "log"),
    [("float32", "arm-m4f", 0x400, "frames.asc"), ("float64", "arm-m7", 0x7F8, "frames.blf")],
)
def test_the_bench_over_can_is_the_bench(
    tmp_path: Path,
    load_data_module: Callable[[str], ModuleType],
    require_tool: Callable[[str], str],
    real: str,
    profile: str,
    base: int,
    log: str,
) -> None:
    """Lockstep at several sets of parameters, a free run, and steps under faults; identifiers of 11 and of 29 bits."""
    require_tool("qemu-system-arm")
    require_tool("arm-none-eabi-gcc")
    program = load_data_module("sample_program").slider_crank_program(real, tunable=True)
    export = write_export(program, tmp_path / "export", {})
    bench, faults = tmp_path / "bench.toml", tmp_path / "faults.toml"
    bench.write_text(BENCH.format(profile=profile, base=base, log=log), encoding="utf-8")
    faults.write_text(FAULTS, encoding="utf-8")
    more = ["--lockstep", "40", "--free-run", "300", "--faults", str(faults), "--report", str(tmp_path / "report")]
    with pytest.raises(SystemExit) as left:
        main(["hil", str(bench), *more])
    report: dict[str, Any] = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert not left.value.code, report["verdicts"]
    assert report["headline"].startswith("300 activations, 0 missed")
    assert "160 steps under faults, 0 wrong" in report["headline"]
    assert report["identity"]["link"].startswith("CAN, slcan, 500,000 bit/s, identifiers 0x")
    assert len(report["faults"]["log"]) > 20
    layout = layout_of(export.manifest, function_of(export.manifest, "dostep"), base)
    file = cantools.database.load_string(dbc_text(layout), "dbc")
    with can.LogReader(tmp_path / log) as reader:
        found = [each for each in reader if each.arbitration_id == base and each.dlc == 8]
    types = {file.decode_message("Commit", bytes(each.data))["type"] for each in found}
    assert {4, 12} <= types
    assert len(found) > 100
