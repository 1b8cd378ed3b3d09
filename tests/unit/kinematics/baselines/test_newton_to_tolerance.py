"""Newton's methods to a tolerance: what the loop computes, what an export says of it, what is refused.

The oracle of positions is sil.reference; that of the C's text is the text itself.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from exporter.c99.readback import problems
from exporter.cli import kinefix
from exporter.errors import ModelError
from exporter.export import Export, load_export, write_export
from exporter.functions.program import program_of_mechanism
from exporter.manifest import from_json, to_json
from exporter.model.canonical import canonical, from_canonical
from exporter.model.changes import Changes, apply_changes
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.cost import cost
from exporter.sequence.looped import interpret_function, iterate_rows
from exporter.sequence.operations import Precision
from exporter.sequence.program import Program
from exporter.sequence.status import BITS
from sil.reference.mechanism import reference_of

Array = np.ndarray
LOOPED = ("position", "velocity", "acceleration")


def by(model: str, tolerance: str = "1e-9", most: int = 20, method: str = "newton") -> Mechanism:
    changes = Changes(method=method, tolerance=tolerance, max_steps=most)
    return apply_changes(read_mechanism(model_path(model)), changes)


def four_bar(most: int = 20) -> Program:
    return program_of_mechanism(by("four_bar", most=most), "float64")


def starts(program: Program, angles: Array, distances: Array) -> Array:
    """Rows of `position`: the reference's solution at an angle that is `distances` before the wanted one."""
    reference = reference_of(by("four_bar"))
    before = reference.positions((angles - distances)[:, None])
    columns = []
    for signal in program.function("position").inputs:
        name = signal.name.removesuffix(".previous")
        value = angles if name == signal.name else before[:, reference.coordinates.index(name)]
        columns.append(value if name == signal.name else value - 2 * np.pi * np.round(value / (2 * np.pi)))
    return np.stack(columns, axis=1)


ANGLES = np.linspace(0.2, 6.0, 40)


@pytest.mark.parametrize("method", ["newton", "newton-per-loop"])
@pytest.mark.parametrize(("tolerance", "bound"), [("1e-3", 1e-3), ("1e-12", 1e-12)])
def test_positions_equal_the_reference_within_the_tolerance(method: str, tolerance: str, bound: float) -> None:
    """Ten times the tolerance: no pose here has a larger condition number."""
    program = program_of_mechanism(by("four_bar", tolerance, method=method), "float64")
    position = program.function("position")
    result = interpret_function(program, position, starts(program, ANGLES, np.full(40, 0.1)), {})
    assert not result.status.any()
    reference = reference_of(by("four_bar"))
    right = reference.positions(ANGLES[:, None])
    names = [output.signal.name for output in position.outputs]
    for name in ("alpha2", "alpha3"):
        values = right[:, reference.coordinates.index(name)]
        np.testing.assert_allclose(result.outputs[:, names.index(f"{name}.sin")], np.sin(values), atol=10 * bound)
        np.testing.assert_allclose(result.outputs[:, names.index(f"{name}.cos")], np.cos(values), atol=10 * bound)


def test_the_number_of_iterations_depends_on_the_data() -> None:
    """One where the start is the solution, more the farther it is: the loop is left row by row."""
    program = four_bar()
    assert program.loop is not None
    rows = starts(program, np.full(3, 2.0), np.array([0.0, 0.01, 0.4]))
    steps = iterate_rows(program, program.loop, program.function("position"), rows, {}).steps
    assert steps[0] == 1
    assert steps[0] < steps[1] < steps[2]


def test_a_batch_gives_what_each_row_gives_alone() -> None:
    """Bit for bit, whichever other rows iterate longer."""
    program, generator = four_bar(), np.random.Generator(np.random.Philox(3))
    sequence = program.function("position")
    rows = generator.uniform(-4, 4, (30, len(sequence.inputs)))
    together = interpret_function(program, sequence, rows, {})
    alone = [interpret_function(program, sequence, row[None], {}) for row in rows]
    assert np.array_equal(together.outputs, np.concatenate([each.outputs for each in alone]))
    assert np.array_equal(together.status, np.concatenate([each.status for each in alone]))


def test_too_few_iterations_are_told() -> None:
    """One iteration from the opposite side leaves the loop open: RESIDUAL_HIGH, and all outputs finite."""
    program = four_bar(most=1)
    result = interpret_function(program, program.function("position"), np.array([[0.0, -1.2175, -2.23]]), {})
    assert int(result.status[0]) & (1 << BITS["RESIDUAL_HIGH"][0])
    assert np.isfinite(result.outputs).all()


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Export:
    mechanism = by("four_bar")
    folder = tmp_path_factory.mktemp("loop") / "four_bar"
    return write_export(program_of_mechanism(mechanism, "float64"), folder, canonical(mechanism))


def test_every_part_of_an_export_says_that_it_is_not_fixed_time(export: Export) -> None:
    """Banner and functions of the header, source, report, manifest, notes."""
    header = (export.folder / "four_bar.h").read_text()
    assert " * NOT FIXED-TIME" in header.partition("*/")[0]
    assert header.count("NOT fixed-time") == len(LOOPED)
    assert "Every function is straight line" not in header
    assert (export.folder / "four_bar.c").read_text().count("/* Not fixed-time") == len(LOOPED)
    report = (export.folder / "report" / "export.md").read_text()
    assert (
        "NOT FIXED-TIME: position, velocity and acceleration repeat newton_step until its residual is at most" in report
    )
    assert "The count is the same on every input." not in report
    assert any("NOT fixed-time" in note for note in export.manifest.notes)
    loaded = load_export(export.folder).manifest
    assert loaded.loop is not None
    assert (loaded.loop.functions, loaded.loop.most, loaded.loop.tolerance) == (LOOPED, 20, 1e-9)
    assert loaded.manifest_version == 2


