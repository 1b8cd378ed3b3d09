"""Campaigns without a compiler: exports of the library pass, and every sign error in a solve step is caught."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from exporter.errors import KinefixError
from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.progress import heard_by
from exporter.sequence.operations import Kind
from exporter.sequence.status import BITS
from exporter.symbolic import canonical as symbolic_canonical
from exporter.symbolic.program import program_of_symbolic
from sil import commands
from sil.campaign import run
from sil.options import Options
from sil.report.document import document
from sil.report.files import write_report
from sil.report.page import page
from sil.vectors import KINDS

QUICK = Options(count=400, runner="interpreter")
SWAPPED = {Kind.ADD: Kind.SUB, Kind.SUB: Kind.ADD}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Exports and their programs by name and precision, each made once."""
    known = {}

    def make(name, precision):
        if (name, precision) not in known:
            mechanism = read_mechanism(model_path(name))
            program = program_of_mechanism(mechanism, precision)
            folder = tmp_path_factory.mktemp("sil") / name
            known[name, precision] = write_export(program, folder, canonical(mechanism)), program
        return known[name, precision]

    return make


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("name", ["slider_crank", "four_bar"])
def test_the_library_agrees_with_the_reference(exported, name, precision):
    """Every check of every function holds, and each kind of check took place."""
    campaign = run(exported(name, precision)[0], QUICK)
    assert [verdict.sentence() for verdict in campaign.verdicts if not verdict.passed] == []
    assert {verdict.check for verdict in campaign.verdicts} >= {
        "closure residual",
        "coordinates",
        "velocities",
        "accelerations",
        "dynamics",
        "power balance",
        "integration step",
        "velocities against finite differences",
        "accelerations against finite differences",
        "start state",
        "false alarms",
    }


def survivors_of(export, program, options, function):
    """Operations whose mutant passes; a function without a mutant would prove nothing."""
    judged = [(index, run(export, options, program=mutant).passed) for index, mutant in mutants(program, function)]
    assert judged, f"{function} has no operation to turn around"
    return [index for index, passed in judged if passed]


def mutants(program, function):
    """The program with one addition or subtraction of a solve step turned around, for each of them."""
    place = [each.name for each in program.functions].index(function)
    sequence = program.functions[place]
    for index, operation in enumerate(sequence.operations):
        if operation.kind in SWAPPED and operation.step and not operation.step.part:
            changed = list(sequence.operations)
            changed[index] = replace(operation, kind=SWAPPED[operation.kind])
            functions = list(program.functions)
            functions[place] = replace(sequence, operations=tuple(changed))
            yield index, replace(program, functions=tuple(functions))


@pytest.mark.parametrize(
    ("name", "function"), [("slider_crank", "position"), ("slider_crank", "acceleration"), ("four_bar", "position")]
)
def test_every_sign_error_in_a_solve_step_is_caught(exported, name, function):
    """The permanent mutants: one operation after the other, judged without the help of a second runner."""
    export, program = exported(name, "float64")
    options = replace(QUICK, functions=(function,), count=100)
    assert survivors_of(export, program, options, function) == []


@pytest.mark.slow
@pytest.mark.parametrize("function", ["velocity", "acceleration", "dynamics", "dostep"])
@pytest.mark.parametrize("name", ["slider_crank", "four_bar"])
def test_no_sign_error_anywhere_survives(exported, name, function):
    export, program = exported(name, "float32")
    options = replace(QUICK, functions=(function,))
    assert survivors_of(export, program, options, function) == []


def test_a_symbolic_model_is_held_against_mpmath(load_data_module, tmp_path):
    """The model with every guard and function passes; with cosines for sines it does not."""
    model = load_data_module("symbolic_models").guarded_mix()
    program = program_of_symbolic(model, "float64")
    export = write_export(program, tmp_path / "export", symbolic_canonical.canonical(model), "symbolic")
    campaign = run(export, QUICK)
    assert campaign.passed
    assert "outputs" in {verdict.check for verdict in campaign.verdicts}
    sequence = program.functions[0]
    changed = tuple(
        replace(operation, kind=Kind.COSINE) if operation.kind is Kind.SINE else operation
        for operation in sequence.operations
    )
    wrong = replace(program, functions=(replace(sequence, operations=changed),))
    assert not run(export, QUICK, program=wrong).passed


