"""Renders the SVG templates of this package, or of another: undefined names are errors, text is escaped."""

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(template: str, *, package: str = "exporter.drawing", **values: object) -> str:
    """The text of a template of `package`, out of its folder templates."""
    environment = Environment(
        loader=PackageLoader(package),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    return environment.get_template(template).render(**values)
