"""What SIL and a trace refuse, each with its sound twin: options, vectors, models that the reference cannot read."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from exporter.cli import main
from exporter.errors import KinefixError, ModelError
from exporter.export import Export, write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.expression import Name
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.program import Program
from exporter.symbolic import SymbolicModel, given, output, tunable
from exporter.symbolic import canonical as symbolic_canonical
from exporter.symbolic.program import program_of_symbolic
from sil.campaign import run
from sil.options import Options
from sil.reference.closure_equations import equations_of
from sil.reference.closures import chosen_rows
from sil.reference.expressions import evaluate
from sil.reference.skeleton import load_place, skeleton_of
from sil.reference.symbolic import symbolic_reference_of
from sil.runners.interpreted import interpret_rows
from sil.runners.runner import emulated_runner, runner_names
from sil.trace.evaluation import trace_path
from sil.trace.path import MOST_ROWS, read_path, sweep_path

QUICK = Options(count=20, runner="interpreter", functions=("position",))
CRANK = read_mechanism(model_path("slider_crank"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Export, Program]:
    """The slider-crank in float64, its crank tunable."""
    mechanism = read_mechanism(model_path("slider_crank"))
    program = program_of_mechanism(mechanism, "float64")
    return write_export(program, tmp_path_factory.mktemp("refusals") / "export", canonical(mechanism)), program


def test_an_export_without_a_model_has_no_interpreter(made: tuple[Export, Program], tmp_path: Path) -> None:
    export, program = made
    assert run(export, QUICK).passed
    bare = write_export(program, tmp_path / "bare", {})
    with pytest.raises(KinefixError, match="holds no model to interpret; use `--runner host`"):
        run(bare, QUICK)


def test_a_vector_beyond_the_last_is_refused(made: tuple[Export, Program]) -> None:
    assert run(made[0], replace(QUICK, row=19)).tested[0].vectors.rows.shape[0] == 1
    with pytest.raises(KinefixError, match="no vector 20; the set has 20, counted from 0"):
        run(made[0], replace(QUICK, row=20))


def test_a_function_that_the_program_lacks_is_named(made: tuple[Export, Program]) -> None:
    rows = np.array([[0.7]])
    assert np.isfinite(interpret_rows(made[1], "position", rows).outputs).all()
    with pytest.raises(KinefixError, match="has no function 'posture'"):
        interpret_rows(made[1], "posture", rows)


PARAMETERS = {
    "no value": (["r"], '"r" is not of the form NAME=QUANTITY'),
    "an empty value": (["r="], '"r=" is not of the form NAME=QUANTITY'),
    "no number": (["r=two"], "does not start with a finite decimal number"),
    "not finite": (["r=inf"], "does not start with a finite decimal number"),
    "another dimension": (["r=300 kg"], "'300 kg' is a mass (kg), wanted is a length (m)"),
    "twice": (["r=0.3", "r=300 mm"], '"r" stands twice'),
    "no such name": (["q=0.3"], "'q' is no tunable parameter of 'tuned'; tunable: r"),
    "out of its range": (["r=100 mm"], "r = 0.1 m is not within 0.15 to 0.35 m; give a value of its range"),
}


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Export:
    """A formula with one tunable length."""
    x, r = sp.symbols("x r")
    length = tunable("r", 0.2, 0.15, 0.35, unit="m")
    outputs = (output("y", r + x, unit="m"),)
    model = SymbolicModel("tuned", (given("x", -1, 1, nominal=0.5, unit="m"),), outputs, (length,))
    folder = tmp_path_factory.mktemp("tuned") / "export"
    return write_export(program_of_symbolic(model, "float32"), folder, symbolic_canonical.canonical(model), "symbolic")


@pytest.mark.parametrize("case", PARAMETERS)
def test_a_parameter_that_cannot_be_taken_is_wrong_use(
    tuned: Export, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    """Nothing is run; a value in another unit of its dimension runs, and is told in its SI unit."""
    command = ["sil", str(tuned.folder), "--runner", "interpreter", "--count", "20"]
    words, said = PARAMETERS[case]
    with pytest.raises(SystemExit) as ended:
        main([*command, *(each for word in words for each in ("--parameter", word))])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main([*command, "--parameter", "r=300 mm"])
    assert "parameters: as given: r = 0.3" in capsys.readouterr().out


def test_a_run_that_does_not_end_leaves_no_report_of_an_earlier_one(tuned: Export, tmp_path: Path) -> None:
    """What was asked wrongly, and seen before anything is run, touches nothing; other files stay."""
    command = ["sil", str(tuned.folder), "--runner", "interpreter", "--report", str(tmp_path)]
    for name in ("report.html", "report.pdf", "report.json", "report.xml", "notes.txt"):
        (tmp_path / name).write_text("PASSED", encoding="utf-8")
    for words, left in ((("--parameter", "s=1"), 5), (("--function", "none"), 1)):
        with pytest.raises(SystemExit) as ended:
            main([*command, *words])
        assert ended.value.code == 2
        assert len(list(tmp_path.iterdir())) == left


def test_a_replay_names_one_function(made: tuple[Export, Program], capsys: pytest.CaptureFixture[str]) -> None:
    command = ["sil", str(made[0].folder), "--runner", "interpreter", "--count", "20", "--replay", "7"]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 2
    assert "add --function NAME" in capsys.readouterr().err
    with suppress(SystemExit):
        main([*command, "--function", "position"])
    assert "vector 7" in capsys.readouterr().out


def test_runners_are_chosen_by_name_and_number_type(made: tuple[Export, Program], tmp_path: Path) -> None:
    """An emulated M4F has no unit for float64; nothing is built before a function is run."""
    assert runner_names("m7", "float64") == ("interpreter", "m7")
    with pytest.raises(KinefixError, match="there is no runner 'm33'; choose interpreter"):
        runner_names("m33", "float64")
    single = write_export(program_of_mechanism(CRANK, "float32"), tmp_path / "single", canonical(CRANK))
    assert emulated_runner(single, tmp_path / "build").name == "emulated"
    with pytest.raises(KinefixError, match="runs float32 exports; use `--runner m7`"):
        emulated_runner(made[0], tmp_path / "build")


def joined_otherwise(mechanism: Mechanism, closing: bool) -> Mechanism:
    """The mechanism with one joint of a type that nobody knows."""
    name = next(joint.name for joint in mechanism.joints if joint.closes is closing)
    return replace(
        mechanism,
        joints=tuple(replace(each, type="screw") if each.name == name else each for each in mechanism.joints),  # type: ignore[arg-type]
    )


def without_ground(mechanism: Mechanism) -> Mechanism:
    """The mechanism with every joint to ground leading from its own child."""
    joints = [
        replace(joint, parent=joint.child) if joint.parent.body == "ground" else joint for joint in mechanism.joints
    ]
    return replace(mechanism, joints=tuple(joints))


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (lambda: skeleton_of(joined_otherwise(CRANK, closing=False)), "is screw; in the tree the reference knows"),
        (
            lambda: equations_of(skeleton_of(joined_otherwise(CRANK, closing=True)).closings[0]),
            "closing joint .* screw",
        ),
        (lambda: skeleton_of(without_ground(CRANK)), "the tree does not hang on ground"),
        (lambda: load_place(skeleton_of(CRANK), replace(CRANK.loads[0], on=None)), "acts on no frame"),
        (lambda: evaluate(Name("l9"), {"l1": 0.3}), "'l9' has no value"),
        (lambda: chosen_rows(np.array([[1.0, 0.0], [2.0, 0.0]]), 2), "fix 1 of 2 dependent coordinates"),
    ],
)
def test_the_reference_refuses_what_it_cannot_read(read: Callable[[], object], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        read()


def test_the_reference_reads_the_sound_mechanism() -> None:
    """Every part that the test above spoils, as it stands in the library."""
    skeleton = skeleton_of(CRANK)
    assert [equations_of(closing) for closing in skeleton.closings]
    assert {load_place(skeleton, load).body for load in CRANK.loads if load.on is not None}
    assert evaluate(Name("l1"), {"l1": 0.3}) == 0.3
    assert sorted(chosen_rows(np.array([[1.0, 0.0], [2.0, 1.0]]), 2)) == [0, 1]


def test_a_symbol_that_nothing_defines_has_no_value() -> None:
    x, k = sp.symbols("x k")

    def asked(expression: sp.Expr) -> float:
        model = SymbolicModel("law", (given("x", -2, 2, nominal=1),), (output("y", expression),))
        return float(symbolic_reference_of(model).evaluate({"x": 2.0}, 2.0**-53)["y"].value)

    assert asked(x**2) == 4.0
    with pytest.raises(ModelError, match="'k' is neither an input, a parameter nor an earlier step"):
        asked(k * x)


def test_a_method_that_starts_from_the_pose_before_is_not_traced() -> None:
    mechanism = read_mechanism(model_path("four_bar"))
    path = sweep_path(mechanism, ["alpha1=0deg..10deg:3"])
    assert len(trace_path(mechanism, "float64", path).path.values) == 3
    newton = replace(mechanism, solver=replace(mechanism.solver, method="newton"))
    with pytest.raises(ModelError, match="starts from the pose before; trace a triangular form"):
        trace_path(newton, "float64", path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"theta\n0\n\xff\n", "cannot be read"),
        (b"theta\n" + b"0\n" * MOST_ROWS, f"{MOST_ROWS + 1} lines; at most {MOST_ROWS} are read"),
    ],
)
def test_a_path_that_cannot_be_read_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    file = tmp_path / "path.csv"
    file.write_bytes(b"theta\n0\n1\n")
    assert read_path(file, CRANK).values.shape == (2, 1)
    file.write_bytes(data)
    with pytest.raises(ModelError, match=words):
        read_path(file, CRANK)
