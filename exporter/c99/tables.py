"""Prints the constant arrays that a program reads by number: each once, however many functions read it.

In: the sequences of a program. Out: C lines. The name of an array is a hash of what is in it.
"""

import hashlib
from collections.abc import Iterable
from fractions import Fraction

from exporter.c99.comments import WIDTH
from exporter.c99.literals import real_literal
from exporter.sequence.operations import Kind, Operation, OperationSequence

DEVIATION = "/* cppcheck-suppress misra-c2012-8.9 ; deviation D5: an array that several functions may read */"


def array_name(literals: Iterable[str]) -> str:
    """How C names an array of these constants."""
    return f"table_{hashlib.sha256(','.join(literals).encode()).hexdigest()[:8]}"


def literals_of(sequence: OperationSequence, read: Operation) -> list[str]:
    """The constants of a read, in C."""
    constants = (sequence.operations[operand].value or 0 for operand in read.operands[1:])
    return [real_literal(Fraction(constant), sequence.precision).strip("()") for constant in constants]


def array_lines(sequences: Iterable[OperationSequence], real: str) -> list[str]:
    """The definitions of all arrays, in the order of their first use."""
    found: dict[str, list[str]] = {}
    for sequence in sequences:
        for operation in sequence.operations:
            if operation.kind is Kind.READ:
                literals = literals_of(sequence, operation)
                found.setdefault(array_name(literals), literals)
    lines: list[str] = []
    for name, literals in found.items():
        lines += [DEVIATION, f"static const {real} {name}[{len(literals)}] = {{", *_wrapped(literals), "};"]
    return lines


def _wrapped(literals: list[str]) -> list[str]:
    lines = [""]
    for number, literal in enumerate(literals):
        text = literal + ("," if number < len(literals) - 1 else "")
        if len(lines[-1]) + len(text) + 5 > WIDTH:
            lines.append("")
        lines[-1] += f" {text}" if lines[-1] else f"    {text}"
    return lines
