"""MISRA C:2012 by cppcheck's addon: no finding without a deviation on its line, and few deviations."""

import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from exporter.c99 import program_files
from exporter.functions.program import program_of_mechanism
from exporter.model.changes import Changes, apply_changes
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.operations import Precision
from exporter.sequence.program import Program

pytestmark = pytest.mark.compiled
Loader = Callable[[str], ModuleType]
BUDGETS = Path(__file__).resolve().parents[2] / "ci" / "budgets.toml"
DEVIATION = re.compile(r"/\* cppcheck-suppress misra-c2012-([\d.]+) ; (deviation D\d\b.*) \*/")
ANOTHER = """extern double another_half(double whole);
TYPEDEF
double another_half(const double whole)
{
    const real half = whole * 0.5;
    return half;
}
"""
HEADERS_STAND_IN = (
    "-DFLT_RADIX=2", "-DFLT_MANT_DIG=24", "-DDBL_MANT_DIG=53", "-DFLT_EVAL_METHOD=0", "-DUINT32_C(x)=x##U",
    "-DUINT64_C(x)=x##ULL",
)  # fmt: skip
"""cppcheck reads no system headers; these macros decide which lines it sees."""
MESSAGE = "--template={file}:{line}: {id}: {message}"


def findings(cppcheck: str, folder: Path) -> list[str]:
    """What cppcheck reports of every C file and header, one line each."""
    (folder / "uses.c").write_text("".join(f'#include "{each.name}"\n' for each in sorted(folder.glob("*.h"))))
    command = [
        cppcheck, "--addon=misra", "--std=c99", "--inline-suppr", "--enable=style,warning,performance,portability",
        "--suppress=missingIncludeSystem", "--quiet", *HEADERS_STAND_IN, MESSAGE, *sorted(map(str, folder.glob("*.c"))),
    ]  # fmt: skip
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line for line in result.stderr.splitlines() if line.strip()]


def beside_another(program: Program) -> dict[str, str]:
    """The files of an export, and a source that calls its real type by the same name, as other exports do."""
    files = program_files(program)
    named = re.search(r"/\*[^\n]* \*/\ntypedef \w+ real;\n", files[f"{program.name}.c"])
    assert named is not None
    return {**files, "another.c": ANOTHER.replace("TYPEDEF", named.group().replace(f"{program.name}_real_t", "double"))}


@pytest.mark.parametrize(("precision", "tunable"), [("float32", True), ("float64", False)])
def test_an_export_has_no_finding_without_a_deviation(
    load_data_module: Loader, require_tool: Callable[[str], str], tmp_path: Path, precision: Precision, tunable: bool
) -> None:
    """Every rule that the addon checks, beside another export, the self-test and the headers included."""
    cppcheck = require_tool("cppcheck")
    program = load_data_module("sample_program").slider_crank_program(precision, tunable=tunable)
    for name, text in beside_another(program).items():
        (tmp_path / name).write_text(text)
    assert findings(cppcheck, tmp_path) == []


def test_the_one_loop_has_no_finding(require_tool: Callable[[str], str], tmp_path: Path) -> None:
    """Newton's method to a tolerance, with a tunable parameter: the do-while that an export can hold."""
    cppcheck = require_tool("cppcheck")
    changes = Changes(method="newton", tolerance="1e-6", tunable=("l1",))
    program = program_of_mechanism(apply_changes(read_mechanism(model_path("slider_crank")), changes), "float32")
    for name, text in program_files(program).items():
        (tmp_path / name).write_text(text)
    assert findings(cppcheck, tmp_path) == []


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_no_kernel_has_a_finding_without_a_deviation(
    load_data_module: Loader, require_tool: Callable[[str], str], tmp_path: Path, precision: Precision
) -> None:
    """All bundled headers at once."""
    cppcheck = require_tool("cppcheck")
    for name, text in program_files(load_data_module("kernel_program").every_kernel(precision)).items():
        (tmp_path / name).write_text(text)
    assert findings(cppcheck, tmp_path) == []


def test_the_checker_sees_the_export(
    load_data_module: Loader, require_tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Without its deviation comments the same export has findings of exactly the rules that it deviates from."""
    cppcheck = require_tool("cppcheck")
    program = load_data_module("sample_program").slider_crank_program("float32")
    for name, text in beside_another(program).items():
        (tmp_path / name).write_text(DEVIATION.sub("", text))
    rules = {
        match.group(1) for line in findings(cppcheck, tmp_path) if (match := re.search(r"misra-c2012-([\d.]+)", line))
    }
    assert rules == set(tomllib.loads(BUDGETS.read_text())["misra"])


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_deviations_stay_within_their_budget(load_data_module: Loader, precision: Precision) -> None:
    """Each deviation gives its reason or names one that does; their number per rule does not grow."""
    files = program_files(load_data_module("sample_program").slider_crank_program(precision, tunable=True))
    deviations = [match for text in files.values() for match in DEVIATION.finditer(text)]
    assert dict(Counter(match.group(1) for match in deviations)) == tomllib.loads(BUDGETS.read_text())["misra"]
    explained = {match.group(2)[:12] for match in deviations if ":" in match.group(2)}
    assert {match.group(2)[:12] for match in deviations} == explained
