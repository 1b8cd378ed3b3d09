"""Renders templates of pictures and pages: undefined names are errors, text is escaped, and every reader takes it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from jinja2 import ChoiceLoader, PackageLoader

from exporter.drawing.characters import css_text, readable
from exporter.template_environment import environment

DRAWING = "exporter.drawing"
Filters = Mapping[str, Callable[..., Any]]
NO_FILTERS: Filters = MappingProxyType({})


def render(template: str, *, package: str = DRAWING, filters: Filters = NO_FILTERS, **values: object) -> str:
    """The text of a template of `package`, or of `exporter.drawing`; `filters` are what it calls on values."""
    templates = environment(ChoiceLoader([PackageLoader(package), PackageLoader(DRAWING)]), autoescape=True)
    templates.filters |= {"css_text": css_text, **filters}
    return readable(templates.get_template(template).render(**values))
