"""SIL runs every function off nominal: a sequence that keeps the nominal value of a tunable parameter fails.

The wrong programs are made here: functions of the export with that parameter frozen, behind the interface of the one
where it is tunable. At nominal parameters they agree with everything.
"""

import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from exporter.errors import KinefixError, ModelError
from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.complete import with_tunable
from exporter.model.library import model_path
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.symbolic import SymbolicModel, frozen, given, output, tunable
from exporter.symbolic import canonical as symbolic_canonical
from exporter.symbolic.program import program_of_symbolic
from sil.campaign import run
from sil.check_names import Check, name_of
from sil.checks.calibration import check_calibration
from sil.evidence import Evidence
from sil.function_vectors import lots_of
from sil.limits import LIMITS
from sil.merged_verdicts import merged_verdicts
from sil.options import Options, replay_command
from sil.parameter_sets import parameter_domain, parameter_sets, shares, user_set
from sil.reference.assembly import design_of
from sil.reference.closures import closures_of
from sil.reference.continuation import continue_design
from sil.reference.mechanism import reference_of, residual_reference_of
from sil.reference.motion import configuration
from sil.reference.skeleton import skeleton_of
from sil.report.document import document
from sil.report.page import page
from sil.runners.runner import Runner, interpreter_runner
from sil.setting import Setting
from sil.verdict import Outcome, Verdict, not_judged

QUICK = Options(count=100, runner="interpreter")


@pytest.fixture(scope="module")
def four_bar(tmp_path_factory):
    """An export with two tunable lengths, its program, and a program that keeps their nominal values."""
    mechanism = read_mechanism(model_path("four_bar"))
    names = [each.name for each in mechanism.parameters if each.minimum is not None][:2]
    program = program_of_mechanism(with_tunable(mechanism, names), "float64")
    kept = program_of_mechanism(with_tunable(mechanism, []), "float64")
    folder = tmp_path_factory.mktemp("parameters") / "four_bar"
    export = write_export(program, folder, canonical(with_tunable(mechanism, names)))
    return export, program, replace(program, functions=kept.functions), names


def failed(campaign):
    return [verdict.sentence() for verdict in campaign.verdicts if not verdict.passed]


def test_every_function_is_run_at_nominal_end_and_random_parameters(four_bar):
    """The sound export passes at nine sets, and the report names them."""
    export, program, _, names = four_bar
    campaign = run(export, QUICK, program)
    assert failed(campaign) == []
    ends = [f"{name} at its {word}" for name in names for word in ("least", "greatest")]
    assert [each.name for each in campaign.parameter_sets] == [
        "nominal", *ends, "random 1", "random 2", "random 3", "random 4",
    ]  # fmt: skip
    for tested in campaign.tested:
        assert len(tested.parts) == (1 if tested.function == "recalibrate" else 9)
    closure = next(each for each in campaign.verdicts if each.check == Check.CLOSURE and each.function == "position")
    assert closure.detail.endswith(f"{closure.compared:,} vectors at 9 parameter sets")
    told = document(campaign)
    assert [each["name"] for each in told["parameter_sets"]] == [each.name for each in campaign.parameter_sets]
    assert f"<td>{ends[0]}</td>" in page(campaign)


@pytest.mark.parametrize("function", ["position", "acceleration", "dostep"])
def test_a_function_that_keeps_nominal_parameters_fails(four_bar, function):
    """At nominal values the function is right and passes; the worst vector names the parameters and replays."""
    export, _, wrong, names = four_bar
    options = replace(QUICK, functions=(function,))
    nominal = {each.name: each.value for each in export.manifest.parameters if each.tunable}
    assert run(export, replace(options, parameters=nominal), wrong).passed
    campaign = run(export, options, wrong)
    worst = next(each for each in campaign.verdicts if each.outcome is Outcome.FAILED)
    assert set(worst.parameters) == set(names)
    assert_repeats(export, wrong, options, worst)


