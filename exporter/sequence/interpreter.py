"""Runs a sequence in numpy, rounded at every operation: the bits that the exported C computes.

In: a sequence and rows of inputs. Out: rows of outputs and a status word per row. Kernels run through their
own sequences. Bit-exact with C compiled by `-std=c99 -O2 -ffp-contract=off`, NaN payloads excepted.
"""

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exporter.records import dataclass
from exporter.sequence.kernels import kernel
from exporter.sequence.operations import KERNELS, Kind, Operation, OperationSequence, Precision
from exporter.sequence.rounding import round_to_format

CHUNK = 16384
"""Rows that are run together: arrays of this length stay in a processor's cache. No result depends on it."""

Column = NDArray[Any]  # one value per row, or a single one for all rows
Parts = tuple[Column, ...]  # a PAIR


@dataclass(frozen=True, slots=True)
class InterpretedRows:
    """What a sequence yields for a batch."""

    outputs: Column  # (rows, n_outputs), dtype of the precision
    status: NDArray[np.uint32]  # (rows,)


@dataclass(frozen=True, slots=True)
class _Types:
    """The numpy types of a precision."""

    real: type[np.floating[Any]]
    bits: type[np.unsignedinteger[Any]]
    signed: type[np.signedinteger[Any]]


_TYPES: dict[Precision, _Types] = {
    "float32": _Types(np.float32, np.uint32, np.int32),
    "float64": _Types(np.float64, np.uint64, np.int64),
}

_NUMPY_OPERATIONS: dict[Kind, Callable[..., Column]] = {
    Kind.ADD: operator.add,
    Kind.SUB: operator.sub,
    Kind.MUL: operator.mul,
    Kind.DIV: operator.truediv,
    Kind.NEG: operator.neg,
    Kind.ABS: np.abs,
    Kind.SQRT: np.sqrt,
    Kind.LESS: operator.lt,
    Kind.LESS_EQUAL: operator.le,
    Kind.SELECT: np.where,
    Kind.FLAG_AND: operator.and_,
    Kind.FLAG_OR: operator.or_,
    Kind.FLAG_NOT: operator.invert,
    Kind.BITS_AND: operator.and_,
    Kind.BITS_OR: operator.or_,
    Kind.BITS_XOR: operator.xor,
    Kind.WORD_OR: operator.or_,
}
"""Operations that numpy has, on flags as booleans, bits as unsigned integers of the real's width, words as uint32."""


def interpret(sequence: OperationSequence, inputs: Column) -> InterpretedRows:
    """Run a sequence on a batch.

    Args:
        sequence: what to run.
        inputs: (rows, n_inputs), in the order of `sequence.inputs`; rounded to the precision first.

    Raises:
        ValueError: the inputs have another shape.
    """
    if inputs.ndim != 2 or inputs.shape[1] != len(sequence.inputs):
        raise ValueError(
            f"'{sequence.name}' takes rows of {len(sequence.inputs)} inputs; an array of shape {inputs.shape} was given"
        )
    types = _TYPES[sequence.precision]
    outputs = np.empty((inputs.shape[0], len(sequence.outputs)), dtype=types.real)
    status = np.zeros(inputs.shape[0], dtype=np.uint32)
    with np.errstate(all="ignore"):
        for first in range(0, inputs.shape[0], CHUNK):
            rows = slice(first, first + CHUNK)
            columns = [np.ascontiguousarray(column) for column in inputs[rows].T.astype(types.real)]
            results, word = _run(sequence, columns)
            for position, result in enumerate(results):
                outputs[rows, position] = result
            status[rows] = word
    return InterpretedRows(outputs, status)


def _run(sequence: OperationSequence, columns: Sequence[Column]) -> tuple[list[Column], Column]:
    """Outputs and status of one chunk. Values are dropped after their last use."""
    values: list[Any] = []
    for function, operands, spent in _plan(sequence):
        values.append(function(*[values[k] for k in operands]) if operands else function(columns))
        for index in spent:
            values[index] = None
    word = np.zeros(1, dtype=np.uint32) if sequence.status is None else values[sequence.status]
    return [_column(values[output.operation]) for output in sequence.outputs], _column(word)


