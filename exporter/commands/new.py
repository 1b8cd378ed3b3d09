"""`kinefix new`: a mechanism file to start from."""

from pathlib import Path

import click

from exporter.commands.options import said


@click.command(short_help="Write a mechanism file that works, to be changed into yours.")
@click.argument("name")
@click.option(
    "--like",
    metavar="MODEL",
    default="",
    callback=said,
    help="Copy this model, of the library or a file, by the new name.",
)
@click.option("--sheet", is_flag=True, help="Write a suspension and NAME.csv, its sheet of hardpoints.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def new(name: str, *, like: str, sheet: bool, as_json: bool) -> None:
    """Write NAME.toml into the current folder: a mechanism that works, with a comment on every section, or a copy of
    one that is near to yours, with the sheets and tables that it reads.

    NAME becomes the prefix of the C functions: letters, digits and _, a letter first. A file that is there already
    is never overwritten.

    \b
    Examples:
      kinefix new my_mechanism
      kinefix new my_suspension --like double_wishbone_front
      kinefix new my_front_axle --sheet
    """  # noqa: D205, D301 - \b is click's mark for a paragraph that keeps its lines
    from exporter.commands.printing import print_json, print_next
    from exporter.errors import ModelError
    from exporter.model.template import new_model_files
    from exporter.whole_file import write_whole
    from exporter.writable import require_no_export

    files = new_model_files(name, like, sheet=sheet)
    path, *beside = (Path(file) for file in files)
    require_no_export("NAME", path)
    for file in (path, *beside):
        if file.exists() and (file == path or file.read_bytes() != files[file.name]):
            raise ModelError(f"'{file}' is there already; choose another name, or move the file away")
    for file in (path, *beside):
        write_whole(file, files[file.name])
    if as_json:
        print_json({"file": str(path), "name": name, **({"beside": [str(file) for file in beside]} if beside else {})})
        return
    what = f"a copy of {like}" if like else "a double wishbone suspension" if sheet else "an offset slider-crank"
    click.echo(f"wrote {path}: {what} to be changed into yours")
    for file in beside:
        click.echo(f"wrote {file}, which it reads")
    print_next(
        ("kinefix", "show", str(path), "--picture", f"{name}.svg"),
        ("kinefix", "export", str(path), "--out", f"out/{name}"),
    )
