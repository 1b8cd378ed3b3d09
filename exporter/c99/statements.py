"""Prints a sequence as C statements, one operation each, in evaluation order.

In: a sequence, and how the inputs are spelled. Out: lines of a function body and the spelling of every
operation. `t30` is operation 30 of the sequence. Constants, inputs and the parts of a (sine, cosine) pair stand where
they are used. Every step of the solution has its heading (see `exporter.c99.headings`).
"""

from collections.abc import Callable, Sequence
from functools import cache

from exporter.c99.comments import WIDTH, comment_lines, comment_text
from exporter.c99.headings import headings
from exporter.c99.literals import bits_literal, real_literal
from exporter.c99.tables import array_name, literals_of
from exporter.records import dataclass
from exporter.sequence.operations import KERNELS, SORT_OF, Kind, Operation, OperationSequence, Precision, Sort

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
    Kind.SINCOS: "kfx_sincos_{tag}({0})",
    Kind.READ: "{0}[{1}]",
}
"""Kind -> the right-hand side of its statement."""
FORMS_OF_SELECT: dict[tuple[Kind, Sort], str] = {
    (Kind.SELECT, Sort.REAL): "kfx_select_{tag}({0}, {1}, {2})",
    (Kind.SELECT, Sort.BITS): "kfx_mask_{tag}({0}, {1}, {2})",
}


@dataclass(frozen=True, slots=True)
class PrintedSequence:
    """A sequence in C."""

    lines: tuple[str, ...]
    spelling: tuple[str, ...]  # per operation


def print_sequence(sequence: OperationSequence, real: str, reference: Reference) -> PrintedSequence:
    """The statements of a sequence.

    Args:
        sequence: what to print.
        real: the C type of a real.
        reference: how C spells the input at a position of `sequence.inputs`.
    """
    spelling: list[str] = []
    lines: list[str] = []
    operations, forms = sequence.operations, _statement_forms(sequence.precision, real)
    printed = [index for index, operation in enumerate(operations) if operation.kind not in _KINDS_WITHOUT_STATEMENT]
    told, tags = headings(operations, printed)
    for index, operation in enumerate(operations):
        if operation.kind in _KINDS_WITHOUT_STATEMENT:
            spelling.append(_in_place(operation, sequence.precision, reference))
            continue
        sort = sequence.sort(index)
        spelling.append(f"{LETTER[sort]}{index}")
        operands = _operands(sequence, operation, spelling)
        line = forms[operation.kind, sort].format(*operands, name=spelling[index], value=operation.value)
        if index in told:
            lines += ["", *comment_lines(str(told[index]))] if lines else comment_lines(str(told[index]))
        lines += _with_tag(line, tags[index].equation) if index in tags else (line,)
    return PrintedSequence(tuple(lines), tuple(spelling))


_KINDS_WITHOUT_STATEMENT = frozenset(
    {Kind.INPUT, Kind.CONSTANT, Kind.FLAG_CONSTANT, Kind.BITS_CONSTANT, Kind.SINE, Kind.COSINE}
)


def _in_place(operation: Operation, precision: Precision, reference: Reference) -> str:
    """How later statements spell an operation that has no statement."""
    match operation.kind:
        case Kind.INPUT:
            return reference(_integer(operation))
        case Kind.CONSTANT:
            return real_literal(operation.value or 0, precision)
        case Kind.FLAG_CONSTANT:
            return f"{_integer(operation)}U"
        case Kind.BITS_CONSTANT:
            return bits_literal(_integer(operation), WIDTH_OF[precision])
    return f"{LETTER[Sort.PAIR]}{operation.operands[0]}.{operation.kind.value}"


def _integer(operation: Operation) -> int:
    return int(operation.value or 0)


def _operands(sequence: OperationSequence, operation: Operation, spelling: Sequence[str]) -> list[str]:
    """What the form of a statement names; of a read, the array and the number."""
    if operation.kind is Kind.READ:
        return [array_name(literals_of(sequence, operation)), spelling[operation.operands[0]]]
    return [spelling[operand] for operand in operation.operands]


@cache
def _statement_forms(precision: Precision, real: str) -> dict[tuple[Kind, Sort], str]:
    """The line of a statement by what it does and yields; open are the operands, its name and its value."""
    whole = {(kind, SORT_OF[kind]): form for kind, form in FORMS.items()} | FORMS_OF_SELECT
    return {
        (kind, sort): f"    const {_type_name(sort, precision, real)} {{name}} = {_filled(form, precision)};"
        for (kind, sort), form in whole.items()
    }


def _filled(form: str, precision: Precision) -> str:
    """The form with what the precision decides."""
    tag, math, width = TAG_OF[precision], MATH_SUFFIX[precision], WIDTH_OF[precision]
    return form.format("{0}", "{1}", "{2}", tag=tag, math=math, width=width, value="{value}")


def _type_name(sort: Sort, precision: Precision, real: str) -> str:
    """The C type of a sort; `real` is the spelling of the real type."""
    match sort:
        case Sort.REAL:
            return real
        case Sort.BITS:
            return f"uint{WIDTH_OF[precision]}_t"
        case Sort.PAIR:
            return f"kfx_sincos_{TAG_OF[precision]}_t"
    return "uint32_t"


def _with_tag(line: str, tag: str) -> list[str]:
    """The statement with the step it was written for: behind it, or before it where the line would be too long."""
    if not tag:
        return [line]
    with_comment = f"{line} /* {comment_text(tag)} */"
    return [with_comment] if len(with_comment) <= WIDTH else [*comment_lines(tag), line]


def bundled(sequence: OperationSequence) -> tuple[frozenset[Kind], bool, bool]:
    """What the text of a sequence calls: kernels, whether bit functions, whether math.h."""
    kinds = {operation.kind for operation in sequence.operations}
    bits = kinds & {Kind.LESS, Kind.LESS_EQUAL, Kind.SELECT, Kind.BITS_OF, Kind.REAL_OF}
    return frozenset(kinds & KERNELS), bool(bits), bool(kinds & {Kind.ABS, Kind.SQRT})
