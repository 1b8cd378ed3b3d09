"""A four-bar of rockers runs through the poses where either of its choices of coordinates is singular.

Oracle: the augmented equations of motion in tree coordinates with Lagrange multipliers, which know no choice at all.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from exporter.functions.program import program_of_mechanism
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Precision
from exporter.sequence.program import Program
from exporter.sequence.status import BITS
from sil.reference import dynamics
from sil.reference.mechanism import Reference, reference_of
from sil.reference.motion import configuration
from tests.tools.energy import kinetic_energy, potential_energy

SPEED = 4.0  # rad/s of alpha1 at the start, enough to go all the way round
Array = np.ndarray


def mechanism_with(method: str, period: str) -> Mechanism:
    mechanism = read_mechanism(model_path("rocker_four_bar"))
    return completed(replace(mechanism, step=replace(mechanism.step, method=method, period=Fraction(period))))


@cache
def program(precision: Precision = "float64", method: str = "semi_implicit_euler", period: str = "1/500") -> Program:
    return program_of_mechanism(mechanism_with(method, period), precision)


def function(made: Program, name: str) -> OperationSequence:
    return next(each for each in made.functions if each.name == name)


def design_state(made: Program) -> dict[str, float]:
    startup = function(made, "startup")
    values = interpret(startup, np.zeros((1, 0))).outputs[0]
    return {output.signal.name: float(value) for output, value in zip(startup.outputs, values, strict=True)}


class Run:
    """Steps of an export from a state."""

    def __init__(self, made: Program, state: dict[str, float]) -> None:
        self.step = function(made, "dostep")
        self.names = [signal.name for signal in self.step.inputs]
        self.state = dict(state)
        self.outputs: list[dict[str, float]] = []
        self.states: list[dict[str, float]] = [dict(state)]
        self.status: list[int] = []

    def go(self, steps: int) -> "Run":
        """Take steps."""
        for _ in range(steps):
            row = np.array([[self.state.get(name, 0.0) for name in self.names]])
            result = interpret(self.step, row)
            pairs = list(zip(self.step.outputs, result.outputs[0].astype(float), strict=True))
            self.state = {o.signal.name: v for o, v in pairs if o.signal.group is Group.STATE}
            self.outputs.append({o.signal.name: v for o, v in pairs if o.signal.group is Group.OUTPUT})
            self.states.append(dict(self.state))
            self.status.append(int(result.status[0]))
        return self

    def coordinates(self, mechanism: Mechanism) -> tuple[Array, Array]:
        """All angles and rates that were put out, (steps, 3)."""
        names = mechanism.coordinates()
        q = [[math.atan2(o[f"{n}.sin"], o[f"{n}.cos"]) for n in names] for o in self.outputs]
        return np.array(q), np.array([[o[f"{n}.rate"] for n in names] for o in self.outputs])

    @property
    def choices(self) -> list[int]:
        """The active choice of every state."""
        return [int(state["choice"]) for state in self.states]


def wanted(reference: Reference, q: Array, v: Array, steps: int, h: float) -> tuple[Array, Array]:
    """Runge-Kutta steps in tree coordinates; after each, Newton on the closures and their rates, the shortest way."""
    closures = reference.assembly.closures

    def slope(q: Array, v: Array) -> Array:
        return with_multipliers(reference, q, v)

    for _ in range(steps):
        a1 = slope(q, v)
        a2 = slope(q + h / 2 * v, v + h / 2 * a1)
        a3 = slope(q + h / 2 * (v + h / 2 * a1), v + h / 2 * a2)
        a4 = slope(q + h * (v + h / 2 * a2), v + h * a3)
        q = q + h * v + h * h / 6 * (a1 + a2 + a3)
        v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        for _ in range(3):
            residual, jacobian = closures.residual_and_jacobian(configuration(q[None]))
            q = q - np.linalg.pinv(jacobian[0], rcond=1e-9) @ residual[0]
        jacobian = closures.residual_and_jacobian(configuration(q[None]))[1][0]
        v = v - np.linalg.pinv(jacobian, rcond=1e-9) @ (jacobian @ v)
    return q, v


def with_multipliers(reference: Reference, q: Array, v: Array) -> Array:
    """Accelerations of all coordinates by the whole augmented system, which no choice makes singular."""
    closures, rows = reference.assembly.closures, list(reference.assembly.design.rows)
    at, rates, count = configuration(q[None]), v[None], len(q)
    mass, bias = dynamics.mass_and_bias(reference.skeleton, at, rates)
    wrench = dynamics.applied_forces(reference.skeleton, at, rates, {"tau": np.zeros(1)})
    jacobian = closures.residual_and_jacobian(at)[1][0, rows]
    system = np.block([[mass[0], jacobian.T], [jacobian, np.zeros((len(rows), len(rows)))]])
    side = np.concatenate([(wrench.gravity + wrench.loads - bias)[0], -closures.bias(at, rates)[0, rows]])
    return np.asarray(np.linalg.solve(system, side)[:count])


def energy(reference: Reference, q: Array, v: Array) -> Array:
    skeleton, at = reference.skeleton, configuration(q)
    return kinetic_energy(skeleton, at, v) + potential_energy(skeleton, at)


@pytest.mark.parametrize(("per_second", "tolerance"), [(125, 1e-3), pytest.param(1000, 1e-6, marks=pytest.mark.slow)])
def test_all_the_way_round_like_tree_coordinates_with_multipliers(per_second: int, tolerance: float) -> None:
    """1.5 s through folds of both angles: the end agrees and the energy stays, the better the shorter the steps."""
    method, period, steps = "rk4", f"1/{per_second}", 3 * per_second // 2
    mechanism, made = mechanism_with(method, period), program("float64", method, period)
    run = Run(made, design_state(made) | {"alpha1.rate": SPEED}).go(steps)
    assert not any(run.status)
    q, v = run.coordinates(mechanism)
    assert len(np.flatnonzero(np.diff(np.sign(v[:, 0])))) >= 1, "alpha1 reverses"
    assert len(np.flatnonzero(np.diff(np.sign(v[:, 2])))) >= 1, "alpha3 reverses"
    assert sum(a != b for a, b in zip(run.choices, run.choices[1:], strict=False)) >= 2
    reference = reference_of(mechanism)
    end_q, end_v = wanted(reference, q[0], v[0], steps - 1, 1 / per_second)
    assert np.abs(np.remainder(end_q - q[-1] + np.pi, 2 * np.pi) - np.pi).max() < tolerance
    np.testing.assert_allclose(v[-1], end_v, rtol=tolerance, atol=tolerance)
    found = energy(reference, q, v)
    assert np.ptp(found) < tolerance * np.ptp(potential_energy(reference.skeleton, configuration(q)))


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_the_choice_that_is_active_is_never_near_its_singular_pose(precision: Precision) -> None:
    """The choice follows the ratio of the rates with hysteresis; roots flip while the other choice is active."""
    run = Run(program(precision), design_state(program(precision)) | {"alpha1.rate": SPEED}).go(750)
    for before, after, out in zip(run.states, run.states[1:], run.outputs, strict=False):
        ratio = out["switch.ratio"]
        assert (after["choice"] != before["choice"]) == (ratio > 2.0)
        if before["choice"] == 0:
            assert after["branch.L1"] == before["branch.L1"]
        else:
            assert after["alternative.branch.L1"] == before["alternative.branch.L1"]
    assert {state["branch.L1"] for state in run.states} == {1.0, -1.0}
    assert {state["alternative.branch.L1"] for state in run.states} == {1.0, -1.0}


def test_a_state_is_all_that_a_step_needs() -> None:
    """Restart: from any state of a run, with what does not count overwritten, the run goes on bit for bit."""
    made = program()
    run = Run(made, design_state(made) | {"alpha1.rate": SPEED}).go(500)
    for number in (100, 250, 400):
        state = dict(run.states[number])
        spins = "alpha1" if state["choice"] else "alpha3"
        state |= {spins: math.nan, f"{spins}.rate": 1e30}
        again = Run(made, state).go(20)
        assert not any(again.status)
        counted = "alpha3" if again.states[-1]["choice"] else "alpha1"
        assert again.states[-1][counted] == run.states[number + 20][counted]
        assert again.outputs[-1] == run.outputs[number + 19]


def test_one_choice_alone_stops_at_its_fold() -> None:
    """Without the alternative the step is flagged and does not get round: alpha1 cannot reverse by itself."""
    alone = completed(replace(mechanism_with("rk4", "1/250"), alternative=()))
    made = program_of_mechanism(alone, "float64")
    run = Run(made, {"alpha1": float(alone.pose["alpha1"]), "alpha1.rate": SPEED})
    run.go(250)
    assert any(status & (1 << BITS["OUT_OF_WORKSPACE"][0] | 1 << BITS["NEAR_SINGULAR"][0]) for status in run.status)


def test_bad_entries_are_rejected_where_they_count() -> None:
    """ARG_REJECTED for the active coordinate, the choice, a root; never for what is ignored."""
    made = program()
    good = design_state(made)
    flag = 1 << BITS["ARG_REJECTED"][0]
    for name, bad in (("alpha1", math.nan), ("alpha1.rate", 1e9), ("choice", math.inf), ("branch.L1", 3.0)):
        assert Run(made, good | {name: bad}).go(1).status[0] & flag, name
    for name in ("alpha3", "alpha3.rate"):
        assert not Run(made, good | {name: math.nan}).go(1).status[0], name
