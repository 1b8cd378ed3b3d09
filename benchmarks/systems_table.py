"""The tables of docs/systems.md: blocks, counts, accuracy and instructions of every system of tests/data/systems.toml.

In: the page with `<!-- table: NAME -->` ... `<!-- end of table -->`. Out: the same page, tables fresh. Counts and
accuracy are the same on every computer; the instructions are those of the compilers that the page names; the times are
those of the computer that ran this last and tell no more than an order of magnitude:

    .venv/bin/python benchmarks/systems_table.py          # what differs, times left out
    .venv/bin/python benchmarks/systems_table.py --write
"""

import re
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from energy_drift import drift_facts

from exporter.errors import ModelError
from exporter.export import Export, write_export
from exporter.functions.mechanism import functions_of, position
from exporter.functions.program import arithmetic, program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.model.canonical import canonical
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.cost import Cost, cost
from exporter.sequence.operations import Precision
from targets.audit.export import audit_elf
from targets.compare.methods import facts_of
from targets.compare.table import decade
from targets.ecu.firmware import build_firmware
from targets.python.host import build_host

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "systems.md"
SYSTEMS = tomllib.loads((ROOT / "tests" / "data" / "systems.toml").read_text(encoding="utf-8"))["system"]
MARKED = re.compile(r"(<!-- table: (?P<name>\w+) -->\n)(?P<table>.*?)(<!-- end of table -->)", re.DOTALL)
POSES = 200
SEEDED = "Newton steps"
TARGETS: tuple[tuple[str, Precision], ...] = (("arm-m4f", "float32"), ("arm-m7", "float64"), ("host", "float64"))
FUNCTION = "position"
COUNTED = ("mul, div", "add", "sqrt", "sincos")

sys.path.append(str(ROOT / "tests" / "data"))
from every_system import mechanism_of  # noqa: E402 - the tests' own reading of their table
from practice_list import practice_entries  # noqa: E402


@cache
def system(number: int) -> Mechanism:
    """A row as a mechanism."""
    return mechanism_of(SYSTEMS[number])


@cache
def solved(number: int) -> tuple[Solution, float]:
    """Solved, and the seconds of processor time that it took from the mechanism on."""
    before = time.process_time()
    found = solved_mechanism(system(number))
    return found, time.process_time() - before


def named(row: dict[str, Any]) -> tuple[str, str]:
    """The file, and what drives it."""
    mechanism = mechanism_of(row)
    symbols = [f"{name} symbolic" for name in row.get("tunable", ())]
    return f"`{row['model']}`", ", ".join([*mechanism.independent, *symbols])


def degrees(number: int) -> str:
    """Degrees of the blocks in solve order; n(s): n unknowns by a seed and Newton steps."""
    return degrees_of(solved(number)[0])


def degrees_of(solution: Solution) -> str:
    """Degrees of a solution's blocks in solve order."""
    blocks = solution.block_facts()
    words = [f"{len(block.coordinates)}(s)" if SEEDED in block.kind else str(block.degree) for block in blocks]
    return " ".join(words) or "open chain"


def operations() -> str:
    """Blocks, and operations of the positions."""
    rows = []
    for number, row in enumerate(SYSTEMS):
        rows.append([*named(row), degrees(number), *_counts(solved(number)[0])])
    return table(["system", "driven by", "degree of each block", *COUNTED], rows)


def practice() -> str:
    """Blocks, and operations of the positions, of the mechanisms of practice; why one is refused."""
    rows = []
    for entry in practice_entries():
        mechanism = parse_mechanism(entry.text, entry.name)
        try:
            solution = solved_mechanism(mechanism)
        except ModelError:
            found = ["refused", *"–" * len(COUNTED)]
        else:
            found = [degrees_of(solution), *_counts(solution)]
        rows.append([f"`{entry.name}`", entry.kind, ", ".join(mechanism.independent), *found])
    return table(["system", "mechanism", "driven by", "degree of each block", *COUNTED], rows)


def _counts(solution: Solution) -> list[str]:
    counted = cost(arithmetic(position, solution))
    return [str(number) for number in (counted.mul + counted.div, counted.add, counted.sqrt, counted.sincos)]


def measured() -> str:
    """Residuals, and instructions of the position function from the machine code, guards and status included."""
    rows = []
    for number, row in enumerate(SYSTEMS):
        accuracy = facts_of(system(number), "triangular", 0, POSES).accuracy
        residuals = [decade(accuracy[precision].residual) for precision in ("float64", "float32")]
        rows.append([*named(row), *residuals, *_instructions(number)])
    heading = ["system", "driven by", "residual, float64", "residual, float32"]
    return table([*heading, *(f"{target}, {precision}" for target, precision in TARGETS)], rows)


