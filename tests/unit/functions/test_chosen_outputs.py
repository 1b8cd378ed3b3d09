"""`--outputs` and [export]: functions give what is chosen, at what that costs, and every other value as before.

Oracles: the export with all outputs on the same rows, legs counted by hand, the names that a user reads in the header.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from click.testing import CliRunner

from exporter.cli import kinefix
from exporter.composition import compose
from exporter.composition.program import program_of_composition
from exporter.errors import ModelError
from exporter.export import export_source, load_export, program_of_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical, from_canonical
from exporter.model.changes import Changes, apply_changes
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal
from exporter.sequence.passes import keep_outputs, tidy
from exporter.symbolic import SymbolicModel, given, output
from sil.runners.interpreted import interpret_rows

ROWS = 200
ROUNDINGS = 64  # eps of the largest value of an output: sums are shared in another way where fewer are wanted


def library(name: str, *outputs: str, **others: Any) -> Mechanism:
    """A mechanism of the library that gives these outputs."""
    return apply_changes(read_mechanism(model_path(name)), Changes(outputs=outputs, **others))


def functions(mechanism: Mechanism) -> dict[str, OperationSequence]:
    """Functions in float64, by name."""
    return {each.name: each for each in program_of_mechanism(mechanism, "float64").functions}


def names(function: OperationSequence) -> list[str]:
    """What it gives beside the state."""
    return [each.signal.name for each in function.outputs if each.signal.group is Group.OUTPUT]


def values(function: OperationSequence) -> tuple[Mapping[str, Any], Any]:
    """Outputs by group and name, and the status, on rows around the nominal values."""
    generator = np.random.Generator(np.random.Philox(5))
    low, high, nominal = (
        np.array([float(getattr(each, what) or 0) for each in function.inputs])
        for what in ("minimum", "maximum", "nominal")
    )
    rows = nominal + 0.2 * (generator.uniform(size=(ROWS, len(nominal))) - 0.5) * (high - low)
    ran = interpret(function, np.clip(rows, low, high))
    return {
        f"{each.signal.group} {each.signal.name}": ran.outputs[:, k] for k, each in enumerate(function.outputs)
    }, ran.status


@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "parallel_robot", "gough_stewart", "cart_pendulum"])
@pytest.mark.parametrize("pattern", ["*.acceleration", "*.rate"])
def test_what_is_chosen_has_the_value_that_it_has_among_all(name: str, pattern: str) -> None:
    """And so have the next state and the status, at no more operations; what is left out is told by name."""
    whole, some = functions(library(name)), functions(library(name, pattern))
    for function in some.values():
        (all_values, all_status), (given, status) = values(whole[function.name]), values(function)
        assert (status == all_status).all()
        for key, value in given.items():
            largest = np.abs(all_values[key]).max() + 1e-30
            assert np.abs(value - all_values[key]).max() <= ROUNDINGS * np.finfo(float).eps * largest
        assert sum(cost(function).as_dict().values()) <= sum(cost(whole[function.name]).as_dict().values())
        meant = library(name).outputs  # "piston_speed" is another name of s.rate
        wanted = [each for each in names(whole[function.name]) if meant.get(each, each).endswith(pattern[1:])]
        assert names(function) == wanted
        assert sorted((*names(function), *function.left_out)) == sorted(names(whole[function.name]))


def test_recalibrate_has_what_is_left() -> None:
    """With tunable parameters what is given has the same values, and what is left out is told as well."""
    whole, some = (
        program_of_mechanism(library("slider_crank", *outputs, tunable=("all",)), "float64")
        for outputs in ((), ("beta",))
    )
    angles = np.linspace(-3.0, 3.0, ROWS)[:, None]
    made, everything = (interpret_rows(each, "position", angles, {"l1": 0.25}) for each in (some, whole))
    assert names(some.function("position")) == ["beta.sin", "beta.cos"]
    assert made.outputs == pytest.approx(everything.outputs[:, :2], rel=1e-14)
    assert some.function("position").left_out == ("piston_position", "margin.L1", "pivot.L1")


@pytest.mark.parametrize(("legs", "roots"), [((), 0), (("alpha1",), 1), (("alpha1.sin", "alpha4.cos"), 2)])
def test_angles_of_legs_that_nobody_reads_are_not_divided(legs: tuple[str, ...], roots: int) -> None:
    """A platform on six legs: the first angle of a leg is a place over its distance from an axis, a root of its own."""
    whole = cost(functions(library("gough_stewart"))["dynamics"])
    some = cost(functions(library("gough_stewart", "*.acceleration", *legs))["dynamics"])
    assert whole.sqrt - some.sqrt == whole.div - some.div == 6 - roots
    assert some.mul < whole.mul


def test_a_division_that_one_output_needs_is_no_reciprocal() -> None:
    """Two numbers over a third are a division and two products; one of them alone is a division."""
    builder = Builder("thirds", "float64")
    one, other, third = (builder.input(Signal(name, "1")) for name in ("one", "other", "third"))
    for name, value in (("first", one), ("second", other)):
        builder.output(Signal(name, "1", group=Group.OUTPUT), value / third)
    both = cost(builder.finish())
    alone = cost(tidy(keep_outputs(builder.as_written(), lambda signal: signal.name == "first")))
    assert (both.div, both.mul) == (1, 2)
    assert (alone.div, alone.mul) == (1, 0)


@pytest.mark.parametrize(
    ("name", "pattern", "taken"),
    [
        ("slider_crank", "beta", {"position": ["beta.sin", "beta.cos"], "dynamics": ["beta.sin", "beta.cos"]}),
        ("slider_crank", "beta.sin", {"position": ["beta.sin"], "dynamics": ["beta.sin"]}),
        ("four_bar", "margin.*", {"position": ["margin.L1"]}),
        ("slider_crank", "s", {"position": ["piston_position"], "dynamics": ["piston_position"]}),
        ("slider_crank", "piston_*", {"position": ["piston_position"], "velocity": ["piston_speed"]}),
        ("slider_crank", "theta.acceleration", {"dynamics": ["theta.acceleration"]}),
        ("arm_6r", "flange", {"position": ["flange.x", "flange.y", "flange.z"]}),
        ("arm_6r", "flange.rate", {"velocity": ["flange.x.rate", "flange.y.rate", "flange.z.rate"]}),
        ("arm_6r", "*.z.rate", {"velocity": ["flange.z.rate"]}),
    ],
)
def test_a_name_takes_what_it_says(name: str, pattern: str, taken: dict[str, list[str]]) -> None:
    """An angle both of its parts, a vector its components, another name of a signal that signal."""
    found = {each.name: names(each) for each in functions(library(name, pattern)).values() if names(each)}
    assert {key: found[key] for key in taken} == taken


def test_state_and_iterates_stay() -> None:
    """The step keeps its state and its start; Newton's positions keep what the next call starts from."""
    stepped = functions(library("slider_crank", "margin.*", "pivot.*", "beta.sin"))
    assert list(stepped) == ["position", "dynamics", "startup", "dostep"]
    assert names(stepped["dostep"]) == ["beta.sin"]
    alone = functions(library("four_bar", "pivot.*"))
    assert list(alone) == ["position", "startup", "dostep"]
    assert names(alone["dostep"]) == []
    assert [each.signal.name for each in alone["dostep"].outputs] == ["alpha1", "alpha1.rate"]
    newton = functions(library("four_bar", "*.rate", method="newton"))
    assert names(newton["position"]) == ["alpha2.next", "alpha3.next"]


