"""Renders a template of exporter/c99/templates. Templates loop, Python computes; an unknown name is an error."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - not needed for `--help`

    return Environment(
        loader=PackageLoader("exporter.c99"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # C and Markdown, not HTML
        auto_reload=False,
    )


def render(template: str, **context: object) -> str:
    r"""The text of a template, with `\n` line ends and no blanks at line ends."""
    text = _environment().get_template(template).render(context)
    return "".join(f"{line.rstrip()}\n" for line in text.rstrip("\n").split("\n"))
