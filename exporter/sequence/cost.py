"""Counts the operations of a sequence by class. The number printed in every export is counted here.

In: a sequence. Out: a `Cost`. A kernel counts as one call of its class; what it costs inside is
`cost(kernel(...))`. Constants, inputs and the two parts of a (sine, cosine) pair cost nothing.
"""

from collections import Counter
from dataclasses import asdict, fields

from exporter.records import dataclass
from exporter.sequence.operations import KERNELS, Kind, OperationSequence

_CLASS: dict[Kind, str] = {
    Kind.ADD: "add",
    Kind.SUB: "add",
    Kind.MUL: "mul",
    Kind.DIV: "div",
    Kind.SQRT: "sqrt",
    Kind.SINCOS: "sincos",
    Kind.ATAN2: "atan2",
    Kind.ASIN: "asin",
    Kind.ACOS: "acos",
    Kind.EXP: "exp",
    Kind.LOG: "log",
    Kind.TANH: "tanh",
    Kind.FLOOR: "floor",
    Kind.POW: "pow",
    Kind.MOD: "mod",
    Kind.LESS: "compare",
    Kind.LESS_EQUAL: "compare",
    Kind.SELECT: "select",
    Kind.READ: "read",
    Kind.NEG: "negate",
    Kind.ABS: "abs",
    **dict.fromkeys(
        (
            Kind.FLAG_AND,
            Kind.FLAG_OR,
            Kind.FLAG_NOT,
            Kind.BITS_OF,
            Kind.REAL_OF,
            Kind.BITS_AND,
            Kind.BITS_OR,
            Kind.BITS_XOR,
            Kind.SHIFT_LEFT,
            Kind.SHIFT_RIGHT,
            Kind.TRUNCATE,
            Kind.BIT,
            Kind.WORD_OF,
            Kind.WORD_OR,
        ),
        "logic",
    ),
}


SELDOM = frozenset({"exp", "log", "tanh", "floor", "pow", "mod", "read"})
"""Classes that are not named where nothing is counted."""
_KERNELS = tuple(sorted(_CLASS[kind] for kind in KERNELS))


@dataclass(frozen=True, slots=True)
class Cost:
    """Operations of one call, by class.

    `add` counts subtractions too; `logic` integer and flag operations; `read` elements of constant arrays.
    """

    add: int = 0
    mul: int = 0
    div: int = 0
    sqrt: int = 0
    sincos: int = 0
    atan2: int = 0
    asin: int = 0
    acos: int = 0
    exp: int = 0
    log: int = 0
    tanh: int = 0
    floor: int = 0
    pow: int = 0
    mod: int = 0
    read: int = 0
    compare: int = 0
    select: int = 0
    negate: int = 0
    abs: int = 0
    logic: int = 0

    def __bool__(self) -> bool:
        """Whether there is any operation."""
        return any(self.as_dict().values())

    def __add__(self, other: "Cost") -> "Cost":
        """The cost of one call after the other."""
        return Cost(**{name: count + getattr(other, name) for name, count in asdict(self).items()})

    def __mul__(self, times: int) -> "Cost":
        """The cost of so many calls."""
        return Cost(**{name: count * times for name, count in asdict(self).items()})

    def __sub__(self, other: "Cost") -> "Cost":
        """What this costs more."""
        return self + other * -1

    @property
    def kernels(self) -> int:
        """Calls of kernels."""
        return sum(getattr(self, name) for name in _KERNELS)

    def as_dict(self) -> dict[str, int]:
        """Class -> count, in the order of the fields: every class, of `SELDOM` ones those that occur."""
        return {name: count for name, count in asdict(self).items() if count or name not in SELDOM}

    def text(self) -> str:
        """The classes that occur: "37 mul, 15 add, 2 div"; "no operations" for none."""
        order = ("mul", "add", *(field.name for field in fields(self) if field.name not in {"mul", "add"}))
        counts = asdict(self)
        return ", ".join(f"{counts[name]} {name}" for name in order if counts[name]) or "no operations"


def cost(sequence: OperationSequence) -> Cost:
    """The cost of one call of this sequence."""
    counts = Counter(_CLASS[operation.kind] for operation in sequence.operations if operation.kind in _CLASS)
    return Cost(**counts)
