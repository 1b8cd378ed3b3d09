"""The operation sequence: a typed, straight-line program in evaluation order.

In: the builder. Used by: cost, interpreters, interval analysis, the C printer. It is the one normative
statement of what an export computes: association and order are exactly those listed here.
"""

from enum import StrEnum
from fractions import Fraction
from typing import Literal

from exporter.records import dataclass

Precision = Literal["float32", "float64"]


class Sort(StrEnum):
    """What an operation yields."""

    REAL = "real"  # a float of the sequence's precision
    BITS = "bits"  # an unsigned integer as wide as the real
    FLAG = "flag"  # 0 or 1, 32 bits wide
    WORD = "word"  # a 32-bit mask of conditions
    PAIR = "pair"  # (sine, cosine) of one angle; read by SINE and COSINE


class Kind(StrEnum):
    """What an operation does. Operands in order; `value` where the comment names one."""

    INPUT = "input"  # value: position in OperationSequence.inputs
    CONSTANT = "constant"  # value: exact Fraction, rounded once to the precision
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    NEG = "neg"
    ABS = "abs"
    SQRT = "sqrt"
    SINCOS = "sincos"  # kernel; a PAIR
    SINE = "sine"  # first part of a PAIR
    COSINE = "cosine"  # second part of a PAIR
    ATAN2 = "atan2"  # kernel; operands y, x
    ASIN = "asin"  # kernel
    ACOS = "acos"  # kernel
    EXP = "exp"  # kernel
    LOG = "log"  # kernel; natural
    TANH = "tanh"  # kernel
    FLOOR = "floor"  # kernel; exact
    POW = "pow"  # kernel; operands base above zero, exponent
    MOD = "mod"  # kernel; operands value, modulus above zero
    LESS = "less"  # a < b, 0 where either is NaN
    LESS_EQUAL = "less_equal"  # a <= b, 0 where either is NaN
    SELECT = "select"  # flag, value where 1, value where 0 (reals, or bits)
    FLAG_CONSTANT = "flag_constant"  # value: 0 or 1
    FLAG_AND = "flag_and"
    FLAG_OR = "flag_or"
    FLAG_NOT = "flag_not"
    BITS_CONSTANT = "bits_constant"  # value: unsigned integer
    BITS_OF = "bits_of"  # real -> its bits
    REAL_OF = "real_of"  # bits -> the real they spell
    BITS_AND = "bits_and"
    BITS_OR = "bits_or"
    BITS_XOR = "bits_xor"
    SHIFT_LEFT = "shift_left"  # value: distance
    SHIFT_RIGHT = "shift_right"  # logical; value: distance
    TRUNCATE = "truncate"  # real -> integer towards zero, two's complement bits; the operand must fit in 32 bits
    BIT = "bit"  # flag: bit number `value` of bits
    READ = "read"  # bits, constants: the constant of that number, counted from 0; the number is below their count
    WORD_OF = "word_of"  # flag, shifted left by `value`, as a word
    WORD_OR = "word_or"

    __hash__ = str.__hash__  # that of an enumeration is a function in Python, and every operation is looked up by kind


SORT_OF: dict[Kind, Sort] = {
    **dict.fromkeys(
        (
            Kind.INPUT,
            Kind.CONSTANT,
            Kind.ADD,
            Kind.SUB,
            Kind.MUL,
            Kind.DIV,
            Kind.NEG,
            Kind.ABS,
            Kind.SQRT,
            Kind.SINE,
            Kind.COSINE,
            Kind.ATAN2,
            Kind.ASIN,
            Kind.ACOS,
            Kind.EXP,
            Kind.LOG,
            Kind.TANH,
            Kind.FLOOR,
            Kind.POW,
            Kind.MOD,
            Kind.READ,
            Kind.REAL_OF,
        ),
        Sort.REAL,
    ),
    **dict.fromkeys(
        (
            Kind.BITS_CONSTANT,
            Kind.BITS_OF,
            Kind.BITS_AND,
            Kind.BITS_OR,
            Kind.BITS_XOR,
            Kind.SHIFT_LEFT,
            Kind.SHIFT_RIGHT,
            Kind.TRUNCATE,
        ),
        Sort.BITS,
    ),
    **dict.fromkeys(
        (
            Kind.LESS,
            Kind.LESS_EQUAL,
            Kind.FLAG_CONSTANT,
            Kind.FLAG_AND,
            Kind.FLAG_OR,
            Kind.FLAG_NOT,
            Kind.BIT,
        ),
        Sort.FLAG,
    ),
    Kind.SINCOS: Sort.PAIR,
    Kind.WORD_OF: Sort.WORD,
    Kind.WORD_OR: Sort.WORD,
}  # SELECT has the sort of its second operand: see OperationSequence.sort

