"""The tables of figures in README.md and docs/, made from the code that they speak of.

In: a page with `<!-- figures: NAME -->` ... `<!-- end of figures -->`. Out: the same page, tables fresh. Instruction
counts are those of gcc and arm-none-eabi-gcc 12.2, which the pages name:

    .venv/bin/python benchmarks/documented_figures.py          # what differs
    .venv/bin/python benchmarks/documented_figures.py --write
"""

import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path

import w1_slider_crank

from exporter.export import export_source, write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.complete import with_outputs
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.cost import cost
from exporter.sequence.guards import checked_input
from exporter.sequence.kernels import ERROR_ULP, kernel
from exporter.sequence.operations import Group, Kind, OperationSequence, Signal
from exporter.sequence.program import Program
from targets.audit.export import audit_export

LEAST = defaultdict(lambda: Fraction(-1), dict.fromkeys((Kind.LOG, Kind.POW, Kind.MOD), Fraction(1, 4)))
"""The smallest argument of the call that is counted."""
ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "docs/c-interface.md", "docs/using-the-export.md")
MARKED = re.compile(r"(<!-- figures: (?P<name>\w+) -->\n)(?P<table>.*?)(<!-- end of figures -->)", re.DOTALL)
CORE = "arm-m4f"
MODELS = ("slider_crank", "four_bar")
KERNELS = {
    Kind.SINCOS: ("sine and cosine", "up to 10,000"),
    Kind.ATAN2: ("atan2", "up to 3.4e38"),
    Kind.ASIN: ("asin", "up to 1"),
    Kind.ACOS: ("acos", "up to 1"),
    Kind.EXP: ("exp", "up to 87; 708 in float64"),
    Kind.LOG: ("log", "positive normal numbers"),
    Kind.TANH: ("tanh", "any; beyond 10 (20) it is 1"),
    Kind.FLOOR: ("floor", "any"),
    Kind.POW: ("pow(x, y)", "x positive and normal, y log2(x) up to 126; 1022"),
    Kind.MOD: ("mod(x, m)", "m above zero, x/m up to 2^21; 2^49"),
}
"""Name and arguments of each."""


CHOSEN = (
    ("gough_stewart", "dynamics", "*.acceleration"),
    ("parallel_robot", "velocity", "theta4.rate"),
    ("double_wishbone_front", "position", "toe"),
)
"""Model, function and the outputs that are chosen."""
ARITHMETIC = ("mul", "add", "div", "sqrt", "sincos", "atan2")


def w1() -> str:
    """The slider-crank's arithmetic beside what was known before."""
    bare = w1_slider_crank.bare_program()
    counted, own = w1_slider_crank.operations(bare).as_dict(), w1_slider_crank.instructions(bare).own
    reached = [str(counted[name]) for name in ("mul", "add", "div", "sqrt", "sincos")]
    return table(
        ("slider-crank: positions, velocities, acceleration", "mul", "add", "div", "sqrt", "sincos"),
        [
            ("an expert's program, before this project", "37", "15", "2", "1", "1"),
            ("the best that was known", "26", "13", "2", "1", "1"),
            (f"**Kinefix**, {own:.0f} instructions of its own on x86-64", *(f"**{each}**" for each in reached)),
        ],
    )


def core() -> str:
    """Instructions of both mechanisms' functions on the microcontroller."""
    rows = []
    for model in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            audited = audit_export(export_source(model, Path(folder) / model, "float32"), CORE)
        for function in audited.functions:
            if function.name in ("position", "dynamics", "dostep"):
                kernels = sum(function.kernels.values())
                figures = (function.instructions, kernels, function.outside, function.stack_bytes)
                rows.append((f"`{function.symbol}`", *(str(each) for each in figures)))
    return table(("function, float32", "instructions", "in kernels", "outside", "stack, bytes"), rows)


def kernels() -> str:
    """Domain, error and cost of the kernels."""
    instructions = _kernel_instructions()
    rows = []
    for kind, (name, limit) in KERNELS.items():
        bounds = (ERROR_ULP[kind][precision] for precision in ("float32", "float64"))
        errors = (f"{bound:.2g} ulp" if bound else "none" for bound in bounds)
        inside = cost(kernel(kind, "float32")).text()
        rows.append((name, limit, *errors, inside, str(instructions[kind.value])))
    heading = ("kernel", "magnitude of the arguments", "error, float32", "error, float64", "operations, float32")
    return table((*heading, "Cortex-M4F instructions, float32"), rows)


def _kernel_instructions() -> dict[str, int]:
    functions = tuple(_caller(kind) for kind in KERNELS)
    program = Program("kernels", "Kernels", "benchmarks", "float32", "0" * 64, functions)
    with tempfile.TemporaryDirectory() as folder:
        audited = audit_export(write_export(program, Path(folder) / "kernels", {}, "symbolic"), CORE)
    return {each.name: sum(each.kernels.values()) for each in audited.functions}


def _caller(kind: Kind) -> OperationSequence:
    builder = Builder(kind.value, "float32")
    x, y = (
        checked_input(builder, Signal(name, "1", name, LEAST[kind], Fraction(1), Fraction(1, 2))) for name in ("x", "y")
    )
    match kind:
        case Kind.SINCOS:
            results = builder.sincos(x)
        case Kind.ATAN2:
            results = (builder.atan2(y, x),)
        case Kind.POW | Kind.MOD:
            results = (getattr(builder, kind.value)(x, y),)
        case _:
            results = (getattr(builder, kind.value)(x),)
    for number, value in enumerate(results):
        builder.output(Signal(f"u{number}", "1", "result", group=Group.OUTPUT), value)
    return builder.finish()


def chosen_outputs() -> str:
    """What functions cost with all outputs, and with those that a reader names."""
    rows = []
    for model, name, outputs in CHOSEN:
        mechanism = read_mechanism(model_path(model))
        chosen = with_outputs(mechanism, (outputs,))
        every, some = (
            program_of_mechanism(each, "float64", only=(name,)).function(name) for each in (mechanism, chosen)
        )
        whole = f"`{mechanism.name}_{name}`", str(len(every.outputs)), _arithmetic(every)
        rows.append((*whole, f"`{outputs}`", _arithmetic(some)))
    return table(("function, float64", "outputs", "operations", "chosen", "operations"), rows)


def _arithmetic(function: OperationSequence) -> str:
    counted = cost(function).as_dict()
    return ", ".join(f"{counted[each]} {each}" for each in ARITHMETIC if counted[each])


def table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [heading, tuple("---" for _ in heading), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


TABLES: dict[str, Callable[[], str]] = {"w1": w1, "core": core, "kernels": kernels, "chosen_outputs": chosen_outputs}


def refreshed(page: str) -> str:
    """The page with fresh tables."""
    return MARKED.sub(lambda found: f"{found[1]}{TABLES[found['name']]()}{found[4]}", page)


def main(arguments: list[str]) -> int:
    """Say which pages differ; write them if asked to."""
    stale = 0
    for name in PAGES:
        path = ROOT / name
        known = path.read_text(encoding="utf-8")
        fresh = refreshed(known)
        if fresh != known:
            stale += 1
            print(f"{name} differs")
            if "--write" in arguments:
                path.write_text(fresh, encoding="utf-8")
    return 0 if "--write" in arguments else min(stale, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
