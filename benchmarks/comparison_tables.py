"""The tables of docs/compare.md, made by the code that `kinefix compare` runs.

In: the page with `<!-- table: NAME -->` ... `<!-- end of table -->`. Out: the same page, tables fresh:

    .venv/bin/python benchmarks/comparison_tables.py          # what differs
    .venv/bin/python benchmarks/comparison_tables.py --write
"""

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from exporter.functions.program import program_of_mechanism
from exporter.kinematics.baselines.raw_basis import raw_basis
from exporter.model.changes import Changes, apply_changes
from exporter.model.complete import with_tunable
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.cost import cost
from targets.compare.methods import MethodFacts, facts_of
from targets.compare.table import constancy, decade, name_of, unknowns_of

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "compare.md"
MARKED = re.compile(r"(<!-- table: (?P<name>\w+) -->\n)(?P<table>.*?)(<!-- end of table -->)", re.DOTALL)
STEPS = 2
POSES = 200
COUNTED = {
    "slider_crank": "Planar slider-crank by theta",
    "four_bar": "Planar four-bar by alpha1",
    "spatial_four_bar": "Spatial four-bar, Tables 4.1, 4.3",
    "stephenson_iii": "Stephenson-III by theta1, Table 4.5",
    "landing_gear": "Landing gear by theta_A",
    "parallel_robot": "Parallel robot by {x, y, theta}, Table 4.9",
    "gough_stewart": "Gough-Stewart platform, Table 4.10",
    "double_wishbone_front": "Double wishbone by {lower arm, rack}, Table 5.4",
}
METHODS = ("triangular", "characteristic-pair", "newton-per-loop", "newton")
MEASURED = ("slider_crank", "four_bar")
HEADING = ("mechanism", "method", "unknowns", "mul/div", "add", "sqrt", "sincos", "select", "dense elimination")
TOLERANCES = ("1e-3", "1e-6")
ENOUGH = 4  # steps of Newton's method that leave rounding, see the table of accuracy
DRIVEN = {
    ("stephenson_iii", "beta1"): "Stephenson-III by beta1, Table 4.4",
    ("landing_gear", "p"): "Landing gear by p, Table 4.6",
    ("five_link", "z"): "Five-link suspension by z, Table 5.2",
    ("double_wishbone_front_by_wheel", ""): "Double wishbone by {wheel, rack}, Table 5.4",
}
ORDERS = {
    "(3.54), by beta": "d.s c.theta s.theta c.beta s.beta",
    "(3.56), by theta": "d.s s.beta c.beta s.theta c.theta",
    "(3.58), by s": "s.beta c.beta s.theta c.theta d.s",
}


@cache
def library(model: str) -> Mechanism:
    """A mechanism of the library without the angles that it asks for on top, which cost all methods the same."""
    return replace(read_mechanism(model_path(model)), angles={})


@cache
def counted(model: str, method: str, driver: str = "", steps: int = STEPS) -> MethodFacts:
    """Operations alone, by the coordinates of the file or by another one."""
    mechanism = library(model)
    if driver and mechanism.independent != (driver,):
        mechanism = apply_changes(mechanism, Changes(independent=(driver,)))
    return facts_of(mechanism, method, steps, poses=0)


@cache
def with_symbolic_twist() -> dict[str, int]:
    """Table 4.2: the spatial four-bar with beta0 a parameter, all operations of a call, sines of beta0 included."""
    mechanism = with_tunable(library("spatial_four_bar"), ["beta0"])
    return facts_of(mechanism, "triangular", 0, poses=0).arithmetic