def test_a_failed_check_names_its_vector_and_replays(exported):
    """The worst vector, run alone by its number, shows the same value."""
    export, program = exported("four_bar", "float64")
    mutant = next(mutants(program, "velocity"))[1]
    options = replace(QUICK, functions=("velocity",))
    failed = next(v for v in run(export, options, program=mutant).verdicts if not v.passed and v.worst is not None)
    assert f"--function velocity --count 400 --seed 20110301 --replay {failed.worst}" in failed.replay
    alone = run(export, replace(options, row=failed.worst), program=mutant)
    again = next(verdict for verdict in alone.verdicts if verdict.check == failed.check)
    assert again.value == failed.value
    assert again.inputs == failed.inputs


def test_reports_say_the_same_in_three_forms(exported, tmp_path):
    """JSON, flat JUnit and the page agree on the number of checks and failures."""
    export, program = exported("slider_crank", "float64")
    mutant = next(mutants(program, "position"))[1]
    campaign = run(export, replace(QUICK, functions=("position",)), program=mutant)
    page = write_report(campaign, tmp_path)
    data = json.loads((tmp_path / "report.json").read_text())
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()
    failed = [verdict for verdict in data["verdicts"] if not verdict["passed"]]
    assert data == json.loads(json.dumps(document(campaign)))
    assert not data["passed"]
    assert failed
    assert int(suite.get("tests")) == len(data["verdicts"]) == len(suite.findall("testcase"))
    assert int(suite.get("failures")) + int(suite.get("errors")) == len(failed)
    text = page.read_text()
    assert data["headline"] in text
    assert text.count(">FAIL<") == len(failed)
    assert "<script" not in text
    assert "http" not in text


def test_a_report_says_what_is_being_written(exported, tmp_path):
    """Vectors of many megabytes are written for a while; a function without inputs has none."""
    export, program = exported("slider_crank", "float64")
    campaign = run(export, replace(QUICK, functions=("startup", "velocity", "position")), program=program)
    said = []
    with heard_by(lambda steps: said.append(": ".join(step.text() for step in steps))):
        commands._write(campaign, tmp_path)
    assert said == [
        "writing the report",
        "writing the report: vectors of velocity (1 of 2)",
        "writing the report: vectors of position (2 of 2)",
        "writing the report: page and data",
    ]


def test_a_title_of_any_characters_gives_a_page(exported):
    """Control characters of a title, which TOML can spell, do not get into HTML; what stands around them does."""
    export, program = exported("slider_crank", "float64")
    named = replace(export, manifest=replace(export.manifest, title="bell \x07 <b>\x00 end"))
    text = page(run(named, replace(QUICK, functions=("startup",)), program=program))
    assert "<h1>bell \N{REPLACEMENT CHARACTER} &lt;b&gt;\N{REPLACEMENT CHARACTER} end</h1>" in text
    assert not any(character in text for character in "\x07\x00")


def test_reports_are_the_same_bytes_twice(exported, tmp_path):
    export, program = exported("slider_crank", "float64")
    for name in ("one", "two"):
        write_report(run(export, replace(QUICK, functions=("position",)), program=program), tmp_path / name)
    for path in sorted((tmp_path / "one").rglob("*.*")):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()


def test_an_unknown_function_is_refused(exported):
    with pytest.raises(KinefixError, match="no function 'posture'; it has position"):
        run(exported("four_bar", "float64")[0], replace(QUICK, functions=("posture",)))


def test_vectors_of_a_rocker_gather_at_its_folds(tmp_path):
    """Four-bar driven by its last link: near-branch vectors find where the loop opens, though nobody told where."""
    mechanism = replace(read_mechanism(model_path("four_bar")), independent=("alpha3",))
    program = program_of_mechanism(mechanism, "float64")
    export = write_export(program, tmp_path / "export", canonical(mechanism))
    tested = run(export, replace(QUICK, functions=("position",))).tested[0]
    near = tested.vectors.kinds == KINDS.index("near_branch")
    out_of_reach = tested.ran.status[near] >> BITS["OUT_OF_WORKSPACE"][0] & 1
    assert np.median(np.abs(tested.margins[near])) < 1e-4
    assert 0.2 < out_of_reach.mean() < 0.8
