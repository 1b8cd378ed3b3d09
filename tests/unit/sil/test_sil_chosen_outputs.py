"""SIL of exports with chosen outputs: each that is given is compared, and what cannot be compared is told.

Oracles: an output that was made wrong on purpose must fail, by the name of its check; and the export with all outputs,
whose vectors, regular poses and verdicts on the same outputs are to be found again.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.export import Export, write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.changes import Changes, apply_changes
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.operations import Kind, Operation, OperationSequence
from exporter.sequence.program import Program
from sil.campaign import Campaign, run
from sil.check_names import Check, name_of
from sil.not_shown import not_shown_in
from sil.options import Options
from sil.verdict import Outcome

QUICK = Options(count=400, runner="interpreter")
MODELS = Path(__file__).resolve().parents[2] / "data" / "mechanisms"
Made = tuple[Export, Program]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Made]:
    """Exports in float64 that give these outputs, each made once."""
    known: dict[object, Made] = {}

    def make(name: str, *outputs: str, functions: tuple[str, ...] = ()) -> Made:
        key = name, outputs, functions
        if key not in known:
            path = MODELS / f"{name}.toml"
            mechanism = read_mechanism(path if path.is_file() else model_path(name))
            mechanism = apply_changes(mechanism, Changes(outputs=outputs))
            program = program_of_mechanism(mechanism, "float64", only=functions)
            folder = tmp_path_factory.mktemp("chosen") / "x"
            known[key] = write_export(program, folder, canonical(mechanism)), program
        return known[key]

    return make


def judged(export: Export, program: Program) -> Campaign:
    """A campaign with the interpreter."""
    return run(export, QUICK, program)


def spoiled(program: Program, function: str, output: str) -> Program:
    """The program with one output a thousandth too large."""
    wrong = [_spoiled(each, output) if each.name == function else each for each in program.functions]
    return replace(program, functions=tuple(wrong))


def _spoiled(sequence: OperationSequence, name: str) -> OperationSequence:
    (place,) = (k for k, each in enumerate(sequence.outputs) if each.signal.name == name)
    last, old = len(sequence.operations), sequence.outputs[place]
    more = (Operation(Kind.CONSTANT, (), Fraction(1001, 1000)), Operation(Kind.MUL, (last, old.operation)))
    outputs = [*sequence.outputs]
    outputs[place] = replace(old, operation=last + 1)
    return replace(sequence, operations=(*sequence.operations, *more), outputs=tuple(outputs))


def outcomes(campaign: Campaign, function: str) -> dict[Check, Outcome]:
    """How the checks of a function ended, those near singular poses aside."""
    found = [each for each in campaign.verdicts if each.function == function and "near singular" not in each.check]
    return {name_of(each.check): each.outcome for each in found}


CASES = [
    ("four_bar", ("alpha2.sin",), "position", "alpha2.sin", Check.COORDINATES),
    ("four_bar", ("alpha2.sin",), "dynamics", "alpha2.sin", Check.COORDINATES),
    ("slider_crank", ("s",), "dostep", "piston_position", Check.COORDINATES),
    ("parallel_robot", ("*.rate",), "velocity", "theta4.rate", Check.VELOCITIES),
    ("parallel_robot", ("*.acceleration",), "acceleration", "theta4.acceleration", Check.ACCELERATIONS),
    ("parallel_robot", ("x.acceleration",), "dynamics", "x.acceleration", Check.DYNAMICS),
    ("parallel_robot", ("*.acceleration",), "dostep", "y.acceleration", Check.DYNAMICS),
    ("parallel_robot", ("*.acceleration",), "dynamics", "y.acceleration", Check.POWER),
    ("four_bar", ("alpha3*",), "velocity", "alpha3.rate", Check.VELOCITY_SLOPES),
    ("four_bar", ("alpha3*",), "acceleration", "alpha3.acceleration", Check.ACCELERATION_SLOPES),
    ("four_bar", ("alpha2", "alpha3"), "position", "alpha3.cos", Check.CLOSURE),
    ("double_wishbone_front", ("toe",), "position", "toe", Check.ANGLES),
    ("double_wishbone_front", ("toe.rate",), "velocity", "toe.rate", Check.ANGLES),
    ("arm_6r", ("flange.y",), "position", "flange.y", Check.POINTS),
    ("arm_6r", ("flange.z.rate",), "velocity", "flange.z.rate", Check.POINTS),
    ("ms1", ("att.w",), "position", "att.w", Check.ATTITUDES),
    ("ms1", ("att",), "position", "att.y", Check.ATTITUDES),
    ("ms1", ("att.x.rate",), "velocity", "att.x.rate", Check.ATTITUDES),
    ("ms1", ("att.y.acceleration", "att.z.acceleration"), "acceleration", "att.y.acceleration", Check.ATTITUDES),
    ("ms1", ("ell.acceleration",), "acceleration", "ell.acceleration", Check.ANGLES),
    ("engine", ("side.y",), "dynamics", "side.y", Check.REACTIONS),
    ("corner_front", ("spring_length.rate",), "velocity", "spring_length.rate", Check.DISTANCES),
    ("rocker_four_bar", ("alpha2.rate",), "dostep", "alpha2.rate", Check.VELOCITIES),
    ("rocker_four_bar", ("switch.ratio",), "dostep", "switch.ratio", Check.RATIO),
]


@pytest.mark.parametrize(("name", "outputs", "function", "output", "check"), CASES)
def test_a_chosen_output_that_is_wrong_is_found(
    made: Callable[..., Made], name: str, outputs: tuple[str, ...], function: str, output: str, check: Check
) -> None:
    """By the check that finds it among all outputs; as it is, nothing stands against it."""
    export, program = made(name, *outputs, functions=(function,))
    if check in (Check.VELOCITY_SLOPES, Check.ACCELERATION_SLOPES):
        export, program = made(name, *outputs)
    assert judged(export, program).passed
    campaign = judged(export, spoiled(program, function, output))
    assert not campaign.passed
    assert outcomes(campaign, function)[check] is Outcome.FAILED


def test_checks_that_miss_their_outputs_say_so(made: Callable[..., Made]) -> None:
    """None of them passes; the report lists them before anything else."""
    campaign = judged(*made("parallel_robot", "x.acceleration"))
    missing = {
        "dynamics": {Check.CLOSURE, Check.COORDINATES, Check.VELOCITIES, Check.VELOCITY_SLOPES, Check.POWER},
        "dostep": {Check.CLOSURE, Check.COORDINATES, Check.VELOCITIES, Check.VELOCITY_SLOPES, Check.POWER},
    }
    for function, checks in missing.items():
        found = outcomes(campaign, function)
        assert {check for check, outcome in found.items() if outcome is Outcome.NOT_JUDGED} == checks
        assert found[Check.DYNAMICS] is Outcome.PASSED
    told = [each.text for each in not_shown_in(campaign)]
    assert any("dynamics: power balance (not judged, what it reads is not among the outputs" in each for each in told)
    assert any("chosen by x.acceleration" in each for each in told)


def test_a_margin_alone_is_held_against_nothing_and_says_so(made: Callable[..., Made]) -> None:
    """The reference has no margins: what is judged of them is that they are finite and repeatable."""
    found = outcomes(judged(*made("four_bar", "margin.L1", functions=("position",))), "position")
    assert found[Check.REFERENCE] is found[Check.COORDINATES] is found[Check.CLOSURE] is Outcome.NOT_JUDGED
    assert found[Check.REJECTED] is found[Check.FINITE] is Outcome.PASSED


@pytest.mark.parametrize("outputs", [("*.acceleration",), ("margin.L1", "*.acceleration"), ("pivot.L1", "alpha*")])
def test_vectors_and_regular_poses_are_those_of_all_outputs(
    made: Callable[..., Made], outputs: tuple[str, ...]
) -> None:
    """Near-singular vectors are drawn, and poses count as regular, by all margins, chosen or not."""
    whole, some = judged(*made("four_bar")), judged(*made("four_bar", *outputs))
    of_all = {each.function: each for each in whole.tested}
    for tested in some.tested:
        for mine, theirs in zip(tested.parts, of_all[tested.function].parts, strict=True):
            assert np.array_equal(mine.vectors.rows, theirs.vectors.rows, equal_nan=True)
            assert np.array_equal(mine.margins, theirs.margins, equal_nan=True)


def test_what_is_given_has_the_verdicts_that_it_has_among_all(made: Callable[..., Made]) -> None:
    """On as many vectors; the checks that are not judged are the only ones that the whole export has more."""
    whole, some = judged(*made("slider_crank")), judged(*made("slider_crank", "*.rate", "*.acceleration"))
    for function in ("velocity", "dynamics", "dostep"):
        more, found = outcomes(whole, function), outcomes(some, function)
        assert set(found) == set(more)
        assert {check for check in found if found[check] is not more[check]} <= {
            Check.CLOSURE, Check.COORDINATES, Check.VELOCITY_SLOPES,
        }  # fmt: skip


def test_without_a_choice_no_check_is_missing(made: Callable[..., Made]) -> None:
    """An export of some functions says nothing of the others."""
    for functions in ((), ("dynamics",)):
        campaign = judged(*made("four_bar", functions=functions))
        assert not [each for each in campaign.verdicts if each.outcome is Outcome.NOT_JUDGED]