def test_a_loop_keeps_its_iteration_whole() -> None:
    """Newton's method to a tolerance: what is carried and what ends it is no choice."""
    program = program_of_mechanism(library("four_bar", "*.rate", method="newton", tolerance="1e-8"), "float64")
    assert [each.name for each in program.functions] == ["newton_step", "position", "velocity"]
    assert program.loop is not None
    assert program.loop.functions == ("position", "velocity")
    assert "residual" in names(program.function("newton_step"))


def test_the_file_says_it_and_the_option_replaces_it() -> None:
    """Down to the hash; `all` takes the file's choice back."""
    text = model_path("slider_crank").read_text(encoding="utf-8")
    said = parse_mechanism(text + '\n[export]\noutputs = ["*.rate", "beta"]\n', "edited")
    plain = library("slider_crank")
    assert said == library("slider_crank", "*.rate", "beta")
    assert apply_changes(said, Changes(outputs=("beta.sin",))) == library("slider_crank", "beta.sin")
    assert apply_changes(said, Changes(outputs=("all",))) == plain
    assert said.model_hash != plain.model_hash


def test_without_a_choice_the_model_is_what_it_was() -> None:
    """The canonical form does not mention it, so that no hash moved; with one it comes back from there."""
    assert "chosen_outputs" not in canonical(library("slider_crank"))
    some = library("slider_crank", "*.rate")
    assert from_canonical(canonical(some)) == some


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("outputs = []", "is empty; write at least one entry"),
        ('outputs = ["a, b"]', "write the name of an output, or a pattern of names"),
        ('outputs = "beta"', "is not a list"),
        ("functions = []", 'key "functions" is not known'),
    ],
)
def test_a_wrong_table_is_told(text: str, told: str) -> None:
    """By its key."""
    file = model_path("slider_crank").read_text(encoding="utf-8")
    with pytest.raises(ModelError, match="export") as refused:
        parse_mechanism(f"{file}\n[export]\n{text}\n", "edited")
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--outputs", "*.acelleration"], ['"*.acelleration"', 'did you mean "s.acceleration"?', "beta"]),
        (["--outputs", "bta, *.rate"], ['"bta"', 'did you mean "beta"?']),
        (["--outputs", "theta"], ['"theta" goes into functions and none gives it']),
        (["--outputs", "*.rate", "--functions", "acceleration"], ['"acceleration" gives none of', "*.rate"]),
    ],
)
def test_a_choice_that_cannot_be_is_one_sentence(words: list[str], told: list[str], tmp_path: Path) -> None:
    """Exit code 2, and no folder."""
    out = tmp_path / "x"
    result = CliRunner().invoke(kinefix, ["export", "slider_crank", "--out", str(out), *words])
    assert isinstance(result.exception, ModelError)
    assert result.exception.exit_code == 2
    assert all(each in str(result.exception) for each in told), result.exception
    assert not out.exists()


