"""`kinefix analyse`: loops, freedom, choices of coordinates, solve order, and what tunable parameters cost."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exporter.commands.options import mechanism_options
from exporter.sources import mechanism_of

if TYPE_CHECKING:
    from exporter.model.changes import Changes
    from exporter.sequence.operations import Precision

DEFAULT_LIMIT = 60  # choices of independent coordinates that are judged unless asked for more


@click.command(short_help="Loops, choices of coordinates, solve order, degrees, costs.")
@click.argument("model")
@mechanism_options
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=DEFAULT_LIMIT,
    show_default=True,
    metavar="N",
    help="Choices that are judged.",
)
@click.option("--picture", type=click.Path(path_type=Path), metavar="FILE", help="Draw the solve order, as .svg.")
@click.option(
    "--precision",
    type=click.Choice(["float32", "float64"]),
    default="float32",
    show_default=True,
    help="Of the functions with guards.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def analyse(
    model: str, changes: "Changes", limit: int, picture: Path | None, precision: "Precision", *, as_json: bool
) -> None:
    """Analyse a mechanism: MODEL is a name of the library or the path of a mechanism file.

    Printed are its loops and degrees of freedom; every choice of independent coordinates with its blocks, the number
    of its assemblies, its operations and its singular poses over the range, best first; the solve order of the
    file's choice, or of --independent, which needs neither pose nor range for this; where bodies have mass, the
    longest period with which each method of [step] is stable; and what it costs to make each frozen parameter tunable.

    \b
    Example:
      kinefix analyse stephenson_iii --picture solve_order.svg
      kinefix analyse stephenson_iii --independent beta1
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from exporter.commands.printing import print_json, progress
    from exporter.whole_file import write_whole

    _check_picture(picture)
    with progress(f"analysing {model}") as tell:
        from exporter.commands.analysis_facts import analysis_of, facts_of
        from exporter.commands.analysis_picture import picture_of
        from exporter.commands.analysis_text import print_analysis

        mechanism = mechanism_of(model, replace(changes, independent=()), "analyse")
        _check_names(mechanism.coordinates(), changes.independent)
        found = analysis_of(mechanism, changes.independent, precision, limit, tell)
    if picture is not None:
        write_whole(picture, picture_of(found).encode())
    if as_json:
        print_json({**facts_of(found), "picture": None if picture is None else str(picture)})
        return
    print_analysis(found)
    if picture is not None:
        click.echo(f"picture {picture}")


def _check_picture(picture: Path | None) -> None:
    from exporter.errors import ModelError
    from exporter.writable import require_file

    if picture is None:
        return
    if picture.suffix.lower() != ".svg":
        raise ModelError(f"'{picture}' is no .svg, and the diagram is drawn as nothing else; give it that ending")
    require_file("--picture", picture)


def _check_names(known: tuple[str, ...], names: tuple[str, ...]) -> None:
    """Refuse what is no coordinate, or stands twice."""
    from exporter.errors import ModelError
    from exporter.model.nearest import list_words, nearest

    for position, name in enumerate(names):
        if name not in known:
            raise ModelError(
                f'--independent: "{name}" is not a coordinate{nearest(name, known)}; known are {list_words(known)}'
            )
        if name in names[:position]:
            raise ModelError(f'--independent: "{name}" is named twice; name it once')
