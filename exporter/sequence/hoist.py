"""Moves what depends on tunable parameters alone out of the functions, into `recalibrate`.

In: functions whose inputs include PARAMETER signals. Out: the `recalibrate` sequence (parameters in, derived
constants out) and the same functions reading DERIVED inputs instead. A condition that parameters alone decide, such as
a rejected parameter, moves too: `recalibrate` reports it, once.
"""

import re
from collections.abc import Sequence
from dataclasses import field, replace
from fractions import Fraction

from exporter.records import dataclass
from exporter.sequence.builder import STATUS, Builder, Flag, Value
from exporter.sequence.guards import checked_input
from exporter.sequence.intervals import analyse
from exporter.sequence.operations import Group, Kind, OperationSequence, Signal, Sort

HINT_LENGTH = 20  # characters of a derived constant's name after its number
DERIVED_UNIT = "SI"  # products of lengths, masses and constants: in SI units, whatever they are


def hoist_parameters(
    functions: tuple[OperationSequence, ...], parameters: tuple[Signal, ...]
) -> tuple[OperationSequence | None, tuple[OperationSequence, ...]]:
    """The `recalibrate` sequence, or None without parameters, and the functions that read what it derives.

    Raises:
        ModelError: what the parameters alone decide cannot be shown to be finite within their ranges.
    """
    if not parameters:
        return None, functions
    draft = _Recalibrate(functions, parameters)
    splits = tuple(_Split(function) for function in functions)
    crossings = tuple(draft.derive(split) for split in splits)
    recalibrate = draft.finish()
    signals = _with_ranges(recalibrate, draft.signals, parameters)
    outputs = tuple(replace(output, signal=signals[output.signal.name]) for output in recalibrate.outputs)
    rewritten = tuple(
        _without_parameters(split, {index: signals[name] for index, name in crossing.items()})
        for split, crossing in zip(splits, crossings, strict=True)
    )
    return replace(recalibrate, outputs=outputs), rewritten


class _Split:
    """A function, divided into what parameters alone decide and the rest."""

    def __init__(self, function: OperationSequence) -> None:
        self.function = function
        self.of_parameters = _of_parameters_alone(function)
        self.moved: dict[str, list[int]] = {}  # condition name -> flags that recalibrate reports
        self.kept: dict[str, list[int]] = {}  # condition name -> flags that stay
        for condition in function.conditions:
            leaves = _alternatives(function, condition.operation)
            self.moved[condition.name] = [leaf for leaf in leaves if leaf in self.of_parameters]
            self.kept[condition.name] = [leaf for leaf in leaves if leaf not in self.of_parameters]
        self.staying, self.crossing = self._traced()

    def _traced(self) -> tuple[set[int], tuple[int, ...]]:
        """Operations that stay, and real operations of parameters alone that they read."""
        pending = [output.operation for output in self.function.outputs]
        pending.extend(flag for flags in self.kept.values() for flag in flags)
        staying: set[int] = set()
        crossing: set[int] = set()
        while pending:
            index = pending.pop()
            if index in staying or index in crossing:
                continue
            if index in self.of_parameters and self.function.sort(index) is Sort.REAL:
                crossing.add(index)
            else:
                staying.add(index)
                pending.extend(self.function.operations[index].operands)
        return staying, tuple(sorted(crossing))


def _of_parameters_alone(function: OperationSequence) -> set[int]:
    """Operations that depend on a parameter and on no other input."""
    of_parameters: set[int] = set()
    of_rows: set[int] = set()
    for index, operation in enumerate(function.operations):
        if operation.kind is Kind.INPUT:
            is_parameter = function.inputs[int(operation.value or 0)].group is Group.PARAMETER
            (of_parameters if is_parameter else of_rows).add(index)
        elif any(operand in of_rows for operand in operation.operands):
            of_rows.add(index)
        elif any(operand in of_parameters for operand in operation.operands):
            of_parameters.add(index)
    return of_parameters


def _alternatives(function: OperationSequence, flag: int) -> list[int]:
    """The flags that a condition is the or of, in order."""
    leaves, pending = [], [flag]
    while pending:
        index = pending.pop()
        operation = function.operations[index]
        if operation.kind is Kind.FLAG_OR:
            pending.extend(reversed(operation.operands))
        else:
            leaves.append(index)
    return leaves


@dataclass
class _Copy:
    """Copies operations of one sequence into a builder; `place` maps the old index to the new one."""

    source: OperationSequence
    builder: Builder
    place: dict[int, int] = field(default_factory=dict)
    told: set[tuple[str, int | str]] = field(default_factory=set)  # conditions and their texts that the builder has

    def one(self, index: int) -> int:
        """Copy an operation whose operands are copied already."""
        operation = self.source.operations[index]
        operands = tuple([self.place[operand] for operand in operation.operands])
        self.place[index] = self.builder.copied(operation, operands)
        return self.place[index]

    def conditions(self, flags: dict[str, list[int]]) -> None:
        """Conditions of the source, each from these of its flags, once."""
        with self.builder.under(STATUS):
            self._conditions(flags)

    def _conditions(self, flags: dict[str, list[int]]) -> None:
        for condition in self.source.conditions:
            for index in flags[condition.name]:
                key = (condition.name, self.place[index])
                about = "" if (condition.name, condition.about) in self.told else condition.about
                if key not in self.told:
                    self.builder.condition(condition.name, Flag(self.builder, self.place[index]), about)
                self.told.update((key, (condition.name, condition.about)))


