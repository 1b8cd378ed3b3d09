"""Vectors of the C self-test, computed by the interpreter.

In: a layout. Out: per function a few rows of bit patterns, inputs and what must come of them: the design
pose, two poses off it, an input that is no number, one beyond its range.
"""

import textwrap
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.c99.comments import WIDTH
from exporter.c99.layout import Layout, row_groups
from exporter.c99.literals import bits_literal, real_bits, real_literal
from exporter.c99.rows import run_rows
from exporter.c99.statements import WIDTH_OF
from exporter.manifest import Field, Function
from exporter.records import dataclass
from exporter.sequence.operations import OperationSequence, Precision

OFF_NOMINAL: tuple[tuple[float, float], ...] = ((0.25, -0.375), (-0.125, 0.0625))
"""Two vectors: input number k stands at this part of the way from nominal to a bound (below it where negative)."""

FUSION_PROBE: dict[Precision, tuple[str, str, str, str]] = {
    "float32": ("1.0000001", "1.0000002", "1.0000003", "1.0000004"),
    "float64": ("0.1", "1", "1", "10"),
}
"""a, b, c, d: a d - b c is -1.1920929e-07 rounded and -1.19209247e-07 fused in float32, 0 and 5.55e-17 in float64."""


@dataclass(frozen=True, slots=True)
class CheckedFunction:
    """A function and its vectors as C constants."""

    name: str
    symbol: str
    declarations: tuple[str, ...]  # local structs
    pointers: str  # the arguments of the call
    derives: bool  # whether it reads derived constants
    loads: tuple[str, ...]  # struct members that a row fills
    stores: tuple[str, ...]  # struct members that are held against a row
    first_check: int  # number of the first vector
    count: int  # of vectors
    inputs: tuple[str, ...]  # lines of an initialiser
    outputs: tuple[str, ...]
    status: tuple[str, ...]


def checked_functions(plan: Layout) -> tuple[CheckedFunction, ...]:
    """Vectors of every function."""
    derive, own = plan.program.recalibrate, zip(plan.functions, plan.program.functions, strict=True)
    first = [(plan.recalibrate, derive)] if plan.recalibrate is not None and derive is not None else []
    return tuple(_check_function(plan, *each, 100 * (number + 1)) for number, each in enumerate([*first, *own]))


def _check_function(plan: Layout, function: Function, sequence: OperationSequence, first_check: int) -> CheckedFunction:
    rows = _rows(function.row_inputs)
    result = run_rows(plan, function.name, rows)
    kept = [number for number in range(len(rows)) if np.isfinite(result.outputs[number]).all()]
    reads, writes = row_groups(function.name, sequence)
    return CheckedFunction(
        name=function.name,
        symbol=function.symbol,
        declarations=tuple(f"{each.struct} {each.name};" for each in function.arguments),
        pointers=", ".join(f"&{each.name}" for each in function.arguments),
        derives=any(each.name == "derived" for each in function.arguments) and "derived" not in writes,
        loads=_members(plan, function, reads),
        stores=_members(plan, function, writes),
        first_check=first_check,
        count=len(kept),
        inputs=_nested(_patterns(plan, rows[kept])),
        outputs=_nested(_patterns(plan, result.outputs[kept])),
        status=_list([bits_literal(int(result.status[number]), 32) for number in kept], 8),
    )


def _members(plan: Layout, function: Function, groups: Sequence[str]) -> tuple[str, ...]:
    struct_of = {each.name: plan.struct(each.struct) for each in function.arguments}
    return tuple(f"{group}.{field.field}" for group in groups for field in struct_of[group].fields)


def _nested(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The lines of a two-dimensional initialiser, braces of the rows included."""
    lines: list[str] = []
    for row in rows:
        lines += ["        {", *_list(row, 12), "        },"]
    return (*lines[:-1], "        }")


def _list(items: Sequence[str], indent: int) -> tuple[str, ...]:
    """Constants with commas between, wrapped."""
    pad = " " * indent
    return tuple(textwrap.wrap(", ".join(items), WIDTH, initial_indent=pad, subsequent_indent=pad))


def _patterns(plan: Layout, rows: NDArray[Any]) -> tuple[tuple[str, ...], ...]:
    precision = plan.program.precision
    width = WIDTH_OF[precision]
    narrowed = rows.astype(np.float32 if precision == "float32" else np.float64)
    return tuple(tuple(bits_literal(real_bits(float(each), precision), width) for each in row) for row in narrowed)


def _rows(fields: Sequence[Field]) -> NDArray[np.float64]:
    nominal = [field.nominal or 0.0 for field in fields]
    rows = [nominal, *([_between(field, parts[k % 2]) for k, field in enumerate(fields)] for parts in OFF_NOMINAL)]
    if fields:
        rows += [[float("nan"), *nominal[1:]], [*nominal[:-1], _beyond(fields[-1])]]
    return np.array(rows if fields else [[]], dtype=np.float64)


def _between(field: Field, part: float) -> float:
    nominal = field.nominal or 0.0
    bound = field.maximum if part > 0 else field.minimum
    return nominal + abs(part) * ((nominal if bound is None else bound) - nominal)


def _beyond(field: Field) -> float:
    return 2.0 * abs(field.maximum or 0.0) + 1.0


def product_difference(precision: Precision) -> tuple[tuple[str, ...], str]:
    """Four factors a, b, c, d whose a d - b c tells a fused operation, and the bits where every product is rounded."""
    texts = FUSION_PROBE[precision]
    real = np.float32 if precision == "float32" else np.float64
    a, b, c, d = (real(text) for text in texts)
    difference = a * d - b * c
    literals = tuple(real_literal(Fraction(text), precision) for text in texts)
    return literals, bits_literal(real_bits(float(difference), precision), WIDTH_OF[precision])
