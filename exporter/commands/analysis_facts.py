"""What `kinefix analyse` finds out about a mechanism.

In: a mechanism, perhaps another choice of independent coordinates. Out: an `Analysis`, JSON-able by `facts_of`: loops,
freedom, choices of coordinates best first, the solve order of one of them, and what tunable parameters cost.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from exporter.commands.stability import Stability, stability_facts, stability_of
from exporter.commands.tunable_costs import TunableCost, tunable_costs
from exporter.dynamics.resistance import require_resisted
from exporter.errors import ModelError, Unsolved
from exporter.functions.mechanism import functions_of
from exporter.functions.program import arithmetic, program_of_mechanism
from exporter.kinematics.analysis.choices import (
    Choice,
    candidates,
    driven_by,
    driven_choice,
    judge_choice,
    number_of_choices,
)
from exporter.kinematics.analysis.loops import Loop, loops_of, meetings_of
from exporter.kinematics.analysis.ranking import Recommendation, is_free, ranked_choices, recommendation, score_of
from exporter.kinematics.analysis.real_assemblies import real_assemblies
from exporter.kinematics.analysis.samples import Samples, sampled
from exporter.kinematics.analysis.solve_order import OrderedBlock, solve_order
from exporter.kinematics.closures.reasons import nothing_moves
from exporter.kinematics.degrees.solutions_modulo import LARGEST_ECHELON_FORM, QUICK_ECHELON_FORM
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.model.complete import with_outputs
from exporter.model.mechanism import Mechanism
from exporter.progress import within
from exporter.proposals import with_proposal
from exporter.records import dataclass
from exporter.sequence.cost import Cost, cost
from exporter.sequence.operations import Precision

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Coordinate:
    """An independent coordinate of the choice that is shown, as a model file would give it."""

    name: str
    unit: str
    pose: float
    minimum: float
    maximum: float
    in_file: bool  # range and rate are the file's; else the range is what was sampled


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that analyse says."""

    mechanism: Mechanism
    loops: tuple[Loop, ...]
    samples: Samples
    meetings: tuple[dict[str, float], ...]  # where assemblies meet
    combinations: int  # choices that there are
    choices: tuple[Choice, ...]  # that were judged, best first
    recommended: Recommendation | None
    shown: Choice  # the choice that the following is about
    coordinates: tuple[Coordinate, ...]
    order: tuple[OrderedBlock, ...]
    assemblies: int | None  # real at the design pose
    exported: dict[str, Cost]  # by function, guards and status included
    refused: str  # why it cannot be exported
    notes: tuple[str, ...]
    parameters: tuple[TunableCost, ...]
    stability: Stability | None  # None where there are no equations of motion


def analysis_of(
    mechanism: Mechanism, independent: Sequence[str], precision: Precision, limit: int, tell: Tell
) -> Analysis:
    """Analyse a mechanism with all of its outputs; the choice shown is `independent`, or the file's own where empty.

    Raises:
        ModelError: a name that is no coordinate, loops that do not close near the design pose or leave nothing that
            moves, or a motion that no mass resists.
    """
    mechanism = with_outputs(mechanism)
    own = _solve_mechanism(mechanism)
    tell("sampling configurations")
    samples = sampled(mechanism, own)
    if not samples.freedom:
        raise ModelError(nothing_moves(mechanism))
    if "dynamics" in functions_of(mechanism, own):
        require_resisted(mechanism)
    choices = _choices(mechanism, samples, independent, limit, tell, solved=own is not None)
    chosen = tuple(independent) or mechanism.independent
    shown = next(choice for choice in choices if choice.independent == chosen)
    driven = driven_by(mechanism, samples, chosen) if independent else mechanism
    if not shown.solvable:
        tell(f"driving {mechanism.name} by {', '.join(chosen)}")
        before, shown = shown, driven_choice(shown, driven, samples, arithmetic_counts)
        choices = tuple(shown if choice is before else choice for choice in choices)
    tell("counting operations")
    exported, refused = _export_counts(driven, precision, shown)
    return Analysis(
        mechanism,
        loops_of(mechanism, samples),
        samples,
        meetings_of(mechanism, samples),
        number_of_choices(mechanism, samples),
        choices,
        recommendation(choices, mechanism.independent),
        shown,
        tuple(_coordinate(mechanism, driven, name) for name in chosen),
        _order(shown, samples),
        None if shown.solved is None else _number(real_assemblies(shown.solved)),
        exported,
        refused,
        () if shown.solved is None else shown.solved.notes,
        () if shown.solved is None else tunable_costs(driven),
        _stability(driven, shown, samples, tell),
    )


def _solve_mechanism(mechanism: Mechanism) -> Solution | None:
    try:
        return solved_mechanism(mechanism)
    except Unsolved:
        return None


