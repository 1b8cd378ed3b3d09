"""Runs a sequence on one row in mpmath: what the numbers would be without rounding.

In: a sequence, a row of inputs, a number of digits. Out: outputs as mpf and the status word. Constants are
the exact ones, not their floats; kernels are the mathematical functions. Bits have no meaning between unrounded
numbers, so of the bit operations only the guards' one is known: a magnitude with the sign of another number.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

from exporter.sequence.operations import Kind, Operation, OperationSequence, Sort
from exporter.sequence.refinement import copied_sign

_UNTYPED: Any = mpmath  # the package declares no types
_MPF = _UNTYPED.mpf


def interpret_exact(
    sequence: OperationSequence, row: Sequence[float | int | Fraction | mpmath.mpf], digits: int = 50
) -> tuple[list[mpmath.mpf], int]:
    """Outputs and status for one row.

    Args:
        sequence: what to run.
        row: one number per input signal; rationals are taken exactly (to the digits), infinities and NaN pass.
        digits: decimal digits of the arithmetic.

    Raises:
        ValueError: the row has another length, or the sequence works on bits in another way than guards do.
    """
    if len(row) != len(sequence.inputs):
        raise ValueError(f"'{sequence.name}' takes {len(sequence.inputs)} inputs; {len(row)} were given")
    with _UNTYPED.workdps(digits):
        inputs = [_number(value) for value in row]
        values: list[Any] = []
        for index, operation in enumerate(sequence.operations):
            values.append(_value(sequence, index, operation, inputs, values))
        status = 0 if sequence.status is None else int(values[sequence.status])
        return [+values[output.operation] for output in sequence.outputs], status


def _number(value: float | int | Fraction | mpmath.mpf) -> mpmath.mpf:
    if isinstance(value, Fraction):
        return _MPF(value.numerator) / value.denominator
    return _MPF(value)


def _value(  # noqa: PLR0911 - one per kind
    sequence: OperationSequence, index: int, operation: Operation, inputs: list[mpmath.mpf], values: list[Any]
) -> Any:
    """An mpf, a flag or word as int, a pair as tuple; None for bits."""
    operands = [values[operand] for operand in operation.operands]
    match operation.kind:
        case Kind.INPUT:
            return inputs[int(operation.value or 0)]
        case Kind.CONSTANT:
            return _number(operation.value or 0)
        case Kind.REAL_OF:
            return _copied_sign(sequence, index, values)
        case Kind.SELECT:
            return operands[1] if operands[0] else operands[2]
        case Kind.READ:
            return operands[1:][operands[0]]
    if sequence.sort(index) is Sort.BITS:
        return int(operands[0]) if operation.kind is Kind.TRUNCATE else None
    if operation.kind is Kind.BIT:
        raise ValueError(f"'{sequence.name}' reads single bits; kernels have no exact counterpart")
    return _FUNCTIONS[operation.kind](*operands) if operation.value is None else _with_value(operation, operands)


def _copied_sign(sequence: OperationSequence, index: int, values: list[Any]) -> mpmath.mpf:
    copied = copied_sign(sequence, index)
    if copied is None:
        raise ValueError(f"'{sequence.name}' makes a real of bits; only a magnitude with another's sign is known")
    size, sign = (values[k] for k in copied)
    return -abs(size) if sign < 0 else abs(size)


def _with_value(operation: Operation, operands: list[Any]) -> int:
    """A constant flag, or a flag shifted into a word."""
    if operation.kind is Kind.FLAG_CONSTANT:
        return int(operation.value or 0)
    return int(operands[0]) << int(operation.value or 0)


def _quotient(numerator: mpmath.mpf, denominator: mpmath.mpf) -> mpmath.mpf:
    """As IEEE 754 has it: an infinity for x/0, NaN for 0/0."""
    if denominator == 0:
        return mpmath.nan if numerator == 0 or _UNTYPED.isnan(numerator) else _UNTYPED.sign(numerator) * mpmath.inf
    return numerator / denominator


def _root(value: mpmath.mpf) -> mpmath.mpf:
    return mpmath.nan if value < 0 else mpmath.sqrt(value)


def _arctangent(y: mpmath.mpf, x: mpmath.mpf) -> mpmath.mpf:
    return _MPF(0) if x == 0 and y == 0 else _UNTYPED.atan2(y, x)


def _clamped(ratio: mpmath.mpf) -> mpmath.mpf:
    """As the kernels take it: beyond [-1, 1] it counts as the nearer end."""
    return max(min(ratio, _MPF(1)), _MPF(-1))


_FUNCTIONS: dict[Kind, Any] = {
    Kind.ADD: lambda a, b: a + b,
    Kind.SUB: lambda a, b: a - b,
    Kind.MUL: lambda a, b: a * b,
    Kind.DIV: _quotient,
    Kind.NEG: lambda a: -a,
    Kind.ABS: abs,
    Kind.SQRT: _root,
    Kind.SINCOS: lambda angle: (mpmath.sin(angle), mpmath.cos(angle)),
    Kind.SINE: lambda pair: pair[0],
    Kind.COSINE: lambda pair: pair[1],
    Kind.ATAN2: _arctangent,
    Kind.ASIN: lambda ratio: mpmath.asin(_clamped(ratio)),
    Kind.ACOS: lambda ratio: mpmath.acos(_clamped(ratio)),
    Kind.EXP: mpmath.exp,
    Kind.LOG: mpmath.log,
    Kind.TANH: mpmath.tanh,
    Kind.FLOOR: mpmath.floor,
    Kind.POW: mpmath.power,
    Kind.MOD: lambda value, modulus: value - modulus * mpmath.floor(value / modulus),
    Kind.LESS: lambda a, b: int(a < b),
    Kind.LESS_EQUAL: lambda a, b: int(a <= b),
    Kind.FLAG_AND: lambda a, b: a & b,
    Kind.FLAG_OR: lambda a, b: a | b,
    Kind.FLAG_NOT: lambda a: 1 - a,
    Kind.WORD_OR: lambda a, b: a | b,
}
