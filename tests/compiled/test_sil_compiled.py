"""SIL on compiled C: bit agreement with the interpreter, the command line, a mutant in the C, a recovering solver."""

import json
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from exporter.cli import main
from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.operations import Kind
from exporter.symbolic import Root, SymbolicModel, frozen, given, output
from exporter.symbolic import canonical as symbolic_canonical
from exporter.symbolic.program import program_of_symbolic
from sil.campaign import run
from sil.options import Options
from targets.python.host import build_host

pytestmark = pytest.mark.compiled


@pytest.fixture(autouse=True)
def _compiler(require_tool):
    require_tool("gcc")


def export_of(name, precision, folder, mutate=lambda program: program):
    mechanism = read_mechanism(model_path(name))
    return write_export(mutate(program_of_mechanism(mechanism, precision)), folder, canonical(mechanism))


def with_a_sign_error(program):
    """The first addition or subtraction of a solve step of `position`, turned around."""
    position = program.functions[0]
    swapped = {Kind.ADD: Kind.SUB, Kind.SUB: Kind.ADD}
    index = next(
        n for n, each in enumerate(position.operations) if each.kind in swapped and each.step and each.step.equation
    )
    operations = list(position.operations)
    operations[index] = replace(operations[index], kind=swapped[operations[index].kind])
    return replace(program, functions=(replace(position, operations=tuple(operations)), *program.functions[1:]))


def agreements(campaign):
    return {(v.function, v.check): v.value for v in campaign.verdicts if v.check.startswith("bit agreement")}


@pytest.mark.parametrize(("name", "precision"), [("slider_crank", "float32"), ("four_bar", "float64")])
def test_compiled_c_agrees_with_interpreter_and_reference(tmp_path, name, precision):
    campaign = run(export_of(name, precision, tmp_path / "export"), Options(count=2000))
    assert [verdict.sentence() for verdict in campaign.verdicts if not verdict.passed] == []
    assert len(agreements(campaign)) == 6


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("name", ["slider_crank", "four_bar"])
def test_a_hundred_thousand_vectors_agree(tmp_path, name, precision):
    campaign = run(export_of(name, precision, tmp_path / "export"), Options())
    assert campaign.passed
    assert set(agreements(campaign).values()) == {0.0}


def test_a_sign_error_in_the_c_makes_the_command_exit_with_1(tmp_path, capsys):
    """The mutant is in the C that is compiled; the model in the manifest is the right one."""
    folder = tmp_path / "mutant"
    export_of("four_bar", "float32", folder, with_a_sign_error)
    with pytest.raises(SystemExit) as ended:
        main(["sil", str(folder), "--function", "position", "--count", "400"])
    told = capsys.readouterr().out
    assert ended.value.code == 1
    assert "FAIL position: closure residual" in told
    assert "FAIL position: bit agreement of interpreter and host" in told
    assert f"kinefix sil {folder} --function position" in told


def test_the_command_writes_a_report_and_replays_a_vector(tmp_path, capsys):
    folder = tmp_path / "slider_crank"
    export_of("slider_crank", "float32", folder)
    common = ["sil", str(folder), "--function", "position", "--count", "400"]
    with pytest.raises(SystemExit) as ended:
        main([*common, "--report", str(tmp_path / "report"), "--json"])
    data = json.loads(capsys.readouterr().out)
    assert ended.value.code == 0
    assert data["passed"]
    assert {path.name for path in (tmp_path / "report").iterdir()} == {
        "report.html",
        "report.json",
        "report.xml",
        "vectors",
    }
    with pytest.raises(SystemExit) as ended:
        main([*common, "--replay", "7"])
    told = capsys.readouterr().out
    assert ended.value.code == 0
    assert "slider_crank position, vector 7" in told
    assert "status 0x00000000" in told


def test_a_replay_of_no_function_in_particular_is_wrong_use(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["sil", str(tmp_path), "--replay", "7"])
    assert ended.value.code == 2
    assert "add --function NAME" in capsys.readouterr().err


def delta_printer():
    """A linear delta printer: rods of 274 mm, towers at 210, 330 and 90 degrees on a radius of 104.45 mm.

    Geometry from positions printed in MarlinFirmware/Marlin#928; a carriage stands at z + sqrt(L^2 - dx^2 - dy^2).
    """
    x, y, rod, radius = sp.symbols("x y rod radius")
    towers = ((-sp.sqrt(3) / 2, -sp.Rational(1, 2)), (sp.sqrt(3) / 2, -sp.Rational(1, 2)), (0, 1))
    heights = [sp.sqrt(rod**2 - (x - radius * c) ** 2 - (y - radius * s) ** 2) for c, s in towers]
    return SymbolicModel(
        "delta",
        (given("x", "-150 mm", "150 mm"), given("y", "-150 mm", "150 mm")),
        tuple(output(name, height, "m") for name, height in zip("abc", heights, strict=True)),
        parameters=(frozen("rod", "274 mm"), frozen("radius", "104.45 mm")),
        root=Root("1e-1"),
    )


def test_an_unreachable_point_leaves_no_trace(tmp_path):
    """MaslowCNC/Firmware#370: after an unsolvable input all later ones failed. Right values to the printed digits."""
    model = delta_printer()
    program = program_of_symbolic(model, "float64")
    export = write_export(program, tmp_path / "export", symbolic_canonical.canonical(model), "symbolic")
    library = build_host(export, tmp_path / "host")
    rows = np.array([[0.1343, 0.10445], [0.1344, 0.10445], [np.nan, 0.0], [0.0, 0.0]])
    called = library.call("evaluate", rows)
    assert called.outputs[0] == pytest.approx([3.67776698127e-3, 0.220469224678, 0.238829457982], rel=1e-9)
    assert (called.status != 0).tolist() == [False, True, True, False]
    assert np.isfinite(called.outputs).all()
    assert called.outputs[3] == pytest.approx([0.253310476491] * 3, rel=1e-11)
    assert run(export, Options(count=1000)).passed