def _choices(
    mechanism: Mechanism, samples: Samples, independent: Sequence[str], limit: int, tell: Tell, *, solved: bool
) -> tuple[Choice, ...]:
    """Every choice that is to be judged, the asked one and the file's own among them, best first.

    `solved`: whether the pose and ranges of the file are enough to solve its own choice.
    """
    wanted = dict.fromkeys((tuple(independent), mechanism.independent) if independent else (mechanism.independent,))
    tell("ranking choices of independent coordinates")
    listed = candidates(mechanism, samples, limit)
    known = {frozenset(each) for each in wanted}
    every = (*wanted, *(each for each in listed if frozenset(each) not in known))
    judgements = []
    for number, each in enumerate(every, start=1):
        largest = LARGEST_ECHELON_FORM if each in wanted else QUICK_ECHELON_FORM
        own = solved and each == mechanism.independent
        with within("choice", number, len(every), ", ".join(each)):
            judged = judge_choice(mechanism, samples, each, arithmetic_counts, largest, tell, as_in_file=own)
            judgements.append(judged)
    return ranked_choices(judgements)


def arithmetic_counts(driven: Mechanism, solved: Solution) -> dict[str, Cost]:
    """The arithmetic of position and of the largest function, guards left out."""
    offered = functions_of(driven, solved)
    last = "dynamics" if "dynamics" in offered else "acceleration"
    return {name: cost(arithmetic(offered[name], solved)) for name in ("position", last)}


def _number(found: tuple[tuple[int, ...], ...] | None) -> int | None:
    return None if found is None else len(found)


def _order(shown: Choice, samples: Samples) -> tuple[OrderedBlock, ...]:
    if shown.solved is None:
        return ()
    names = shown.solved.mechanism.coordinates()
    order = solve_order(shown.solved, samples.rows[:, [names.index(name) for name in shown.independent]])
    if len(order) != len(shown.systems):
        return order
    degrees = [system.degree for system in shown.systems]  # a table's are counted
    return tuple(replace(block, degree=degree or block.degree) for block, degree in zip(order, degrees, strict=True))


def _export_counts(driven: Mechanism, precision: Precision, shown: Choice) -> tuple[dict[str, Cost], str]:
    """What an export would hold, or why there is none."""
    if shown.refusal:
        return {}, shown.refusal
    try:
        with with_proposal(driven, precision):
            program = program_of_mechanism(driven, precision)
    except ModelError as error:
        return {}, str(error)
    functions = (*((program.recalibrate,) if program.recalibrate else ()), *program.functions)
    return {function.name: cost(function) for function in functions}, ""


def _stability(driven: Mechanism, shown: Choice, samples: Samples, tell: Tell) -> Stability | None:
    if shown.solved is None or shown.refusal or "dostep" not in functions_of(driven, shown.solved):
        return None
    tell("linearising the equations of motion")
    columns = [shown.solved.mechanism.coordinates().index(name) for name in shown.independent]
    return stability_of(driven, shown.solved, samples.rows[:, columns])


def _coordinate(mechanism: Mechanism, driven: Mechanism, name: str) -> Coordinate:
    bounds, given = driven.ranges[name], mechanism.ranges.get(name)
    return Coordinate(
        name,
        mechanism.unit_of(name),
        float(driven.pose[name]),
        float(bounds.minimum),
        float(bounds.maximum),
        given is not None and given.rate is not None,
    )


# -- JSON ----------------------------------------------------------------------------------------------------------


def facts_of(analysis: Analysis) -> dict[str, object]:
    """The analysis as what JSON holds."""
    mechanism, samples = analysis.mechanism, analysis.samples
    return {
        "name": mechanism.name,
        "title": mechanism.title,
        "model_hash": mechanism.model_hash,
        "coordinates": list(mechanism.coordinates()),
        "independent": list(mechanism.independent),
        "freedom": samples.freedom,
        "loops": [asdict(loop) for loop in analysis.loops],
        "sampled": {"asked": samples.asked, "reached": len(samples.rows)},
        "assemblies_meet_near": list(analysis.meetings),
        "combinations": analysis.combinations,
        "choices": [_choice_facts(choice) for choice in analysis.choices],
        "recommended": None if analysis.recommended is None else asdict(analysis.recommended),
        "shown": _shown_facts(analysis),
        "parameters": [asdict(each) for each in analysis.parameters],
        "stability": None if analysis.stability is None else stability_facts(analysis.stability),
    }


def _shown_facts(analysis: Analysis) -> dict[str, object]:
    return {
        **_choice_facts(analysis.shown),
        "coordinates": [asdict(each) for each in analysis.coordinates],
        "blocks": [asdict(block) for block in analysis.order],
        "assemblies_at_design_pose": analysis.assemblies,
        "exported": {name: each.as_dict() for name, each in analysis.exported.items()},
        "refused": analysis.refused,
        "notes": list(analysis.notes),
    }


def _choice_facts(choice: Choice) -> dict[str, object]:
    return {
        "independent": list(choice.independent),
        "solvable": choice.solvable,
        "refusal": choice.refusal,
        "systems": [asdict(system) for system in choice.systems],
        "degree": choice.degree,
        "operations": {name: each.as_dict() for name, each in choice.costs.items()},
        "weighted_operations": score_of(choice),
        "regular_over_the_range": choice.solvable and is_free(choice),
        "kept": choice.kept,
        "singularities": asdict(choice.singularities),
    }
