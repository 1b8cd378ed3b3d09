"""Counts the instructions of one exported function on the host, with callgrind: its own, and with libm's.

In: a program and rows of inputs. Out: instructions per call. Of the arithmetic alone (a program without guards), the
bundled sine and cosine are replaced by libm's, as in the comparison with other generators (their cost is listed apart);
what users link keeps its own kernels.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from exporter.c99.files import program_files
from exporter.programs import run
from exporter.sequence.program import Program
from exporter.time_limits import COMPILE

FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno")
LINKED_FLAGS = ("-std=c99", "-O2")
KERNEL = "kfx_sincos_f64.h"
LIBM_SINCOS = """#ifndef KFX_SINCOS_F64_H
#define KFX_SINCOS_F64_H
#include <math.h>
#include <stdint.h>
#define KFX_SINCOS_F64_ID {identity}
typedef struct kfx_sincos_f64_t {{
    double sine;
    double cosine;
}} kfx_sincos_f64_t;
static inline kfx_sincos_f64_t kfx_sincos_f64(const double angle)
{{
    const kfx_sincos_f64_t both = {{sin(angle), cos(angle)}};
    return both;
}}
#endif
"""
DRIVER = """#include "{m}.h"
#include <stdio.h>
{m}_status_t call(const {m}_{f}_in_t *in, {m}_{f}_out_t *out);
int main(void)
{{
    static const double rows[{n}][{width}] = {{{rows}}};
    double sum = 0.0;
    for (int k = 0; k < {n}; k++) {{
        {m}_{f}_in_t in;
        {m}_{f}_out_t out;
        for (int j = 0; j < {width}; j++) {{ ((double *)&in)[j] = rows[k][j]; }}
        (void){m}_{f}(&in, &out);
        sum += *(const double *)&out;
    }}
    printf("%.17g\\n", sum);
    return 0;
}}
"""


@dataclass(frozen=True, slots=True)
class Counted:
    """Instructions per call."""

    own: float  # of the function itself
    total: float  # with everything it calls


def count(program: Program, function: str, rows: np.ndarray, *, linked: bool = False) -> Counted:
    """Instructions of `<program>_<function>` over the rows, (n, inputs), in double precision.

    Args:
        program: what is compiled.
        function: its name within the program.
        rows: inputs, pinned by a seed.
        linked: as users link it, with its own kernels; else with libm's sine and cosine.

    Raises:
        FileNotFoundError: gcc, valgrind or callgrind_annotate is not installed.
        subprocess.CalledProcessError: one of them failed.
    """
    for tool in ("gcc", "valgrind", "callgrind_annotate"):
        if shutil.which(tool) is None:
            raise FileNotFoundError(f"{tool} is not installed; run ci/setup")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = DRIVER.format(m=program.name, f=function, n=len(rows), width=rows.shape[1], rows=table_of(rows))
        write(folder, {**files_of(program, linked=linked), "driver.c": text})
        flags = LINKED_FLAGS if linked else FLAGS
        run_tool(folder, "gcc", *flags, "-g", f"{program.name}.c", "driver.c", "-lm", "-o", "driver")
        run_tool(folder, "valgrind", "--tool=callgrind", "--callgrind-out-file=counts", "./driver")
        symbol = f"{program.name}_{function}"
        own = function_instructions(run_tool(folder, "callgrind_annotate", "--threshold=100", "counts"), symbol)
        total = function_instructions(
            run_tool(folder, "callgrind_annotate", "--threshold=100", "--inclusive=yes", "counts"), symbol
        )
    return Counted(own / len(rows), total / len(rows))


def files_of(program: Program, *, linked: bool) -> dict[str, str]:
    """Texts by file name; unless `linked`, libm's sine and cosine take the place of the bundled ones."""
    files = program_files(program)
    if not linked and KERNEL in files:
        identity = re.search(r"#define KFX_SINCOS_F64_ID (\S+)", files[KERNEL])
        files[KERNEL] = LIBM_SINCOS.format(identity=identity.group(1) if identity else "0")
    return files


def table_of(rows: np.ndarray) -> str:
    """Rows as C's initial values of an array, bit for bit."""
    return ", ".join("{" + ", ".join(float(value).hex() for value in row) + "}" for row in rows)


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Text files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run_tool(folder: Path, *command: str) -> str:
    """What a command printed."""
    done = run(command, COMPILE, folder)
    if done.code != 0:
        raise subprocess.CalledProcessError(done.code, command, done.out, done.err)
    return done.out


def function_instructions(table: str, symbol: str) -> int:
    """Instructions of a function in a table of callgrind_annotate."""
    for line in table.splitlines():
        if re.search(rf":{symbol}\b", line):
            return int(line.split("(")[0].replace(",", ""))
    raise ValueError(f"callgrind counted no call of {symbol}")