class _Planned(NamedTuple):
    """What is called for one operation, and which values nothing needs after it."""

    function: Callable[..., Any]  # of the operands' values; of the columns of inputs where there is no operand
    operands: tuple[int, ...]
    spent: tuple[int, ...]


@lru_cache(maxsize=64)
def _plan(sequence: OperationSequence) -> tuple[_Planned, ...]:
    """The calls that run a sequence, in order."""
    last_uses = _last_uses(sequence)
    return tuple(
        _Planned(_function(operation, sequence.precision), operation.operands, spent)
        for operation, spent in zip(sequence.operations, last_uses, strict=True)
    )


def _last_uses(sequence: OperationSequence) -> list[tuple[int, ...]]:
    """For each operation the operands that nothing after it needs."""
    last: dict[int, int] = {}
    for index, operation in enumerate(sequence.operations):
        last[index] = index
        for operand in operation.operands:
            last[operand] = index
    kept = {output.operation for output in sequence.outputs} | {sequence.status}
    spent: list[tuple[int, ...]] = [()] * len(sequence.operations)
    for operand, user in last.items():
        if operand not in kept:
            spent[user] += (operand,)
    return spent


def _column(value: Column | Parts) -> Any:
    """One array; numpy's types of an array of a type chosen at run time say no more than Any."""
    if isinstance(value, tuple):
        raise TypeError("a (sine, cosine) pair stands where one number is expected; take SINE or COSINE of it")
    return value


def _function(operation: Operation, precision: Precision) -> Callable[..., Any]:
    """What yields the value of an operation (see `_Planned.function`)."""
    kind = operation.kind
    if kind in _NUMPY_OPERATIONS:
        return _NUMPY_OPERATIONS[kind]
    if kind in KERNELS:
        return partial(_kernel, kernel(kind, precision))
    if kind is Kind.READ:
        return _read
    if kind is Kind.INPUT:
        return itemgetter(int(operation.value or 0))
    if not operation.operands:
        return partial(_given, _constant(operation, precision))
    return partial(_reshape_bits, operation, _TYPES[precision])


def _read(number: Column, *constants: Column) -> Column:
    return np.concatenate(constants)[number]


def _given(value: Column, columns: Sequence[Column]) -> Column:  # noqa: ARG001 - constants look at no input
    return value


def _kernel(sequence: OperationSequence, *operands: Column) -> Column | Parts:
    results, _ = _run(sequence, operands)
    return results[0] if len(results) == 1 else tuple(results)


def _constant(operation: Operation, precision: Precision) -> Column:
    value = operation.value or 0
    match operation.kind:
        case Kind.CONSTANT:
            return np.array([round_to_format(value, precision)], dtype=_TYPES[precision].real)
        case Kind.FLAG_CONSTANT:
            return np.array([bool(value)])
        case Kind.BITS_CONSTANT:
            return np.array([int(value)], dtype=_TYPES[precision].bits)
    raise ValueError(f"no interpretation of operation '{operation.kind}' without operands")


def _reshape_bits(operation: Operation, types: _Types, operand: Column | Parts) -> Any:  # noqa: PLR0911 - one per kind
    """Operations between sorts. Casts copy bits, or truncate towards zero."""
    distance = int(operation.value or 0)
    match operation.kind:
        case Kind.SINE:
            return _part(operand, 0)
        case Kind.COSINE:
            return _part(operand, 1)
        case Kind.BITS_OF:
            return _column(operand).view(types.bits)
        case Kind.REAL_OF:
            return _column(operand).view(types.real)
        case Kind.SHIFT_LEFT:
            return _column(operand) << types.bits(distance)
        case Kind.SHIFT_RIGHT:
            return _column(operand) >> types.bits(distance)
        case Kind.TRUNCATE:
            return _column(operand).astype(types.signed).view(types.bits)
        case Kind.BIT:
            return (_column(operand) >> types.bits(distance)) & types.bits(1) != 0
        case Kind.WORD_OF:
            return _column(operand).astype(np.uint32) << np.uint32(distance)
    raise ValueError(f"no interpretation of operation '{operation.kind}'")


def _part(operand: Column | Parts, position: int) -> Column:
    if not isinstance(operand, tuple):
        raise TypeError("SINE and COSINE read a (sine, cosine) pair")
    return operand[position]
