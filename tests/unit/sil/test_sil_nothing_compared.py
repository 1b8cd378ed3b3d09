"""Checks whose vectors are all flagged compared nothing, say so, and do not pass; reports begin with the reason."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from exporter.cli import main
from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.status import BITS
from exporter.symbolic import Pivot, SymbolicModel, given, output
from exporter.symbolic import canonical as symbolic_canonical
from exporter.symbolic.program import program_of_symbolic
from sil.against_reference import check_against_reference
from sil.campaign import run
from sil.check_names import Check, name_of
from sil.evidence import Evidence
from sil.function_vectors import lots_of
from sil.limits import LIMITS
from sil.options import Options
from sil.parameter_sets import NOMINAL_SET, function_domain
from sil.report.document import warnings
from sil.runners.runner import interpreter_runner
from sil.setting import Setting
from sil.verdict import Outcome

QUICK = Options(count=200, runner="interpreter")
UNFILTERED = {Check.FALSE_ALARMS, Check.START}
"""Judged on all vectors with good arguments, or on the one that a start has."""


@pytest.fixture(scope="module")
def slider_crank(tmp_path_factory):
    mechanism = read_mechanism(model_path("slider_crank"))
    program = program_of_mechanism(mechanism, "float64")
    return write_export(program, tmp_path_factory.mktemp("nothing") / "export", canonical(mechanism)), program


def evidences(export, program):
    """Every function on its vectors, with its setting."""
    runner, setting = interpreter_runner(program), Setting(NOMINAL_SET, export)
    for function in export.manifest.functions:
        (lot,) = lots_of(export, function, QUICK, [setting], runner)
        ran = runner.run(function.name, lot.made.rows)
        ones = np.ones(len(lot.made.rows))
        domain = function_domain(export.manifest, function)
        yield (
            Evidence(export, function, domain, lot.made, ran, ones, runner.run, LIMITS[export.manifest.real], str),
            setting,
        )


def test_a_flag_on_every_vector_leaves_no_check_that_passes(slider_crank):
    """Each check that passes on the sound run compares nothing then, in every function; none of them disappears."""
    seen = set()
    for evidence, setting in evidences(*slider_crank):
        sound = {each.check: each.outcome for each in check_against_reference(evidence, setting)[0]}
        assert set(sound.values()) <= {Outcome.PASSED}
        everything = replace(evidence.ran, status=np.full_like(evidence.ran.status, 1 << 17))
        blind = {each.check: each for each in check_against_reference(replace(evidence, ran=everything), setting)[0]}
        filtered = {check for check in sound if name_of(check) not in UNFILTERED and "near singular" not in check}
        assert {check: blind[check].outcome for check in filtered} == dict.fromkeys(filtered, Outcome.NOTHING_COMPARED)
        assert all("flags: NEAR_SINGULAR" in blind[check].detail for check in filtered)
        seen |= filtered
    assert {name_of(check) for check in seen} >= {
        Check.CLOSURE, Check.COORDINATES, Check.VELOCITIES, Check.ACCELERATIONS, Check.VELOCITY_SLOPES,
        Check.ACCELERATION_SLOPES, Check.DYNAMICS, Check.POWER, Check.STEP, Check.STATE_RANGE,
    }  # fmt: skip


def test_few_vectors_and_one_alone_are_excused_in_words(slider_crank):
    """A check that no vector is fit for is not judged then: neither a pass nor a failure."""
    evidence, setting = next(evidences(*slider_crank))
    status = np.full_like(evidence.ran.status, 1 << 17)
    alone = replace(evidence, ran=replace(evidence.ran, status=status), excuse="vector 3 is flagged")
    closure = next(each for each in check_against_reference(alone, setting)[0] if each.check == Check.CLOSURE)
    assert (closure.outcome, closure.reason) == (Outcome.NOT_JUDGED, "vector 3 is flagged")


def test_flags_of_recalibrate_are_named_where_nothing_is_left(slider_crank):
    """Flags of recalibrate stand in the status of the start, and put every vector aside as those of the function do."""
    evidence, setting = next(evidences(*slider_crank))
    blind = replace(evidence, ran=replace(evidence.ran, start_status=1 << 17))
    closure = next(each for each in check_against_reference(blind, setting)[0] if each.check == Check.CLOSURE)
    assert closure.outcome is Outcome.NOTHING_COMPARED
    assert f"flags: NEAR_SINGULAR {len(evidence.ran.status)}" in closure.detail


def test_a_warning_is_no_reason_for_vectors_that_are_not_judged(slider_crank):
    """BRANCH_NEAR_SWAP on all vectors and NEAR_SINGULAR on half: the first lines name the latter."""
    export, program = slider_crank
    campaign = run(export, replace(QUICK, functions=("position",)), program)
    manifest = replace(export.manifest, status={name: bit for name, (bit, _) in BITS.items()})
    warned, singular = (np.uint32(1 << manifest.status[name]) for name in ("BRANCH_NEAR_SWAP", "NEAR_SINGULAR"))
    (tested,) = campaign.tested
    (part,) = tested.parts
    status = np.full(QUICK.count, warned, dtype=np.uint32)

    def lines(words):
        ran = replace(part.ran, status=words)
        return warnings(
            replace(campaign, manifest=manifest, tested=(replace(tested, parts=(replace(part, ran=ran),)),))
        )

    assert lines(status) == ()
    status[::2] |= singular
    (line,) = lines(status)
    assert "BRANCH_NEAR_SWAP" not in line
    assert "not judged: NEAR_SINGULAR 100. NEAR_SINGULAR: " in line


def arm_ratio(threshold):
    """1 / (r - 0.2 m), the threshold of whose pivot is in metres."""
    r = sp.Symbol("r", real=True)
    divided = output("g", 1 / Pivot(r - sp.Rational(1, 5), threshold), "1/m")
    return SymbolicModel("arm_ratio", (given("r", "50 mm", "400 mm"),), (divided,))


def sil(capsys, folder, *words):
    with pytest.raises(SystemExit) as left:
        main(["sil", str(folder), "--runner", "interpreter", *words])
    return left.value.code or 0, capsys.readouterr().out


@pytest.mark.parametrize(("threshold", "passes"), [("5", False), ("5e-3", True)])
def test_an_export_that_flags_everything_does_not_pass(tmp_path, capsys, threshold, passes):
    """A threshold typed in millimetres where metres were meant; the terminal and the reports begin with it."""
    model = arm_ratio(threshold)
    program = program_of_symbolic(model, "float64")
    write_export(program, tmp_path / "export", symbolic_canonical.canonical(model), "symbolic")
    for count in ("20", "1000"):
        code, out = sil(capsys, tmp_path / "export", "--count", count, "--report", str(tmp_path / "report"))
        assert code == (0 if passes else 1)
        assert out.startswith("warning:") is not passes
        assert "0 of" not in out.splitlines()[-1]
    data = json.loads((tmp_path / "report" / "report.json").read_text())
    page = (tmp_path / "report" / "report.html").read_text()
    assert bool(data["warnings"]) is not passes
    if not passes:
        (line,) = data["warnings"]
        assert line.startswith("1,000 of 1,000 vectors of evaluate are flagged")
        assert "NEAR_SINGULAR 1,000" in line
        assert "nothing compared in 1 of 5 checks" in data["headline"]
        assert page.index(line[:40]) < page.index("<h2>")


def test_small_margins_everywhere_leave_slopes_to_compare(slider_crank):
    """Margins of no more than 0.05: the poses with the larger half are judged, and a wrong rate fails there."""
    for evidence, setting in evidences(*slider_crank):
        if evidence.function.name != "velocity":
            continue
        small = replace(evidence, margins=np.linspace(0.01, 0.05, len(evidence.margins)))
        (sound,) = [each for each in check_against_reference(small, setting)[0] if each.check == Check.VELOCITY_SLOPES]
        assert sound.outcome is Outcome.PASSED
        assert 20 < sound.compared < len(evidence.margins)
        assert "margin of 0.03 or more" in sound.detail
        twice = replace(evidence.ran, outputs=2 * evidence.ran.outputs)
        (wrong,) = [
            each
            for each in check_against_reference(replace(small, ran=twice), setting)[0]
            if each.check == Check.VELOCITY_SLOPES
        ]
        assert wrong.outcome is Outcome.FAILED
        return
    raise AssertionError("no function gives velocities")


@pytest.mark.parametrize(("precision", "rate"), [("float64", Fraction(1, 100)), ("float32", Fraction(1))])
def test_accelerations_that_soon_leave_the_range_of_the_rates_are_compared(tmp_path, precision, rate):
    """500,000 rad/s^2 pass a rate of 1 rad/s before the usual step ends; a doubled acceleration fails."""
    model = read_mechanism(model_path("slider_crank"))
    slow = replace(model, ranges=model.ranges | {"theta": replace(model.ranges["theta"], rate=rate)})
    program = program_of_mechanism(slow, precision)
    export = write_export(program, tmp_path / "export", canonical(slow))
    (evidence, setting) = next(each for each in evidences(export, program) if each[0].function.name == "acceleration")
    sound, twice = (slopes(evidence, setting, factor) for factor in (1, 2))
    assert sound.outcome is Outcome.PASSED
    assert 20 < sound.compared < len(evidence.margins)
    assert twice.outcome is Outcome.FAILED
    assert twice.value > 0.2


def slopes(evidence, setting, factor):
    """Accelerations times a factor, held against finite differences."""
    ran = replace(evidence.ran, outputs=factor * evidence.ran.outputs)
    verdicts, _ = check_against_reference(replace(evidence, ran=ran), setting)
    return next(each for each in verdicts if each.check == Check.ACCELERATION_SLOPES)
