"""Symbolic model -> Program: one function `evaluate`, or `startup` and `dostep` where the model has states.

In: a `SymbolicModel` and a precision. Out: the `Program` that c99 prints and the interpreters run. Tunable
parameters and what depends on them alone move to `recalibrate`; frozen ones are constants.
"""

from exporter.model.mechanism import Parameter
from exporter.progress import counted
from exporter.sequence.operations import OperationSequence, Precision
from exporter.sequence.pipeline import WITHOUT_SUMS, Pass, divide_functions, finished
from exporter.sequence.program import FrozenParameter, Program
from exporter.sequence.unread import unread_notes
from exporter.symbolic.canonical import model_hash
from exporter.symbolic.model import SymbolicModel
from exporter.symbolic.stepping import step_sequences
from exporter.symbolic.writing import Writing, parameter_signal, written

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
    passes = WITHOUT_SUMS if contract else {Pass.HOIST}
    written_out = sequences_of_symbolic(model, precision, contract=contract)
    sequences = tuple(finished(each, passes) for each in counted("simplifying", written_out, lambda each: each.name))
    tunable = tuple(parameter_signal(parameter) for parameter in model.parameters if not parameter.frozen)
    recalibrate, functions = divide_functions(sequences, tunable)
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
        start="its start values",
        notes=(*_notes(model), *unread_notes(sequences, tunable)),
    )


def sequence_of_symbolic(model: SymbolicModel, precision: Precision, *, contract: bool = True) -> OperationSequence:
    """The one sequence of a model without states, with its tunable parameters still among the inputs."""
    return written(model, FUNCTION, precision, _write_evaluate, contract=contract)


def sequences_of_symbolic(
    model: SymbolicModel, precision: Precision, *, contract: bool = True
) -> tuple[OperationSequence, ...]:
    """Every function of a symbolic model: `evaluate`, or `startup` and `dostep` where it has states."""
    if model.states:
        return step_sequences(model, precision, contract=contract)
    return (sequence_of_symbolic(model, precision, contract=contract),)


def _write_evaluate(writing: Writing) -> None:
    writing.declare_inputs()
    writing.write_outputs(writing.at({}))


def _frozen(parameter: Parameter) -> FrozenParameter:
    return FrozenParameter(parameter.name, parameter.value, parameter.unit, parameter.about)


def _notes(model: SymbolicModel) -> tuple[str, ...]:
    notes = []
    if model.division is not None:
        notes.append(f"denominators that may vanish are kept at least {float(model.division.threshold):g} from zero")
    if model.root is not None:
        notes.append("radicands and arguments of asin and acos that may leave their domain are clamped to it")
    return tuple(notes)
