"""What a flag tells about the numbers that it was computed from.

A guard is a comparison and a select; the branch that is taken is known to have passed the comparison. Here that
knowledge is turned into tighter bounds: of a checked input, of a pivot that is at least its threshold.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from exporter.sequence.enclosure import Enclosure, at_least, at_most, away_from_zero
from exporter.sequence.operations import Kind, OperationSequence

Enclosures = Mapping[int, Enclosure]


@dataclass(frozen=True, slots=True)
class Fact:
    """Operation `lower` is at most operation `upper`."""

    lower: int
    upper: int


def refined(sequence: OperationSequence, known: Enclosures, index: int, flag: int, taken: bool) -> Enclosure:
    """The bounds of an operation where the flag is 1 (taken) or 0."""
    result = known[index]
    for fact in _facts(sequence, known, flag, taken):
        result = _with_fact(sequence, known, result, index, fact)
    return result


def _facts(sequence: OperationSequence, known: Enclosures, flag: int, taken: bool) -> list[Fact]:
    """The comparisons that must have held. A comparison that failed tells something only where nothing is NaN."""
    facts, pending = [], [(flag, taken)]
    while pending:
        index, holds = pending.pop()
        operation = sequence.operations[index]
        match operation.kind:
            case Kind.FLAG_NOT:
                pending.append((operation.operands[0], not holds))
            case Kind.FLAG_AND if holds:
                pending.extend((operand, True) for operand in operation.operands)
            case Kind.FLAG_OR if not holds:
                pending.extend((operand, False) for operand in operation.operands)
            case Kind.LESS | Kind.LESS_EQUAL:
                left, right = operation.operands
                if holds:
                    facts.append(Fact(left, right))
                elif known[left].bounded and known[right].bounded:
                    facts.append(Fact(right, left))
    return facts


def _with_fact(sequence: OperationSequence, known: Enclosures, value: Enclosure, index: int, fact: Fact) -> Enclosure:
    above, below = known[fact.upper].high, known[fact.lower].low
    if fact.lower == index:
        value = at_most(value, above)
    elif _is_magnitude_of(sequence, fact.lower, index):
        value = at_least(at_most(value, above), -above)
    if fact.upper == index:
        value = at_least(value, below)
    elif _is_magnitude_of(sequence, fact.upper, index):
        value = away_from_zero(value, below)
    return value


def _is_magnitude_of(sequence: OperationSequence, candidate: int, index: int) -> bool:
    """Signs move outwards while building, so the magnitude of -x is written as that of x."""
    operation = sequence.operations[candidate]
    if operation.kind is not Kind.ABS:
        return False
    value = sequence.operations[index]
    return operation.operands in ((index,), value.operands if value.kind is Kind.NEG else ())


def negative_part(sequence: OperationSequence, index: int) -> int | None:
    """The x of a difference |x| - x, or None."""
    minuend, subtrahend = sequence.operations[index].operands
    return subtrahend if _is_magnitude_of(sequence, minuend, subtrahend) else None


def positive_part(sequence: OperationSequence, index: int) -> int | None:
    """The x of an addition x + |x|, or None."""
    for one, other in (sequence.operations[index].operands, sequence.operations[index].operands[::-1]):
        if _is_magnitude_of(sequence, other, one):
            return one
    return None


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
