"""What `kinefix show` says about a mechanism at a pose.

In: a mechanism and values of its independent coordinates. Out: an `Overview`, JSON-able by `dataclasses.asdict`: solve
order, branches, assembly modes with margins and pivots, cost and status conditions of every function.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from exporter.c99.kernels import kernel_costs
from exporter.compose import coordinate_unit, position, program_of_mechanism
from exporter.errors import ModelError
from exporter.kinematics.assembly import Assembly, assemblies
from exporter.kinematics.form import Block, TriangularForm
from exporter.kinematics.triangular import triangular_form
from exporter.model.mechanism import Mechanism
from exporter.sequence.cost import cost
from exporter.sequence.operations import Condition, OperationSequence, Precision
from exporter.sequence.status import BITS


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
    loop: str
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
    cost: dict[str, int]
    cost_text: str
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
    blocks: tuple[BlockFacts, ...]
    modes: tuple[ModeFacts, ...]
    functions: tuple[FunctionFacts, ...]
    kernels: dict[str, str]
    notes: tuple[str, ...]
    refused: str


@dataclass(frozen=True, slots=True)
class Shown:
    """An overview and what pictures are drawn of."""

    overview: Overview
    form: TriangularForm
    modes: tuple[Assembly, ...]


def shown(mechanism: Mechanism, precision: Precision, at: Mapping[str, Fraction]) -> Shown:
    """Analyse a mechanism and look at it where its independent coordinates have the values `at` (rad, m).

    Coordinates that `at` leaves out are those of the design pose. A mechanism that cannot be exported at this
    precision, such as for its ranges, is shown without its functions.

    Raises:
        ModelError: see `exporter.kinematics.triangular.triangular_form`.
    """
    form = triangular_form(mechanism)
    place = {name: at.get(name, mechanism.pose[name]) for name in form.independent}
    modes = assemblies(form, place)
    functions, refused = _functions(mechanism, precision)
    return Shown(_overview(form, precision, place, modes, functions, refused), form, modes)


def _functions(mechanism: Mechanism, precision: Precision) -> tuple[tuple[OperationSequence, ...], str]:
    """What an export would hold, or none of it and why."""
    try:
        program = program_of_mechanism(mechanism, precision)
    except ModelError as error:
        return (), str(error)
    return (*((program.recalibrate,) if program.recalibrate else ()), *program.functions), ""


def _overview(
    form: TriangularForm,
    precision: Precision,
    place: Mapping[str, Fraction],
    modes: tuple[Assembly, ...],
    functions: tuple[OperationSequence, ...],
    refused: str,
) -> Overview:
    mechanism = form.mechanism
    positions = position(form, precision, contract=True)
    return Overview(
        name=mechanism.name,
        title=mechanism.title,
        source=mechanism.source,
        model_hash=mechanism.model_hash,
        precision=precision,
        independent=form.independent,
        at={name: float(value) for name, value in place.items()},
        coordinates=tuple(_coordinate(form, name) for name in mechanism.coordinates()),
        blocks=tuple(_block(block, positions) for block in form.blocks),
        modes=tuple(_mode(form, mode) for mode in modes),
        functions=tuple(_function(function) for function in functions),
        kernels=kernel_costs(functions, precision),
        notes=form.model.dropped,
        refused=refused,
    )


def _coordinate(form: TriangularForm, name: str) -> CoordinateFacts:
    mechanism, bounds = form.mechanism, form.mechanism.ranges.get(name)
    return CoordinateFacts(
        name=name,
        unit=coordinate_unit(form, name),
        independent=name in form.independent,
        pose=_number(mechanism.pose.get(name)),
        minimum=_number(bounds.minimum if bounds else None),
        maximum=_number(bounds.maximum if bounds else None),
        rate=_number(bounds.rate if bounds else None),
        acceleration=_number(bounds.acceleration if bounds else None),
    )


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _block(block: Block, positions: OperationSequence) -> BlockFacts:
    return BlockFacts(
        id=block.id,
        loop=block.closure.name,
        kind=block.kind.value,
        degree=block.degree,
        unknowns=tuple(
            f"{'direction of' if each.kind == 'direction' else 'way'} {each.name}" for each in block.unknowns
        ),
        coordinates=block.coordinates,
        branch=block.branch,
        sign=block.sign if block.degree > 1 else 0,
        steps=tuple((step.equation, step.text) for step in positions.steps if step.equation.startswith(f"{block.id}.")),
    )


def _mode(form: TriangularForm, mode: Assembly) -> ModeFacts:
    own = tuple(block.sign for block in form.blocks)
    return ModeFacts(
        name=mode_name(form, mode),
        chosen=mode.signs == own,
        reachable=mode.reachable,
        signs=mode.signs,
        coordinates={name: mode.coordinates[name] for name in form.mechanism.coordinates()},
        margins=mode.margins,
        pivots=mode.pivots,
    )


def mode_name(form: TriangularForm, mode: Assembly) -> str:
    """The branches of a mode: the user's name where the signs are the chosen ones, else block and sign."""
    pairs = [(block, sign) for block, sign in zip(form.blocks, mode.signs, strict=True) if block.degree > 1]
    return ", ".join(_branch(block, sign) for block, sign in pairs) or "the only one"


def _branch(block: Block, sign: int) -> str:
    mark = f"{block.id}{'+' if sign > 0 else '-'}"
    return f"{block.branch} ({mark})" if block.branch and sign == block.sign else mark


def _function(sequence: OperationSequence) -> FunctionFacts:
    count = cost(sequence)
    return FunctionFacts(
        name=sequence.name,
        cost=count.as_dict(),
        cost_text=count.text(),
        conditions={condition.name: _places(condition) for condition in sequence.conditions},
    )


def _places(condition: Condition) -> tuple[str, ...]:
    """Where a condition is set; its general meaning where it is set everywhere."""
    general = BITS[condition.name][1]
    return (general,) if condition.about == general else tuple(condition.about.split("; "))


def unit_of(coordinates: Iterable[CoordinateFacts], name: str) -> str:
    """The unit of a coordinate by its name."""
    return next(each.unit for each in coordinates if each.name == name)
