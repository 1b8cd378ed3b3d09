"""Calls a C function over rows of inputs: what it writes, and how many instructions a call takes.

In: C files and how the function is called on arrays of double. Out: results, and callgrind's counts in two
conventions: `whole`, at plain -O2, is the call with all that it calls and some ten instructions of the loop around it;
`alone`, under the flags of the other benchmarks, is the function with all that it calls.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from callgrind_count import FLAGS, function_instructions, run_tool, table_of, write

LOOP = "call_all"
WHOLE_FLAGS = ("-std=c99", "-O2")
LINKED = ("-lm", "-Wl,-z,now")
"""Libm's functions are found at the start, else the first call would find them and count that."""
DRIVER = """#include <stdio.h>
{declaration}
static const double rows[{count}][{width}] = {{{rows}}};
static double results[{count}][{outputs}];
__attribute__((noinline)) void call_all(void)
{{
    for (int k = 0; k < {count}; k++) {{
        const double *const in = rows[k];
        double *const out = results[k];
        {call};
    }}
}}
int main(void)
{{
    call_all();
    for (int k = 0; k < {count}; k++) {{
        for (int j = 0; j < {outputs}; j++) {{ printf("%a ", results[k][j]); }}
    }}
    return 0;
}}
"""


@dataclass(frozen=True, slots=True)
class Callee:
    """A function in C, and its call on `in` and `out`."""

    files: Mapping[str, str]  # text by name
    symbol: str
    declaration: str
    call: str
    outputs: int


def on_arrays(text: str, symbol: str, outputs: int) -> Callee:
    """One file with `void symbol(const double *in, double *out)`."""
    return Callee(
        {f"{symbol}.c": text}, symbol, f"void {symbol}(const double *in, double *out);", f"{symbol}(in, out)", outputs
    )


def results(callee: Callee, rows: np.ndarray) -> np.ndarray:
    """What calls write, (rows, outputs), compiled at plain -O2.

    Raises:
        subprocess.CalledProcessError: gcc failed.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _build(folder, callee, rows, WHOLE_FLAGS)
        printed = run_tool(folder, "./driver")
    return np.array([float.fromhex(word) for word in printed.split()]).reshape(len(rows), callee.outputs)


def whole(callee: Callee, rows: np.ndarray) -> float:
    """Instructions of a call in the loop around it."""
    return _instructions(callee, rows, WHOLE_FLAGS, LOOP)


def alone(callee: Callee, rows: np.ndarray) -> float:
    """Instructions of the function under the flags of the other benchmarks."""
    return _instructions(callee, rows, FLAGS, callee.symbol)


def _instructions(callee: Callee, rows: np.ndarray, flags: tuple[str, ...], symbol: str) -> float:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _build(folder, callee, rows, flags)
        run_tool(folder, "valgrind", "--tool=callgrind", "--callgrind-out-file=counts", "./driver")
        counts = run_tool(folder, "callgrind_annotate", "--threshold=100", "--inclusive=yes", "counts")
    return function_instructions(counts, symbol) / len(rows)


def _build(folder: Path, callee: Callee, rows: np.ndarray, flags: tuple[str, ...]) -> None:
    driver = DRIVER.format(
        declaration=callee.declaration,
        call=callee.call,
        count=len(rows),
        width=rows.shape[1],
        outputs=callee.outputs,
        rows=table_of(rows),
    )
    write(folder, {**callee.files, "driver.c": driver})
    sources = sorted(name for name in callee.files if name.endswith(".c"))
    run_tool(folder, "gcc", *flags, "-g", "driver.c", *sources, *LINKED, "-o", "driver")
