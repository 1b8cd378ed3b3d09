"""Symbolic model -> Program: one function `evaluate`, from inputs and parameters to outputs, with a status.

In: a `SymbolicModel` and a precision. Out: the `Program` that c99 prints and the interpreters run. Tunable
parameters and what depends on them alone move to `recalibrate`; frozen ones are constants.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import count

import numpy as np

from exporter.digits import digits
from exporter.errors import ModelError
from exporter.model.mechanism import Input, Parameter
from exporter.sequence.builder import Value
from exporter.sequence.enclosure import Enclosure
from exporter.sequence.guards import checked_input
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Output, Precision, Role, Signal
from exporter.sequence.pipeline import WITHOUT_SUMS, Pass, divide_functions, finished
from exporter.sequence.program import FrozenParameter, Program
from exporter.sequence.unread import unread_notes
from exporter.symbolic.canonical import model_hash
from exporter.symbolic.claims import MOST_PASSES, Claims
from exporter.symbolic.enclosures import Enclosures
from exporter.symbolic.guards import Guards
from exporter.symbolic.linear_solve import method, solve_linear
from exporter.symbolic.model import Definition, LinearSolve, SymbolicModel
from exporter.symbolic.recording_builder import RecordingBuilder
from exporter.symbolic.sequence import Writer

FUNCTION = "evaluate"


def program_of_symbolic(model: SymbolicModel, precision: Precision, *, contract: bool = True) -> Program:
    """The program of a symbolic model.

    Args:
        model: the model.
        precision: of every operation.
        contract: False leaves guards and range checks out, for counting the arithmetic alone.

    Raises:
        ModelError: an expression cannot be exported: an unknown name or function, a root or a division without a
            policy, a value that is not finite, a result that may overflow within the ranges.
    """
    sequence = sequence_of_symbolic(model, precision, contract=contract)
    sequence = finished(sequence, WITHOUT_SUMS if contract else {Pass.HOIST})
    tunable = tuple(_parameter_signal(parameter) for parameter in model.parameters if not parameter.frozen)
    recalibrate, functions = divide_functions((sequence,), tunable)
    return Program(
        name=model.name,
        title=model.title or model.name,
        source=model.source or f"symbolic model {model.name}",
        precision=precision,
        model_hash=model_hash(model),
        functions=functions,
        recalibrate=recalibrate,
        frozen=tuple(_frozen(parameter) for parameter in model.parameters if parameter.frozen),
        parameters=tunable,
        notes=(*_notes(model), *unread_notes((sequence,), tunable)),
    )


def sequence_of_symbolic(model: SymbolicModel, precision: Precision, *, contract: bool = True) -> OperationSequence:
    """The one sequence of a symbolic model, with its tunable parameters still among the inputs."""
    assumed: Sequence[Enclosure] = ()
    for left in range(MOST_PASSES, 0, -1):
        writing = _Writing(model, precision, Claims(assumed), contract=contract)
        writing.everything()
        assumed = writing.guards.claims.bounds(writing.builder, writing.guards.enclosures)
        if writing.guards.claims.hold(assumed, last=left == 1):
            break
    writing.builder.release()
    return writing.builder.finish()


class _Writing:
    """One sequence under construction."""

    def __init__(self, model: SymbolicModel, precision: Precision, claims: Claims, *, contract: bool) -> None:
        self.model = model
        self.builder = RecordingBuilder(FUNCTION, precision, contract=contract)
        self.guards = Guards(self.builder, Enclosures(self.builder), model.division, model.root, claims=claims)
        self.writer = Writer(self.guards)
        self.signals: list[Signal] = []
        for parameter in model.parameters:
            self.writer.names[parameter.name] = self._parameter(parameter)
        for given in model.inputs:
            self.writer.names[given.name] = self._input(_input_signal(given))

    def everything(self) -> None:
        """Write the steps and the outputs."""
        solves = count(1)
        for step in self.model.steps:
            if isinstance(step, Definition):
                with self.builder.step(step.name, step.about or "definition"):
                    self.writer.names[step.name] = self.writer.value(step.expression, f"definition '{step.name}'")
            else:
                self._solve(step, f"solve.{next(solves)}")
        for output in self.model.outputs:
            with self.builder.step(output.name, output.about or "output"):
                value = self.writer.value(output.expression, f"output '{output.name}'")
            signal = Signal(output.name, output.unit, output.about, role=Role(output.role), group=Group.OUTPUT)
            self.builder.output(signal, value)

    def _input(self, signal: Signal) -> Value:
        self.signals.append(signal)
        self.guards.enclosures.add_input(signal)
        return checked_input(self.builder, signal)

    def _parameter(self, parameter: Parameter) -> Value:
        if parameter.frozen:
            return self.builder.real(parameter.value)
        signal = _parameter_signal(parameter)
        value = self._input(signal)
        return _integral(self.builder, value, signal) if parameter.integer else value

    def _solve(self, step: LinearSolve, equation: str) -> None:
        names = ", ".join(step.unknowns)
        with self.builder.step(equation, f"({names})  from  {step.about or 'A x = b'}"):
            place = f"the solve step for ({names})"
            matrix = [[self.writer.value(entry, place) for entry in row] for row in step.matrix]
            right = [self.writer.value(entry, place) for entry in step.right]
            self.guards.place = f"{place} (pivot, {method(matrix)})"
            solution = solve_linear(matrix, right, partial(self.guards.pivot_left, step.threshold), self._nominal)
        self.writer.names.update(zip(step.unknowns, solution, strict=True))

    def _nominal(self, values: Sequence[Value]) -> list[float]:
        """Values at the nominal point of all inputs."""
        outputs = tuple(Output(Signal(f"v{k}", "1"), value.index) for k, value in enumerate(values))
        sequence = OperationSequence(
            FUNCTION, self.builder.precision, tuple(self.signals), self.builder.operations(), outputs
        )
        row = np.array([[float(signal.nominal or 0) for signal in self.signals]])
        return [float(value) for value in interpret(sequence, row).outputs[0]]


def _integral(builder: RecordingBuilder, value: Value, signal: Signal) -> Value:
    """The parameter where it is a whole number, else its nominal value with ARG_REJECTED.

    Adding and subtracting 1.5 * 2^(p-1) rounds to a whole number (p bits of precision).
    """
    largest = 1 / builder.epsilon / 2
    for bound in (signal.minimum, signal.maximum):
        if bound is not None and abs(bound) > largest:
            raise ModelError(
                f"integer parameter '{signal.name}' has the bound {digits(bound)}; a {builder.precision} holds whole "
                f"numbers up to {digits(largest)} here, so narrow its range"
            )
    if not builder.contract:
        return value
    magic = builder.real(Fraction(3, 2) / builder.epsilon)
    rounded = builder.sub(builder.add(value, magic), magic)
    whole = (rounded <= value) & (value <= rounded)
    builder.condition("ARG_REJECTED", ~whole)
    return builder.select(whole, value, signal.nominal or 0)


def _input_signal(given: Input) -> Signal:
    return Signal(given.name, given.unit, given.about, given.minimum, given.maximum, given.nominal)


def _parameter_signal(parameter: Parameter) -> Signal:
    return Signal(
        parameter.name,
        parameter.unit,
        parameter.about,
        parameter.minimum,
        parameter.maximum,
        parameter.value,
        group=Group.PARAMETER,
    )


def _frozen(parameter: Parameter) -> FrozenParameter:
    return FrozenParameter(parameter.name, parameter.value, parameter.unit, parameter.about)


def _notes(model: SymbolicModel) -> tuple[str, ...]:
    notes = []
    if model.division is not None:
        notes.append(f"denominators that may vanish are kept at least {float(model.division.threshold):g} from zero")
    if model.root is not None:
        notes.append("radicands and arguments of asin and acos that may leave their domain are clamped to it")
    return tuple(notes)
