"""What `kinefix show` says about a mechanism at a pose.

In: a mechanism and values of its independent coordinates. Out: an `Overview`, JSON-able by `dataclasses.asdict`: solve
order, branches, assembly modes with margins and pivots, forces, cost and status conditions of every function.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from exporter.c99.kernels import kernel_costs
from exporter.commands.forces_at_rest import ForceFacts, forces_at_rest
from exporter.errors import ModelError
from exporter.functions.mechanism import position
from exporter.functions.program import HAS_ROOTS, program_of_mechanism
from exporter.kinematics.engine import Tell, solved_mechanism
from exporter.kinematics.modes import modes_of, number_of_modes
from exporter.kinematics.protocol import solution as engines
from exporter.kinematics.protocol.solution import Assembly, Solution
from exporter.model.complete import completed
from exporter.model.couplings import coupling_text
from exporter.model.mechanism import Mechanism, SolverOptions
from exporter.proposals import with_proposal
from exporter.records import dataclass
from exporter.sequence.looped import cost_of_call, cost_text
from exporter.sequence.operations import Condition, OperationSequence, Precision
from exporter.sequence.program import Program
from exporter.sequence.status import BITS

GIVE_REACTIONS = ("dynamics", "dostep")
"""Functions that give what joints transmit."""


@dataclass(frozen=True, slots=True)
class CoordinateFacts:
    """A coordinate, SI units; None where the file bounds nothing."""

    name: str
    unit: str
    independent: bool
    pose: float | None
    minimum: float | None
    maximum: float | None
    rate: float | None
    acceleration: float | None


@dataclass(frozen=True, slots=True)
class BlockFacts:
    """A block of the solve order."""

    id: str
    loop: str  # of a planar mechanism; a spatial block may serve several
    kind: str
    degree: int
    unknowns: tuple[str, ...]
    coordinates: tuple[str, ...]
    branch: str
    sign: int  # 0 where there is one solution only
    steps: tuple[tuple[str, str], ...]  # equation id, what it gives


@dataclass(frozen=True, slots=True)
class ModeFacts:
    """An assembly mode at the pose."""

    name: str
    chosen: bool
    reachable: bool
    signs: tuple[int, ...]
    coordinates: dict[str, float]
    margins: dict[str, float]
    pivots: dict[str, float]


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """What one call of an exported function costs, and which conditions it can report."""

    name: str
    cost: dict[str, int]  # of a function that iterates: at most
    cost_text: str
    without_reactions: str  # what it would cost without joint reactions; empty where it has none
    conditions: dict[str, tuple[str, ...]]  # name -> where it is set


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything that show says. Where the mechanism can be solved but not exported, `refused` says why."""

    name: str
    title: str
    source: str
    model_hash: str
    precision: str
    independent: tuple[str, ...]
    at: dict[str, float]
    coordinates: tuple[CoordinateFacts, ...]
    couplings: tuple[str, ...]  # as equations
    blocks: tuple[BlockFacts, ...]
    modes: tuple[ModeFacts, ...]
    forces: tuple[ForceFacts, ...]  # of the exported mode, at rest, with nominal inputs
    combinations: int  # of root signs; `modes` has at most 16 of them
    functions: tuple[FunctionFacts, ...]
    kernels: dict[str, str]
    notes: tuple[str, ...]
    refused: str
    fixed_time: bool  # whether the cost is the same on every input


@dataclass(frozen=True, slots=True)
class ShownMechanism:
    """An overview and what pictures are drawn of."""

    overview: Overview
    solved: Solution
    modes: tuple[Assembly, ...]


def show_mechanism(
    mechanism: Mechanism, precision: Precision, at: Mapping[str, Fraction], tell: Tell = lambda _: None
) -> ShownMechanism:
    """Analyse a mechanism and look at it where its independent coordinates have the values `at` (rad, m).

    Coordinates that `at` leaves out are those of the design pose. A mechanism that cannot be exported at this
    precision, such as for its ranges, is shown without its functions.

    Raises:
        ModelError: see `exporter.kinematics.engine.solved_mechanism`.
    """
    with with_proposal(mechanism, precision, tell):
        solved = _solve_triangular(mechanism, tell)
    place = {name: at.get(name, mechanism.pose[name]) for name in mechanism.independent}
    modes = modes_of(solved, place)
    program, refused = _program(mechanism, precision, tell)
    return ShownMechanism(_overview(solved, precision, place, modes, program, refused), solved, modes)


def _solve_triangular(mechanism: Mechanism, tell: Tell) -> Solution:
    """The triangular form, also of a mechanism whose export is to take another method."""
    is_baseline = mechanism.solver.method not in HAS_ROOTS
    return solved_mechanism(completed(replace(mechanism, solver=SolverOptions())) if is_baseline else mechanism, tell)


def _program(mechanism: Mechanism, precision: Precision, tell: Tell) -> tuple[Program | None, str]:
    """What an export would hold, or none of it and why, with a proposal."""
    try:
        with with_proposal(mechanism, precision, tell):
            return program_of_mechanism(mechanism, precision), ""
    except ModelError as error:
        return None, str(error)


