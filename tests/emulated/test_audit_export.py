"""The audit of whole exports: the sample passes, and every mutant of it is caught."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from exporter.errors import ModelError
from exporter.export import Export, write_export
from targets.audit.command import audit
from targets.audit.export import audit_export
from targets.audit.path import prove
from targets.audit.result import AuditResult, FunctionAudit

pytestmark = pytest.mark.emulated

HAND_WRITTEN_STEP = 155  # instructions outside the kernels of a hand-written step on M4F (issue's figure)


@pytest.fixture(scope="module")
def audited(
    load_data_module: Callable[[str], ModuleType],
    require_tool: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> AuditResult:
    """One audit of the sample that several tests look at."""
    require_tool("arm-none-eabi-gcc")
    return audit_export(exported(load_data_module, "float32", tmp_path_factory.mktemp("audited") / "export"))


@pytest.fixture
def export(load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str], tmp_path: Path) -> Export:
    require_tool("arm-none-eabi-gcc")
    return exported(load_data_module, "float32", tmp_path / "export")


def exported(load_data_module: Callable[[str], ModuleType], precision: str, folder: Path) -> Export:
    return write_export(load_data_module("sample_program").slider_crank_program(precision), folder, {})


def mutated(export: Export, folder: Path, pattern: str, replacement: str) -> Export:
    """A copy of the export whose C was changed in one place."""
    shutil.copytree(export.folder, folder)
    path = folder / "slider_crank.c"
    text, count = re.subn(pattern, replacement, path.read_text(encoding="utf-8"), count=1)
    assert count == 1, f"the emitted C no longer holds {pattern}"
    path.write_text(text, encoding="utf-8")
    return replace(export, folder=folder)


def function(result: AuditResult, name: str) -> FunctionAudit:
    return next(item for item in result.functions if item.name == name)


def test_the_sample_is_a_single_path_at_every_level(export: Export, audited: AuditResult) -> None:
    result = audited
    assert result.functions[0].symbol == export.manifest.functions[0].symbol
    assert result.passed
    assert result.verdict == "fixed-time"
    assert {item.verdict for item in result.functions} == {"single path"}
    assert [level.level for level in result.functions[0].levels] == ["-O1", "-O3", "-Os"]
    assert result.forbidden == {}
    assert (result.sizes.data, result.sizes.bss) == (0, 0)


def test_a_step_takes_no_more_than_a_hand_written_one_outside_the_kernels(audited: AuditResult) -> None:
    step = function(audited, "dostep")
    assert step.outside is not None
    assert step.instructions == step.outside + sum(step.kernels.values())
    assert step.outside <= HAND_WRITTEN_STEP


def test_kernels_told_apart_by_debug_information_agree_with_kernels_kept_out_of_line(
    export: Export, audited: AuditResult, load_data_module: Callable[[str], ModuleType], tmp_path: Path
) -> None:
    """The oracle forbids inlining: then the kernel is a function of its own, and the caller's count needs no DWARF.

    A real call adds the passing of arguments and results, and takes scheduling and sharing away: up to a dozen
    instructions here, never fewer than none.
    """
    apart = tmp_path / "apart"
    shutil.copytree(export.folder, apart)
    header = apart / "kfx_sincos_f32.h"
    text = header.read_text(encoding="utf-8")
    header.write_text(text.replace("static inline", "static __attribute__((noinline))"), encoding="utf-8")
    snippets = load_data_module("compile_snippet")
    shutil.copy(apart / "slider_crank.c", apart / "snippet.c")
    path = snippets.compile_object(apart, (apart / "slider_crank.c").read_text(encoding="utf-8"), "m4f")
    step = function(audited, "dostep")
    called = prove(path, "slider_crank_dostep").functions
    assert step.outside is not None
    assert 0 <= called["slider_crank_dostep"] - step.outside <= 12
    assert abs(called["kfx_sincos_f32"] - step.kernels["kfx_sincos_f32"]) <= 6
    assert called["slider_crank_dostep"] <= HAND_WRITTEN_STEP


def test_a_conditional_expression_in_the_emitted_c_is_caught(export: Export, tmp_path: Path) -> None:
    """Permanent mutant: `?:` in place of a select whose arms are worth a branch."""
    mutant = mutated(
        export,
        tmp_path / "mutant",
        r"const real (t\d+) = sqrtf\((t\d+)\);",
        r"const real \1 = (\2 > 0.5F) ? sqrtf(\2) : (\2 / 0.7F);",
    )
    result = audit_export(mutant)
    assert not result.passed
    assert function(result, "position").verdict != "single path"
    assert function(result, "position").reason


def test_a_double_literal_in_float_code_is_caught(export: Export, tmp_path: Path) -> None:
    """Permanent mutant: the crank's 0.3F without its F. The compiler converts silently, the symbol table tells."""
    mutant = mutated(export, tmp_path / "mutant", r"= 0\.3F \*", "= 0.3 *")
    result = audit_export(mutant)
    assert not result.passed
    assert {"__aeabi_f2d", "__aeabi_dmul", "__aeabi_d2f"} <= set(result.forbidden)
    assert set(result.forbidden.values()) == {"double precision in a float32 export"}


