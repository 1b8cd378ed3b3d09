"""Random mechanisms: what is exported without a flag is what an independent reference computes, and it would tell."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from agreement import compared, interpreted
from campaign import failed, finished, table
from expected import Expected, expectations
from random_mechanism import random_mechanism
from trial import COMPILED_EVERY, PRECISIONS, ROWS, trial

from exporter.functions.program import program_of_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.operations import Kind, OperationSequence
from exporter.sequence.program import Program

SEED = "1"
FEW, MANY = 60, 1000

LEG = """
schema = 1
[mechanism]
name = "leg"
gravity = ["0", "-9.81 m/s^2", "1 m/s^2"]
[parameters]
{parameters}
[ground]
points = {{ pivot = ["0.7 m", "0.1 m", "0"] }}
[bodies.crank]
mass = "1 kg"
center_of_mass = ["0.1 m", "0", "0"]
inertia = {{ zz = "0.02 kg*m^2" }}
points = {{ pin = ["r", "0", "0"] }}
[bodies.coupler]
points = {{ pin = ["0.6 m", "0", "0"], eye = ["0.2 m", "0.1 m", "0"] }}
[bodies.rocker]
mass = "2 kg"
center_of_mass = ["0.2 m", "0.05 m", "0"]
inertia = {{ zz = "0.05 kg*m^2" }}
points = {{ pin = ["0.5 m", "0", "0"] }}
[joints.a]
type = "revolute"
parent = "ground"
child = "crank"
[joints.b]
type = "revolute"
parent = "crank.pin"
child = "coupler"
[joints.c]
type = "revolute"
parent = "ground.pivot"
child = "rocker"
[joints.k]
type = "revolute"
parent = "coupler.pin"
child = "rocker.pin"
closes = true
[outputs]
eye = "coupler.eye"
[coordinates]
independent = ["a"]
pose = {{ a = "1 rad", b = "{b}", c = "{c}" }}
ranges = {{ a = ["0.5 rad", "1.6 rad"] }}
rates = {{ a = "5 rad/s" }}
"""
TUNABLE = 'r = { value = "0.25 m", range = ["0.2 m", "0.3 m"] }'
LONGER = 'r = { value = "0.2501 m", range = ["0.2 m", "0.3 m"] }'
UP, DOWN = {"b": "-0.66 rad", "c": "1.96 rad"}, {"b": "-2.05 rad", "c": "-2.18 rad"}


def program(text: str) -> Program:
    return program_of_mechanism(parse_mechanism(text, "leg"), "float64")


@pytest.fixture(scope="module")
def right() -> list[Expected]:
    """What is right of the four-bar on its upper assembly."""
    return expectations(LEG.format(parameters=TUNABLE, **UP), Random(0), ROWS)


@pytest.fixture(scope="module")
def sound() -> Program:
    """The program of the leg with tunable parameters."""
    return program(LEG.format(parameters=TUNABLE, **UP))


@pytest.mark.compiled
def test_sixty_random_mechanisms_agree_or_are_flagged(request: pytest.FixtureRequest) -> None:
    """Planar, open, in space; parameters off nominal; every fifth in both precisions and through compiled C.

    The others take the precisions in turn: most of the time is the exports', and the thousand take both.
    """
    _hold(request, FEW, SEED, in_turn=True)


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.timeout(14400)
def test_a_thousand_random_mechanisms_agree_or_are_flagged(request: pytest.FixtureRequest) -> None:
    """A thousand mechanisms, none of them among the sixty."""
    _hold(request, MANY, "thousand")


def _hold(request: pytest.FixtureRequest, count: int, seed: str, *, in_turn: bool = False) -> None:
    results = []
    for index in range(count):
        whole = index % COMPILED_EVERY == 0
        precisions = PRECISIONS if whole or not in_turn else (PRECISIONS[index % 2],)
        results.append(vars(trial(f"{seed}/{index}", compile_c=whole, precisions=precisions)))
    text = f"seed {seed}: {table(results)}"
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(text)  # noqa: T201 - false alarms and refusals are told whatever the outcome
    assert not failed(results), text


def test_a_sound_export_agrees(right: list[Expected], sound: Program) -> None:
    """Every function, at both ends of the tunable parameter too; nothing is flagged."""
    tally = compared(sound, right)
    assert tally.disagreements == []
    assert tally.flagged == 0
    assert tally.compared > 1000
    assert len(right) == 4


def test_a_length_that_is_off_by_a_tenth_of_a_millimetre_is_found(right: list[Expected]) -> None:
    """The program of a frozen length beside that of the file."""
    frozen = LONGER.replace('range = ["0.2 m", "0.3 m"]', "frozen = true")
    wrong = compared(program(LEG.format(parameters=frozen, **UP)), right[:1])
    assert {each.function for each in wrong.disagreements} == {
        "position", "velocity", "acceleration", "dynamics", "dostep",
    }  # fmt: skip


def test_another_assembly_than_that_of_the_pose_is_found(right: list[Expected]) -> None:
    """A program on the second root closes the loop too, and is wrong."""
    wrong = compared(program(LEG.format(parameters=TUNABLE, **DOWN)), right)
    assert any(each.function == "position" for each in wrong.disagreements)


def test_a_nominal_value_where_a_tunable_one_was_asked_is_found(right: list[Expected], sound: Program) -> None:
    """Right at the nominal set, wrong at every other."""
    assert sound.recalibrate is not None
    operations = tuple(
        replace(each, kind=Kind.CONSTANT, value=sound.parameters[0].nominal) if each.kind is Kind.INPUT else each
        for each in sound.recalibrate.operations
    )
    stuck = replace(sound, recalibrate=replace(sound.recalibrate, operations=operations))
    assert compared(stuck, right[:1]).disagreements == []
    for off_nominal in right[1:]:
        assert compared(stuck, [off_nominal]).disagreements


def test_a_wrong_operation_is_found_wherever_it_moves_a_value(right: list[Expected], sound: Program) -> None:
    """Sums become differences and factors are exchanged, one at a time, in 60 places."""
    random, found = Random(9), 0
    places = [(f, k) for f, each in enumerate(sound.functions) for k in range(len(each.operations))]
    arithmetic = [(f, k) for f, k in places if sound.functions[f].operations[k].kind in (Kind.ADD, Kind.SUB, Kind.MUL)]
    for which, index in random.sample(arithmetic, 60):
        function = sound.functions[which]
        mutant = replace(sound, functions=(_mutant(function, index),))
        moved = _moves(sound, function, mutant.functions[0], right)
        disagreements = compared(mutant, right).disagreements
        assert bool(disagreements) == moved, f"{function.name}, operation {index}"
        found += moved
    assert found > 40


def _mutant(function: OperationSequence, index: int) -> OperationSequence:
    """One operation changed."""
    other = {Kind.ADD: Kind.SUB, Kind.SUB: Kind.ADD, Kind.MUL: Kind.ADD}
    operations = list(function.operations)
    operations[index] = replace(operations[index], kind=other[operations[index].kind])
    return replace(function, operations=tuple(operations))


def _moves(whole: Program, function: OperationSequence, mutant: OperationSequence, sets: list[Expected]) -> bool:
    """Whether an unflagged value that has a meaning moves by more than a millionth."""
    columns = [k for k, output in enumerate(function.outputs) if output.signal.role == "value"]
    for expected in sets:
        asked = [signal.name for signal in function.inputs if signal.name in expected.inputs]
        rows = np.stack([expected.inputs[name] for name in asked], axis=1)
        run = interpreted(whole)
        before, _ = run(function, rows, expected.parameters)
        after, status = run(mutant, rows, expected.parameters)
        apart = ~(np.abs(after - before)[:, columns] <= 1e-6)  # what is not finite moved too
        if apart[status == 0].any():
            return True
    return False


@pytest.mark.compiled
def test_the_compiled_c_is_asked_the_same() -> None:
    """A trial counts the values of the interpreter and those of the compiled C."""
    one, two = trial("1/1", compile_c=False), trial("1/1", compile_c=True)
    assert two.compiled
    assert two.counts["compared"] == 2 * one.counts["compared"]


def test_a_mechanism_is_the_same_for_the_same_seed() -> None:
    """No hash order, no state is left."""
    assert random_mechanism("1/3").text == random_mechanism("1/3").text
    assert random_mechanism("1/3").text != random_mechanism("1/4").text


def test_a_flag_where_the_reference_is_well_conditioned_is_a_false_alarm(right: list[Expected], sound: Program) -> None:
    """A program that flags every row agrees, and every flag is counted."""
    flagged = replace(sound, functions=tuple(_always_flagged(each) for each in sound.functions))
    tally = compared(flagged, right)
    assert tally.compared == 0
    assert tally.false_alarms == tally.rows


def _always_flagged(function: OperationSequence) -> OperationSequence:
    operations = list(function.operations)
    always = len(operations)
    operations += [replace(operations[0], kind=Kind.FLAG_CONSTANT, operands=(), value=1)]
    operations += [replace(operations[0], kind=Kind.WORD_OF, operands=(always,), value=17)]
    return replace(function, operations=tuple(operations), status=always + 1)


def test_a_campaign_goes_on_where_it_was_stopped(tmp_path) -> None:
    """A torn last line is run again; another seed is refused; the table counts what is there."""
    results = tmp_path / "results.jsonl"
    assert finished(results, "7") == []
    line = trial("7/0", compile_c=False).line()
    results.write_text(results.read_text() + line + "\n" + line[: len(line) // 2])
    kept = finished(results, "7")
    assert [each["seed"] for each in kept] == ["7/0"]
    assert finished(results, "7") == kept
    assert "1 mechanisms" in table(kept)
    with pytest.raises(SystemExit, match="give that seed"):
        finished(results, "8")


def test_disagreements_and_crashes_fail_a_campaign_and_refusals_do_not() -> None:
    """Refusals and false alarms are printed."""
    sound = {"disagreements": [], "outcome": "refused", "false_refusal": True}
    assert not failed([sound])
    assert failed([sound, {**sound, "disagreements": ["position: x is 1, right is 2"]}])
    assert failed([sound, {**sound, "outcome": "crashed"}])
