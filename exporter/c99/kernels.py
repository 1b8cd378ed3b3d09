"""Prints the headers that exports bundle: bit access, and the fixed-time kernels that a program calls.

In: a program's sequences. Out: file name -> text. One header per kernel and precision, with static inline
functions whose names carry the precision: exports of both precisions link into one program, and the same header from
two exports of one generator is the same file.
"""

import hashlib
from collections.abc import Iterable

from exporter import __version__
from exporter.c99.comments import WIDTH, comment_lines
from exporter.c99.render import render
from exporter.c99.signatures import signature
from exporter.c99.statements import (
    TAG_OF,
    WIDTH_OF,
    bundled,
    print_sequence,
)
from exporter.records import dataclass
from exporter.sequence.cost import cost
from exporter.sequence.kernels import ERROR_ULP, kernel
from exporter.sequence.kernels.domains import domain, domain_text
from exporter.sequence.kernels.logarithm import smallest_normal
from exporter.sequence.operations import Kind, OperationSequence, Precision

REAL_OF: dict[Precision, str] = {"float32": "float", "float64": "double"}
TITLE: dict[Kind, str] = {
    Kind.SINCOS: "fixed-time sine and cosine",
    Kind.ATAN2: "fixed-time arctangent of two arguments, in (-pi, pi]",
    Kind.ASIN: "fixed-time arcsine",
    Kind.ACOS: "fixed-time arccosine",
    Kind.EXP: "fixed-time exponential",
    Kind.LOG: "fixed-time natural logarithm",
    Kind.TANH: "fixed-time hyperbolic tangent",
    Kind.FLOOR: "the largest whole number that is not above the value, in fixed time",
    Kind.POW: "fixed-time power of a positive base",
    Kind.MOD: "value - modulus * floor(value / modulus) in fixed time",
}


@dataclass(frozen=True, slots=True)
class Bundle:
    """The headers that a program includes."""

    files: dict[str, str]  # name -> text, in include order
    ids: dict[str, str]  # macro that a header defines -> its value, a hash of the header
    math: bool  # whether the program itself needs math.h


def bundle(sequences: Iterable[OperationSequence], precision: Precision) -> Bundle:
    """The bundled headers that these sequences need, bit access first."""
    uses = [bundled(sequence) for sequence in sequences]
    kinds = _with_callees(sorted({kind for kernels, _, _ in uses for kind in kernels}), precision)
    texts = {bits_name(precision): _bits_header(precision)}
    for kind in kinds:
        texts[kernel_name(kind, precision)] = _kernel_header(kind, precision)
    ids = {name: hashlib.sha256(text.encode()).hexdigest()[:8].upper() for name, text in texts.items()}
    return Bundle(
        files={name: text.replace(_PLACEHOLDER, ids[name]) for name, text in texts.items()},
        ids={id_macro(name): f"UINT32_C(0x{ids[name]})" for name in texts},
        math=any(math for _, _, math in uses),
    )


_PLACEHOLDER = "@HEADER_ID@"


def bits_name(precision: Precision) -> str:
    """The header of bit access."""
    return f"kfx_bits_{TAG_OF[precision]}.h"


def kernel_name(kind: Kind, precision: Precision) -> str:
    """The header of a kernel."""
    return f"kfx_{kind.value}_{TAG_OF[precision]}.h"


def id_macro(file_name: str) -> str:
    """The macro that names a header's content."""
    return file_name.removesuffix(".h").upper() + "_ID"


def _with_callees(kinds: Iterable[Kind], precision: Precision) -> list[Kind]:
    """Kernels and those that they call, callees first."""
    ordered: list[Kind] = []
    for kind in kinds:
        called = sorted(bundled(kernel(kind, precision))[0])
        ordered += [inner for inner in [*_with_callees(called, precision), kind] if inner not in ordered]
    return ordered


def _bits_header(precision: Precision) -> str:
    width = WIDTH_OF[precision]
    return render(
        "kfx_bits.h.j2",
        version=__version__,
        tag=TAG_OF[precision],
        real=REAL_OF[precision],
        bits=f"uint{width}_t",
        zero=f"UINT{width}_C(0)",
        widen=width != 32,
        id=_PLACEHOLDER,
    )


def _kernel_header(kind: Kind, precision: Precision) -> str:
    """A kernel as a static inline function; several outputs are returned as a struct, which stays in registers."""
    sequence, real = kernel(kind, precision), REAL_OF[precision]
    called, _, math = bundled(sequence)
    inputs = [signal.name for signal in sequence.inputs]
    printed = print_sequence(sequence, real, lambda position: inputs[position])
    outputs = [(output.signal.name, printed.spelling[output.operation]) for output in sequence.outputs]
    name = f"kfx_{kind.value}_{TAG_OF[precision]}"
    members = outputs if len(outputs) > 1 else []
    return render(
        "kfx_kernel.h.j2",
        version=__version__,
        name=name,
        real=real,
        title=TITLE[kind],
        about=kernel_about(kind, precision),
        banner=_banner(cost(sequence).text()),
        includes=[bits_name(precision), *(kernel_name(inner, precision) for inner in sorted(called))],
        math=math,
        signature=signature(
            f"static inline {f'{name}_t' if members else real} {name}",
            [f"const {real} {argument}" for argument in inputs],
        ),
        lines=printed.lines,
        members=members,
        result=outputs[0][1],
        id=_PLACEHOLDER,
    )


def _banner(counted: str) -> list[str]:
    """Who made it and what it costs, on two lines where one would be too long."""
    made, costs = f"GENERATED by kinefix {__version__}. Do not edit.", f"One call costs {counted}, on every input."
    whole = f"{made} {costs}"
    return [whole] if len(f" * {whole} */") <= WIDTH else [made, costs]


def kernel_about(kind: Kind, precision: Precision) -> list[str]:
    """Error and domain of a kernel, as a comment."""
    bound = ERROR_ULP[kind][precision]
    error = f"Error below {bound:g} ulp (measured)" if bound else "Exact"
    return comment_lines(f"{error} {_where(kind, precision)}; the same operations, and no branch, on every input.", 0)


def _where(kind: Kind, precision: Precision) -> str:
    names = [signal.name for signal in kernel(kind, precision).inputs]
    match kind:
        case Kind.TANH | Kind.FLOOR:
            return "on every number"
        case Kind.LOG:
            return f"where {names[0]} >= {float(smallest_normal(precision)):.9g}"
        case Kind.POW | Kind.MOD:
            return f"for {domain_text(kind, precision)}"
    limit = domain(kind, precision)[0].high
    return f"where {' and '.join(f'|{name}|' for name in names)} <= {float(limit):.9g}"


def kernel_costs(sequences: Iterable[OperationSequence], precision: Precision) -> dict[str, str]:
    """Function name -> cost of every kernel that these sequences call."""
    kinds = _with_callees(sorted({kind for sequence in sequences for kind in bundled(sequence)[0]}), precision)
    return {f"kfx_{kind.value}_{TAG_OF[precision]}": cost(kernel(kind, precision)).text() for kind in kinds}
