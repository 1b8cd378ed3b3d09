"""`kinefix compare`: all methods for one mechanism, side by side."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exporter.commands.options import mechanism_options
from exporter.sources import mechanism_of

if TYPE_CHECKING:
    from exporter.model.changes import Changes
    from exporter.model.mechanism import Mechanism
    from targets.compare.methods import MethodFacts


@click.command(short_help="Cost, accuracy and constancy of the triangular form and other methods.")
@click.argument("model")
@mechanism_options
@click.option("--methods", metavar="NAMES", default="", help="Only these, joined by commas [default: all].")
@click.option(
    "--steps", "newton_steps", type=click.IntRange(1), default=2, show_default=True, help="Of Newton's methods, fixed."
)
@click.option(
    "--tolerance",
    "newton_tolerance",
    metavar="NUMBER",
    default="1e-6",
    show_default=True,
    help="Of Newton's methods, a second time, to a residual.",
)
@click.option("--poses", type=click.IntRange(1), default=500, show_default=True, help="Random poses for the accuracy.")
@click.option("--no-instructions", is_flag=True, help="Do not compile and count instructions.")
@click.option("--picture", type=click.Path(path_type=Path), metavar="FILE", help="Draw it there, as .svg.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def compare(  # noqa: PLR0913 - one argument per option
    model: str,
    changes: "Changes",
    methods: str,
    newton_steps: int,
    newton_tolerance: str,
    poses: int,
    picture: Path | None,
    *,
    no_instructions: bool,
    as_json: bool,
) -> None:
    """Compare the methods for MODEL, a name of the library or the path of a mechanism file.

    For each method, with all parameters frozen: operations of the positions (mul/div to select: without guards; all:
    with them, float32), whether their number is fixed, the worst closure residual at random poses in both precisions,
    and the instructions of the compiled function: proved, and counted on an emulated board, where the tools are there.

    Newton's methods start from the solution of one period before, at a random rate within its bound; they may end open,
    which they flag, or silently on another assembly. They come with a fixed number of steps and to a tolerance, which
    costs as much as the data want: counted is the longest call. A method that does not fit says why.

    \b
    Example:
      kinefix compare four_bar --no-instructions
      kinefix compare slider_crank --methods triangular,newton --steps 1 --picture slider_crank.svg
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from dataclasses import asdict

    from exporter.commands.printing import print_json, progress
    from exporter.errors import ModelError
    from exporter.model.complete import with_outputs, with_tunable
    from exporter.whole_file import write_whole
    from exporter.writable import require_file

    if picture is not None and picture.suffix.lower() != ".svg":
        raise ModelError(f"'{picture}' does not end in .svg; give it that ending")
    if picture is not None:
        require_file("--picture", picture)
    with progress(f"solving {model} by every method"):
        mechanism = with_outputs(with_tunable(mechanism_of(model, changes, "compare"), ()))
        found, missing = _gather_facts(
            mechanism, methods, (newton_steps, newton_tolerance), poses, instructions=not no_instructions
        )
    if picture is not None:
        from exporter.drawing.charts.bar_table import bar_table_svg
        from targets.compare.chart import chart

        table = chart(f"{mechanism.title}: methods for the positions", found)
        write_whole(picture, bar_table_svg(table).encode())
    if as_json:
        print_json({"name": mechanism.name, "methods": [asdict(each) for each in found], "missing": list(missing)})
        return
    _print(mechanism, found, missing, instructions=not no_instructions)
    if picture is not None:
        click.echo(f"picture {picture}")


def _gather_facts(
    mechanism: "Mechanism", methods: str, newton: tuple[int, str], poses: int, *, instructions: bool
) -> "tuple[list[MethodFacts], tuple[str, ...]]":
    """All methods, and what could not be counted; `newton` is steps and tolerance."""
    from exporter.commands.options import names
    from exporter.model.changes import Changes, apply_changes
    from exporter.progress import within
    from targets.compare.instructions import with_instructions
    from targets.compare.methods import METHODS, facts_of

    found, missing = [], {}
    apply_changes(mechanism, Changes(method="newton", tolerance=newton[1]))  # wrong ones are refused here, not in a row
    wanted = [(_require_method(method), "") for method in names(methods) or METHODS]
    wanted += [(method, newton[1]) for method, _ in wanted if method.startswith("newton")]
    for number, (method, tolerance) in enumerate(wanted, start=1):
        with within(f"{method} to {tolerance}" if tolerance else method, number, len(wanted)):
            facts = facts_of(mechanism, method, newton[0], poses, tolerance)
            if instructions and not facts.refused:
                facts, absent = with_instructions(mechanism, facts)
                missing.update(dict.fromkeys(absent))
        found.append(facts)
    return found, tuple(missing)


def _require_method(method: str) -> str:
    from exporter.errors import ModelError
    from exporter.model.nearest import list_words, nearest
    from targets.compare.methods import METHODS

    if method not in METHODS:
        raise ModelError(f'--methods: "{method}"{nearest(method, METHODS)} is none of {list_words(METHODS)}')
    return method


def _print(mechanism: "Mechanism", found: "list[MethodFacts]", missing: tuple[str, ...], *, instructions: bool) -> None:
    from exporter.commands.printing import print_head, print_rows
    from targets.compare.instructions import TARGETS
    from targets.compare.table import heading, name_of, row

    targets = tuple(target for target in TARGETS if any(target in facts.verdicts for facts in found))
    print_head(mechanism.name, mechanism.title)
    print_rows([heading(targets), *(row(facts, targets) for facts in found if not facts.refused)])
    for facts in found:
        if facts.refused:
            click.echo(f"{name_of(facts)}: {facts.refused}")
    for sentence in missing if instructions else ():
        click.echo(f"not counted: {sentence}")
