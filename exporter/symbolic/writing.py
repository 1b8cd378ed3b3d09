"""Writes a symbolic model into a sequence: its checked inputs, its steps and its outputs.

In: a `SymbolicModel`, the name of a function and a precision. Used by: `evaluate` of a model without states,
`startup` and `dostep` of one with states. Frozen parameters are constants, tunable ones inputs until they are hoisted.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import count

import numpy as np

from exporter.digits import digits
from exporter.errors import ModelError
from exporter.model.mechanism import Input, Parameter
from exporter.sequence.builder import CHECKS, Value
from exporter.sequence.enclosure import Enclosure
from exporter.sequence.guards import checked_input
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Output, Precision, Role, Signal
from exporter.symbolic.claims import MOST_PASSES, Claims
from exporter.symbolic.enclosures import Enclosures
from exporter.symbolic.guards import Guards
from exporter.symbolic.linear_solve import method, solve_linear
from exporter.symbolic.model import Definition, LinearSolve, SymbolicModel
from exporter.symbolic.recording_builder import RecordingBuilder
from exporter.symbolic.sequence import Writer


class Writing:
    """One sequence under construction, with the model's parameters declared."""

    def __init__(
        self, model: SymbolicModel, name: str, precision: Precision, claims: Claims, *, contract: bool
    ) -> None:
        self.model = model
        self.builder = RecordingBuilder(name, precision, contract=contract)
        self.guards = Guards(self.builder, Enclosures(self.builder), model.division, model.root, claims=claims)
        self.signals: list[Signal] = []
        self.names: dict[str, Value] = {}
        for parameter in model.parameters:
            self.names[parameter.name] = self._parameter(parameter)

    def declare_inputs(self) -> None:
        """Declare the model's inputs."""
        for given in self.model.inputs:
            self.names[given.name] = self.checked(_input_signal(given))

    def checked(self, signal: Signal, *, integer: bool = False) -> Value:
        """An input or state: its nominal value where it is out of range, or not whole although `integer`."""
        self.signals.append(signal)
        self.guards.enclosures.add_input(signal)
        value = checked_input(self.builder, signal)
        return _integral(self.builder, value, signal) if integer else value

    def at(self, states: Mapping[str, Value]) -> Writer:
        """What writes expressions where the states have these values; the model's steps are written."""
        writer = Writer(self.guards, {**self.names, **states})
        solves = count(1)
        for step in self.model.steps:
            if isinstance(step, Definition):
                with self.builder.step(step.name, step.about or "definition"):
                    writer.names[step.name] = writer.value(step.expression, f"definition '{step.name}'")
            else:
                self._solve(writer, step, f"solve.{next(solves)}")
        return writer

    def write_outputs(self, writer: Writer) -> None:
        """Declare the model's outputs."""
        for output in self.model.outputs:
            with self.builder.step(output.name, output.about or "output"):
                value = writer.value(output.expression, f"output '{output.name}'")
            signal = Signal(output.name, output.unit, output.about, role=Role(output.role), group=Group.OUTPUT)
            self.builder.output(signal, value)

    def _parameter(self, parameter: Parameter) -> Value:
        if parameter.frozen:
            return self.builder.real(parameter.value)
        return self.checked(parameter_signal(parameter), integer=parameter.integer)

    def _solve(self, writer: Writer, step: LinearSolve, equation: str) -> None:
        names = ", ".join(step.unknowns)
        with self.builder.step(equation, f"({names})  from  {step.about or 'A x = b'}"):
            place = f"the solve step for ({names})"
            matrix = [[writer.value(entry, place) for entry in row] for row in step.matrix]
            right = [writer.value(entry, place) for entry in step.right]
            self.guards.place = f"{place} (pivot, {method(matrix)})"
            solution = solve_linear(matrix, right, partial(self.guards.pivot_left, step.threshold), self.nominal)
        writer.names.update(zip(step.unknowns, solution, strict=True))

    def nominal(self, values: Sequence[Value]) -> list[float]:
        """Values at the nominal point of all inputs."""
        outputs = tuple(Output(Signal(f"v{k}", "1"), value.index) for k, value in enumerate(values))
        sequence = OperationSequence(
            self.builder.name, self.builder.precision, tuple(self.signals), self.builder.operations(), outputs
        )
        row = np.array([[float(signal.nominal or 0) for signal in self.signals]])
        return [float(value) for value in interpret(sequence, row).outputs[0]]


def written(
    model: SymbolicModel, name: str, precision: Precision, write: Callable[[Writing], None], *, contract: bool
) -> OperationSequence:
    """The sequence that `write` writes, written again until every claim of an arm holds.

    Raises:
        ModelError: an expression cannot be exported, or a claim cannot be proven.
    """
    assumed: Sequence[Enclosure] = ()
    for left in range(MOST_PASSES, 0, -1):
        writing = Writing(model, name, precision, Claims(assumed), contract=contract)
        write(writing)
        assumed = writing.guards.claims.bounds(writing.builder, writing.guards.enclosures)
        if writing.guards.claims.hold(assumed, last=left == 1):
            break
    writing.builder.release()
    return writing.builder.finish()


def _integral(builder: RecordingBuilder, value: Value, signal: Signal) -> Value:
    """The signal where it is a whole number, else its nominal value with ARG_REJECTED."""
    require_exact_integers(builder, signal)
    if not builder.contract:
        return value
    with builder.under(CHECKS if signal.group is Group.STATE else None):
        whole = rounded(builder, value)
        accepted = (whole <= value) & (value <= whole)
        builder.condition("ARG_REJECTED", ~accepted)
        return builder.select(accepted, value, signal.nominal or 0)


def require_exact_integers(builder: RecordingBuilder, signal: Signal) -> None:
    """Refuse a range in which the type does not hold every whole number, or adding and subtracting rounds wrongly."""
    largest = 1 / builder.epsilon / 2
    for bound in (signal.minimum, signal.maximum):
        if bound is not None and abs(bound) > largest:
            what = "parameter" if signal.group is Group.PARAMETER else "state"
            raise ModelError(
                f"integer {what} '{signal.name}' has the bound {digits(bound)}; a {builder.precision} holds whole "
                f"numbers up to {digits(largest)} here, so narrow its range"
            )


def rounded(builder: RecordingBuilder, value: Value) -> Value:
    """The nearest whole number: adding and subtracting 1.5 * 2^(p-1) rounds to one (p bits of precision)."""
    magic = builder.real(Fraction(3, 2) / builder.epsilon)
    return builder.sub(builder.add(value, magic), magic)


def _input_signal(given: Input) -> Signal:
    return Signal(given.name, given.unit, given.about, given.minimum, given.maximum, given.nominal)


def parameter_signal(parameter: Parameter) -> Signal:
    """A tunable parameter as an input, until it is hoisted."""
    return Signal(
        parameter.name,
        parameter.unit,
        parameter.about,
        parameter.minimum,
        parameter.maximum,
        parameter.value,
        group=Group.PARAMETER,
    )
