"""Holds a function against the reference: which checks are made of it, and with which reference.

In: the evidence of a function at one set of parameters, and the reference there. Out: verdicts and series.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from exporter.manifest import Function, Manifest
from sil.check_names import Check
from sil.checks.angles import check_angles
from sil.checks.attitudes import check_attitudes
from sil.checks.closure import check_closure
from sil.checks.composed import check_composed
from sil.checks.condition_scaling import Judgement
from sil.checks.continuity import check_continuity
from sil.checks.coordinates import check_coordinates
from sil.checks.differences import check_differences
from sil.checks.distances import check_distances
from sil.checks.flags import check_false_alarms
from sil.checks.mechanism_case import Case, case_of
from sil.checks.missed_flags import check_missed_flags
from sil.checks.motion import check_dynamics, check_power
from sil.checks.not_given import checks_not_given
from sil.checks.points import check_points
from sil.checks.rate_ranges import check_rate_ranges, check_step_flags
from sil.checks.rates import check_accelerations, check_rates
from sil.checks.reactions import check_reactions
from sil.checks.stepping import check_start, check_state_range, check_step
from sil.checks.switching import StepJudgement, check_roots, check_rule, check_switched_step
from sil.checks.symbolic import check_symbolic
from sil.checks.symbolic_steps import check_symbolic_steps
from sil.composed import ComposedReference
from sil.evidence import Evidence, Series
from sil.figures import count_text
from sil.reference.mechanism import Reference
from sil.reference.symbolic import SymbolicReference
from sil.setting import Setting
from sil.shares import in_parts, part
from sil.switching import Group, References, driven_by_alternative, groups_of, switches
from sil.verdict import Verdict, not_judged

KEPT = ("told_conditions", "drift", "forced", "forced_sizes", "judged_sizes")
"""What a case has found that the next one may know."""

SOLVED = 0.3
"""Which share of the work is about done where the reference's poses are solved."""

CHECKS: tuple[Callable[[Case], Judgement], ...] = (
    check_closure,
    check_coordinates,
    check_rates,
    check_accelerations,
    check_points,
    check_angles,
    check_distances,
    check_attitudes,
    check_continuity,
    check_dynamics,
    check_power,
    check_reactions,
    check_step,
    check_state_range,
    check_rate_ranges,
    check_step_flags,
    check_false_alarms,
    check_missed_flags,
)


@np.errstate(invalid="ignore")  # of inputs that are not finite and were not flagged: NaN fails the checks
def check_against_reference(evidence: Evidence, setting: Setting) -> Judgement:
    """Every check that applies to the function."""
    reference = setting.reference
    if isinstance(reference, SymbolicReference):
        return _joined(check_symbolic(evidence, reference), check_symbolic_steps(evidence, reference))
    if reference is None:
        return [], []
    if isinstance(reference, ComposedReference):
        return check_composed(evidence, reference, _against_mechanism)
    if switches(evidence.function):
        return _against_groups(evidence, setting.references)
    if driven_by_alternative(evidence.function, reference):
        reference = setting.alternative
    return _against_mechanism(evidence, reference, setting.cases)


def _against_mechanism(evidence: Evidence, reference: Reference, cases: list[Case] | None = None) -> Judgement:
    """Every check of a mechanism that applies; `cases` has the last case, and this one afterwards."""
    verdicts: list[Verdict] = check_start(evidence, reference)
    series: list[Series] = []
    with part("solving the reference", 0.0, SOLVED):
        case = case_of(evidence, reference, *(cases or ()))
    if case is not None:
        sources = _sources(evidence.export.manifest, reference)
        found = _checked(case, (*CHECKS, partial(check_differences, positions=sources[0], velocities=sources[1])))
        verdicts += [verdict for some, _ in found for verdict in some]
        series += [entry for _, some in found for entry in some]
        verdicts += checks_not_given(case, verdicts)
        verdicts = _with_reach(verdicts, case.beyond)
        _keep_case(case, cases)
    return verdicts, series