def assert_repeats(export, program, options, worst):
    """The vector by its number alone gives the inputs, parameters and value of the verdict."""
    assert worst.replay.endswith(f"--replay {worst.worst} --runner interpreter" + parameter_words(options))
    alone = run(export, replace(options, row=worst.worst), program)
    again = next(each for each in alone.verdicts if each.check == worst.check)
    assert (again.value, again.inputs, again.parameters) == (worst.value, worst.inputs, worst.parameters)
    (one,) = alone.parameter_sets
    assert one.hexadecimal == worst.parameters


def parameter_words(options):
    return "".join(f" --parameter {name}={value!r}" for name, value in options.parameters.items())


def test_a_vector_at_given_parameters_repeats(four_bar):
    """Vectors at given parameters are numbered by themselves: one of the last half is found again."""
    export, program, _, names = four_bar
    tried = [replace(QUICK, seed=seed, functions=("position",), parameters={names[0]: 3.396}) for seed in range(8)]
    found = [
        (each.worst or 0, number, each) for number, o in enumerate(tried) for each in run(export, o, program).verdicts
    ]
    worst, number, late = max(found, key=lambda entry: entry[:2])
    assert worst > QUICK.count / 2
    assert_repeats(export, program, tried[number], late)


def test_given_parameters_are_told_and_nominal_ones_are_nominal(four_bar):
    """The values stand in the line of a terminal and in the report; a nominal value is no other set."""
    export, program, _, names = four_bar
    nominal = {each.name: each.value for each in export.manifest.parameters}[names[0]]
    for value, said in ((1.0625 * nominal, f"as given: {names[0]} = {1.0625 * nominal:.6g}"), (nominal, "nominal")):
        campaign = run(export, replace(QUICK, functions=("position",), parameters={names[0]: value}), program)
        assert document(campaign)["parameters"].startswith(said)
        assert [bool(each.changed) for each in campaign.parameter_sets] == [value != nominal]


def test_a_replay_works_from_any_folder(tmp_path, monkeypatch):
    """Absolute and quoted, with the runner that was asked for: a shell's words are the command's."""
    folder = tmp_path / "my exports" / "arm"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder.parent)
    words = shlex.split(replay_command(Path("arm"), replace(QUICK, seed=7, parameters={"l1": 0.1}), "position", 12_345))
    assert words[:3] == ["kinefix", "sil", folder.as_posix()]
    assert words[3:] == [
        "--function", "position", "--count", "100", "--seed", "7", "--replay", "12345",
        "--runner", "interpreter", "--parameter", "l1=0.1",
    ]  # fmt: skip
    assert "--runner" not in replay_command(folder, Options(), "position", 0)


def test_a_symbolic_model_that_keeps_a_nominal_parameter_fails(tmp_path):
    """k x^2 against mpmath at other values of k."""
    x, k = sp.symbols("x k")

    def model(parameter):
        return SymbolicModel("law", (given("x", -2, 2, nominal=1),), (output("y", k * x**2),), (parameter,))

    sound = model(tunable("k", 3, 1, 5))
    program = program_of_symbolic(sound, "float64")
    export = write_export(program, tmp_path / "export", symbolic_canonical.canonical(sound), "symbolic")
    wrong = replace(program, functions=program_of_symbolic(model(frozen("k", 3)), "float64").functions)
    assert failed(run(export, QUICK, program)) == []
    assert run(export, replace(QUICK, parameters={"k": 3.0}), wrong).passed
    assert [each.check for each in run(export, QUICK, wrong).verdicts if not each.passed] == [Check.OUTPUTS]


def evidence_of(export, runner, function):
    """What a campaign makes of a function at nominal parameters."""
    chosen = next(each for each in export.manifest.functions if each.name == function)
    nominal = parameter_sets(export.manifest, 1)[0]
    (lot,) = lots_of(export, chosen, QUICK, [Setting(nominal, export)], runner)
    ran = runner.run(function, lot.made.rows)
    domain, ones = parameter_domain(export.manifest), np.ones(len(lot.made.rows))
    return Evidence(
        export, chosen, domain, lot.made, ran, ones, runner.run, LIMITS["float64"], str
    )  # fmt: skip


