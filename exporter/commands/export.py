"""`kinefix export`: a model becomes a folder of C99."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exporter.commands.options import names, program_options, said

if TYPE_CHECKING:
    from collections.abc import Callable

    from exporter.manifest import Manifest
    from exporter.model.changes import Changes
    from exporter.sequence.operations import Precision


@click.command(short_help="Write the C99 export of a mechanism or a symbolic model.")
@click.argument("source")
@click.option(
    "--out", "folder", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder of the export."
)
@click.option(
    "--precision",
    type=click.Choice(["float32", "float64"]),
    default="float32",
    show_default=True,
    help="Of every number in the C.",
)
@click.option(
    "--functions",
    "asked",
    metavar="NAMES",
    default="",
    callback=said,
    help='What the export offers, as "dostep,position"; all that the mechanism has without it.',
)
@program_options
@click.option("--force", is_flag=True, help="Write DIR anew where it is up to date too.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def export(
    source: str, folder: Path, precision: "Precision", changes: "Changes", *, asked: str, force: bool, as_json: bool
) -> None:
    """Write the C99 of SOURCE into DIR.

    SOURCE is a name of the library, the path of a mechanism file, or module:function (path/to/file.py:function too)
    of a symbolic model: that Python code, your own, is run. DIR is new, empty, or an earlier export, which is
    replaced; a folder with anything else in it is refused. The same model and options give the same bytes. Where DIR
    holds them already, each file as this version of Kinefix wrote it, that is said at once and nothing is written.

    Parameters are tunable or frozen as the file says; --tunable and --frozen change that for those that they name.

    \b
    Example:
      kinefix export slider_crank --out out/slider_crank
      kinefix export my_mechanism.toml --out out/mine --precision float64 --frozen all --period "500 us"
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from exporter.commands.printing import print_json, progress

    with progress(f"exporting {source}") as tell:
        manifest, written = _export(source, folder, precision, changes, names(asked), force=force, tell=tell)
    if as_json:
        print_json(_facts(folder, manifest, written=written))
    else:
        _print(folder, manifest, written=written)


def _export(
    source: str,
    folder: Path,
    precision: "Precision",
    changes: "Changes",
    functions: tuple[str, ...],
    *,
    force: bool,
    tell: "Callable[[str], None]",
) -> "tuple[Manifest, bool]":
    """The manifest, and whether anything was written."""
    from exporter.export_folder import STAMP_NAME, require_place
    from exporter.request import request_of
    from exporter.up_to_date import standing_manifest

    stamped = not force and (folder / STAMP_NAME).is_file()
    if not stamped:
        require_place(folder)
    request = request_of(source, precision, changes, functions)
    if stamped:
        standing = standing_manifest(request, folder)
        if standing is not None:
            return standing, False
        require_place(folder)
    from exporter.export import export_request

    return export_request(request, folder, tell).manifest, True


def _facts(folder: Path, manifest: "Manifest", *, written: bool) -> dict[str, object]:
    return {
        "folder": str(folder),
        "written": written,
        "name": manifest.name,
        "title": manifest.title,
        "kind": manifest.kind,
        "real": manifest.real,
        "export_id": f"{manifest.export_id:08x}",
        "model_hash": manifest.model_hash,
        "files": manifest.files,
        "cost": {function.name: function.cost for function in manifest.functions},
        "tunable": [each.name for each in manifest.parameters if each.tunable],
        "frozen": [each.name for each in manifest.parameters if not each.tunable],
        "notes": list(manifest.notes),
        "fixed_time": manifest.loop is None,
    }


def _print(folder: Path, manifest: "Manifest", *, written: bool) -> None:
    from exporter.commands.printing import joined_notes, print_head, print_next, print_rows
    from exporter.sequence.cost import Cost

    print_head(manifest.name, manifest.title, manifest.real)
    click.echo(f"export {manifest.export_id:08x}, model SHA-256 {manifest.model_hash}")
    click.echo(f"files in {folder}" if written else f"{folder} is up to date: nothing was written (see --force)")
    print_rows((name, f"SHA-256 {digest[:16]}") for name, digest in manifest.files.items())
    if manifest.loop is None:
        click.echo("operations of one call, the same on every input")
    else:
        click.echo(
            f"NOT fixed-time: up to {manifest.loop.most} iterations; operations of one call, at most for "
            f"{', '.join(manifest.loop.functions)}"
        )
    print_rows((function.symbol, Cost(**function.cost).text()) for function in manifest.functions)
    if manifest.notes:
        click.echo("notes")
        print_rows((note,) for note in joined_notes(manifest.notes))
    target = "m4f" if manifest.real == "float32" else "host"
    iteration = ("--function", manifest.loop.body) if manifest.loop else ()
    place = str(folder)
    print_next(
        ("kinefix", "build", place, "--target", target),
        ("kinefix", "audit", place, *iteration),
        ("kinefix", "sil", place),
    )
