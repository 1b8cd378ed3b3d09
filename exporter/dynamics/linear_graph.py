"""The rates of a motion as a linear graph: every rate as a sum of coefficient times earlier rate.

In: a builder in which velocities were written from the independent rates. Out: for any of these velocities
the rates that it is a sum of, back to the independent ones. Coefficients are values of the pose. A limited rate counts
as the rate itself: where the limit acts a flag is set.
"""

from collections.abc import Iterable, Sequence
from enum import Enum

from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.operations import Kind

Terms = dict[int, Value]
"""Operation index of a rate -> its coefficient."""


class Degree(Enum):
    """How an operation depends on the independent rates."""

    FREE = "not at all"
    RATE = "a sum of them, each times what is no rate"
    OTHER = "otherwise"


RATE_OF = {Kind.DIV: 0, Kind.SELECT: 1}
"""The operand that may be a rate: what is divided, what is limited."""


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


def coefficients(builder: Builder, base: Sequence[Value], velocity: Value) -> list[Value]:
    """A velocity as a sum over the base rates: the coefficient of each, in their order.

    Raises:
        ValueError: it is not linear in them.
    """
    zero = builder.real(0)
    if velocity.constant is not None:
        return [zero for _ in base]
    graph = linear_graph(builder, base, [velocity])
    found: Terms = {velocity.index: builder.real(1)}
    while waiting := found.keys() - graph.base:
        index = max(waiting)
        factor = found.pop(index)
        for key, coefficient in graph.terms(index).items():
            product = factor * coefficient
            found[key] = found[key] + product if key in found else product
    return [found.get(rate.index, zero) for rate in base]


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
    """Rates on a path from the roots to the targets.

    Raises:
        ValueError: a target depends on the roots and is not linear in them.
    """
    degrees = _degrees(builder, roots, targets)
    needed = {target for target in targets if degrees[target] == Degree.RATE}
    if any(degrees[target] == Degree.OTHER for target in targets):
        raise ValueError("a velocity is not linear in the independent rates")
    reading = sorted(needed)
    while reading:
        index = reading.pop()
        if index in roots:
            continue
        new = {operand for operand, _ in _read(builder, index) if degrees[operand] == Degree.RATE} - needed
        needed |= new
        reading.extend(sorted(new))
    return needed


def _degrees(builder: Builder, roots: frozenset[int], targets: list[int]) -> dict[int, Degree]:
    """How targets and all that they are written from depend on the roots.

    A step of an integration may have the rates that it began with, and with them in its coordinates: x + h v and its
    cosine depend on a root and are no rates. A rate is a sum of rates, or one times what is none.
    """
    found: dict[int, Degree] = dict.fromkeys(roots, Degree.RATE)
    waiting = list(targets)
    while waiting:
        index = waiting[-1]
        operation = builder.operation(index)
        below = [] if index in found else [operand for operand in operation.operands if operand not in found]
        waiting.extend(below)
        if not below:
            waiting.pop()
            if index not in found:
                found[index] = _degree(operation.kind, [found[operand] for operand in operation.operands])
    return found


def _degree(kind: Kind, operands: list[Degree]) -> Degree:
    if Degree.RATE not in operands:
        return Degree.OTHER if Degree.OTHER in operands else Degree.FREE
    match kind:
        case Kind.ADD | Kind.SUB | Kind.NEG:
            return Degree.RATE if set(operands) == {Degree.RATE} else Degree.OTHER
        case Kind.MUL:
            return Degree.OTHER if operands == [Degree.RATE, Degree.RATE] else Degree.RATE
        case Kind.DIV | Kind.SELECT:
            return Degree.RATE if operands[RATE_OF[kind]] == Degree.RATE else Degree.OTHER
    return Degree.OTHER


def _read(builder: Builder, index: int) -> list[tuple[int, Value]]:
    """The operands of a rate with their coefficients; for a product both ways, one of which is a rate."""
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
    return [(values[RATE_OF[Kind.SELECT]].index, one)]
