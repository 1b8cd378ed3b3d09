"""How well a step keeps the energy of a mechanism that loses none: springs alone, or no load at all, for ten seconds.

In: a mechanism with masses. Dampers, friction, stops, loads, preloads and gravity are taken out; its exported `dostep`
runs on this computer from the design pose, set in motion. Out: the largest change of kinetic and potential energy,
relative to the largest kinetic energy, and the fastest eigenvalue times the period. Energies come from the reference's
own bodies.

    .venv/bin/python benchmarks/energy_drift.py slider_crank corner_front
"""

import sys
import tempfile
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from exporter.dynamics.linearised import linearised
from exporter.dynamics.stable_steps import fastest_eigenvalue
from exporter.errors import ModelError
from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.model.canonical import canonical
from exporter.model.complete import completed, with_tunable
from exporter.model.evaluate import names
from exporter.model.expression import ZERO
from exporter.model.library import model_path
from exporter.model.mechanism import Element, Mechanism, StepOptions
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.operations import Precision
from sil.reference.expressions import evaluate
from sil.reference.loads import lines_of
from sil.reference.mechanism import Reference, reference_of
from sil.reference.motion import configuration
from targets.python.host import HostLibrary, build_host

sys.path.append(str(Path(__file__).resolve().parent.parent))
from tests.tools.energy import kinetic_energy, potential_energy

SECONDS = 10
SAMPLES = 200  # at which the energy is computed
CONSERVATIVE = ("stiffness", "free")
FASTEST_TURN = 8.0  # rad/s, of an independent angle at the start, times the share of the bound
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Drift:
    """Change of energy over the largest kinetic energy, and how fast the mechanism is for the period."""

    relative: float
    fastest: float  # eigenvalue times the period
    speed: float  # of the independent coordinates at the start, over the bounds of their rates


def conservative(mechanism: Mechanism, period: Fraction, method: str = "rk4") -> Mechanism:
    """Springs alone, without preload, each about a fixed point, and no gravity."""
    springs = tuple(
        Element(each.name, each.type, each.along, {k: v for k, v in each.values.items() if k in CONSERVATIVE})
        for each in mechanism.elements
        if each.type == "spring" and "stiffness" in each.values
    )
    held = {name for spring in springs for formula in spring.values.values() for name in names(formula)}
    inputs = tuple(given for given in mechanism.inputs if given.name in held)
    frozen = with_tunable(mechanism, ())
    return completed(
        replace(
            frozen, elements=springs, loads=(), inputs=inputs, gravity=(ZERO, ZERO, ZERO), outputs={}, angles={},
            step=StepOptions(method, period),  # type: ignore[arg-type]
        )
    )  # fmt: skip


def drift(mechanism: Mechanism, precision: Precision, period: Fraction, method: str = "rk4") -> Drift:
    """Drift of a mechanism in ten seconds at this period; it starts as fast as its ranges allow."""
    made = conservative(mechanism, period, method)
    solved = solved_mechanism(made)
    design = np.array([[float(made.pose[name]) for name in made.independent]])
    fastest = fastest_eigenvalue(linearised(solved, design).whole)
    with tempfile.TemporaryDirectory() as folder:
        program = program_of_mechanism(made, precision, only=["dostep"])
        library = build_host(write_export(program, Path(folder) / "export", canonical(made)), Path(folder) / "host")
        speed = 0.25
        while speed > 1e-6:
            states = _states(library, made, speed, round(SECONDS / period))
            if states is not None:
                return Drift(_change(reference_of(made), made, states), fastest * float(period), speed)
            speed /= 2
    raise ModelError(f"{mechanism.name} leaves its ranges within {SECONDS} s however slowly it starts")


def _states(library: HostLibrary, mechanism: Mechanism, speed: float, count: int) -> Array | None:
    """States at some times, (samples, 2 f); None where a step sets a flag."""
    chosen = mechanism.independent
    rates = [speed * _start_rate(mechanism, name) for name in chosen]
    state = np.array([[*(float(mechanism.pose[name]) for name in chosen), *rates]])
    inputs = np.array([[float(given.nominal) for given in mechanism.inputs]])
    kept, every = [state[0]], max(1, count // SAMPLES)
    for number in range(count):
        result = library.call("dostep", np.hstack([state, inputs]))
        if result.status[0]:
            return None
        state = np.asarray(result.outputs[:, : 2 * len(chosen)], dtype=np.float64)
        if number % every == every - 1:
            kept.append(state[0])
    return np.array(kept)


def _start_rate(mechanism: Mechanism, name: str) -> float:
    """The bound of a rate; of an angle no more than FASTEST_TURN."""
    bound = float(mechanism.ranges[name].rate or 1)
    return bound if mechanism.is_displacement(name) else min(bound, FASTEST_TURN)


def _change(reference: Reference, mechanism: Mechanism, states: Array) -> float:
    """Largest change of the energy over the largest kinetic energy."""
    count = states.shape[1] // 2
    at = configuration(reference.positions(states[:, :count]))
    rates = reference.velocities(at, states[:, count:])
    skeleton = reference.skeleton
    kinetic = kinetic_energy(skeleton, at, rates)
    total = kinetic + potential_energy(skeleton, at)
    lines = lines_of(skeleton, at, rates)
    for spring in mechanism.elements:
        total = total + _stored(spring, lines[spring.along].value, skeleton.values, mechanism)
    return float(np.abs(total - total[0]).max() / kinetic.max())


def _stored(spring: Element, x: Array, values: object, mechanism: Mechanism) -> Array:
    """Energy in a spring with F = -stiffness (x - free): stiffness (x - free)^2 / 2."""
    known = {**values, **{given.name: np.asarray(float(given.nominal)) for given in mechanism.inputs}}  # type: ignore[dict-item]
    stiffness, free = (evaluate(spring.values.get(key, ZERO), known) for key in CONSERVATIVE)
    return np.asarray(stiffness * (x - free) ** 2 / 2)


def drift_facts(model: Mechanism) -> tuple[Drift, Drift, Drift]:
    """Drift in double at a millisecond (or the file's shorter period) and at half of it, and in float32."""
    period = min(model.step.period, Fraction(1, 1000))
    return drift(model, "float64", period), drift(model, "float64", period / 2), drift(model, "float32", period)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        whole, half, coarse = drift_facts(read_mechanism(model_path(name)))
        print(f"{name}: eigenvalue times period {whole.fastest:.2g}, start at {whole.speed:g} of the bounds of rates")
        print(f"    float64 {whole.relative:.1e}, half the period {half.relative:.1e}, float32 {coarse.relative:.1e}")
