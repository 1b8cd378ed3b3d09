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
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def new(name: str, *, like: str, as_json: bool) -> None:
    """Write NAME.toml into the current folder: a mechanism that works, with a comment on every section, or a copy of
    one that is near to yours.

    NAME becomes the prefix of the C functions: letters, digits and _, a letter first. A file that is there already
    is never overwritten.

    \b
    Examples:
      kinefix new my_mechanism
      kinefix new my_suspension --like double_wishbone_front
    """  # noqa: D205, D301 - \b is click's mark for a paragraph that keeps its lines
    from exporter.commands.printing import print_json, print_next
    from exporter.errors import ModelError
    from exporter.model.template import new_model_text

    text = new_model_text(name, like)
    path = Path(f"{name}.toml")
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise ModelError(f"'{path}' is there already; choose another name, or move the file away") from None
    if as_json:
        print_json({"file": str(path), "name": name})
        return
    what = f"a copy of {like}" if like else "an offset slider-crank"
    click.echo(f"wrote {path}: {what} to be changed into yours")
    print_next(
        ("kinefix", "show", str(path), "--picture", f"{name}.svg"),
        ("kinefix", "export", str(path), "--out", f"out/{name}"),
    )
