"""Renders templates of pictures and pages: undefined names are errors, text is escaped, and every reader takes it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from exporter.drawing.characters import readable

Filters = Mapping[str, Callable[..., Any]]
NO_FILTERS: Filters = MappingProxyType({})


def render(template: str, *, package: str = "exporter.drawing", filters: Filters = NO_FILTERS, **values: object) -> str:
    """The text of a template of `package`, out of its folder templates; `filters` are what it calls on values."""
    environment = Environment(
        loader=PackageLoader(package),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    environment.filters |= filters
    return readable(environment.get_template(template).render(**values))