def test_a_double_literal_is_caught_where_the_core_computes_doubles(export: Export, tmp_path: Path) -> None:
    mutant = mutated(export, tmp_path / "mutant", r"= 0\.3F \*", "= 0.3 *")
    result = audit_export(mutant, "arm-m7")
    assert all(item.verdict == "single path" for item in result.functions)
    assert any("vmul.f64" in name for name in result.forbidden)
    assert not result.passed


def test_static_mutable_data_is_caught(export: Export, tmp_path: Path) -> None:
    mutant = mutated(
        export,
        tmp_path / "mutant",
        r"const real t1 =",
        r"static uint32_t calls; calls++; const float t1 =",
    )
    result = audit_export(mutant)
    assert result.sizes.bss == 4
    assert not result.passed


@pytest.mark.parametrize(
    ("precision", "profile"), [("float32", "arm-m3"), ("float64", "arm-m4f"), ("float64", "arm-m3")]
)
def test_a_soft_float_target_is_never_fixed_time(
    precision: str, profile: str, export: Export, load_data_module: Callable[[str], ModuleType], tmp_path: Path
) -> None:
    del export  # only for its check of the compiler
    result = audit_export(exported(load_data_module, precision, tmp_path / "soft"), profile)
    assert result.verdict == "not fixed-time"
    assert any(name.startswith("__aeabi_") for name in result.forbidden)
    assert any("in software" in note for note in result.notes)


def test_a_double_export_is_fixed_time_on_a_core_with_double_precision(
    export: Export, load_data_module: Callable[[str], ModuleType], tmp_path: Path
) -> None:
    del export
    assert audit_export(exported(load_data_module, "float64", tmp_path / "double"), "arm-m7").passed


def test_command_prints_json_and_exits_zero(export: Export) -> None:
    done = CliRunner().invoke(audit, [str(export.folder), "--function", "position", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["verdict"] == "fixed-time"
    assert [item["name"] for item in found["functions"]] == ["position"]


def test_command_prints_a_table_and_exits_one_where_the_target_is_not_fixed_time(export: Export) -> None:
    done = CliRunner().invoke(audit, [str(export.folder), "--profile", "arm-m3"])
    assert done.exit_code == 1
    assert "not fixed-time" in done.stdout
    assert "__aeabi_fmul" in done.stdout


def test_an_unknown_function_is_an_error_that_lists_the_known_ones(export: Export) -> None:
    with pytest.raises(ModelError, match="no function 'jerk'; choose from position, dynamics"):
        audit_export(export, functions=["jerk"])


def test_the_audit_does_not_depend_on_the_folder(export: Export, audited: AuditResult, tmp_path: Path) -> None:
    shutil.copytree(export.folder, tmp_path / "elsewhere")
    assert audit_export(replace(export, folder=tmp_path / "elsewhere")) == audited
