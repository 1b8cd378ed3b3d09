"""The interpreter runs kernels bit for bit as C does.

The C is printed here, by a printer of twenty lines that shares nothing with `exporter.c99`, and compiled by gcc.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path

import jinja2
import numpy as np
import pytest
from numpy.typing import NDArray

from exporter.sequence.interpreter import interpret
from exporter.sequence.kernels import kernel
from exporter.sequence.operations import KERNELS, Kind, OperationSequence, Precision, Sort

pytestmark = pytest.mark.compiled

TEMPLATE = Path(__file__).resolve().parent.parent / "data" / "printed_kernel.c.j2"
FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno")
ROWS = 200_000
MIDDLE = {
    Kind.SINCOS: 1e4,
    Kind.EXP: 90.0,
    Kind.LOG: 3.0,
    Kind.TANH: 12.0,
    Kind.FLOOR: 1e7,
    Kind.POW: 5.0,
    Kind.MOD: 1e3,
}
"""About the largest magnitude in the middle of the domain."""
TEXT = {
    Kind.ADD: "{0} + {1}", Kind.SUB: "{0} - {1}", Kind.MUL: "{0} * {1}", Kind.DIV: "{0} / {1}", Kind.NEG: "-{0}",
    Kind.ABS: "fabs{f}({0})", Kind.SQRT: "sqrt{f}({0})", Kind.SELECT: "({0} ? {1} : {2})",
    Kind.BITS_OF: "bits_of({0})", Kind.REAL_OF: "real_of({0})", Kind.BITS_AND: "{0} & {1}",
    Kind.BITS_OR: "{0} | {1}", Kind.BITS_XOR: "{0} ^ {1}", Kind.SHIFT_LEFT: "{0} << {v}",
    Kind.LESS: "{0} < {1}", Kind.LESS_EQUAL: "{0} <= {1}",
    Kind.SHIFT_RIGHT: "{0} >> {v}", Kind.BIT: "({0} >> {v}) & 1", Kind.BITS_CONSTANT: "{v}ULL", Kind.INPUT: "in[{v}]",
}  # fmt: skip
TYPE = {Sort.REAL: "real", Sort.BITS: "bits", Sort.FLAG: "uint32_t"}


def printed(sequence: OperationSequence) -> str:
    """The sequence as a C program from rows to rows."""
    suffix = "f" if sequence.precision == "float32" else ""
    lines = []
    for index, operation in enumerate(sequence.operations):
        if operation.kind is Kind.CONSTANT:
            text = float(operation.value or 0).hex() + suffix.upper()
        else:
            operands = (f"t{operand}" for operand in operation.operands)
            text = TEXT[operation.kind].format(*operands, f=suffix, v=operation.value)
        lines.append(f"const {TYPE[sequence.sort(index)]} t{index} = {text};")
    lines += [f"out[{k}] = t{output.operation};" for k, output in enumerate(sequence.outputs)]
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True, autoescape=False)
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        real="float" if suffix else "double",
        width=32 if suffix else 64,
        lines=lines,
        inputs=len(sequence.inputs),
        outputs=len(sequence.outputs),
    )


def rows_of(kind: Kind, precision: Precision) -> NDArray[np.floating]:
    """Half of the rows anywhere among the finite numbers, half in the middle of the domain."""
    count = len(kernel(kind, precision).inputs)
    generator = np.random.Generator(np.random.Philox(20))
    width = np.uint32 if precision == "float32" else np.uint64
    anywhere = generator.integers(0, np.iinfo(width).max, (ROWS // 2, count), dtype=width).view(precision)
    anywhere[~np.isfinite(anywhere)] = 0
    scale = MIDDLE.get(kind, 1.1)
    return np.concatenate([anywhere, generator.uniform(-scale, scale, (ROWS // 2, count)).astype(precision)])


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("kind", sorted(KERNELS))
def test_compiled_kernels_give_the_interpreters_bits(
    kind: Kind, precision: Precision, tmp_path: Path, require_tool: Callable[[str], str]
) -> None:
    """Many rows: every bit of every output."""
    source, program = tmp_path / "kernel.c", tmp_path / "kernel"
    source.write_text(printed(kernel(kind, precision)), encoding="utf-8")
    subprocess.run([require_tool("gcc"), *FLAGS, source, "-o", program, "-lm"], check=True)
    rows = rows_of(kind, precision)
    raw = subprocess.run([program], input=rows.tobytes(), capture_output=True, check=True).stdout
    outputs = interpret(kernel(kind, precision), rows).outputs
    assert raw == outputs.tobytes()
