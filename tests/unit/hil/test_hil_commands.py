"""The commands `kinefix hil` and `kinefix report`: exit codes and one-sentence errors."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from exporter.cli import main

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "bench.toml"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout, stderr of the command line."""
    try:
        main(list(arguments))
        code = 0
    except SystemExit as left:
        code = int(left.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_missing_bench_file_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Exit code 2, and what to copy."""
    code, out, err = run(capsys, "hil", str(tmp_path / "none.toml"))
    assert (code, out) == (2, "")
    assert re.fullmatch(r"kinefix: error: there is no bench file .*none\.toml; copy examples/bench\.toml.*\n", err)


def test_nothing_to_run_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    """A run that checks nothing must not end well."""
    code, _, err = run(capsys, "hil", str(EXAMPLE), "--lockstep", "0", "--free-run", "0")
    assert code == 2
    assert "nothing to run" in err


def test_a_folder_without_reports_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Exit code 2 from `kinefix report`."""
    code, _, err = run(capsys, "report", str(tmp_path))
    assert code == 2
    assert err.startswith("kinefix: error: there is no report below")


def write_report(folder: Path, *, passed: bool) -> None:
    """The least that a report has."""
    folder.mkdir(parents=True)
    verdict = {
        "function": "dostep", "check": "missed deadlines", "outcome": "passed", "passed": passed, "reason": "",
    }  # fmt: skip
    document = {
        "report": "kinefix-hil", "version": 2, "title": "t", "headline": "h", "passed": passed, "verdicts": [verdict],
    }  # fmt: skip
    (folder / "report.json").write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize("passed", [True, False])
def test_report_ends_as_the_reports_ended(capsys: pytest.CaptureFixture[str], tmp_path: Path, passed: bool) -> None:
    """Exit code 1 where one of them failed, and the index is written either way."""
    write_report(tmp_path / "good", passed=True)
    write_report(tmp_path / "other", passed=passed)
    code, out, _ = run(capsys, "report", str(tmp_path), "--json")
    assert code == (0 if passed else 1)
    assert [entry["passed"] for entry in json.loads(out)["reports"]] == [True, passed]
    assert (tmp_path / "index.html").is_file()


def test_help_shows_an_example_and_loads_nothing_heavy() -> None:
    """`--help` of both commands, in a process of its own."""
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom hil.commands import hil, report\n"
        "for command in (hil, report):\n"
        "    shown = CliRunner().invoke(command, ['--help'])\n"
        "    assert shown.exit_code == 0 and 'Example:' in shown.output\n"
        "heavy = {'numpy', 'sympy', 'jinja2', 'serial', 'jsonschema', 'robot'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr


SOFTWARE = """
schema = 1
[bench]
name = "software"
target = "software"
export = "export"
function = "dostep"
[target.software]
kind = "sil"
[target.emulated]
kind = "emulated"
elf = "firmware.elf"
[timing]
period = "1 ms"
"""


@pytest.fixture
def software(tmp_path, load_data_module, require_tool) -> Path:
    """A bench file of the software backend with its export."""
    from exporter.export import write_export

    require_tool("gcc")
    program = load_data_module("sample_program").slider_crank_program("float32")
    write_export(program, tmp_path / "export", {})
    (tmp_path / "bench.toml").write_text(SOFTWARE, encoding="utf-8")
    return tmp_path / "bench.toml"


@pytest.mark.compiled
def test_software_agrees_in_lockstep(capsys: pytest.CaptureFixture[str], software: Path) -> None:
    """Exit code 0, JSON on stdout, and no word on deadlines."""
    code, out, _ = run(capsys, "hil", str(software), "--lockstep", "50", "--free-run", "0", "--json")
    document = json.loads(out)
    assert code == 0
    assert document["passed"] is True
    assert document["time_base"] == "no measurement (no counter moves)"
    assert document["free_run"] is None


@pytest.mark.compiled
def test_software_never_passes_a_deadline(capsys: pytest.CaptureFixture[str], software: Path) -> None:
    """A free run without a counter is a failed check: exit code 1, and the reason."""
    code, out, _ = run(capsys, "hil", str(software), "--lockstep", "0", "--free-run", "10")
    assert code == 1
    assert "no measurement (no counter moves)" in out
    assert "take --free-run 0, or a target with a counter" in out


@pytest.mark.compiled
def test_a_missing_firmware_is_one_sentence(capsys: pytest.CaptureFixture[str], software: Path) -> None:
    """An ELF that is not there: exit code 2 and how to build it."""
    software.write_text(SOFTWARE.replace('target = "software"', 'target = "emulated"'), encoding="utf-8")
    code, _, err = run(capsys, "hil", str(software), "--lockstep", "5")
    assert code == 2
    assert "there is no firmware at" in err
    assert err.count("\n") == 1


EARLIER = ("report.html", "report.pdf", "report.json", "report.xml")


@pytest.mark.compiled
def test_a_run_that_does_not_end_leaves_no_report_of_an_earlier_one(
    capsys: pytest.CaptureFixture[str], software: Path, tmp_path: Path
) -> None:
    """Nor does one that does not begin; what was asked wrongly touches nothing, and other files stay."""
    out, asked = tmp_path / "out", ["hil", str(software), "--report", str(tmp_path / "out"), "--lockstep"]
    out.mkdir()
    for name in (*EARLIER, "notes.txt"):
        (out / name).write_text("PASSED", encoding="utf-8")
    assert run(capsys, *asked, "0", "--free-run", "0")[0] == 2
    assert len(list(out.iterdir())) == 5
    software.write_text(SOFTWARE.replace('target = "software"', 'target = "emulated"'), encoding="utf-8")
    assert run(capsys, *asked, "5")[0] == 2
    assert [each.name for each in out.iterdir()] == ["notes.txt"]
    (out / "report.html").mkdir()
    code, _, err = run(capsys, *asked, "5")
    assert (code, err.count("\n")) == (2, 1)


@pytest.mark.compiled
def test_a_missing_emulator_is_one_sentence(
    capsys: pytest.CaptureFixture[str], software: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a compiler on PATH: exit code 2, the program and the package that has it, and nothing written."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("gcc", "as", "ld"):
        (tools / name).symlink_to(str(shutil.which(name)))
    (tmp_path / "firmware.elf").write_bytes(b"")
    software.write_text(SOFTWARE.replace('target = "software"', 'target = "emulated"'), encoding="utf-8")
    monkeypatch.setenv("PATH", str(tools))
    before = sorted(tmp_path.rglob("*"))
    code, _, err = run(capsys, "hil", str(software), "--lockstep", "5")
    assert code == 2
    assert sorted(tmp_path.rglob("*")) == before
    assert "qemu-system-arm is not installed" in err
    assert "apt-get install" in err
