"""Runs the Robot Framework suites as a test engineer does, in a process of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from exporter.export import load_export

HERE = Path(__file__).resolve().parent

pytestmark = pytest.mark.emulated


def test_the_suite_against_the_emulated_ecu_passes(require_tool: Callable[[str], str], tmp_path: Path) -> None:
    """Every test of emulated_ecu.robot passes, none is skipped, and the deadline report is there."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)
    command = [sys.executable, "-m", "robot", "--outputdir", str(tmp_path), "--console", "quiet", "emulated_ecu.robot"]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    statuses = _statuses(tmp_path / "output.xml")
    assert done.returncode == 0, f"{statuses}\n{done.stdout}{done.stderr}"
    assert set(statuses.values()) == {"PASS"}
    assert len(statuses) == 7
    assert (tmp_path / "deadlines" / "report.html").is_file()


BENCH = """
schema = 1
[bench]
name = "my ECU"
target = "{target}"
export = "export"
[target.m4f]
kind = "emulated"
[target.m3]
kind = "emulated"
profile = "arm-m3"
[target.software]
kind = "sil"
[timing]
period = "1 ms"
deadline = "400 us"
[tolerance.default]
rel = 2e-5
abs = 1e-5
[tolerance.theta]
abs = 1e-3
"""


def test_a_day_of_a_test_engineer(require_tool: Callable[[str], str], tmp_path: Path) -> None:
    """Every test of engineer.robot passes but the one that needs a clock where there is none: it is skipped."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)
    export = ["kinefix", "export", "slider_crank", "--tunable", "l1,m3", "--out", str(tmp_path / "export")]
    subprocess.run([str(Path(sys.executable).with_name(export[0])), *export[1:]], check=True, capture_output=True)
    width = len(load_export(tmp_path / "export").manifest.functions[-1].row_inputs)  # of dostep
    np.save(tmp_path / "alike.npy", np.zeros((4, width), np.float32))
    for target in ("m4f", "m3", "software"):
        (tmp_path / f"{target}.toml").write_text(BENCH.format(target=target), encoding="utf-8")
    command = [sys.executable, "-m", "robot", "--outputdir", str(tmp_path), "--console", "quiet"]
    command += ["--variable", f"BENCHES:{tmp_path}", "engineer.robot"]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    statuses = _statuses(tmp_path / "output.xml")
    assert done.returncode == 0, f"{statuses}\n{done.stdout}{done.stderr}"
    assert statuses.pop("Software Has No Clock") == "SKIP"
    assert set(statuses.values()) == {"PASS"}
    assert len(statuses) == 8


def _statuses(output: Path) -> dict[str, str]:
    """Name of each test and how it ended."""
    found = {}
    for test in ElementTree.parse(output).iter("test"):
        status = test.find("status")
        assert status is not None
        found[test.attrib["name"]] = f"{status.attrib['status']}"
    return found
