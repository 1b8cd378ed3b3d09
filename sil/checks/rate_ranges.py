"""Rates that a step leaves: without a flag they are within their ranges, and STEP_TOO_LARGE is set nowhere else.

That is what docs/c-interface.md promises of STEP_TOO_LARGE. A displacement, or an angle that does not turn on and on,
may leave its range without a flag: the next step rejects it. Of two choices of coordinates those count that go on.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from exporter.manifest import Field
from sil.check_names import Check
from sil.checks.condition_scaling import Judgement
from sil.checks.mechanism_case import Case, case_of
from sil.checks.stepping import state_scale
from sil.domain import domain_of
from sil.evidence import warnings_in, words_of
from sil.reference.implicit_step import integrate_state
from sil.reference.rotations import Array
from sil.switching import CHOICE_INPUT, idle_entries, switches

FLAG = "STEP_TOO_LARGE"
OTHER_STATUS = np.uint32(0xFFFFFFFF)


def check_rate_ranges(case: Case) -> Judgement:
    """Written rates without a flag, as they are: the next step accepts them."""
    bounded = _bounded_rates(case)
    if not bounded or case.rates is None:
        return [], []
    evidence, columns = case.evidence, np.array([number for _, number in bounded])
    domain = domain_of(tuple(field for field, _ in bounded), evidence.export.manifest.real)
    written = evidence.ran.outputs[case.unflagged]
    inside = domain.accepts(written[:, columns]) | _idle_mask(case, [field.name for field, _ in bounded])
    detail = "rates one period later stay within their ranges, vectors unflagged"
    outside = np.asarray(~inside.all(axis=1), dtype=np.float64)
    return [evidence.verdict(Check.RATE_RANGE, outside, case.unflagged, 0, "1", detail)], []


def check_step_flags(case: Case) -> Judgement:
    """Vectors with good arguments and STEP_TOO_LARGE alone, although no rate of the step leaves its range."""
    evidence, mechanism = case.evidence, case.reference.skeleton.mechanism
    writes = all(name in case.state.rate for name in mechanism.independent) and case.rates is not None
    iterates = "newton" in mechanism.solver.method  # whose own steps set the same flag
    if not writes or iterates or switches(evidence.function) or FLAG not in evidence.function.conditions:
        return [], []
    good = evidence.domain.holds(evidence.vectors.rows)
    wrong, rows = np.zeros(len(good)), case.unflagged[good[case.unflagged]]
    flagged = _case_of_rows(case, good & _alone_mask(case))
    if flagged is not None and len(flagged.rows):
        wrong[flagged.rows] = _stays_within(flagged)
        rows = np.union1d(rows, flagged.rows)
    detail = f"{FLAG} where no rate of a step by {mechanism.step.method} leaves its range, by more than rounding"
    return [evidence.verdict(Check.STEP_FLAGS, wrong[rows], rows, 0, "1", detail)], []


def _bounded_rates(case: Case) -> list[tuple[Field, int]]:
    """Rates of the state that is written, where they have a range."""
    fields = case.evidence.function.row_outputs
    return [(fields[n], n) for n in sorted(case.state.rate.values()) if fields[n].maximum is not None]


def _idle_mask(case: Case, names: list[str]) -> NDArray[np.bool_]:
    """Entries of the state that the choice which goes on does not read, (unflagged rows, names)."""
    evidence = case.evidence
    if not switches(evidence.function):
        return np.zeros((len(case.unflagged), len(names)), dtype=np.bool_)
    column = [field.name for field in evidence.function.row_outputs].index(CHOICE_INPUT)
    second = evidence.ran.outputs[case.unflagged, column] > 0.5
    return idle_entries(evidence.export.manifest.model, names, second)


def _alone_mask(case: Case) -> NDArray[np.bool_]:
    """Where nothing but STEP_TOO_LARGE is set, and perhaps a warning."""
    manifest = case.evidence.export.manifest
    words = words_of(case.evidence.ran) & ~warnings_in(manifest)
    return np.asarray(words == np.uint32(1 << manifest.status[FLAG]))


def _case_of_rows(case: Case, chosen: NDArray[np.bool_]) -> Case | None:
    """A case whose judged vectors are the chosen ones, flagged as they are; None where none is chosen."""
    if not chosen.any():
        return None
    status = np.where(chosen, np.uint32(0), OTHER_STATUS)
    return case_of(replace(case.evidence, ran=replace(case.evidence.ran, status=status)), case.reference)


def _stays_within(case: Case) -> NDArray[np.bool_]:
    """Where the reference's rates, those of stages too, stay inside their ranges by more than a step's rounding."""
    skeleton = case.reference.skeleton
    names = skeleton.mechanism.independent
    fields = case.evidence.function.row_outputs
    bound = np.array([fields[case.state.rate[name]].maximum or np.inf for name in names])
    q, v = case.independent(case.inputs.value, case.rows), case.independent(case.inputs.rate, case.rows)
    condition = np.where(case.regular, 1.0, np.maximum(case.conditions, 1.0) ** 2)[:, None]
    room = case.evidence.limits.relative * condition * state_scale(case, v) * skeleton.units[list(skeleton.independent)]
    with np.errstate(invalid="ignore"):  # a stage may leave the reach of the reference, and leaves nothing to say then
        return np.asarray(np.all([np.abs(rates) <= bound - room for rates in _stage_rates(case, q, v)], axis=(0, 2)))


def _stage_rates(case: Case, q: Array, v: Array) -> list[Array]:
    """All rates that a step goes through but those that were given, (rows, f) each."""
    step, inputs, found = case.reference.skeleton.mechanism.step, case.model_inputs(), []
    implicit, period = step.method == "linearly_implicit", float(step.period)

    def derivative(positions: Array, rates: Array) -> Array:
        found.append(rates)
        if implicit:  # the first stage moves the coordinates by a rate of its own
            found.append((positions - q) / period)
        return case.reference.state_derivative(positions, rates, inputs)

    _, last = integrate_state(case.reference, q, v, inputs, derivative)
    return [*found[1:], last]
