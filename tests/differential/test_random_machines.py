"""Random machines, with forces that read the state: what is exported is what the reference computes, and it would tell.

The crane has every kind of element, two tables, a load in axes of a body, reactions and an implicit step.
"""

from random import Random

import pytest
from agreement import NEAR, compared
from campaign import failed, table
from expected import expectations
from model_texts import slider_crank_joints
from random_mechanism import random_mechanism
from trial import COMPILED_EVERY, MACHINE_ROWS, PRECISIONS, trial

from exporter.functions.program import program_of_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.program import Program

FEW = ("crane/0", "crane/1", "few/2")
MANY = 200
CRANE = """
schema = 1
[mechanism]
name = "crane"
gravity = ["0", "-9.81 m/s^2", "1 m/s^2"]
[parameters]
k = { value = "60 N/m", frozen = true }
slow = { value = "1 m/s", frozen = true }
[inputs]
u = { range = ["-5 N", "5 N"] }
[ground]
points = { hook = ["0.4 m", "0.5 m", "0"], foot = ["0.9 m", "-0.2 m", "0"] }
[bodies.crank]
mass = "1.1 kg"
center_of_mass = ["0.1 m", "0.02 m", "0"]
inertia = { zz = "0.02 kg*m^2" }
points = { pin = ["0.25 m", "0", "0"] }
[bodies.rod]
mass = "0.7 kg"
center_of_mass = ["0.3 m", "0", "0"]
inertia = { zz = "0.03 kg*m^2" }
points = { pin = ["0.7 m", "0", "0"], eye = ["0.3 m", "0.1 m", "0"] }
[bodies.piston]
mass = "0.9 kg"
points = { eye = ["0", "0.05 m", "0"] }
[distances]
rope = ["ground.hook", "rod.eye"]
[tables.rope_force]
x = ["0.1 m", "0.25 m", "0.3 m", "0.6 m"]
y = ["-3 N", "2 N", "1.5 N", "-6 N"]
method = "monotone_cubic"
[tables.map]
x = ["-1 rad", "0 rad", "1 rad"]
y = ["-2 m/s", "0 m/s", "1 m/s"]
z = [["1 N*m", "2 N*m", "-1 N*m"], ["0 N*m", "3 N*m", "1 N*m"], ["2 N*m", "-2 N*m", "0 N*m"]]
[elements.spring]
type = "spring"
between = ["ground.hook", "piston.eye"]
stiffness = "k"
free = "0.45 m"
preload = "2 N"
damping = "3 N*s/m"
[elements.damper]
type = "damper"
along = "b"
damping = "0.4 N*m*s/rad"
[elements.actuator]
type = "actuator"
along = "rope"
force = "rope_force(rope) - u*tanh(rope.rate/slow)"
[elements.gas]
type = "gas_spring"
between = ["ground.foot", "rod.eye"]
force = "12 N"
at = "0.5 m"
column = "0.6 m"
exponent = "2"
damping = "1 N*s/m"
[elements.stop]
type = "end_stop"
along = "s"
lower = "0.75 m"
upper = "0.9 m"
stiffness = "900 N/m"
dissipation = "0.4 s/m"
[elements.rubbing]
type = "friction"
along = "s"
force = "1.5 N"
smoothing_speed = "0.1 m/s"
[loads.push]
type = "force"
on = "rod.eye"
axes = "rod"
value = ["k*rope", "2*u", "0"]
[loads.motor]
type = "coordinate"
on = "a"
value = "map(b, s.rate)"
[outputs]
rope_length = "rope"
pin = { reaction = "b", part = "force", axes = "child" }
guide = { reaction = "s", part = "torque" }
wrist = { reaction = "w", part = "force", axes = "parent" }
[coordinates]
independent = ["a"]
pose = { a = "1 rad", b = "-1.3 rad", s = "0.8 m" }
ranges = { a = ["0.3 rad", "1.6 rad"] }
rates = { a = "6 rad/s" }
[step]
method = "linearly_implicit"
period = "2 ms"
implicit = ["spring", "damper", "gas", "stop", "rubbing"]
""" + slider_crank_joints("a", "b", "s", "w", "pin")


