"""Vectors that the reference does not reach: finite differences judge them, reports tell them first and count all."""

from dataclasses import replace
from functools import reduce

import pytest

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.toml.reader import parse_mechanism
from sil.against_reference import check_against_reference
from sil.campaign import run
from sil.check_names import Check
from sil.checks.mechanism_case import case_of
from sil.evidence import Evidence
from sil.function_vectors import lots_of
from sil.limits import LIMITS
from sil.margins import margins_of
from sil.options import Options
from sil.parameter_sets import NOMINAL_SET, function_domain
from sil.report.document import document, warnings
from sil.runners.runner import interpreter_runner
from sil.setting import Setting
from sil.verdict import Outcome
from sil.whole_poses import WholePoses

QUICK = Options(count=300, runner="interpreter")
PARALLELOGRAM = """schema = 1
[mechanism]
name = "parallelogram"
PARAMETERS
[ground]
points = { b = ["0.5 m", "0", "0"] }
[bodies.one]
points = { tip = ["CRANK", "0", "0"] }
[bodies.coupler]
points = { tip = ["0.5 m", "0", "0"] }
[bodies.other]
points = { tip = ["CRANK", "0", "0"] }
[joints.p]
type = "revolute"
parent = "ground"
child = "one"
[joints.r]
type = "revolute"
parent = "ground.b"
child = "other"
[joints.k]
type = "revolute"
parent = "one.tip"
child = "coupler"
[joints.c]
type = "revolute"
parent = "coupler.tip"
child = "other.tip"
closes = true
[coordinates]
independent = ["p"]
pose = { p = "60 deg", r = "60 deg", k = "-60 deg" }
ranges = { p = ["LOWEST", "HIGHEST"] }
rates = { p = "3 rad/s" }
"""
TUNABLE = '[parameters]\nl = { value = "0.2 m", range = ["0.15 m", "0.25 m"], about = "length of both cranks" }'


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The parallelogram and its program: its stretched pose at p = 0 is one that the reference does not pass."""

    def make(lowest, highest="7 rad", parameters="", crank="0.2 m"):
        words = {"LOWEST": lowest, "HIGHEST": highest, "PARAMETERS": parameters, "CRANK": crank}
        text = reduce(lambda so_far, word: so_far.replace(word, words[word]), words, PARALLELOGRAM)
        mechanism = parse_mechanism(text, "parallelogram")
        program = program_of_mechanism(mechanism, "float64")
        return write_export(program, tmp_path_factory.mktemp("reach") / "export", canonical(mechanism)), program

    return make


def velocities(export, program):
    """The function of rates on its vectors, with its setting."""
    runner, setting = interpreter_runner(program), Setting(NOMINAL_SET, export)
    function = next(each for each in export.manifest.functions if each.name == "velocity")
    (lot,) = lots_of(export, function, QUICK, [setting], runner)
    ran = runner.run(function.name, lot.made.rows)
    margins = margins_of(WholePoses(export.manifest, runner.run), function, lot.made.rows, ran)
    domain, limits = function_domain(export.manifest, function), LIMITS["float64"]
    return Evidence(export, function, domain, lot.made, ran, margins, runner.run, limits, str), setting


def slopes(evidence, setting):
    """The verdict of finite differences on rates."""
    return next(each for each in check_against_reference(evidence, setting)[0] if each.check == Check.VELOCITY_SLOPES)


def test_a_rate_that_is_wrong_beyond_the_reach_alone_fails_by_its_slope(exported):
    """Three times the rate of r on vectors that the reference does not reach, and on none of the others."""
    evidence, setting = velocities(*exported("-7 rad"))
    case = case_of(evidence, setting.reference)
    unreached = [row for row in case.unflagged if row not in set(case.rows.tolist())]
    assert len(unreached) > 20
    assert slopes(evidence, setting).outcome is Outcome.PASSED
    outputs = evidence.ran.outputs.copy()
    outputs[unreached, [each.name for each in evidence.function.row_outputs].index("r.rate")] *= 3
    wrong = slopes(replace(evidence, ran=replace(evidence.ran, outputs=outputs)), setting)
    assert wrong.outcome is Outcome.FAILED
    assert wrong.worst in unreached


@pytest.mark.parametrize(("limits", "warned"), [(("-7 rad", "7 rad"), True), (("0.2 rad", "3 rad"), False)])
def test_many_vectors_beyond_the_reach_belong_to_the_first_lines(exported, limits, warned):
    """A range that goes through stretched poses, and one between two of them."""
    export, program = exported(*limits)
    campaign = run(export, replace(QUICK, functions=("position",)), program)
    assert campaign.passed
    lines = [line for line in warnings(campaign) if "beyond the reach" in line]
    assert bool(lines) is warned
    if warned:
        beyond = max(each.beyond for each in campaign.verdicts)
        assert lines[0].startswith(f"{beyond} of ")
        assert lines[0] in document(campaign)["warnings"]


def test_vectors_beyond_the_reach_are_counted_at_all_sets_of_parameters(exported):
    """The detail of the coordinates tells the sum over the sets, as the verdict and the first line do."""
    export, program = exported("-7 rad", parameters=TUNABLE, crank="l")
    campaign = run(export, replace(QUICK, functions=("position",)), program)
    (coordinates,) = [each for each in campaign.verdicts if each.check == Check.COORDINATES]
    (tested,) = campaign.tested
    assert len(tested.parts) > 1
    unflagged = len(tested.vectors.rows) - tested.flagged_count(export.manifest)
    (near,) = [each for each in campaign.verdicts if each.check.startswith(f"{Check.COORDINATES}, near")]
    assert coordinates.beyond == near.beyond == unflagged - coordinates.compared - near.compared
    assert f"({coordinates.beyond} vectors beyond its reach held" in coordinates.detail