def table(heading: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """In Markdown, numbers to the right of the first column."""
    words = list(heading)
    lines = [words, ["---", *["---:"] * (len(words) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def operations() -> str:
    """Operations of the positions, guards left out, lengths frozen."""
    rows = []
    for model, title in COUNTED.items():
        for method in METHODS:
            facts = counted(model, method)
            if not facts.refused:
                a = facts.arithmetic
                dense = str(facts.dense_elimination or "–")
                counts = [str(a[name]) for name in ("mul_div", "add", "sqrt", "sincos", "select")]
                rows.append([title, name_of(facts), unknowns_of(facts), *counts, dense])
                title = ""  # noqa: PLW2901
    return table(HEADING, rows)


def accuracy() -> str:
    """Residuals at random poses."""
    rows = []
    for model in MEASURED:
        title = COUNTED[model]
        tried = [("triangular", 0), ("characteristic-pair", 0), ("lexicographic", 0)]
        tried += [("newton", steps) for steps in (1, 2, 3, 4)]
        for method, steps in tried:
            facts = facts_of(library(model), method, steps, POSES)
            if not facts.refused:
                double, single = facts.accuracy["float64"], facts.accuracy["float32"]
                words = [decade(double.residual), decade(single.residual), str(double.elsewhere)]
                rows.append([title, name_of(facts), *words])
                title = ""
    return table(("mechanism", "method", "float64", "float32", "silently elsewhere"), rows)


def tolerances() -> str:
    """Newton's method to a tolerance: what it takes and what it leaves."""
    rows = []
    for model in MEASURED:
        title = COUNTED[model]
        for tolerance in TOLERANCES:
            facts = facts_of(library(model), "newton", 0, POSES, tolerance)
            once, own = (_arithmetic(model, tolerance, name) for name in ("newton_step", "position"))
            words = [constancy(facts), once, own, decade(facts.accuracy["float64"].residual)]
            rows.append([title, name_of(facts), *words])
            title = ""
    return table(("mechanism", "method", "count", "an iteration", "what follows", "float64"), rows)


def _arithmetic(model: str, tolerance: str, function: str) -> str:
    """mul/div and add of one function without guards."""
    chosen = apply_changes(library(model), Changes(method="newton", tolerance=tolerance))
    program = program_of_mechanism(chosen, "float64", contract=False)
    counted_here = cost(program.function(function))
    return f"{counted_here.mul + counted_here.div} / {counted_here.add}"


def driven() -> str:
    """Systems of a high degree: driven by what other coordinates give in closed form."""
    rows = []
    for (model, driver), title in DRIVEN.items():
        for method, steps in (("triangular", 0), ("newton-per-loop", ENOUGH), ("newton", ENOUGH)):
            facts = counted(model, method, driver, steps)
            a = facts.arithmetic
            counts = [str(a[name]) for name in ("mul_div", "add", "sqrt", "sincos", "select")]
            rows.append([title, name_of(facts), unknowns_of(facts), *counts, str(facts.dense_elimination or "–")])
            title = ""  # noqa: PLW2901
    return table(HEADING, rows)


def bases() -> str:
    """The slider-crank's raw bases."""
    rows = []
    for title, order in ORDERS.items():
        polynomials = raw_basis(library("slider_crank"), order.split())
        rows += [["" if k else title, f"`{each.text()}`"] for k, each in enumerate(polynomials)]
    return table(("equation", "polynomial of the reduced basis"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "operations": operations,
    "accuracy": accuracy,
    "tolerances": tolerances,
    "driven": driven,
    "bases": bases,
}
LONG = ("driven",)  # a search for each of its mechanisms


def refreshed(text: str, names: Iterable[str] = tuple(TABLES)) -> str:
    """The page with these tables made anew."""
    wanted = set(names)

    def fresh(found: re.Match[str]) -> str:
        return f"{found[1]}\n{TABLES[found['name']]()}\n{found[4]}" if found["name"] in wanted else found[0]

    return MARKED.sub(fresh, text)


def main() -> None:
    """Write, or say what differs."""
    known = PAGE.read_text(encoding="utf-8")
    fresh = refreshed(known)
    if "--write" in sys.argv:
        PAGE.write_text(fresh, encoding="utf-8", newline="\n")
    elif fresh != known:
        sys.exit(f"{PAGE.name} is not fresh; run this with --write")


if __name__ == "__main__":
    main()
