"""What a command line changes in a mechanism before it is analysed: coordinates, pose, values, parameters, step.

In: a checked `Mechanism` and `Changes`, quantities still as text. Out: a checked `Mechanism` with its own hash, as if
the file had said so.
"""

from collections.abc import Collection, Mapping
from dataclasses import field, fields, replace
from fractions import Fraction
from typing import get_args, get_type_hints

from exporter.errors import ModelError
from exporter.model.complete import completed, with_independent, with_outputs, with_tunable, with_values
from exporter.model.exact_numbers import exact
from exporter.model.mechanism import CoordinateRange, Mechanism, SolverOptions, StepOptions
from exporter.model.nearest import list_words, nearest
from exporter.model.place import Place
from exporter.model.toml.values import quantity
from exporter.model.units import TIME, Dimension, parse_unit
from exporter.records import dataclass

METHODS = get_args(get_type_hints(StepOptions)["method"])
SOLVERS = get_args(get_type_hints(SolverOptions)["method"])
MOST_STEPS = 8  # of Newton's methods: more would wrap a previous angle twice
MOST_ITERATIONS = 100  # of Newton's methods with a tolerance, which wrap after every step
USUAL_ITERATIONS = 20
ALL = "all"  # instead of names of parameters or outputs


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs from the file; what is empty stays as it is."""

    independent: tuple[str, ...] = ()
    alternative: tuple[str, ...] = ()  # a second choice, to be switched to
    branch: tuple[str, ...] = ()  # names of roots or assemblies; `exporter.sources` moves the pose there
    pose: Mapping[str, str] = field(default_factory=dict)  # coordinate -> "45 deg"
    values: Mapping[str, str] = field(default_factory=dict)  # parameter -> "0.3 m"
    tunable: tuple[str, ...] = ()  # made tunable; ("all",) for every one
    frozen: tuple[str, ...] = ()  # made frozen; ("all",) for every one
    step_method: str = ""
    period: str = ""  # "2 ms"
    method: str = ""  # "newton"
    steps: int = 0  # of Newton's methods, fixed
    tolerance: str = ""  # "1e-9": Newton's methods end at this residual
    max_steps: int = 0  # with a tolerance
    outputs: tuple[str, ...] = ()  # names or patterns of what functions give; ("all",) for every one

    def __bool__(self) -> bool:
        return any(getattr(self, each.name) for each in fields(self))


def apply_changes(mechanism: Mechanism, changes: Changes) -> Mechanism:
    """The mechanism as if its file had said so.

    Raises:
        ModelError: a name that is not known, text that is no quantity of the right kind, or whatever the change breaks.
    """
    if changes.values:
        mechanism = with_values(mechanism, _values(mechanism, changes.values))
    if changes.independent or changes.pose:
        pose = coordinate_values(mechanism, "pose", changes.pose)
        mechanism = with_independent(mechanism, changes.independent or mechanism.independent, pose)
    if changes.alternative:
        mechanism = completed(replace(mechanism, alternative=changes.alternative))
    if changes.tunable or changes.frozen:
        mechanism = with_tunable(mechanism, _tunable(mechanism, changes))
    if changes.step_method or changes.period:
        mechanism = _apply_step(mechanism, changes)
    if changes.method or changes.steps or changes.tolerance or changes.max_steps:
        mechanism = _apply_method(mechanism, changes)
    if changes.outputs:
        mechanism = with_outputs(mechanism, () if changes.outputs == (ALL,) else changes.outputs)
    return mechanism


def coordinate_values(
    mechanism: Mechanism, option: str, texts: Mapping[str, str], allowed: Collection[str] = ()
) -> dict[str, Fraction]:
    """Coordinates in rad or m from an option's texts; of the `allowed` ones only, where some are named.

    Raises:
        ModelError: another name, or text that is no angle or length.
    """
    known = mechanism.dimensions()
    for name in texts:
        if allowed and name in known and name not in allowed:
            raise ModelError(
                f'--{option}: "{name}" is not independent and follows from {list_words(allowed)}; give those'
            )
    return _quantities(option, texts, known)


def _values(mechanism: Mechanism, texts: Mapping[str, str]) -> dict[str, Fraction]:
    known = {parameter.name: parse_unit(parameter.unit).dimension for parameter in mechanism.parameters}
    return _quantities("set", texts, known, "parameter")


def _quantities(
    option: str, texts: Mapping[str, str], known: Mapping[str, Dimension], what: str = "coordinate"
) -> dict[str, Fraction]:
    for name in texts:
        if name not in known:
            raise ModelError(
                f'--{option}: "{name}" is not a {what}{nearest(name, known)}; known are {list_words(known)}'
            )
    return {name: quantity(Place(key=f"--{option} {name}"), text, known[name]) for name, text in texts.items()}


def _tunable(mechanism: Mechanism, changes: Changes) -> set[str]:
    everything = tuple(parameter.name for parameter in mechanism.parameters)
    tunable = everything if changes.tunable == (ALL,) else changes.tunable
    frozen = everything if changes.frozen == (ALL,) else changes.frozen
    both = [name for name in tunable if name in frozen]
    if both:
        raise ModelError(f'"{both[0]}" cannot be both tunable and frozen; name it once')
    for name in frozen:
        if name not in everything:
            raise ModelError(
                f'"{name}" is not a parameter{nearest(name, everything)}; known are {list_words(everything)}'
            )
    return {*mechanism.tunable_names(), *tunable} - set(frozen)


def _apply_step(mechanism: Mechanism, changes: Changes) -> Mechanism:
    """With another step. Bounds of accelerations that follow from the period follow the new one."""
    step, period = mechanism.step, mechanism.step.period
    if changes.step_method:
        method = next((each for each in METHODS if each == changes.step_method), None)
        if method is None:
            raise ModelError(f'--step-method: "{changes.step_method}" is none of {list_words(METHODS)}')
        step = replace(step, method=method)
    if changes.period:
        step = replace(step, period=quantity(Place(key="--period"), changes.period, TIME))
    ranges = {name: _without_default(bounds, period) for name, bounds in mechanism.ranges.items()}
    return completed(replace(mechanism, step=step, ranges=ranges))


def _apply_method(mechanism: Mechanism, changes: Changes) -> Mechanism:
    """With another method for the positions."""
    wanted = changes.method or mechanism.solver.method
    method = next((each for each in SOLVERS if each == wanted), None)
    if method is None:
        raise ModelError(f'--method: "{wanted}"{nearest(wanted, SOLVERS)} is none of {list_words(SOLVERS)}')
    given = {"--steps": changes.steps, "--tolerance": changes.tolerance, "--max-steps": changes.max_steps}
    for option in (option for option, value in given.items() if value and not method.startswith("newton")):
        raise ModelError(f"{option}: {method} takes no steps; it is for newton and newton-per-loop")
    if changes.steps and not 1 <= changes.steps <= MOST_STEPS:
        raise ModelError(f"--steps: {changes.steps} steps are asked for; give 1 to {MOST_STEPS}")
    solver = SolverOptions(method, changes.steps) if changes.steps else SolverOptions(method)
    if changes.tolerance or changes.max_steps:
        solver = _with_tolerance(solver, changes)
    return completed(replace(mechanism, solver=solver))


def _with_tolerance(solver: SolverOptions, changes: Changes) -> SolverOptions:
    """Steps until the residual is small, which is outside the fixed-time contract."""
    if changes.steps:
        raise ModelError("--steps fixes the number of steps and --tolerance does not; give one of them")
    if not changes.tolerance:
        raise ModelError("--max-steps: it bounds the steps to a --tolerance; give that too, or --steps alone")
    tolerance = exact(changes.tolerance, "--tolerance")
    if not 0 < tolerance < 1:
        raise ModelError(f"--tolerance: {changes.tolerance} is asked for; give a residual between 0 and 1, as 1e-9")
    most = changes.max_steps or USUAL_ITERATIONS
    if not 1 <= most <= MOST_ITERATIONS:
        raise ModelError(f"--max-steps: {most} steps are asked for; give 1 to {MOST_ITERATIONS}")
    return replace(solver, steps=most, tolerance=tolerance)


def _without_default(bounds: CoordinateRange, period: Fraction) -> CoordinateRange:
    if bounds.rate is None or bounds.acceleration != bounds.rate / period:
        return bounds
    return replace(bounds, acceleration=None)
