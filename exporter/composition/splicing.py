"""Writes the sequences of several functions into one: what one gives becomes what another takes.

In: a `Part` for each function, with values in place of its inputs. Used by: `exporter.composition.program`.
"""

from collections.abc import Iterable
from dataclasses import field

from exporter.records import dataclass
from exporter.sequence.builder import STATUS, Builder, Flag, Value
from exporter.sequence.operations import Group, Kind, OperationSequence
from exporter.sequence.status import BITS

Key = tuple[Group, str]


@dataclass(slots=True)
class Part:
    """A function that is copied into a builder, as far as its inputs have values."""

    sequence: OperationSequence
    builder: Builder
    place: dict[int, int] = field(default_factory=dict)  # operation of the function -> operation of the builder

    def give(self, group: Group, name: str, value: Value) -> None:
        """The value of an input."""
        for index, operation in enumerate(self.sequence.operations):
            if operation.kind is Kind.INPUT:
                signal = self.sequence.inputs[int(operation.value or 0)]
                if (signal.group, signal.name) == (group, name):
                    self.place[index] = value.index

    def value(self, operation: int) -> Value:
        """The value of an operation; what it needs is written.

        Raises:
            KeyError: it depends on an input that has no value yet.
        """
        for index in self.needed([operation]):
            self._copy(index)
        return Value(self.builder, self.place[operation])

    def tell(self) -> None:
        """Copy the conditions."""
        for condition in self.sequence.conditions:
            self.value(condition.operation)
            with self.builder.under(STATUS):
                flag = Flag(self.builder, self.place[condition.operation])
                said = "" if condition.about == BITS[condition.name][1] else condition.about
                self.builder.condition(condition.name, flag, said)

    def depends_on(self, operation: int) -> set[Key]:
        """The inputs that an operation is made of."""
        operations = self.sequence.operations
        found = (operations[index] for index in self.needed([operation]))
        signals = (self.sequence.inputs[int(each.value or 0)] for each in found if each.kind is Kind.INPUT)
        return {(signal.group, signal.name) for signal in signals}

    def needed(self, roots: Iterable[int]) -> list[int]:
        """The roots and all operations that they depend on, in order."""
        found: set[int] = set()
        pending = list(roots)
        while pending:
            index = pending.pop()
            if index not in found:
                found.add(index)
                pending.extend(self.sequence.operations[index].operands)
        return sorted(found)

    def _copy(self, index: int) -> None:
        if index in self.place:
            return
        operation = self.sequence.operations[index]
        if operation.kind is Kind.INPUT:
            raise KeyError(self.sequence.inputs[int(operation.value or 0)].name)
        with self.builder.under(operation.step):
            operands = tuple(self.place[operand] for operand in operation.operands)
            self.place[index] = self.builder.append(operation.kind, operands, operation.value)
