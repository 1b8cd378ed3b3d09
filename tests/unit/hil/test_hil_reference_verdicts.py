"""`kinefix hil` at every set of parameters: what is wrong off nominal fails, its sound twin passes."""

import hashlib
import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from exporter.cli import main
from exporter.export import write_export
from hil.bench import Bench, read_bench
from hil.campaign import BenchResult, Plan, run_campaign
from sil.verdict import Outcome

pytestmark = pytest.mark.compiled

BENCH = """
schema = 1
[bench]
name = "software"
target = "software"
export = "export"
[target.software]
kind = "sil"
[timing]
period = "1 ms"
"""
PLAN = Plan(lockstep=400, free_run=0, vectors=16, seed=1)


SETS = 7  # nominal, both ends of the one parameter, four random ones


@pytest.fixture
def bench(tmp_path: Path, require_tool: Callable[[str], str], capsys: pytest.CaptureFixture[str]) -> Bench:
    """The library's slider-crank with a tunable crank, on the software backend."""
    require_tool("gcc")
    with suppress(SystemExit):
        main(["export", "slider_crank", "--tunable", "l1", "--out", str(tmp_path / "export")])
    capsys.readouterr()
    (tmp_path / "bench.toml").write_text(BENCH, encoding="utf-8")
    return read_bench(tmp_path / "bench.toml")


def outcomes(result: BenchResult) -> dict[str, Outcome]:
    """How each check ended."""
    return {verdict.check: verdict.outcome for verdict in result.verdicts}


def use_nominal_where_tunable_was_asked(folder: Path) -> None:
    """Make recalibrate check the crank's length and then take the nominal one; the self-test is silenced."""
    source = folder / "slider_crank.c"
    text, count = re.subn(r"kfx_select_f32\(\w+, par->l1_m, (0\.3F)\)", r"\1", source.read_text(encoding="utf-8"))
    assert count == 1
    source.write_text(text, encoding="utf-8")
    silent = "int slider_crank_selftest(void);\n\nint slider_crank_selftest(void)\n{\n    return 0;\n}\n"
    (folder / "slider_crank_selftest.c").write_text(silent, encoding="utf-8")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for name in ("slider_crank.c", "slider_crank_selftest.c"):
        manifest["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def test_a_right_export_passes_at_every_set_of_parameters(bench: Bench) -> None:
    """Bit agreement, recalibrate and the reference, at nominal, ends and random values; the cost has no clock."""
    result = run_campaign(bench, PLAN)
    ended = outcomes(result)
    assert result.passed
    assert set(ended.values()) == {Outcome.PASSED, Outcome.NOT_JUDGED}
    assert [name for name, each in ended.items() if each is Outcome.NOT_JUDGED] == [
        "cost depends on inputs in lockstep"
    ]
    assert {"closure residual", "coordinates", "dynamics", "parameters judged otherwise"} <= set(ended)
    agreement = result.verdicts[0]
    assert f"400 vectors at {SETS} sets of parameters" in agreement.detail
    assert result.identity["parameters in lockstep"].count(";") == SETS - 1
    assert result.command.endswith("bench.toml --lockstep 400 --free-run 0 --seed 1")


def test_nominal_where_tunable_was_asked_fails_although_all_bits_agree(bench: Bench) -> None:
    """Device and computer run the same wrong C: only the reference, rebuilt for each set, can tell."""
    assert bench.export is not None
    use_nominal_where_tunable_was_asked(bench.export)
    result = run_campaign(bench, PLAN)
    ended = outcomes(result)
    assert ended["bit agreement in lockstep"] is Outcome.PASSED
    assert ended["coordinates"] is Outcome.FAILED
    failed = next(verdict for verdict in result.verdicts if verdict.check == "coordinates")
    assert "--parameter=l1=" in failed.replay
    nominal = run_campaign(replace(bench, parameters={"l1": "300 mm"}), PLAN)
    assert nominal.passed, "at the nominal length there is nothing to be seen"


def test_a_given_parameter_is_the_only_set(bench: Bench) -> None:
    """From the command line: it stands in the report and in the command."""
    result = run_campaign(bench, replace(PLAN, parameters={"l1": "200 mm"}))
    assert result.passed
    assert result.identity["parameters in lockstep"] == f"l1 = {float(np.float32(0.2))!r}"
    assert result.command.endswith(f"--seed 1 --parameter=l1={0.2!r}")


def test_vectors_that_are_all_flagged_are_no_pass(bench: Bench, tmp_path: Path) -> None:
    """Rows of a file, none of which is valid: nothing compared, exit without a pass, and the first line says so."""
    rows = np.full((60, 3), np.nan, dtype=np.float32)
    np.save(tmp_path / "bad.npy", rows)
    result = run_campaign(bench, replace(PLAN, rows=tmp_path / "bad.npy", lockstep=0))
    assert outcomes(result)["bit agreement in lockstep"] is Outcome.PASSED
    assert outcomes(result)["coordinates"] is Outcome.NOTHING_COMPARED
    assert not result.passed
    assert "60 of 60 vectors are flagged: ARG_REJECTED 60" in result.headline
    assert result.identity["lockstep"].startswith("60 vectors, file bad.npy, SHA-256 ")


def test_an_export_without_a_model_says_that_nothing_was_held_against_a_reference(
    bench: Bench, load_data_module: Callable[[str], ModuleType]
) -> None:
    """A program written by hand: not judged, with the reason."""
    assert bench.export is not None
    write_export(load_data_module("sample_program").slider_crank_program("float32"), bench.export, {})
    result = run_campaign(bench, PLAN)
    verdict = next(each for each in result.verdicts if each.check == "held against the reference")
    assert verdict.outcome is Outcome.NOT_JUDGED
    assert verdict.reason == "the export holds no model of which a reference could be made"


def test_an_iterative_function_starts_from_solutions_of_the_reference(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """Newton's method from random starts ends on other branches: with those of the reference the export passes."""
    assert bench.export is not None
    with suppress(SystemExit):
        main(["export", "four_bar", "--method", "newton", "--out", str(bench.export)])
    capsys.readouterr()
    result = run_campaign(replace(bench, function="position"), replace(PLAN, lockstep=100))
    assert result.passed
    assert outcomes(result)["coordinates"] is Outcome.PASSED
    assert "are flagged" not in result.headline
