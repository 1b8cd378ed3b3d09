"""Renders the templates of this package: undefined names are errors, text is escaped."""

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(template: str, **values: object) -> str:
    """The text of a template."""
    environment = Environment(
        loader=PackageLoader("exporter.drawing"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    return environment.get_template(template).render(**values)
