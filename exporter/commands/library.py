"""`kinefix list`: the mechanisms that come with Kinefix."""

import click


@click.command("list", short_help="List the mechanisms of the library.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def list_models(*, as_json: bool) -> None:
    """List the mechanisms of the library: name, title, source, coordinates.

    Wherever a command takes a model, one of these names does, and so does the path of a mechanism file.

    \b
    Example:
      kinefix list
    """  # noqa: D301 - \b is click's mark for a paragraph that keeps its lines
    from exporter.commands.printing import print_json, print_rows
    from exporter.model.library import model_names, model_path
    from exporter.model.toml_reader import read_mechanism

    found = [(name, read_mechanism(model_path(name))) for name in model_names()]
    if as_json:
        print_json(
            {
                "mechanisms": [
                    {
                        "name": name,
                        "prefix": each.name,
                        "title": each.title,
                        "source": each.source,
                        "coordinates": list(each.coordinates()),
                        "independent": list(each.independent),
                    }
                    for name, each in found
                ]
            }
        )
        return
    for name, each in found:
        click.echo(f"{name}: {each.title}")
        rows = [("coordinates", ", ".join(each.coordinates())), ("independent", ", ".join(each.independent))]
        print_rows([*rows, ("source", each.source)])
