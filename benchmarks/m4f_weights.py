"""Weighs the machine instructions of a function in float on a Cortex-M4F, as they stand in its disassembly.

In: a C function of double, compiled as float. Out: the sum of the instructions' weights, which are near the core's
cycles; its memory and its pipeline are not modelled. A call of sine or cosine weighs 1: the rest is the library's.
"""

import re
import shutil
import tempfile
from pathlib import Path

from c_calls import Callee
from callgrind_count import run_tool, write

CORE = ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")
FLAGS = ("-std=c99", "-O2", "-fno-math-errno", "-fsingle-precision-constant", "-DONE_DIVISION")
"""The last one for the expert, who knows what a division takes there."""
SCHEDULES = ((), ("-fno-schedule-insns",))
"""Neither is better for all functions; the better one counts."""
IN_FLOAT = """#include <math.h>
#define double float
#define sqrt sqrtf
#define sin sinf
#define cos cosf
#define pow powf
"""
WEIGHTS = (
    (("vdiv", "vsqrt"), 14),
    (("nop",), 0),  # behind the return
    (("vldr", "vstr"), 2),
    (("vpush", "vpop", "push", "pop", "vldmia", "vstmia", "ldmia", "stmia"), 9),
)
"""By the beginning of the instruction's name; every other one weighs 1. In C99 gcc does not fuse products with sums."""


def can_weigh() -> bool:
    """Whether the compiler is installed."""
    return shutil.which("arm-none-eabi-gcc") is not None


def weight(callee: Callee) -> int:
    """The sum of the weights of its function.

    Raises:
        subprocess.CalledProcessError: the compiler failed.
    """
    return min(_weighed(callee, schedule) for schedule in SCHEDULES)


def _weighed(callee: Callee, schedule: tuple[str, ...]) -> int:
    (source,) = (name for name in callee.files if name.endswith(".c"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, {**callee.files, "in_float.c": f'{IN_FLOAT}#include "{source}"\n'})
        run_tool(folder, "arm-none-eabi-gcc", *CORE, *FLAGS, *schedule, "-c", "in_float.c", "-o", "in_float.o")
        listing = run_tool(folder, "arm-none-eabi-objdump", "-d", "--no-show-raw-insn", "in_float.o")
    function = listing.partition(f"<{callee.symbol}>:\n")[2].partition("\n\n")[0]
    return sum(map(weight_of, re.findall(r"^ +[0-9a-f]+:\t([a-z][\w.]*)", function, re.MULTILINE)))


def weight_of(instruction: str) -> int:
    """What one instruction weighs."""
    return next((weight for names, weight in WEIGHTS if instruction.startswith(names)), 1)
