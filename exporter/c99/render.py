"""Renders a template of exporter/c99/templates. Templates loop, Python computes; an unknown name is an error."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _environment() -> "Environment":
    from jinja2 import PackageLoader  # noqa: PLC0415 - not needed for `--help`

    from exporter.template_environment import environment  # noqa: PLC0415

    return environment(PackageLoader("exporter.c99"), autoescape=False)  # C and Markdown, not HTML


def render(template: str, **context: object) -> str:
    r"""The text of a template, with `\n` line ends and no blanks at line ends."""
    text = _environment().get_template(template).render(context)
    return "".join(f"{line.rstrip()}\n" for line in text.rstrip("\n").split("\n"))
