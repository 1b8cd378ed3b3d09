"""The rates of a motion as a linear graph: every rate as a sum of coefficient times earlier rate.

Comes in: a builder in which velocities were written from the independent rates. Goes out: for any of these velocities
the rates that it is a sum of, back to the independent ones. Coefficients are values of the pose. A limited rate counts
as the rate itself: where the limit acts a flag is set.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from exporter.sequence.builder import Builder, Value
from exporter.sequence.operations import Kind

Terms = dict[int, Value]
"""Operation index of a rate -> its coefficient."""


@dataclass(frozen=True, slots=True)
class LinearGraph:
    """What `terms` needs: which operations are rates, and how often each is read or itself asked for."""

    builder: Builder
    base: frozenset[int]
    uses: dict[int, int]

    def terms(self, index: int) -> Terms:
        """A rate as a sum over rates that are base rates, were asked for, or that more than one other rate reads.

        Raises:
            ValueError: it is not linear in the rates.
        """
        return self._expanded(index, self.builder.real(1))

    def _expanded(self, index: int, factor: Value) -> Terms:
        total: Terms = {}
        for operand, coefficient in self._operands(index):
            product = factor * coefficient
            inner = self._expanded(operand, product) if self._is_private_sum(operand) else {operand: product}
            for key, value in inner.items():
                total[key] = total[key] + value if key in total else value
        return total

    def _is_private_sum(self, index: int) -> bool:
        """Whether it serves one other rate alone, so that its terms may be written into that one's."""
        return index not in self.base and self.uses[index] == 1

    def _operands(self, index: int) -> list[tuple[int, Value]]:
        return [(operand, value) for operand, value in _read(self.builder, index) if operand in self.uses]


def linear_graph(builder: Builder, base: Iterable[Value], velocities: Iterable[Value]) -> LinearGraph:
    """The graph between the independent rates and these velocities."""
    roots = frozenset(value.index for value in base)
    wanted = {value.index for value in velocities}
    dependent = _dependent(builder, roots, sorted(wanted))
    uses = {index: int(index in wanted) for index in sorted(dependent)}
    for index in sorted(dependent - roots):
        for operand, _ in _read(builder, index):
            if operand in uses:
                uses[operand] += 1
    return LinearGraph(builder, roots, uses)


def _dependent(builder: Builder, roots: frozenset[int], targets: list[int]) -> set[int]:
    """Operations on a path from the roots to the targets."""
    found: dict[int, bool] = dict.fromkeys(roots, True)
    waiting = list(targets)
    while waiting:
        index = waiting[-1]
        operands = builder.operation(index).operands
        below = [] if index in found else [operand for operand in operands if operand not in found]
        waiting.extend(below)
        if not below:
            waiting.pop()
            if index not in found:
                found[index] = any(found[operand] for operand in operands)
    needed = {target for target in targets if found[target]}
    reading = sorted(needed)
    while reading:
        index = reading.pop()
        if index in roots:
            continue
        new = {operand for operand, _ in _read(builder, index) if found[operand]} - needed
        needed |= new
        reading.extend(sorted(new))
    return needed


def _read(builder: Builder, index: int) -> list[tuple[int, Value]]:
    """The operands of a linear operation with their coefficients; for a product both ways, one of which is a rate."""
    operation = builder.operation(index)
    one = builder.real(1)
    values = [Value(builder, operand) for operand in operation.operands]
    match operation.kind:
        case Kind.ADD:
            return [(values[0].index, one), (values[1].index, one)]
        case Kind.SUB:
            return [(values[0].index, one), (values[1].index, -one)]
        case Kind.NEG:
            return [(values[0].index, -one)]
        case Kind.MUL:
            return [(values[0].index, values[1]), (values[1].index, values[0])]
        case Kind.DIV:
            return [(values[0].index, 1 / values[1])]
        case Kind.SELECT:
            return [(values[1].index, one)]
    raise ValueError(f"a rate by {operation.kind} is not linear in the independent rates")
