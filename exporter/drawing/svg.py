"""A picture as SVG text: the same scenes give the same bytes."""

from jinja2 import Environment, PackageLoader, StrictUndefined

from exporter.drawing.canvas import WIDTH
from exporter.drawing.panels import TOTAL_HEIGHT, panels_of
from exporter.drawing.scene import Scene


def svg(scenes: tuple[Scene, ...]) -> str:
    """The scenes side by side."""
    environment = Environment(
        loader=PackageLoader("exporter.drawing"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    template = environment.get_template("mechanism.svg.j2")
    return template.render(width=WIDTH, height=TOTAL_HEIGHT, panels=panels_of(scenes))
