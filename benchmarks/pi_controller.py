"""A PI controller's step, exported and by hand: operations, instructions on a Cortex-M4F and on this computer.

The hand-written one (pi_controller.c) makes the same promises: checked arguments, anti-windup, reset, status. Its
branches depend on the data, so that it has a shortest and a longest path; the export has one.
"""

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from callgrind_count import FLAGS, function_instructions, run_tool

from exporter.export import Export, write_export
from exporter.sequence.cost import cost
from exporter.sequence.operations import Precision
from exporter.symbolic import load
from exporter.symbolic.canonical import canonical
from exporter.symbolic.program import program_of_symbolic
from targets.audit.export import audit_elf, audit_export
from targets.toolchain import find, run_compiler

HERE = Path(__file__).resolve().parent
MODEL = f"{HERE.parent / 'examples' / 'controllers.py'}:pi"
STEPS = 1000
DRIVER = """#include "pi_control.h"
#include "pi_controller.h"
#include <stdio.h>
int main(void)
{
    pi_control_par_t par = {.kp = (real)0.5, .ki = (real)4.0};
    pi_control_derived_t derived;
    pi_control_state_t state;
    pi_control_dostep_in_t in = {0};
    pi_control_dostep_out_t out = {0};
    hand_state_t hand = {0};
    const hand_par_t hand_par = {(real)0.5, (real)0.004};
    hand_out_t hand_out = {0};
    real apart = 0;
    (void)pi_control_recalibrate(&par, &derived);
    (void)pi_control_startup(&state, &derived);
    for (int k = 0; k < STEPS; k++) {
        in.wanted_rad_s = ((k / 100) % 2 == 0) ? 60 : -20;
        const hand_in_t hand_in = {in.wanted_rad_s, in.measured_rad_s, in.restart};
        (void)pi_control_dostep(&state, &derived, &in, &out);
        (void)hand_dostep(&hand, &hand_par, &hand_in, &hand_out);
        apart += fabs_of(out.command_Nm - hand_out.command);
        in.measured_rad_s += (out.command_Nm * 4 - in.measured_rad_s / 2) / 100;
    }
    printf("%g\\n", (double)apart);
    return 0;
}
"""


@dataclass(frozen=True, slots=True)
class Counts:
    """Instructions per call."""

    exported: float
    by_hand: float  # on its longest path, or the mean of a run
    fewest_by_hand: float


def operations(program_precision: Precision = "float32") -> dict[str, int]:
    """Operations of the exported step, by class."""
    return cost(program_of_symbolic(load(MODEL), program_precision).function("dostep")).as_dict()


def operations_by_hand() -> int:
    """Additions, products, comparisons and magnitudes in the text by hand, calls of `checked` written out."""
    text = re.sub(r"/\*.*?\*/", "", (HERE / "pi_controller.c").read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    helper, body = text.split("uint32_t hand_dostep", 1)
    count = sum(len(re.findall(pattern, body)) for pattern in (r" [-*+] ", r"\+= ", r" [<>]=? ", r"fabs_of"))
    return count + body.count("checked(") * len(re.findall(r" [<>]=? |fabs_of", helper))


def on_m4f() -> Counts:
    """Instructions on a Cortex-M4F in float32, from the machine code."""
    with tempfile.TemporaryDirectory() as name:
        folder, tools = Path(name), find("arm-m4f")
        (audited,) = audit_export(_exported(folder, "float32"), "arm-m4f", ("dostep",)).functions
        flags = [*FLAGS, *tools.profile.core_flags, "-DREAL_BITS=32", f"-I{HERE}"]
        run_compiler(tools, [*flags, "-c", str(HERE / "pi_controller.c"), "-o", "hand.o"], folder)
        (hand,) = audit_elf(folder / "hand.o", ("hand_dostep",))
    return Counts(audited.instructions or 0, hand.instructions or 0, hand.fewest or 0)


def on_host(precision: Precision = "float64") -> tuple[Counts, float]:
    """Instructions on this computer over a run of both, and the sum of the differences of their commands."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        export = _exported(folder, precision).folder
        (folder / "driver.c").write_text(DRIVER.replace("STEPS", str(STEPS)), encoding="utf-8")
        bits = "-DREAL_BITS=32" if precision == "float32" else "-DREAL_BITS=64"
        sources = [str(export / "pi_control.c"), str(HERE / "pi_controller.c"), "driver.c"]
        run_tool(folder, "gcc", *FLAGS, bits, "-g", f"-I{export}", f"-I{HERE}", *sources, "-lm", "-o", "driver")
        apart = float(run_tool(folder, "valgrind", "--tool=callgrind", "--callgrind-out-file=counts", "./driver"))
        table = run_tool(folder, "callgrind_annotate", "--threshold=100", "counts")
    made, hand = (function_instructions(table, symbol) / STEPS for symbol in ("pi_control_dostep", "hand_dostep"))
    return Counts(made, hand, hand), apart


def _exported(folder: Path, precision: Precision) -> Export:
    model = load(MODEL)
    return write_export(program_of_symbolic(model, precision), folder / "export", canonical(model), "symbolic")


if __name__ == "__main__":
    m4f, (host, _) = on_m4f(), on_host()
    print(f"operations: {operations()}, by hand {operations_by_hand()} without selects and flags")
    print(f"Cortex-M4F, float32: {m4f.exported}; by hand {m4f.fewest_by_hand} to {m4f.by_hand}")
    print(f"this computer, float64: {host.exported:.1f}; by hand {host.by_hand:.1f} in the mean")