ROWS = 12


@pytest.fixture(scope="module")
def crane() -> Program:
    """Program of the crane in float64."""
    return program_of_mechanism(parse_mechanism(CRANE, "crane"), "float64")


@pytest.mark.compiled
def test_three_random_machines_agree_or_are_flagged(request: pytest.FixtureRequest) -> None:
    """Planar, open, in space; the first in both precisions and through compiled C."""
    first, *others = FEW
    results = [vars(trial(first, compile_c=True, machine=True))]
    results += [vars(trial(seed, False, PRECISIONS[:1], machine=True)) for seed in others]
    _hold(request, results)


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.timeout(14400)
def test_two_hundred_random_machines_agree_or_are_flagged(request: pytest.FixtureRequest) -> None:
    """In float64 at 256 random rows each, none of them among the three; every fifth through compiled C."""
    results: list[dict[str, object]] = []
    index = 0
    while sum(each["outcome"] == "exported" for each in results) < MANY:
        compiled = index % COMPILED_EVERY == 0
        results.append(vars(trial(f"machines/{index}", compiled, PRECISIONS[:1], MACHINE_ROWS, machine=True)))
        index += 1
    _hold(request, results)


def _hold(request: pytest.FixtureRequest, results: list[dict[str, object]]) -> None:
    text = table(results)
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(text)  # noqa: T201 - refusals are told whatever the outcome
    assert not failed(results), text


def test_a_machine_with_everything_agrees(crane: Program) -> None:
    """Nothing is flagged, and accelerations and reactions are within 1e-10 of the largest of their row."""
    tally = compared(crane, expectations(CRANE, Random(0), MACHINE_ROWS))
    assert tally.disagreements == []
    assert tally.flagged == 0
    assert tally.forced > 20 * MACHINE_ROWS
    assert tally.furthest < NEAR


@pytest.mark.parametrize(
    ("of", "wrong"),
    [
        ('free = "0.45 m"', 'free = "0.4501 m"'),
        ('preload = "2 N"', 'preload = "2.001 N"'),
        ('"0.4 N*m*s/rad"', '"0.4001 N*m*s/rad"'),
        ('"1.5 N", "-6 N"', '"1.5 N", "-6.01 N"'),
        ('exponent = "2"', 'exponent = "1"'),
        ('dissipation = "0.4 s/m"', 'dissipation = "0.41 s/m"'),
        ('smoothing_speed = "0.1 m/s"', 'smoothing_speed = "0.101 m/s"'),
        ('axes = "rod"\n', ""),
        ("map(b, s.rate)", "map(a, s.rate)"),
        ('part = "force", axes = "child"', 'part = "force", axes = "parent"'),
        ('implicit = ["spring", ', "implicit = ["),
    ],
)
def test_what_is_wrong_of_a_force_is_found(crane: Program, of: str, wrong: str) -> None:
    """One entry of the exported file is not that of the reference's."""
    assert of in CRANE
    found = compared(crane, expectations(CRANE.replace(of, wrong), Random(0), ROWS)).disagreements
    only = {"dostep"} if "implicit" in of else {"dynamics", "dostep"}
    assert {each.function for each in found} == only


def test_a_rate_that_nothing_else_bounds_is_limited_where_a_force_reads_it() -> None:
    """Friction along a distance in space squares its rate, which from the ranges alone may be 1e166 m/s."""
    text = random_mechanism("200 machines/3", machine=True).text
    assert "friction" in text
    program = program_of_mechanism(parse_mechanism(text, "m"), "float64", only=["dynamics"])
    tally = compared(program, expectations(text, Random(3), 4)[:1])
    assert tally.disagreements == []
    assert tally.forced > 0


def test_a_machine_is_the_same_for_the_same_seed() -> None:
    """And has forces of its own beside what the mechanism of the seed is."""
    text = random_mechanism("few/0", machine=True).text
    assert text == random_mechanism("few/0", machine=True).text
    assert "[elements]" in text