def test_a_pattern_of_a_function_that_is_not_exported_is_no_mistake() -> None:
    """A model chooses rates and margins; its export of velocities alone has no margins to give."""
    mechanism = library("four_bar", "*.rate", "margin.*")
    (function,) = program_of_mechanism(mechanism, "float64", only=["velocity"]).functions
    assert names(function) == ["alpha2.rate", "alpha3.rate"]


def test_export_and_show_say_what_was_chosen(tmp_path: Path) -> None:
    """How many of how many, and which functions are left out; the report and the manifest have it too."""
    said = (
        "outputs are chosen by *.rate: velocity gives 2 of 2, dynamics gives 2 of 6, dostep gives 2 of 6; without an "
        "output, and left out: position, acceleration"
    )
    words = ["slider_crank", "--outputs", "*.rate"]
    exported = CliRunner().invoke(kinefix, ["export", *words, "--out", str(tmp_path / "x")])
    shown = CliRunner().invoke(kinefix, ["show", *words])
    assert said in exported.output
    assert said in shown.output
    assert said in (tmp_path / "x" / "report" / "export.md").read_text(encoding="utf-8")
    header = (tmp_path / "x" / "slider_crank.h").read_text(encoding="utf-8")
    assert header.count("Outputs that are not chosen, and not computed: 4.") == 2
    report = (tmp_path / "x" / "report" / "export.md").read_text(encoding="utf-8")
    assert "Not chosen, and not computed: beta.sin, beta.cos, piston_position, theta.acceleration." in report
    manifest = load_export(tmp_path / "x").manifest
    assert manifest.manifest_version == 4
    left = {each.name: each.left_out for each in manifest.functions}
    assert left["velocity"] == left["startup"] == ()
    assert left["dynamics"] == ("beta.sin", "beta.cos", "piston_position", "theta.acceleration")