def _instructions(number: int, function: str = FUNCTION) -> list[str]:
    counted = {}
    for precision in ("float32", "float64"):
        try:
            program = program_of_mechanism(system(number), precision, only=[function])
        except ModelError:
            continue
        with tempfile.TemporaryDirectory() as name:
            export = write_export(program, Path(name) / "export", canonical(system(number)))
            for target in TARGETS:
                if target[1] == precision:
                    counted[target] = _counted(export, function, target[0], Path(name) / target[0])
    return [counted.get(target, "–") for target in TARGETS]


def _counted(export: Export, function: str, target: str, folder: Path) -> str:
    """Instructions of one call, proved in the linked code."""
    linked = (
        build_host(export, folder).path
        if target == "host"
        else build_firmware(export, function, folder, "memory", target).elf
    )
    (symbol,) = (each.symbol for each in export.manifest.functions if each.name == function)
    (audited,) = audit_elf(linked, [symbol])
    return str(audited.instructions)


def dynamics_of_all() -> str:
    """Operations of the accelerations and of a step as they are exported, and instructions of the step."""
    rows = []
    for number, row in enumerate(SYSTEMS):
        if row["model"] in [other["model"] for other in SYSTEMS[:number]] or not _has_step(number):
            continue
        program = program_of_mechanism(system(number), "float64", only=["dynamics", "dostep"])
        counted = {function.name: cost(function) for function in program.functions}
        figures = [str(_arithmetic_count(counted[name])) for name in ("dynamics", "dostep")]
        rows.append([*named(row), system(number).step.method, *figures, *_instructions(number, "dostep")])
    heading = ["system", "driven by", "method", "dynamics", "dostep"]
    return table([*heading, *(f"{target}, {precision}" for target, precision in TARGETS)], rows)


def _has_step(number: int) -> bool:
    return "dostep" in functions_of(system(number), solved(number)[0])


def _arithmetic_count(counted: Cost) -> int:
    return counted.mul + counted.add + counted.div + counted.sqrt


def energy() -> str:
    """Change of energy over ten seconds without losses."""
    rows = []
    for number, row in enumerate(SYSTEMS):
        if row["model"] in [other["model"] for other in SYSTEMS[:number]] or not _has_step(number):
            continue
        if system(number).alternative:
            continue
        whole, half, coarse = drift_facts(system(number))
        changes = [f"{each.relative:.0e}" for each in (whole, half, coarse)]
        rows.append([*named(row), f"{whole.fastest:.2g}", *changes])
    heading = ["system", "driven by", "eigenvalue times 1 ms", "float64, 1 ms", "float64, 0.5 ms", "float32, 1 ms"]
    return table(heading, rows)


def times() -> str:
    """Processor time of the triangular form."""
    return table(
        ["system", "driven by", "seconds"],
        ([*named(row), f"{solved(number)[1]:.1g}"] for number, row in enumerate(SYSTEMS)),
    )


def table(heading: list[str], rows: Iterable[list[str]]) -> str:
    """In Markdown, numbers to the right of the first two columns."""
    lines = [heading, ["---", "---", *["---:"] * (len(heading) - 2)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


TABLES: dict[str, Callable[[], str]] = {
    "operations": operations,
    "practice": practice,
    "measured": measured,
    "dynamics": dynamics_of_all,
    "energy": energy,
    "times": times,
}
HELD = ("operations", "practice", "measured", "dynamics")
"""Tables that tests hold against the page."""


def refreshed(page: str, names: Iterable[str]) -> str:
    """The page with these tables fresh."""
    chosen = set(names)
    return MARKED.sub(
        lambda found: f"{found[1]}{TABLES[found['name']]()}{found[4]}" if found["name"] in chosen else found[0], page
    )


def main(arguments: list[str]) -> int:
    """Say whether the page differs; write it if asked to."""
    known = PAGE.read_text(encoding="utf-8")
    if "--write" in arguments:
        for number in range(len(SYSTEMS)):
            solved(number)  # timed before another table has solved it, since solutions are kept
        PAGE.write_text(refreshed(known, TABLES), encoding="utf-8")
        return 0
    stale = [name for name in HELD if refreshed(known, [name]) != known]
    for name in stale:
        print(f"{PAGE.name}: the table of {name} differs")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
