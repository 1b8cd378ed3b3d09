"""Two choices of three coordinates that share one: either describes the same pose and gives the same accelerations."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from exporter.functions.program import program_of_mechanism
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

ALTERNATIVE = ("theta1", "theta4", "theta")


def robot() -> Mechanism:
    """The parallel robot by its platform, with the first joints of two legs as alternative."""
    mechanism = read_mechanism(model_path("parallel_robot"))
    bounds = CoordinateRange(Fraction(-1000), Fraction(1000), Fraction(100))
    ranges = {**mechanism.ranges, "theta1": bounds, "theta4": bounds}
    return completed(replace(mechanism, ranges=ranges, alternative=ALTERNATIVE))


def stepped(step: OperationSequence, state: dict[str, float]) -> tuple[dict[str, float], dict[str, float], int]:
    """State, outputs and status."""
    result = interpret(step, np.array([[state.get(signal.name, 0.0) for signal in step.inputs]]))
    pairs = list(zip(step.outputs, result.outputs[0].tolist(), strict=True))
    after = {o.signal.name: value for o, value in pairs if o.signal.group is Group.STATE}
    return after, {o.signal.name: value for o, value in pairs if o.signal.group is Group.OUTPUT}, int(result.status[0])


def test_either_choice_gives_the_same_motion() -> None:
    """Accelerations of both against Lagrange multipliers, the second started from what the first puts out."""
    mechanism = robot()
    program = program_of_mechanism(mechanism, "float64")
    startup, step = (next(f for f in program.functions if f.name == name) for name in ("startup", "dostep"))
    start = interpret(startup, np.zeros((1, 0))).outputs[0].tolist()
    state = {o.signal.name: value for o, value in zip(startup.outputs, start, strict=True)}
    state |= {"x": state["x"] + 0.02, "x.rate": 0.3, "y.rate": -0.2, "theta.rate": 0.5}
    after, first, status = stepped(step, state)
    assert not status
    other = dict(after) | {"theta": state["theta"], "theta.rate": state["theta.rate"], "choice": 1.0}
    for name in ("theta1", "theta4"):
        other[name] = math.atan2(first[f"{name}.sin"], first[f"{name}.cos"])
        other[f"{name}.rate"] = first[f"{name}.rate"]
    _, second, status = stepped(step, other)
    assert not status
    for name in (*first.keys() - {"switch.ratio"},):
        assert math.isclose(first[name], second[name], rel_tol=1e-9, abs_tol=1e-9), name
    reference = reference_of(replace(mechanism, alternative=()))
    at = configuration(reference.positions(np.array([[state[n] for n in mechanism.independent]])))
    rates = reference.velocities(at, np.array([[state[f"{n}.rate"] for n in mechanism.independent]]))
    inputs = {entry.name: np.zeros(1) for entry in mechanism.inputs}
    wanted = reference.forward_dynamics(at, rates, inputs)[0]
    for name in ("x", "y", *ALTERNATIVE):
        found = second[f"{name}.acceleration"]
        assert math.isclose(found, wanted[reference.coordinates.index(name)], rel_tol=1e-9, abs_tol=1e-9), name