def test_parameters_that_are_not_rejected_or_not_replaced_are_seen(four_bar):
    """A runner that drops recalibrate's status, and one that takes a bad value, against the sound one."""
    export, program, _, _ = four_bar
    sound = interpreter_runner(program)
    domain = parameter_domain(export.manifest)

    def silent(function, rows, parameters):
        return replace(sound.run(function, rows, parameters), start_status=0)

    def credulous(function, rows, parameters):
        ran = sound.run(function, rows, parameters)
        bad = any(not np.isfinite(value) for value in parameters.values())
        return replace(ran, outputs=ran.outputs + 1e-9) if bad else ran

    outcomes = {}
    for name, door in (("sound", sound.door), ("silent", silent), ("credulous", credulous)):
        found = check_calibration(evidence_of(export, sound, "position"), Runner(name, name, door), domain)
        outcomes[name] = [(each.check, each.passed) for each in found]
    rejected, replaced = Check.PARAMETERS_REJECTED, Check.PARAMETERS_REPLACED
    assert outcomes == {
        "sound": [(rejected, True), (replaced, True)],
        "silent": [(rejected, False), (replaced, True)],
        "credulous": [(rejected, True), (replaced, False)],
    }


HEIGHT = """
schema = 1
[mechanism]
name = "lifted"
[parameters]
h = { value = "0.3 m", range = ["0.1 m", "0.6 m"] }
[bodies.crank]
points = { tip = ["0.5 m", "0", "0"] }
[bodies.rod]
points = { tip = ["0.4 m", "0", "0"] }
[bodies.rocker]
points = { tip = ["0.6 m", "0", "0"] }
[ground]
points = { pivot = ["h", "0", "0"] }
[joints.a]
type = "revolute"
parent = "ground"
child = "crank"
[joints.b]
type = "revolute"
parent = "crank.tip"
child = "rod"
[joints.c]
type = "revolute"
parent = "ground.pivot"
child = "rocker"
[joints.pin]
type = "revolute"
parent = "rod.tip"
child = "rocker.tip"
closes = true
[coordinates]
independent = ["a"]
pose = { a = "100 deg", b = "-80 deg", c = "80 deg" }
ranges = { a = ["80 deg", "120 deg"] }
rates = { a = "1 rad/s" }
"""


def test_the_reference_follows_its_branch_to_other_parameters():
    """At h = 0.6 m it is the assembly that small steps lead to, each from the one before; the file's pose is far."""
    mechanism = parse_mechanism(HEIGHT, "lifted")
    at = design_of(closures_of(skeleton_of(mechanism))).coordinates
    for h in np.linspace(0.3, 0.6, 41)[1:]:
        stepped = design_of(closures_of(skeleton_of(mechanism, {"h": float(h)})), at, 1e-9).coordinates
        assert np.abs(stepped - at).max() < 0.05
        at = stepped
    there = closures_of(skeleton_of(mechanism, {"h": 0.6}))
    assert continue_design(mechanism, there, {"h": 0.6}).coordinates == pytest.approx(at, abs=1e-9)


def test_a_reference_that_cannot_close_says_so():
    """With h = 2 m the crank and the rocker are too far apart: residuals alone are known there, and no pose."""
    mechanism = parse_mechanism(HEIGHT, "lifted")
    with pytest.raises(ModelError, match=r"does not close|branch"):
        reference_of(mechanism, {"h": 2.0})
    lost = residual_reference_of(mechanism, {"h": 2.0})
    assert not lost.assembled
    assert np.isnan(lost.positions(np.array([[1.7]]))).any()
    assert lost.residual(configuration(np.array([[1.7, -1.4, 1.4]])))[0] > 0.1


def test_a_branch_that_ends_on_the_way_is_told():
    """At h = 0.9 m the tips of crank and rocker are 1.1 m from each other, 0.1 m more than rod and rocker reach."""
    mechanism = parse_mechanism(HEIGHT, "lifted")
    near, far = ({"h": value} for value in (0.7, 0.9))
    assert continue_design(mechanism, closures_of(skeleton_of(mechanism, near)), near).coordinates[0] > 0
    with pytest.raises(ModelError, match="the branch of 'lifted' ends between its own parameters and these values"):
        continue_design(mechanism, closures_of(skeleton_of(mechanism, far)), far)