def _checked(case: Case, checks: Sequence[Callable[[Case], Judgement]]) -> list[Judgement]:
    """What every check finds, each told by its name."""
    return in_parts(checks, _words, lambda check: check(case), SOLVED)


def _words(check: Callable[[Case], Judgement]) -> str:
    """Say that a function such as `check_rates` is at work: "checking rates"."""
    named = check.func if isinstance(check, partial) else check
    return getattr(named, "__name__", "checking").replace("check_", "checking ").replace("_", " ")


def _keep_case(case: Case, cases: list[Case] | None) -> None:
    """Keep a case for the next function, which may have the same vectors, with what was found there."""
    if cases is None:
        case.at.kept.clear()
        return
    cases[:] = [replace(case, before=None)]
    vars(cases[0]).update({name: vars(case)[name] for name in KEPT if name in vars(case)})


def _joined(*judgements: Judgement) -> Judgement:
    """Everything that several checks found."""
    return [each for verdicts, _ in judgements for each in verdicts], [each for _, some in judgements for each in some]


def _with_reach(verdicts: list[Verdict], beyond: int) -> list[Verdict]:
    """Verdicts that know how many vectors the reference does not reach."""
    return [replace(verdict, beyond=beyond) for verdict in verdicts]


def _against_groups(evidence: Evidence, references: References) -> Judgement:
    """A function of two choices of coordinates: every group of vectors against its own reference."""
    verdicts: list[Verdict] = []
    series: list[Series] = []
    judged = np.zeros(len(evidence.vectors.rows), dtype=np.bool_)
    beyond = 0
    groups = groups_of(evidence, references)
    found_of = in_parts(groups, lambda group: group.name, lambda group: _against_group(group, references))
    for group, some in zip(groups, found_of, strict=True):
        if some is None:
            continue
        more, found = some
        judged |= group.mask
        beyond += more
        verdicts += [replace(each, check=f"{each.check}, {group.name}") for some, _ in found for each in some]
        series += [replace(each, check=f"{each.check}, {group.name}") for _, some in found for each in some]
    return _with_reach([*verdicts, *_beyond_groups(evidence, judged)], beyond), series


def _against_group(group: Group, references: References) -> tuple[int, list[Judgement]] | None:
    """How many vectors the group's reference does not reach, and what the checks find; None where it solves none."""
    with part("solving the reference", 0.0, SOLVED):
        case = case_of(group.evidence, group.reference)
    if case is None:
        return None
    step = StepJudgement(group, case, references)
    found = _checked(case, [check for check in CHECKS if check is not check_step])
    found += [check_switched_step(step), check_rule(step), check_roots(step)]
    return case.beyond, [*found, (checks_not_given(case, [each for some, _ in found for each in some]), [])]


def _beyond_groups(evidence: Evidence, judged: NDArray[np.bool_]) -> list[Verdict]:
    """What is said of vectors without a flag that belong to no group."""
    left = np.setdiff1d(evidence.unflagged, np.flatnonzero(judged))
    if not judged.any():
        return [evidence.verdict(Check.REFERENCE, np.empty(0), left[:0], 0, "1", "no group of vectors has a reference")]
    if not len(left):
        return []
    reason = f"the reference cannot tell the branch of {count_text(len(left), 'vector')} from the orientation alone"
    return [not_judged(f"{Check.REFERENCE}, other roots", evidence.function.name, reason)]


def _sources(manifest: Manifest, reference: Reference) -> tuple[Function | None, Function | None]:
    """The functions that give positions, and velocities, of nothing but the independent motion."""
    independent = reference.skeleton.mechanism.independent
    place, motion = set(independent), {*independent, *(f"{name}.rate" for name in independent)}
    positions = velocities = None
    for function in manifest.functions:
        given = {field.name for field in function.row_inputs}
        made = {field.name for field in function.row_outputs}
        if given == place:
            positions = positions or function
        if given == motion and any(name.endswith(".rate") for name in made - given):
            velocities = velocities or function
    return positions, velocities