def test_an_export_is_the_same_bytes_again_and_is_rebuilt_from_its_manifest(tmp_path: Path) -> None:
    """In any folder; the program behind the C is found again."""
    changes = Changes(outputs=("*.rate", "margin.*"))
    one, other = (export_source("four_bar", tmp_path / name, "float32", changes) for name in ("one", "other"))
    files = [path.relative_to(one.folder) for path in one.folder.rglob("*") if path.is_file()]
    assert all((one.folder / each).read_bytes() == (other.folder / each).read_bytes() for each in files)
    program = program_of_export(one)
    assert program is not None
    assert {each.name: cost(each).as_dict() for each in program.functions} == {
        each.name: each.cost for each in one.manifest.functions
    }


def test_a_function_of_the_state_alone_has_no_struct_of_outputs(tmp_path: Path) -> None:
    """A step whose outputs nobody reads."""
    export = export_source("four_bar", tmp_path / "x", "float32", Changes(outputs=("pivot.L1",)))
    (step,) = (each for each in export.manifest.functions if each.name == "dostep")
    assert [argument.name for argument in step.arguments] == ["state", "in"]
    assert "four_bar_dostep_out_t" not in (export.folder / "four_bar.h").read_text(encoding="utf-8")


def test_a_controller_reads_on_what_nobody_chose() -> None:
    """A composition gives what its mechanism chooses, and what its wires carry; the next state is the same."""
    place = sp.Symbol("place")
    law = SymbolicModel("law", (given("place", -1, 1),), (output("force", 10 * place),))

    def step(*outputs: str) -> OperationSequence:
        wires = {"measured": {"place": "piston_position"}, "driven": {"F": "force"}}
        return program_of_composition(
            compose("held", library("slider_crank", *outputs), law, **wires), "float64"
        ).function("dostep")

    whole, some = step(), step("theta.acceleration")
    assert names(some) == ["piston_position", "theta.acceleration", "force"]
    assert len(names(whole)) == 7
    (all_values, _), (made, _) = values(whole), values(some)
    for key, value in made.items():
        assert value == pytest.approx(all_values[key], rel=1e-12)


@pytest.mark.parametrize(
    "words",
    [
        ("analyse", "--limit", "1"),
        ("trace", "--sweep", "alpha1=0deg..30deg:5"),
        ("compare", "--no-instructions", "--methods", "triangular,newton", "--poses", "50"),
    ],
)
def test_what_compares_choices_and_methods_looks_at_all_outputs(words: tuple[str, ...], tmp_path: Path) -> None:
    """A file that chooses outputs is analysed, traced and compared as the file that does not."""
    text = model_path("four_bar").read_text(encoding="utf-8")
    said = []
    for name, more in (("plain", ""), ("chosen", '\n[export]\noutputs = ["*.acceleration"]\n')):
        path = tmp_path / name / "four_bar.toml"
        path.parent.mkdir()
        path.write_text(text + more, encoding="utf-8")
        result = CliRunner().invoke(kinefix, [words[0], str(path), *words[1:], "--json"], catch_exceptions=False)
        assert result.exit_code == 0
        said.append(result.stdout)
    plain, chosen = (json.loads(each) for each in said)
    for each in (plain, chosen):
        each.pop("model_hash", None)
    assert chosen == plain


def test_a_function_that_has_no_outputs_at_all_stays() -> None:
    """An open arm without points of interest has positions without outputs, and nothing was chosen."""
    arm = replace(library("planar_3r"), outputs={})
    assert names(functions(arm)["position"]) == []
