"""Forms of several operations whose bounds are tighter than interval arithmetic on each of them would tell.

The positive part (x + |x|) / 2, the negative part (|x| - x) / 2, and a magnitude with the sign of another number.
"""

from exporter.sequence.operations import Kind, Operation, OperationSequence


def _is_magnitude_of(sequence: OperationSequence, candidate: int, index: int) -> bool:
    """Signs move outwards while building, so the magnitude of -x is written as that of x."""
    operation = sequence.operations[candidate]
    if operation.kind is not Kind.ABS:
        return False
    value = sequence.operations[index]
    return operation.operands in ((index,), value.operands if value.kind is Kind.NEG else ())


def negative_part(sequence: OperationSequence, difference: Operation) -> int | None:
    """The x of a difference |x| - x, or None."""
    minuend, subtrahend = difference.operands
    return subtrahend if _is_magnitude_of(sequence, minuend, subtrahend) else None


def positive_part(sequence: OperationSequence, addition: Operation) -> int | None:
    """The x of an addition x + |x|, or None."""
    one, other = addition.operands
    if _is_magnitude_of(sequence, other, one):
        return one
    return other if _is_magnitude_of(sequence, one, other) else None


def copied_sign(sequence: OperationSequence, index: int) -> tuple[int, int] | None:
    """(m, s) where the operation is REAL_OF of the bits of m with the sign bit of s or-ed in, or None."""
    joined = _operands(sequence, index, Kind.REAL_OF, Kind.BITS_OR)
    for signed, plain in (joined, joined[::-1]) if joined else ():
        sign = _operand_beside_sign_bit(sequence, signed)
        if sign is not None and sequence.operations[plain].kind is Kind.BITS_OF:
            return sequence.operations[plain].operands[0], sign
    return None


def _operands(sequence: OperationSequence, index: int, outer: Kind, inner: Kind) -> tuple[int, ...]:
    """The operands of the inner operation under an outer one of these kinds."""
    operation = sequence.operations[index]
    below = sequence.operations[operation.operands[0]] if operation.kind is outer else operation
    return below.operands if operation.kind is outer and below.kind is inner else ()


def _operand_beside_sign_bit(sequence: OperationSequence, index: int) -> int | None:
    """The x of BITS_OF(x) and the sign bit alone."""
    operation = sequence.operations[index]
    if operation.kind is not Kind.BITS_AND:
        return None
    one, other = (sequence.operations[operand] for operand in operation.operands)
    for bits, constant in ((one, other), (other, one)):
        sign_bit = 1 << (31 if sequence.precision == "float32" else 63)
        if bits.kind is Kind.BITS_OF and constant.kind is Kind.BITS_CONSTANT and constant.value == sign_bit:
            return bits.operands[0]
    return None
