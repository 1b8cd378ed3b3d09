"""`kinefix list`: the mechanisms that come with Kinefix."""

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from exporter.model.mechanism import Mechanism


@click.command("list", short_help="List the mechanisms of the library.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def list_models(*, as_json: bool) -> None:
    """List the mechanisms of the library: name, title, source, coordinates. Systems of the literature come first,
    mechanisms of practice after them.

    Wherever a command takes a model, one of these names does, and so does the path of a mechanism file.

    \b
    Example:
      kinefix list
    """  # noqa: D205, D301 - \b is click's mark for a paragraph that keeps its lines
    from exporter.commands.printing import print_json, print_rows
    from exporter.model.library import model_names, model_path, practice_names
    from exporter.model.toml.reader import read_mechanism

    def read(names: tuple[str, ...]) -> "list[tuple[str, Mechanism]]":
        return [(name, read_mechanism(model_path(name))) for name in names]

    systems, practice = read(model_names()), read(practice_names())
    if as_json:
        print_json(
            {"mechanisms": [_facts(*each) for each in systems], "practice": [_facts(*each) for each in practice]}
        )
        return
    for name, each in (*systems, *practice):
        click.echo(f"{name}: {each.title}")
        rows = [("coordinates", ", ".join(each.coordinates())), ("independent", ", ".join(each.independent))]
        print_rows([*rows, ("source", each.source)])


def _facts(name: str, mechanism: "Mechanism") -> dict[str, Any]:
    return {
        "name": name,
        "prefix": mechanism.name,
        "title": mechanism.title,
        "source": mechanism.source,
        "coordinates": list(mechanism.coordinates()),
        "independent": list(mechanism.independent),
    }