class _Recalibrate:
    """The recalibrate sequence under construction; equal operations of several functions are one."""

    def __init__(self, functions: Sequence[OperationSequence], parameters: tuple[Signal, ...]) -> None:
        self.builder = Builder("recalibrate", functions[0].precision)
        self.parameters = parameters
        self.signals: dict[str, Signal] = {}
        self._names: dict[int, str] = {}  # operation -> name of its derived constant
        self._numbered = 0
        self._told: set[tuple[str, int | str]] = set()
        self._inputs = {signal.name: self._input(signal, functions) for signal in parameters}

    def _input(self, signal: Signal, functions: Sequence[OperationSequence]) -> int:
        """The raw parameter; one that no function reads is checked all the same, where anything is."""
        read = any(
            signal.name == known.name and known.group is Group.PARAMETER for f in functions for known in f.inputs
        )
        checks = any(function.conditions for function in functions)
        if read or not checks:
            return self.builder.input(signal).index
        return checked_input(self.builder, signal).index

    def derive(self, split: _Split) -> dict[int, str]:
        """Copy what a function's parameters alone decide; gives the names of the constants that cross."""
        copy = _Copy(split.function, self.builder, told=self._told)
        wanted = _with_operands(split.function, [*split.crossing, *(f for fs in split.moved.values() for f in fs)])
        for index in wanted:
            operation = split.function.operations[index]
            if operation.kind is Kind.INPUT:
                copy.place[index] = self._inputs[split.function.inputs[int(operation.value or 0)].name]
            else:
                copy.one(index)
        copy.conditions(split.moved)
        return {index: self._name(copy.place[index]) for index in split.crossing}

    def _name(self, operation: int) -> str:
        if operation not in self._names:
            parameter = self._own(operation)
            if parameter is not None and parameter.name not in self.signals:
                signal = replace(parameter, group=Group.DERIVED)
            else:
                signal = Signal(self._new_name(operation), DERIVED_UNIT, "derived", group=Group.DERIVED)
            self._names[operation] = signal.name
            self.signals[signal.name] = signal
            self.builder.output(signal, Value(self.builder, operation))
        return self._names[operation]

    def _own(self, index: int) -> Signal | None:
        """The parameter that this operation is, as it was given or after its check."""
        operation = self.builder.operation(index)
        if operation.kind is Kind.SELECT:
            operation = self.builder.operation(operation.operands[1])
        return self.parameters[int(operation.value or 0)] if operation.kind is Kind.INPUT else None

    def _new_name(self, index: int) -> str:
        name = f"d{self._numbered}{self._hint(index)}"
        self._numbered += 1
        while name in self._inputs:
            name = f"{name}_"
        return name

    def _hint(self, index: int) -> str:
        """Such as _rod_per_crank, where a product or quotient of two parameters is derived."""
        operation = self.builder.operation(index)
        joint = {Kind.MUL: "_", Kind.DIV: "_per_", Kind.ADD: "_plus_", Kind.SUB: "_minus_"}.get(operation.kind)
        owners = [self._own(operand) for operand in operation.operands]
        if joint is None or any(owner is None for owner in owners):
            return ""
        hint = joint.join(re.sub(r"\W", "_", owner.name) for owner in owners if owner is not None)
        return f"_{hint}" if len(hint) <= HINT_LENGTH else ""

    def finish(self) -> OperationSequence:
        """The sequence."""
        return self.builder.finish()


def _with_operands(function: OperationSequence, roots: list[int]) -> list[int]:
    """The roots and all operations that they depend on, in order."""
    found: set[int] = set()
    pending = list(roots)
    while pending:
        index = pending.pop()
        if index not in found:
            found.add(index)
            pending.extend(function.operations[index].operands)
    return sorted(found)


def _with_ranges(
    recalibrate: OperationSequence, signals: dict[str, Signal], parameters: tuple[Signal, ...]
) -> dict[str, Signal]:
    """The derived signals with the ranges that follow from the parameters', and their values at the nominal ones."""
    if not recalibrate.conditions:
        return signals
    enclosures, nominal = analyse(recalibrate), _nominal(recalibrate, parameters)
    ranged = dict(signals)
    for output, value in zip(recalibrate.outputs, nominal, strict=True):
        signal = signals[output.signal.name]
        if signal.minimum is None:
            bounds = enclosures.of(output.operation)
            ranged[signal.name] = replace(
                signal, minimum=Fraction(bounds.low), maximum=Fraction(bounds.high), nominal=Fraction(value)
            )
    return ranged


def _nominal(recalibrate: OperationSequence, parameters: tuple[Signal, ...]) -> list[float]:
    """What recalibrate derives from the nominal parameters."""
    import numpy as np  # noqa: PLC0415 - not needed to export a model without tunable parameters

    from exporter.sequence.interpreter import interpret  # noqa: PLC0415

    row = np.array([[float(signal.nominal or 0) for signal in parameters]])
    return [float(value) for value in interpret(recalibrate, row).outputs[0]]


def _without_parameters(split: _Split, crossing: dict[int, Signal]) -> OperationSequence:
    """The function with derived inputs in place of parameters; its other inputs keep their order."""
    function = split.function
    builder = Builder(function.name, function.precision)
    copy = _Copy(function, builder)
    inputs = {
        position: builder.input(signal).index
        for position, signal in enumerate(function.inputs)
        if signal.group is not Group.PARAMETER
    }
    derived = {signal.name: signal for signal in crossing.values()}
    places = {name: builder.input(derived[name]).index for name in sorted(derived)}
    for index in sorted(split.staying | set(crossing)):
        operation = function.operations[index]
        if index in crossing:
            copy.place[index] = places[crossing[index].name]
        elif operation.kind is Kind.INPUT:
            copy.place[index] = inputs[int(operation.value or 0)]
        else:
            copy.one(index)
    copy.conditions(split.kept)
    for output in function.outputs:
        builder.output(output.signal, Value(builder, copy.place[output.operation]))
    return replace(builder.finish(), left_out=function.left_out)
