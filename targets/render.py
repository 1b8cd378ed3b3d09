"""Renders the C and Python templates of targets. Templates loop, Python computes; an unknown name is an error."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _environment(folder: Path) -> "Environment":
    from jinja2 import FileSystemLoader  # noqa: PLC0415 - not for --help

    from exporter.template_environment import environment  # noqa: PLC0415

    return environment(FileSystemLoader(folder), autoescape=False)  # C and Python, not HTML


def render(folder: Path, template: str, context: Mapping[str, object]) -> str:
    """The text of a template in this folder."""
    return _environment(folder).get_template(template).render(context)
