"""`kinefix show`: what a mechanism is, how it is solved, what it costs, and a picture."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exporter.commands.options import assignments, function_options
from exporter.sources import mechanism_of

if TYPE_CHECKING:
    from fractions import Fraction

    from exporter.commands.overview import ShownMechanism
    from exporter.drawing.names import Kind
    from exporter.drawing.scene import Scene
    from exporter.drawing.views import Name
    from exporter.kinematics.protocol.solution import Assembly, Solution
    from exporter.model.changes import Changes
    from exporter.model.mechanism import Mechanism
    from exporter.sequence.operations import Precision

PICTURES = (".svg", ".png")
VIEWS = ("iso", "iso_left", "top", "front", "side")
NAMES = ("bodies", "joints", "points", "none")


@click.command(short_help="Solve order, branches, margins, cost, and a picture at a pose.")
@click.argument("model")
@function_options
@click.option("--at", multiple=True, metavar="NAME=QUANTITY", help='Look there, as "theta=30 deg"; repeatable.')
@click.option("--picture", type=click.Path(path_type=Path), metavar="FILE", help="Draw it there, as .svg or .png.")
@click.option(
    "--modes",
    is_flag=True,
    help="Draw all assembly modes side by side; at most 16: those that differ least from the exported one.",
)
@click.option(
    "--view",
    type=click.Choice(VIEWS),
    help="Draw it in space, seen from there [default: iso, or where joints hide each other less; a planar one flat].",
)
@click.option(
    "--names",
    type=click.Choice(NAMES),
    multiple=True,
    help="Write these into the picture; repeatable [default: bodies and points].",
)
@click.option(
    "--precision", type=click.Choice(["float32", "float64"]), default="float32", show_default=True, help="Of the cost."
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def show(  # noqa: PLR0913 - one per option
    model: str,
    changes: "Changes",
    at: tuple[str, ...],
    picture: Path | None,
    view: "Name | None",
    names: "tuple[Kind, ...]",
    precision: "Precision",
    *,
    modes: bool,
    as_json: bool,
) -> None:
    """Show a mechanism: MODEL is a name of the library or the path of a mechanism file.

    Printed are its coordinates and their ranges, the solve order with its blocks and roots, all assembly modes at the
    design pose (or where --at says) with their margins and pivots, the law and value of every load and element there,
    at rest with nominal inputs, the operations of every function that an export has, and the conditions that they
    report.

    Pictures of mechanisms in space are parallel projections: front is seen from -y, side from +x, top from +z, iso from
    (1, -1, 1), iso_left from (-1, -1, 1), in axes of the ground; where gravity says that another axis than z is up,
    that axis is up. Spheres are filled, universal joints are diamonds, hinges are barrels along their axes, slides are
    cylinders, or blocks on a rail of the ground. Loads are arrows of a fixed length. Independent coordinates are
    green-blue arrows and rings with their values. Dotted lines are paths of points over the range of one independent
    coordinate.

    \b
    Example:
      kinefix show slider_crank --at "theta=30 deg" --picture slider_crank.svg
      kinefix show double_wishbone_front --picture wishbone.svg --view side
      kinefix show my_mechanism.toml --modes --picture my_mechanism.png
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from dataclasses import asdict

    from exporter.commands.printing import print_json, progress

    _check_picture(picture, view, names, modes=modes)
    with progress(f"analysing {model}") as tell:
        from exporter.commands.overview import show_mechanism
        from exporter.commands.overview_text import print_overview

        mechanism = mechanism_of(model, changes, "show")
        found = show_mechanism(mechanism, precision, _place(mechanism, at), tell)
        if picture is not None:
            _draw(found, picture, view, names, every_mode=modes)
    if as_json:
        print_json({**asdict(found.overview), "picture": None if picture is None else str(picture)})
        return
    print_overview(found.overview)
    if picture is not None:
        click.echo(f"picture {picture}")


def _check_picture(picture: Path | None, view: "Name | None", names: "tuple[Kind, ...]", *, modes: bool) -> None:
    from exporter.errors import ModelError
    from exporter.writable import require_file

    if picture is None and view is not None:
        raise ModelError("--view is of a picture; say where to with --picture FILE")
    if picture is None and names:
        raise ModelError("--names is of a picture; say where to with --picture FILE")
    if picture is None and modes:
        raise ModelError("--modes draws all assembly modes; say where to with --picture FILE")
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise ModelError(f"'{picture}' is neither .svg nor .png; give it one of these endings")
    if picture is not None:
        require_file("--picture", picture)


def _place(mechanism: "Mechanism", words: tuple[str, ...]) -> "dict[str, Fraction]":
    """Where to look: independent coordinates in rad or m."""
    from exporter.model.changes import coordinate_values

    return coordinate_values(mechanism, "at", assignments("--at", words), mechanism.independent)


def _draw(
    found: "ShownMechanism", path: Path, view: "Name | None", names: "tuple[Kind, ...]", *, every_mode: bool
) -> None:
    """Draw the exported mode, or all that can be assembled there.

    Raises:
        ModelError: none can.
    """
    from exporter.commands.overview import own_signs
    from exporter.drawing.names import USUAL
    from exporter.drawing.png import png
    from exporter.drawing.svg import svg
    from exporter.errors import ModelError
    from exporter.whole_file import write_whole

    own = own_signs(found.solved)
    drawn = [mode for mode in found.modes if mode.reachable and (every_mode or mode.signs == own)]
    if not drawn:
        raise ModelError(
            f"{found.overview.name} cannot be assembled there, so '{path}' was not drawn; choose another pose"
        )
    scenes = tuple(_scene(found.solved, mode, view) for mode in drawn)
    kinds = names or USUAL
    content = png(scenes, kinds) if path.suffix.lower() == ".png" else svg(scenes, kinds).encode()
    write_whole(path, content)


def _scene(solved: "Solution", mode: "Assembly", view: "Name | None") -> "Scene":
    from exporter.commands.overview import mode_name, own_signs
    from exporter.drawing.of_solution import picture_scene

    exported = mode.signs == own_signs(solved)
    return picture_scene(solved, mode.coordinates, mode_name(solved, mode), view, paths=exported)
