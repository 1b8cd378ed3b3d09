"""Newton to a tolerance as compiled C: bits of the interpreter, SIL and its mutants, the audit's refusal."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from exporter.c99.rows import interpret_rows
from exporter.cli import main
from exporter.errors import ModelError
from exporter.export import Export, write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.changes import Changes, apply_changes
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.operations import Kind, Precision
from exporter.sequence.program import Program
from sil.campaign import run
from sil.compare import different_bits
from sil.options import Options
from targets.labview.package import build_package
from targets.python.host import build_host

pytestmark = pytest.mark.compiled
QUICK = Options(count=200)


@pytest.fixture(autouse=True)
def _compiler(require_tool):
    require_tool("gcc")


def exported(model: str, folder: Path, precision: Precision, changes: Changes) -> tuple[Export, Program]:
    mechanism = apply_changes(read_mechanism(model_path(model)), changes)
    program = program_of_mechanism(mechanism, precision)
    return write_export(program, folder, canonical(mechanism)), program


@pytest.mark.parametrize(
    ("model", "precision", "changes"),
    [
        ("four_bar", "float32", Changes(method="newton", tolerance="1e-6")),
        ("four_bar", "float64", Changes(method="newton", tolerance="1e-12", max_steps=7)),
        ("slider_crank", "float64", Changes(method="newton-per-loop", tolerance="1e-9", tunable=("l1",))),
        pytest.param(
            "spatial_four_bar", "float64", Changes(method="newton-per-loop", tolerance="1e-9"), marks=pytest.mark.slow
        ),
    ],
    ids=["float32", "seven steps", "tunable", "spatial"],
)
def test_compiled_loops_give_the_bits_of_the_interpreter(
    model: str, precision: Precision, changes: Changes, tmp_path: Path
) -> None:
    """From starts anywhere within the ranges, invalid ones included: every output and the status."""
    export, program = exported(model, tmp_path / "export", precision, changes)
    library = build_host(export, tmp_path / "host")
    generator = np.random.Generator(np.random.Philox(7))
    for function in export.manifest.functions:
        bounds = np.array([[field.minimum, field.maximum] for field in function.row_inputs], dtype=np.float64)
        rows = generator.uniform(bounds[:, 0], bounds[:, 1], (300, len(bounds)))
        rows[::17, 0] = np.nan
        rows[5::17, -1] = np.inf
        called = library.call(function.name, rows.astype(precision))
        right = interpret_rows(program, function.name, rows.astype(precision))
        assert not different_bits(called.outputs, right.outputs).any()
        assert np.array_equal(called.status, right.status)


@pytest.mark.parametrize(
    ("model", "precision", "changes"),
    [
        ("four_bar", "float32", Changes(method="newton", steps=3)),
        pytest.param("slider_crank", "float64", Changes(method="newton-per-loop", steps=5), marks=pytest.mark.slow),
        ("spatial_four_bar", "float64", Changes(method="newton", tolerance="1e-9")),
    ],
    ids=["three steps", "five steps", "tolerance"],
)
def test_a_campaign_passes_from_starts_that_a_caller_has(
    model: str, precision: Precision, changes: Changes, tmp_path: Path
) -> None:
    """Previous solutions are the reference's one period before: most vectors are judged, and all checks hold."""
    export = exported(model, tmp_path / "export", precision, changes)[0]
    campaign = run(export, QUICK)
    assert [verdict.sentence() for verdict in campaign.verdicts if not verdict.passed] == []
    position = next(tested for tested in campaign.tested if tested.function == "position")
    assert position.flagged_count(export.manifest) < 0.4 * QUICK.count
    made = {verdict.check.partition(",")[0] for verdict in campaign.verdicts}
    assert {"closure residual", "coordinates", "velocities", "false alarms"} <= made


def with_sign_errors(program: Program, function: str) -> list[Program]:
    """One per addition or subtraction of the closure or its Jacobian."""
    swapped = {Kind.ADD: Kind.SUB, Kind.SUB: Kind.ADD}
    place = [each.name for each in program.functions].index(function)
    sequence, made = program.functions[place], []
    for index, operation in enumerate(sequence.operations):
        if operation.kind in swapped and operation.step and ".cut" in operation.step.equation:
            operations = list(sequence.operations)
            operations[index] = replace(operation, kind=swapped[operation.kind])
            functions = list(program.functions)
            functions[place] = replace(sequence, operations=tuple(operations))
            made.append(replace(program, functions=tuple(functions)))
    return made


def test_mutants_of_the_loop_fail(tmp_path: Path) -> None:
    """Every fifth sign error fails in what follows the loop, and most in an iteration: some still converge."""
    export, program = exported("four_bar", tmp_path / "export", "float64", Changes(method="newton", tolerance="1e-9"))
    options = Options(count=200, runner="interpreter", functions=("position",))
    for function, most in (("newton_step", 0.5), ("position", 0.0)):
        mutants = with_sign_errors(program, function)[::5]
        assert mutants
        survivors = [k for k, mutant in enumerate(mutants) if run(export, options, program=mutant).passed]
        assert len(survivors) <= most * len(mutants), (function, survivors)


def test_an_alarm_without_a_cause_is_false(tmp_path: Path) -> None:
    """A program that sets RESIDUAL_HIGH on every vector closes its loops: the check says so."""
    export, program = exported("four_bar", tmp_path / "export", "float64", Changes(method="newton", steps=4))
    position = program.function("position")
    (condition,) = [each for each in position.conditions if each.name == "RESIDUAL_HIGH"]
    operations = list(position.operations)
    operations[condition.operation] = replace(
        operations[condition.operation], kind=Kind.FLAG_CONSTANT, operands=(), value=1
    )
    functions = (replace(position, operations=tuple(operations)), *program.functions[1:])
    options = Options(count=200, runner="interpreter", functions=("position",))
    campaign = run(export, options, program=replace(program, functions=functions))
    assert any(not v.passed and v.check == "false alarms" for v in campaign.verdicts)


def test_the_audit_refuses_the_loop_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 for the export; its iteration alone is a single path, and the export still is not fixed-time."""
    exported("four_bar", tmp_path / "export", "float64", Changes(method="newton", tolerance="1e-9"))
    command = ["audit", str(tmp_path / "export"), "--profile", "host-gcc"]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 2
    assert "position repeats newton_step until its residual is at most 1e-09" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main([*command, "--function", "newton_step", "--json"])
    told = capsys.readouterr().out
    assert ended.value.code == 0
    assert "NOT FIXED-TIME" in told


def test_a_labview_package_is_not_made_of_a_loop(tmp_path: Path) -> None:
    """A package's nodes promise one count on every input; a loop that ends by its residual has none."""
    export, _ = exported("four_bar", tmp_path / "export", "float64", Changes(method="newton", tolerance="1e-9"))
    with pytest.raises(
        ModelError, match="up to 20 times and are not fixed-time, and a LabVIEW package promises one count"
    ):
        build_package(export, ["linux-x64"], tmp_path / "package")
