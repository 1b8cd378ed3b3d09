"""Help and version answer without the modules that take long to import."""

import re
import subprocess
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest
from click.testing import CliRunner

from exporter.command_line import GROUP, kinefix
from exporter.errors import KinefixError

HEAVY = (
    "sympy",
    "numpy",
    "numpy.ma",
    "numpy.polynomial",
    "jinja2",
    "mpmath",
    "networkx",
    "flint",
    "PIL",
    "rich",
    "jsonschema",
    "capstone",
    "elftools",
    "serial",
    "can",
    "cantools",
    "robot",
    "exporter.kinematics.spatial.block",
    "exporter.kinematics.baselines",
    "exporter.dynamics.reactions.forces",
)
PROBE = f"""
import sys
from exporter.cli import main
try:
    main(sys.argv[1:])
except SystemExit as exit:
    assert exit.code == 0, exit.code
loaded = sorted(set({HEAVY!r}) & set(sys.modules))
print("LOADED:", *loaded)
"""
COMMANDS = sorted(entry_points(group="kinefix.commands").names)


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], [], *([name, "--help"] for name in COMMANDS)], ids=str
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    """In a fresh interpreter, what `sys.modules` holds afterwards is what was imported."""
    done = subprocess.run([sys.executable, "-c", PROBE, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == "LOADED:"


def test_an_export_imports_what_it_uses(tmp_path: Path) -> None:
    """One loop in a plane, without a turned frame or a reaction, from a file without a fault, printed into a pipe.

    No graph, basis, irrational number, table or terminal, no validator, nothing of the engine for space.
    """
    done = subprocess.run(
        [sys.executable, "-c", PROBE, "export", "slider_crank", "--out", str(tmp_path / "made")],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = done.stdout.strip().splitlines()[-1].split()[1:]
    assert loaded == ["jinja2", "numpy"]


def test_bench_and_software_in_the_loop_need_no_sympy() -> None:
    """It takes a third of a second, and only symbolic models are made of it."""
    probe = "import sys, hil.campaign, hil.report.report, sil.campaign; sys.exit('sympy' in sys.modules)"
    subprocess.run([sys.executable, "-c", probe], check=True)


def test_a_bench_over_a_serial_line_needs_no_python_can() -> None:
    """It takes 85 ms, and only a bench over CAN, or a log of one, is for it: commands, keywords and fixtures alike."""
    modules = "hil.campaign, hil.report.report, hil.suite.suite_run, hil.keywords, hil.driving.bench_fixture"
    probe = f"import sys, {modules}; sys.exit(bool({{'can', 'cantools'}} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", probe], check=True)


def test_help_lists_the_commands_in_the_order_of_the_pipeline() -> None:
    printed = CliRunner().invoke(kinefix, ["--help"]).output.partition("pipeline:")[2]
    listed = re.findall(r"^  (\w+)", printed, re.MULTILINE)
    assert listed == [
        "new",
        "list",
        "show",
        "analyse",
        "compare",
        "trace",
        "export",
        "build",
        "audit",
        "sil",
        "hil",
        "dbc",
        "requirements",
        "report",
        "doctor",
    ]


def test_a_command_that_does_not_load_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point of a package that was removed in part."""
    broken = EntryPoint("broken", "no_such_package.commands:broken", GROUP)
    monkeypatch.setattr("exporter.command_line.entry_points", lambda group: [broken] if group == GROUP else [])
    with pytest.raises(KinefixError, match=r"'broken' \(no_such_package.commands:broken\) cannot be loaded"):
        CliRunner().invoke(kinefix, ["broken"], catch_exceptions=False)
