"""The solve order of a triangular form: what each block needs, gives, costs, guards, and how its margins behave.

In: a `Solution` and sampled rows. Out: `OrderedBlock`s. What a block needs and costs is read from the sequence
that it writes. An operation belongs to the first block whose equations it serves, or that uses it. A block needs an
earlier one where it reads something that comes from a division or root of that one, and a coordinate where it reads it.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from exporter.kinematics.closures.closing import Array
from exporter.kinematics.protocol.solution import BlockFacts, Solution
from exporter.kinematics.protocol.solution_rows import SolutionRows, pose_sequence, rate_sequence, solution_rows
from exporter.records import dataclass
from exporter.sequence.cost import Cost, cost
from exporter.sequence.operations import Kind, Operation, OperationSequence

SOLVING_KINDS = frozenset({Kind.DIV, Kind.SQRT})


@dataclass(frozen=True, slots=True)
class Margin:
    """The smallest value of a margin or pivot over the sampled range."""

    role: str  # "margin": distance from the edge of the workspace; "pivot": what the block divides by
    smallest: float
    at: dict[str, float]  # independent coordinates there


@dataclass(frozen=True, slots=True)
class OrderedBlock:
    """A block in its place."""

    id: str
    kind: str
    degree: int
    unknowns: tuple[str, ...]
    gives: tuple[str, ...]
    needs: tuple[str, ...]  # ids of earlier blocks and names of independent coordinates
    branch: str
    sign: int
    steps: tuple[tuple[str, str], ...]  # equation id, what it gives
    cost: Cost  # of its position, without guards
    guards: tuple[str, ...]  # conditions that its position and rates can report
    margins: tuple[Margin, ...]

    @property
    def title(self) -> str:
        """Such as "L1 two circles"."""
        return f"{self.id} {self.kind}"


def solve_order(solved: Solution, independent: Array) -> tuple[OrderedBlock, ...]:
    """The blocks in solve order, margins over rows (n, f) of the independent coordinates."""
    bare, guarded = pose_sequence(solved, contract=False), rate_sequence(solved)
    facts = solved.block_facts()
    names = [block.id for block in facts]
    place = [_blocks_of_operations(sequence, names) for sequence in (bare, guarded)]
    needs = _needs(bare, place[0])
    guards = _guards(guarded, place[1])
    evaluated = solution_rows(solved, independent)
    return tuple(
        OrderedBlock(
            block.id,
            block.kind,
            block.degree,
            block.unknowns,
            block.coordinates,
            tuple(name for name in (*solved.mechanism.independent, *names) if name in needs[block.id]),
            block.branch,
            block.sign if block.degree > 1 else 0,
            tuple((step.equation, step.text) for step in bare.steps if _block_of(step.equation, names) == block.id),
            _cost(bare, place[0], block.id),
            tuple(sorted(guards[block.id])),
            _margins(solved, block, evaluated, independent),
        )
        for block in facts
    )


def _block_of(equation: str, names: Iterable[str]) -> str:
    head = equation.partition(".")[0]
    return head if head in names else ""


def _blocks_of_operations(sequence: OperationSequence, names: list[str]) -> list[str]:
    """The block that each operation belongs to; "" for what prepares the inputs or serves no block."""
    order = {name: rank for rank, name in enumerate(names)}
    last = len(names)
    found = [last] * len(sequence.operations)
    for index in range(len(sequence.operations) - 1, -1, -1):
        operation = sequence.operations[index]
        name = _block_of(operation.step.equation, names) if operation.step else ""
        found[index] = order.get(name, found[index])
        for operand in operation.operands:
            found[operand] = min(found[operand], found[index])
    prepared = (Kind.INPUT, Kind.SINCOS, Kind.SINE, Kind.COSINE)
    return [
        "" if rank == last or operation.kind in prepared else names[rank]
        for operation, rank in zip(sequence.operations, found, strict=True)
    ]


def _cost(sequence: OperationSequence, place: list[str], block: str) -> Cost:
    own = tuple(op for op, owner in zip(sequence.operations, place, strict=True) if owner == block)
    return cost(replace(sequence, operations=own))


def _needs(sequence: OperationSequence, place: list[str]) -> dict[str, set[str]]:
    """Block -> blocks and coordinates that it reads."""
    solved = _solved_by(sequence.operations, place)
    needs: dict[str, set[str]] = defaultdict(set)
    roots: list[
        set[str]
    ] = []  # of every operation: the inputs it depends on without passing through a block's solution
    for index, operation in enumerate(sequence.operations):
        if operation.kind is Kind.INPUT:
            roots.append({sequence.inputs[int(operation.value or 0)].name})
            continue
        own = place[index]
        foreign = {solved[k] for k in operation.operands if solved[k] and solved[k] != own}
        direct = set().union(*(roots[k] for k in operation.operands if not solved[k]), set())
        roots.append(direct)
        if own:
            needs[own] |= foreign | direct
    return needs


def _solved_by(operations: tuple[Operation, ...], place: list[str]) -> list[str]:
    """The last block whose division or root each operation contains; "" where none."""
    found: list[str] = []
    for operation, own in zip(operations, place, strict=True):
        below = [found[k] for k in operation.operands if found[k]]
        if own and (operation.kind in SOLVING_KINDS or own in below):
            found.append(own)
        else:
            found.append(below[-1] if below else "")
    return found


def _guards(sequence: OperationSequence, place: list[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for condition in sequence.conditions:
        pending = [condition.operation]
        while pending:
            index = pending.pop()
            operation = sequence.operations[index]
            if operation.kind is Kind.FLAG_OR:
                pending.extend(operation.operands)
            else:
                found[place[index]].add(condition.name)
    return found


def _margins(solved: Solution, block: BlockFacts, rows: SolutionRows, independent: Array) -> tuple[Margin, ...]:
    found = []
    for role in ("margin", "pivot"):
        values = rows.margins.get(f"{block.id}.{role}")
        if values is not None and np.isfinite(values).any():
            values = np.broadcast_to(values, len(independent))
            worst = int(np.nanargmin(np.abs(values) if role == "pivot" else values))
            at = {name: float(independent[worst, k]) for k, name in enumerate(solved.mechanism.independent)}
            found.append(Margin(role, float(values[worst]), at))
    return tuple(found)