def verdict(check, value, compared, limit=1.0, **more):
    return Verdict(check, "position", value, limit, "1", "said", compared=compared, **more)


def test_sets_are_joined_by_their_worst():
    """Failed goes before passed, then the part of the limit; vectors are added up; counts are."""
    (joined,) = merged_verdicts([[verdict("c", 0.2, 10)], [verdict("c", 0.9, 5)], [verdict("c", np.nan, 0)]])
    assert (joined.value, joined.compared, joined.detail) == (0.9, 15, "said; 15 vectors at 2 parameter sets")
    (nan,) = merged_verdicts([[verdict("c", 5.0, 10)], [verdict("c", np.nan, 5)]])
    assert np.isnan(nan.value)
    assert nan.outcome is Outcome.FAILED
    agreement = f"{Check.AGREEMENT} of m7 and host"
    (differ,) = merged_verdicts([[verdict(agreement, 2.0, 10, 0.0)], [verdict(agreement, 3.0, 10, 0.0)]])
    assert differ.value == 5.0
    spread = [[verdict(Check.SPREAD, 0.0, 10, 0.0, fewest=90)], [verdict(Check.SPREAD, 1.0, 10, 0.0, fewest=91)]]
    assert (merged_verdicts(spread)[0].value, merged_verdicts(spread)[0].fewest) == (2.0, 90)


def test_nothing_compared_at_any_set_does_not_pass():
    nothing = verdict("c", np.nan, 0)
    assert merged_verdicts([[nothing], [nothing]])[0].outcome is Outcome.NOTHING_COMPARED
    assert merged_verdicts([[nothing], [not_judged("c", "position", "few")]])[0].outcome is Outcome.NOT_JUDGED
    assert merged_verdicts([[nothing], []]) == []


def test_vectors_are_split_so_that_the_time_does_not_multiply():
    assert shares(100_000, 1) == [100_000]
    assert shares(100_000, 9) == [50_000, *[6_250] * 8]
    assert shares(20, 9) == [20, *[10] * 8]


def test_values_of_no_range_and_names_of_nothing_are_refused(four_bar):
    export, program, _, names = four_bar
    for values, said in (
        ({"q": 1.0}, "no tunable parameter"),
        ({names[0]: 1e9}, f"{names[0]} = 1000000000 m is not within 2.6 to 3.4 m; give"),
        ({names[0]: np.nextafter(3.4, 4.0)}, r"= 3.4000000000000004 m is not within 2.6 to 3.4 m; give"),
        ({names[0]: np.nan}, "not within"),
    ):
        with pytest.raises(KinefixError, match=said):
            user_set(export.manifest, values)
        with pytest.raises(KinefixError, match=said):
            run(export, replace(QUICK, parameters=values), program)


def test_a_parameter_that_must_be_whole_is_told_as_such(tmp_path):
    """2.5 lies within its range, and is refused for what it is; 2 is taken."""
    n, x = sp.symbols("n x")
    inputs = (given("x", -2, 2, nominal=1),)
    model = SymbolicModel("counted", inputs, (output("y", n * x),), (tunable("n", 3, 1, 5, integer=True),))
    program = program_of_symbolic(model, "float64")
    export = write_export(program, tmp_path / "export", symbolic_canonical.canonical(model), "symbolic")
    assert user_set(export.manifest, {"n": 2.0}).changed == {"n": 2.0}
    with pytest.raises(KinefixError, match=r"^n = 2\.5 is no whole number, which the model says it must be; give"):
        user_set(export.manifest, {"n": 2.5})


def test_every_verdict_begins_with_a_name_of_the_list(four_bar):
    export, program, _, _ = four_bar
    found = {name_of(each.check) for each in run(export, QUICK, program).verdicts}
    assert {Check.FINITE, Check.PARAMETERS_REJECTED, Check.POWER, Check.START} <= found
    with pytest.raises(ValueError, match="the name of no check"):
        name_of("something else")
