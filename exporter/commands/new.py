"""`kinefix new`: a commented mechanism file to start from."""

from pathlib import Path

import click


@click.command(short_help="Write a commented mechanism file that works.")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def new(name: str, *, as_json: bool) -> None:
    """Write NAME.toml into the current folder: a mechanism that works, with a comment on every section.

    NAME becomes the prefix of the C functions: letters, digits and _, a letter first. A file that is there already
    is never overwritten.

    \b
    Example:
      kinefix new my_mechanism
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from exporter.commands.printing import print_json, print_next
    from exporter.errors import ModelError
    from exporter.model.template import new_model_text

    text = new_model_text(name)
    path = Path(f"{name}.toml")
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise ModelError(f"'{path}' is there already; choose another name, or move the file away") from None
    if as_json:
        print_json({"file": str(path), "name": name})
        return
    click.echo(f"wrote {path}: an offset slider-crank to be changed into yours")
    print_next(f"kinefix show {path} --picture {name}.svg", f"kinefix export {path} --out out/{name}")