def _overview(
    solved: Solution,
    precision: Precision,
    place: Mapping[str, Fraction],
    modes: tuple[Assembly, ...],
    program: Program | None,
    refused: str,
) -> Overview:
    mechanism = solved.mechanism
    plain = _costs_without_reactions(mechanism, program, precision) if program else {}
    derive = (program.recalibrate,) if program and program.recalibrate else ()
    functions = (*derive, *program.functions) if program else ()
    positions = position(solved, precision, contract=True)
    return Overview(
        name=mechanism.name,
        title=mechanism.title,
        source=mechanism.source,
        model_hash=mechanism.model_hash,
        precision=precision,
        independent=mechanism.independent,
        at={name: float(value) for name, value in place.items()},
        coordinates=tuple(_coordinate(solved, name) for name in mechanism.coordinates()),
        couplings=tuple(coupling_text(coupling) for coupling in mechanism.couplings),
        blocks=tuple(_block(facts, positions) for facts in solved.block_facts()),
        modes=tuple(_mode(solved, mode) for mode in modes),
        forces=forces_at_rest(mechanism, next((each.coordinates for each in modes if _is_shown(solved, each)), None)),
        combinations=number_of_modes(solved),
        functions=tuple(_function(program, each, plain.get(each.name, "")) for each in functions if program),
        kernels=kernel_costs(functions, precision),
        notes=program.notes if program else solved.notes,
        refused=refused,
        fixed_time=program is None or program.loop is None,
    )


def _coordinate(solved: Solution, name: str) -> CoordinateFacts:
    mechanism, bounds = solved.mechanism, solved.mechanism.ranges.get(name)
    return CoordinateFacts(
        name=name,
        unit=solved.mechanism.unit_of(name),
        independent=name in mechanism.independent,
        pose=_number(mechanism.pose.get(name)),
        minimum=_number(bounds.minimum if bounds else None),
        maximum=_number(bounds.maximum if bounds else None),
        rate=_number(bounds.rate if bounds else None),
        acceleration=_number(bounds.acceleration if bounds else None),
    )


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _block(facts: engines.BlockFacts, positions: OperationSequence) -> BlockFacts:
    return BlockFacts(
        id=facts.id,
        loop=facts.loop,
        kind=facts.kind,
        degree=facts.degree,
        unknowns=facts.unknowns,
        coordinates=facts.coordinates,
        branch=facts.branch,
        sign=facts.sign if facts.degree > 1 else 0,
        steps=tuple((step.equation, step.text) for step in positions.steps if step.equation.startswith(f"{facts.id}.")),
    )


def own_signs(solved: Solution) -> tuple[int, ...]:
    """The root signs of the exported mode."""
    return tuple(block.sign for block in solved.block_facts())


def _is_shown(solved: Solution, mode: Assembly) -> bool:
    return mode.reachable and mode.signs == own_signs(solved)


def _mode(solved: Solution, mode: Assembly) -> ModeFacts:
    return ModeFacts(
        name=mode_name(solved, mode),
        chosen=mode.signs == own_signs(solved),
        reachable=mode.reachable,
        signs=mode.signs,
        coordinates={name: mode.coordinates[name] for name in solved.mechanism.coordinates()},
        margins=mode.margins,
        pivots=mode.pivots,
    )


def mode_name(solved: Solution, mode: Assembly) -> str:
    """The branches of a mode: the user's name where the signs are the chosen ones, else block and sign."""
    pairs = [(block, sign) for block, sign in zip(solved.block_facts(), mode.signs, strict=True) if block.degree > 1]
    return ", ".join(_branch(block, sign) for block, sign in pairs) or "the only one"


def _branch(block: engines.BlockFacts, sign: int) -> str:
    mark = f"{block.id}{'+' if sign > 0 else '-'}"
    return f"{block.branch} ({mark})" if block.branch and sign == block.sign else mark


def _costs_without_reactions(mechanism: Mechanism, program: Program, precision: Precision) -> dict[str, str]:
    """What the functions that give joint reactions would cost without them, by name; of all outputs alone."""
    names = [each.name for each in program.functions if each.name in GIVE_REACTIONS]
    if not mechanism.reactions or not names or mechanism.chosen_outputs:
        return {}
    plain = program_of_mechanism(completed(replace(mechanism, reactions={})), precision, only=names)
    return {each.name: cost_text(plain, each) for each in plain.functions if each.name in names}


def _function(program: Program, sequence: OperationSequence, without_reactions: str) -> FunctionFacts:
    return FunctionFacts(
        name=sequence.name,
        cost=cost_of_call(program, sequence).as_dict(),
        cost_text=cost_text(program, sequence),
        without_reactions=without_reactions,
        conditions={condition.name: _places(condition) for condition in sequence.conditions},
    )


def _places(condition: Condition) -> tuple[str, ...]:
    """Where a condition is set; its general meaning where it is set everywhere."""
    general = BITS[condition.name][1]
    return (general,) if condition.about == general else tuple(condition.about.split("; "))


def unit_of(coordinates: Iterable[CoordinateFacts], name: str) -> str:
    """The unit of a coordinate by its name."""
    return next(each.unit for each in coordinates if each.name == name)