KERNELS = frozenset(
    {
        Kind.SINCOS,
        Kind.ATAN2,
        Kind.ASIN,
        Kind.ACOS,
        Kind.EXP,
        Kind.LOG,
        Kind.TANH,
        Kind.FLOOR,
        Kind.POW,
        Kind.MOD,
    }
)


@dataclass(frozen=True, slots=True)
class Step:
    """A part of a solution, which becomes the heading over the operations that were written for it."""

    equation: str  # id such as "L1.2"
    text: str  # "cos_phi from  s_phi^2 + c_phi^2 - 1 = 0, branch elbow_out (+)", or "unknown: how"
    part: bool = False  # of another step; what lists the steps of a solution leaves it out

    @property
    def subject(self) -> str:
        """What is solved or written, without how."""
        return self.text.partition(":")[0]

    def __str__(self) -> str:
        return f"{self.equation}: {self.text}" if self.equation else self.text


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; it refers to earlier ones by index and names the step that it was first written for."""

    kind: Kind
    operands: tuple[int, ...] = ()
    value: Fraction | int | None = None
    step: Step | None = None


class Role(StrEnum):
    """Why a signal is there; a report groups by it."""

    VALUE = "value"
    MARGIN = "margin"  # dimensionless distance from the edge of the workspace (a radicand)
    PIVOT = "pivot"  # dimensionless number that the step divides by
    RESIDUAL = "residual"  # closure residual over the length scale


class Group(StrEnum):
    """Which C struct a signal lives in."""

    PARAMETER = "par"
    DERIVED = "derived"
    STATE = "state"
    INPUT = "in"
    OUTPUT = "out"


@dataclass(frozen=True, slots=True)
class Signal:
    """A named quantity at the border of a sequence. Ranges and nominal value are in `unit`, which is an SI unit.

    Every INPUT, STATE and PARAMETER signal has a range and a nominal value (the design pose); DERIVED and OUTPUT
    signals may lack them.
    """

    name: str  # as the user wrote it, with ".rate", ".acceleration", ".sin", ".cos" after a coordinate
    unit: str  # "rad", "m", "N*m"; "1" where dimensionless
    about: str = ""
    minimum: Fraction | None = None
    maximum: Fraction | None = None
    nominal: Fraction | None = None
    role: Role = Role.VALUE
    group: Group = Group.INPUT


@dataclass(frozen=True, slots=True)
class Output:
    """A signal and the operation that yields it."""

    signal: Signal
    operation: int


@dataclass(frozen=True, slots=True)
class Condition:
    """A status bit: set where the flag operation is 1."""

    name: str  # OUT_OF_WORKSPACE and so on
    bit: int
    about: str
    operation: int


@dataclass(frozen=True, slots=True)
class Limit:
    """A value that may be limited to [-bound, bound], where nothing else shows that a sequence is finite."""

    operation: int
    bound: Fraction
    condition: str  # the status bit that tells; empty in an iterate, whose conditions are not told
    about: str


@dataclass(frozen=True, slots=True, eq=False)
class OperationSequence:
    """A straight-line program. `status` is the index of the WORD to return, or None (then status is zero).

    Sequences are compared and hashed by identity: by value costs as much as running one on a row.
    """

    name: str  # "position", "dostep"
    precision: Precision
    inputs: tuple[Signal, ...]
    operations: tuple[Operation, ...]
    outputs: tuple[Output, ...]
    status: int | None = None
    conditions: tuple[Condition, ...] = ()
    limits: tuple[Limit, ...] = ()  # what a proof may use (see `exporter.sequence.limiting`)
    left_out: tuple[str, ...] = ()  # outputs that were written and are not given

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the solution that have operations, in order, without parts of them."""
        told = dict.fromkeys(operation.step for operation in self.operations)
        return tuple(step for step in told if step is not None and not step.part)

    def sort(self, index: int) -> Sort:
        """What the operation at this index yields."""
        operation = self.operations[index]
        while operation.kind is Kind.SELECT:
            operation = self.operations[operation.operands[1]]
        return SORT_OF[operation.kind]


EPSILON: dict[Precision, Fraction] = {"float32": Fraction(1, 2**23), "float64": Fraction(1, 2**52)}
"""Distance from 1 to the next float."""
