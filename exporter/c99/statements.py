"""Prints a sequence as C statements, one operation each, in evaluation order.

In: a sequence, and how the inputs are spelled. Out: lines of a function body and the spelling of every
operation. `t30` is operation 30 of the sequence. Constants, inputs and the parts of a (sine, cosine) pair stand where
they are used. Every step of the solution has its heading (see `exporter.c99.headings`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from exporter.c99.comments import WIDTH, comment_lines, comment_text
from exporter.c99.headings import headings
from exporter.c99.literals import bits_literal, real_literal
from exporter.c99.tables import array_name, literals_of
from exporter.sequence.operations import KERNELS, Kind, Operation, OperationSequence, Precision, Sort

Reference = Callable[[int], str]  # position in sequence.inputs -> how C reads it

WIDTH_OF: dict[Precision, int] = {"float32": 32, "float64": 64}
TAG_OF: dict[Precision, str] = {"float32": "f32", "float64": "f64"}
"""What the names of bundled functions end with, so that exports of both precisions link into one program."""
MATH_SUFFIX: dict[Precision, str] = {"float32": "f", "float64": ""}
LETTER: dict[Sort, str] = {Sort.REAL: "t", Sort.BITS: "b", Sort.FLAG: "f", Sort.WORD: "w", Sort.PAIR: "p"}

FORMS: dict[Kind, str] = {
    Kind.ADD: "{0} + {1}",
    Kind.SUB: "{0} - {1}",
    Kind.MUL: "{0} * {1}",
    Kind.DIV: "{0} / {1}",
    Kind.NEG: "-{0}",
    Kind.ABS: "fabs{math}({0})",
    Kind.SQRT: "sqrt{math}({0})",
    Kind.ATAN2: "kfx_atan2_{tag}({0}, {1})",
    Kind.ASIN: "kfx_asin_{tag}({0})",
    Kind.ACOS: "kfx_acos_{tag}({0})",
    Kind.EXP: "kfx_exp_{tag}({0})",
    Kind.LOG: "kfx_log_{tag}({0})",
    Kind.TANH: "kfx_tanh_{tag}({0})",
    Kind.FLOOR: "kfx_floor_{tag}({0})",
    Kind.POW: "kfx_pow_{tag}({0}, {1})",
    Kind.MOD: "kfx_mod_{tag}({0}, {1})",
    Kind.LESS: "kfx_less_{tag}({0}, {1})",
    Kind.LESS_EQUAL: "kfx_less_equal_{tag}({0}, {1})",
    Kind.FLAG_AND: "{0} & {1}",
    Kind.FLAG_OR: "{0} | {1}",
    Kind.FLAG_NOT: "1U - {0}",
    Kind.BITS_OF: "kfx_bits_{tag}({0})",
    Kind.REAL_OF: "kfx_value_{tag}({0})",
    Kind.BITS_AND: "{0} & {1}",
    Kind.BITS_OR: "{0} | {1}",
    Kind.BITS_XOR: "{0} ^ {1}",
    Kind.SHIFT_LEFT: "{0} << {value}U",
    Kind.SHIFT_RIGHT: "{0} >> {value}U",
    Kind.TRUNCATE: "(uint{width}_t)(int32_t){0}",  # a core has no instruction for 64 bits, and would call a function
    Kind.BIT: "(uint32_t)(({0} >> {value}U) & 1U)",
    Kind.WORD_OF: "{0} << {value}U",
    Kind.WORD_OR: "{0} | {1}",
}
"""Kind -> the right-hand side of its statement. SELECT, PAIR and what prints no statement are handled apart."""


@dataclass(frozen=True, slots=True)
class PrintedSequence:
    """A sequence in C."""

    lines: tuple[str, ...]
    spelling: tuple[str, ...]  # per operation


def type_name(sort: Sort, precision: Precision, real: str) -> str:
    """The C type of a sort; `real` is the spelling of the real type."""
    if sort is Sort.REAL:
        return real
    return f"uint{WIDTH_OF[precision]}_t" if sort is Sort.BITS else "uint32_t"


def print_sequence(sequence: OperationSequence, real: str, reference: Reference) -> PrintedSequence:
    """The statements of a sequence.

    Args:
        sequence: what to print.
        real: the C type of a real.
        reference: how C spells the input at a position of `sequence.inputs`.
    """
    spelling: list[str] = []
    lines: list[str] = []
    printed = [
        index for index, operation in enumerate(sequence.operations) if operation.kind not in _KINDS_WITHOUT_STATEMENT
    ]
    told, tags = headings(sequence.operations, printed)
    for index in range(len(sequence.operations)):
        spelling.append(_spelling(sequence, index, reference))
        if index in told:
            lines += ["", *comment_lines(str(told[index]))] if lines else comment_lines(str(told[index]))
        lines += _statement(sequence, index, spelling, real, tags[index].equation if index in tags else "")
    return PrintedSequence(tuple(lines), tuple(spelling))


def _spelling(sequence: OperationSequence, index: int, reference: Reference) -> str:
    """How later statements name this operation."""
    operation, precision = sequence.operations[index], sequence.precision
    match operation.kind:
        case Kind.INPUT:
            spelled = reference(_integer(operation))
        case Kind.CONSTANT:
            spelled = real_literal(operation.value or 0, precision)
        case Kind.FLAG_CONSTANT:
            spelled = f"{_integer(operation)}U"
        case Kind.BITS_CONSTANT:
            spelled = bits_literal(_integer(operation), WIDTH_OF[precision])
        case Kind.SINE:
            spelled = f"{LETTER[Sort.PAIR]}{operation.operands[0]}.sine"
        case Kind.COSINE:
            spelled = f"{LETTER[Sort.PAIR]}{operation.operands[0]}.cosine"
        case _:
            spelled = f"{LETTER[sequence.sort(index)]}{index}"
    return spelled


def _integer(operation: Operation) -> int:
    return int(operation.value or 0)


_KINDS_WITHOUT_STATEMENT = frozenset(
    {Kind.INPUT, Kind.CONSTANT, Kind.FLAG_CONSTANT, Kind.BITS_CONSTANT, Kind.SINE, Kind.COSINE}
)


def _statement(sequence: OperationSequence, index: int, spelling: Sequence[str], real: str, tag: str) -> list[str]:
    """The lines of one operation."""
    operation, ending = sequence.operations[index], TAG_OF[sequence.precision]
    operands = [spelling[operand] for operand in operation.operands]
    if operation.kind in _KINDS_WITHOUT_STATEMENT:
        return []
    if operation.kind is Kind.SINCOS:
        call = f"const kfx_sincos_{ending}_t {spelling[index]} = kfx_sincos_{ending}({operands[0]});"
        return _annotate_statement(call, tag)
    kind = type_name(sequence.sort(index), sequence.precision, real)
    return _annotate_statement(f"const {kind} {spelling[index]} = {_right_hand_side(sequence, index, operands)};", tag)


def _right_hand_side(sequence: OperationSequence, index: int, operands: Iterable[str]) -> str:
    operation, precision = sequence.operations[index], sequence.precision
    if operation.kind is Kind.READ:
        return f"{array_name(literals_of(sequence, operation))}[{next(iter(operands))}]"
    if operation.kind is Kind.SELECT:
        form = (
            "kfx_select_{tag}({0}, {1}, {2})" if sequence.sort(index) is Sort.REAL else "kfx_mask_{tag}({0}, {1}, {2})"
        )
    else:
        form = FORMS[operation.kind]
    return form.format(
        *operands,
        tag=TAG_OF[precision],
        math=MATH_SUFFIX[precision],
        width=WIDTH_OF[precision],
        value=operation.value,
    )


def _annotate_statement(statement: str, tag: str) -> list[str]:
    """The statement with the step it was written for: behind it, or before it where the line would be too long."""
    line = f"    {statement}"
    if not tag:
        return [line]
    with_comment = f"{line} /* {comment_text(tag)} */"
    return [with_comment] if len(with_comment) <= WIDTH else [*comment_lines(tag), line]


def bundled(sequence: OperationSequence) -> tuple[frozenset[Kind], bool, bool]:
    """What the text of a sequence calls: kernels, whether bit functions, whether math.h."""
    kinds = {operation.kind for operation in sequence.operations}
    bits = kinds & {Kind.LESS, Kind.LESS_EQUAL, Kind.SELECT, Kind.BITS_OF, Kind.REAL_OF}
    return frozenset(kinds & KERNELS), bool(bits), bool(kinds & {Kind.ABS, Kind.SQRT})
