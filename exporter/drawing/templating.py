"""Renders templates of pictures and pages: undefined names are errors, text is escaped, and every reader takes it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from exporter.drawing.characters import css_text, readable

DRAWING = "exporter.drawing"
Filters = Mapping[str, Callable[..., Any]]
NO_FILTERS: Filters = MappingProxyType({})


def render(template: str, *, package: str = DRAWING, filters: Filters = NO_FILTERS, **values: object) -> str:
    """The text of a template of `package`, or of `exporter.drawing`; `filters` are what it calls on values."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(DRAWING)]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    environment.filters |= {"css_text": css_text, **filters}
    return readable(environment.get_template(template).render(**values))
