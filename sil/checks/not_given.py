"""Checks that read outputs which the model does not choose: each is told, so that none seems to have passed.

In: a case, and the verdicts on what the function gives. Out: a verdict "not judged" for every check that had compared
something if all outputs were there, and compared nothing.
"""

from collections.abc import Collection, Iterator, Sequence

from exporter.functions.chosen_outputs import quantity_of
from exporter.model.mechanism import Mechanism
from sil.check_names import Check, name_of
from sil.checks.attitudes import SUFFIX
from sil.checks.mechanism_case import Case
from sil.checks.switching import RATIO_SIGNAL
from sil.signals import state_width
from sil.verdict import Verdict, not_judged

OWN_NUMBERS = "margins, pivots and residuals are numbers of the export's own method, and the reference has none"


def checks_not_given(case: Case, found: Sequence[Verdict]) -> list[Verdict]:
    """What the verdicts say nothing about for want of outputs; nothing where the model chooses none."""
    chosen = case.reference.skeleton.mechanism.chosen_outputs
    if not chosen:
        return []
    function, made = case.evidence.function, {name_of(verdict.check) for verdict in found}
    reason = f"what it reads is not among the outputs, which are chosen by {', '.join(chosen)}"
    missing = [each for each in dict.fromkeys(_wanted(case)) if each not in made]
    told = [not_judged(check, function.name, reason) for check in missing]
    return [*told, not_judged(Check.REFERENCE, function.name, OWN_NUMBERS)] if _gives_own_numbers(case) else told


def _gives_own_numbers(case: Case) -> bool:
    """Whether all that the function gives beside the state are numbers of its method."""
    width = state_width(case.evidence.export.manifest, case.evidence.function)
    roles = [field.role for field in case.evidence.function.row_outputs[width:]]
    return bool(roles) and "value" not in roles


def _wanted(case: Case) -> Iterator[Check]:
    """The checks that read an output which is left out."""
    left, dependent = case.left_out, _dependent(case)
    if dependent & {*left.value, *left.sine, *left.cosine}:
        yield from (Check.CLOSURE, Check.COORDINATES)
    if dependent & {*left.rate}:
        yield Check.VELOCITIES
    if case.inputs.acceleration:
        yield from (Check.ACCELERATIONS,) if dependent & {*left.acceleration} else ()
    elif left.acceleration:
        yield from (Check.DYNAMICS, Check.POWER)
    yield from _slopes(case)
    for name in left.others:
        yield from _of_other(name, case.reference.skeleton.mechanism, nominal=not case.evidence.parameters.changed)


def _dependent(case: Case) -> set[str]:
    skeleton = case.reference.skeleton
    return {skeleton.coordinates[number] for number in skeleton.dependent}


def _slopes(case: Case) -> Iterator[Check]:
    """Finite differences, of functions whose positions follow from the independent coordinates alone."""
    independent = set(case.reference.skeleton.mechanism.independent)
    taken = [{field.name for field in each.row_inputs} for each in case.evidence.telling.manifest.functions]
    if case.rates is None or independent not in taken:
        return
    given, left, dependent = case.outputs, case.left_out, _dependent(case)
    if case.inputs.acceleration:
        yield from (Check.ACCELERATION_SLOPES,) if dependent & {*given.acceleration, *left.acceleration} else ()
    elif dependent & {*given.rate, *left.rate}:
        yield Check.VELOCITY_SLOPES


def _of_other(output: str, mechanism: Mechanism, *, nominal: bool) -> Collection[Check]:
    """The checks of an output that belongs to no coordinate."""
    quantity = quantity_of(output)
    name, signal = quantity.partition(".")[0], mechanism.outputs.get(quantity.partition(".")[0], "")
    if output == RATIO_SIGNAL:
        return Check.RATIO, Check.RULE
    if name in mechanism.reactions:
        return (Check.REACTIONS,)
    if name in mechanism.angles:
        return (Check.ANGLES,)
    if signal in mechanism.distances:
        return (Check.DISTANCES,)
    if signal.endswith(SUFFIX):
        return (Check.ATTITUDES, Check.CONTINUITY) if nominal and quantity == name else (Check.ATTITUDES,)
    return (Check.POINTS,) if signal else ()
