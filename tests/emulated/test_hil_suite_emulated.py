"""The suite of an export on emulated cores: green where its promises are kept, red where a firmware breaks them."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from exporter.cli import kinefix
from exporter.export import load_export
from targets.ecu.firmware import build_firmware
from targets.rows import nominal_parameters

pytestmark = pytest.mark.emulated

DATA = Path(__file__).resolve().parents[1] / "data"
BENCH = """
schema = 1
[bench]
name = "suite"
target = "m4f"
export = "{export}"
[target.m4f]
kind = "emulated"
[target.m7]
kind = "emulated"
profile = "arm-m7"
[target.m3]
kind = "emulated"
profile = "arm-m3"
[target.wrong]
kind = "emulated"
elf = "wrong/firmware.elf"
[timing]
period = "1 ms"
deadline = "900 us"
"""
COST = "Every Call Costs The Same"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, board_export: Path, require_tool: Callable[[str], str]) -> Path:
    """A bench file for all cores, and a firmware that is wrong in every way."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)
    place = tmp_path_factory.mktemp("suite")
    export, symbol = load_export(board_export), "slider_crank"
    macros = {
        f"{symbol}_dostep": "kfx_wrong_everywhere", "KFX_RIGHT_STEP": f'"{symbol}_dostep"',
        f"{symbol}_recalibrate": "kfx_deaf_to_parameters", "KFX_RIGHT_RECALIBRATE": f'"{symbol}_recalibrate"',
        "KFX_NOMINAL": nominal_parameters(export.manifest)[0].literal,
    }  # fmt: skip
    build_firmware(export, "dostep", place / "wrong", "bench", "arm-m4f", macros, (DATA / "wrong_everywhere.c",))
    (place / "bench.toml").write_text(BENCH.format(export=board_export.as_posix()), encoding="utf-8")
    return place


def run(folder: Path, export: Path, target: str) -> tuple[int, dict[str, str], str]:
    """Exit code, the mark of each test, and what was printed."""
    words = ["hil", str(export), "--suite", "--bench", str(folder / "bench.toml"), "--target", target]
    done = CliRunner().invoke(kinefix, [*words, "--report", str(folder / target)], catch_exceptions=False)
    marks = re.findall(r"^  (ok  |FAIL|--  ) Slider Crank\.(.+)$", done.output, re.MULTILINE)
    return done.exit_code, {name: mark.strip() for mark, name in marks}, done.output


@pytest.mark.parametrize("target", ["m4f", "m7"])
def test_a_core_with_a_floating_point_unit_keeps_every_promise(folder: Path, board_export: Path, target: str) -> None:
    code, marks, said = run(folder, board_export, target)
    assert code == 0, said
    assert set(marks.values()) == {"ok"}
    assert len(marks) == 10
    assert (folder / target / "deadlines" / "report.html").is_file()


def test_a_core_without_one_fails_in_constancy_alone_and_says_why(folder: Path, board_export: Path) -> None:
    code, marks, said = run(folder, board_export, "m3")
    assert code == 1
    assert [name for name, mark in marks.items() if mark != "ok"] == [COST]
    assert marks[COST] == "FAIL"
    assert re.search(r"Calls took .* apart, allowed is 1; not fixed-time: this core computes float32 by routines", said)


def test_a_firmware_that_is_wrong_in_every_way_fails_every_test(folder: Path, board_export: Path) -> None:
    """No test of the suite is one that cannot fail."""
    code, marks, said = run(folder, board_export, "wrong")
    assert code == 1
    assert set(marks.values()) == {"FAIL"}, said
    assert len(marks) == 10