def test_the_worst_case_is_as_many_iterations_as_there_can_be(export: Export) -> None:
    """Cost of the manifest = 20 iterations and what follows, class by class."""
    program = four_bar()
    once = cost(program.function("newton_step")).as_dict()
    costs = {function.name: function.cost for function in export.manifest.functions}
    assert costs["newton_step"] == once
    for name in LOOPED:
        own = cost(program.function(name)).as_dict()
        assert costs[name] == {kind: 20 * once[kind] + own[kind] for kind in once}


def loops_of(text: str) -> list[str]:
    return re.findall(r"do \{|while \(.*?\);|\bfor\b|\bgoto\b", text)


def test_the_source_holds_one_bounded_loop_per_function(export: Export) -> None:
    """do ... while, its count against the bound of the manifest; nothing else branches."""
    loops = loops_of((export.folder / "four_bar.c").read_text())
    assert loops == ["do {", "while ((count < 20U) && (made.residual > 1.0e-9));"] * len(LOOPED)


CHANGED: dict[str, Callable[[str], str]] = {
    "one loop of at most 20": lambda text: text.replace("(count < 20U) && ", "", 1),
    "control flow": lambda text: text.replace("        count++;", "        count++; if (count) count++;", 1),
    "in the source and": lambda text: re.sub(r"const real t\d+ = t\d+ \* t\d+;", "", text, count=1),
}


@pytest.mark.parametrize("words", CHANGED)
def test_reading_back_finds_what_breaks_the_loop(export: Export, words: str) -> None:
    """A lost bound, a branch inside, an operation less in the iteration."""
    files = {name: (export.folder / name).read_text() for name in export.manifest.files}
    assert problems(files, export.manifest) == ()
    files["four_bar.c"] = CHANGED[words](files["four_bar.c"])
    assert any(words in sentence for sentence in problems(files, export.manifest))


def test_a_straight_line_export_does_not_mention_loops(tmp_path: Path) -> None:
    """The manifest of an export with fixed steps has no key "loop" and stays at version 1."""
    mechanism = apply_changes(read_mechanism(model_path("four_bar")), Changes(method="newton", steps=2))
    made = write_export(program_of_mechanism(mechanism, "float64"), tmp_path / "out", canonical(mechanism))
    text = (made.folder / "manifest.json").read_text()
    assert "loop" not in json.loads(text)
    assert json.loads(text)["manifest_version"] == 1
    assert to_json(from_json(text)) == text


def test_the_tolerance_is_part_of_the_model() -> None:
    """It survives the manifest and changes the hash; without one the canonical form is as before."""
    mechanism = by("four_bar")
    assert from_canonical(canonical(mechanism)) == mechanism
    assert by("four_bar", "1e-8").model_hash != mechanism.model_hash
    fixed = apply_changes(read_mechanism(model_path("four_bar")), Changes(method="newton", steps=2))
    assert canonical(fixed)["solver"] == {"method": "newton", "steps": 2}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (Changes(tolerance="1e-9"), "--tolerance: triangular takes no steps"),
        (Changes(method="newton", tolerance="1e-9", steps=2), "give one of them"),
        (Changes(method="newton", max_steps=5), "give that too, or --steps alone"),
        (Changes(method="newton", tolerance="2"), "give a residual between 0 and 1"),
        (Changes(method="newton", tolerance="small"), "--tolerance"),
        (Changes(method="newton", tolerance="1e-9", max_steps=101), "give 1 to 100"),
    ],
)
def test_wrong_options_are_refused(changes: Changes, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        apply_changes(read_mechanism(model_path("four_bar")), changes)


@pytest.mark.parametrize(("precision", "tolerance"), [("float32", "1e-9"), ("float64", "1e-16")])
def test_a_tolerance_below_rounding_is_refused(precision: Precision, tolerance: str) -> None:
    """No number of iterations would reach it."""
    with pytest.raises(ModelError, match=f"below the rounding of {precision}"):
        program_of_mechanism(by("four_bar", tolerance), precision)


def test_what_is_not_iterated_has_no_tolerance() -> None:
    """An open chain has nothing to iterate."""
    with pytest.raises(ModelError, match="nothing is iterated"):
        program_of_mechanism(by("planar_3r"), "float64")


def test_show_and_export_say_it(tmp_path: Path) -> None:
    options = ["four_bar", "--method", "newton", "--tolerance", "1e-5"]
    shown = CliRunner().invoke(kinefix, ["show", *options], catch_exceptions=False).stdout
    assert "NOT fixed-time where it iterates" in shown
    assert "in each of 1 to 20 iterations" in shown
    exported = CliRunner().invoke(kinefix, ["export", *options, "--out", str(tmp_path / "out")], catch_exceptions=False)
    assert "NOT fixed-time: up to 20 iterations" in exported.stdout
    assert "--function newton_step" in exported.stdout


def test_tunable_parameters_reach_the_iteration() -> None:
    """What recalibrate derives is read inside the loop: the positions are those of the frozen program."""
    frozen = four_bar()
    tunable = program_of_mechanism(apply_changes(by("four_bar"), Changes(tunable=("l1",))), "float64")
    assert tunable.recalibrate is not None
    assert any(signal.group.value == "derived" for signal in tunable.function("newton_step").inputs)
    assert replace(tunable, recalibrate=None).loop == frozen.loop
