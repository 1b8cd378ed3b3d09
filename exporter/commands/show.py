"""`kinefix show`: what a mechanism is, how it is solved, what it costs, and a picture."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exporter.commands.options import assignments, mechanism_options

if TYPE_CHECKING:
    from fractions import Fraction

    from exporter.commands.overview import Shown
    from exporter.model.changes import Changes
    from exporter.model.mechanism import Mechanism
    from exporter.sequence.operations import Precision

PICTURES = (".svg", ".png")


@click.command(short_help="Solve order, branches, margins, cost, and a picture at a pose.")
@click.argument("model")
@mechanism_options
@click.option("--at", multiple=True, metavar="NAME=QUANTITY", help='Look there, as "theta=30 deg"; repeatable.')
@click.option("--picture", type=click.Path(path_type=Path), metavar="FILE", help="Draw it there, as .svg or .png.")
@click.option("--modes", is_flag=True, help="Draw all assembly modes side by side.")
@click.option(
    "--precision", type=click.Choice(["float32", "float64"]), default="float32", show_default=True, help="Of the cost."
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def show(
    model: str,
    changes: "Changes",
    at: tuple[str, ...],
    picture: Path | None,
    precision: "Precision",
    *,
    modes: bool,
    as_json: bool,
) -> None:
    """Show a mechanism: MODEL is a name of the library or the path of a mechanism file.

    Printed are its coordinates and their ranges, the solve order with its blocks and roots, all assembly modes at the
    design pose (or where --at says) with their margins and pivots, the operations of every function that an export
    has, and the conditions that they report.

    \b
    Example:
      kinefix show slider_crank --at "theta=30 deg" --picture slider_crank.svg
      kinefix show my_mechanism.toml --modes --picture my_mechanism.png
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from dataclasses import asdict

    from exporter.commands.overview import shown
    from exporter.commands.overview_text import print_overview
    from exporter.commands.printing import print_json, progress

    _check_picture(picture, modes=modes)
    with progress(f"analysing {model}"):
        mechanism = _mechanism(model, changes)
        found = shown(mechanism, precision, _place(mechanism, at))
        if picture is not None:
            _draw(found, picture, every_mode=modes)
    if as_json:
        print_json({**asdict(found.overview), "picture": None if picture is None else str(picture)})
        return
    print_overview(found.overview)
    if picture is not None:
        click.echo(f"picture {picture}")


def _check_picture(picture: Path | None, *, modes: bool) -> None:
    from exporter.errors import ModelError

    if picture is None and modes:
        raise ModelError("--modes draws all assembly modes; say where to with --picture FILE")
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise ModelError(f"'{picture}' is neither .svg nor .png; give it one of these endings")


def _mechanism(model: str, changes: "Changes") -> "Mechanism":
    from exporter.errors import ModelError
    from exporter.export import names_function
    from exporter.model.changes import changed
    from exporter.model.library import model_path
    from exporter.model.toml_reader import read_mechanism

    if names_function(model):
        raise ModelError(
            f"'{model}' names a symbolic model, and show is for mechanisms; export it and read its report/export.md"
        )
    return changed(read_mechanism(model_path(model)), changes)


def _place(mechanism: "Mechanism", words: tuple[str, ...]) -> "dict[str, Fraction]":
    """Where to look: independent coordinates in rad or m."""
    from exporter.model.changes import coordinate_values

    return coordinate_values(mechanism, "at", assignments("--at", words), mechanism.independent)


def _draw(found: "Shown", path: Path, *, every_mode: bool) -> None:
    """Draw the exported mode, or all that can be assembled there.

    Raises:
        ModelError: none can.
    """
    from exporter.commands.overview import mode_name
    from exporter.drawing.png import png
    from exporter.drawing.scene import scene_of
    from exporter.drawing.svg import svg
    from exporter.errors import ModelError

    own = tuple(block.sign for block in found.form.blocks)
    drawn = [mode for mode in found.modes if mode.reachable and (every_mode or mode.signs == own)]
    if not drawn:
        raise ModelError(
            f"{found.overview.name} cannot be assembled there, so '{path}' was not drawn; choose another pose"
        )
    scenes = tuple(scene_of(found.form, mode.coordinates, mode_name(found.form, mode)) for mode in drawn)
    content = png(scenes) if path.suffix.lower() == ".png" else svg(scenes).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
