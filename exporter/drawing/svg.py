"""A picture as SVG text: the same scenes give the same bytes."""

from exporter.drawing.canvas import WIDTH
from exporter.drawing.panels import TOTAL_HEIGHT, panels_of
from exporter.drawing.scene import Scene
from exporter.drawing.templating import render


def svg(scenes: tuple[Scene, ...]) -> str:
    """The scenes side by side."""
    return render("mechanism.svg.j2", width=WIDTH, height=TOTAL_HEIGHT, panels=panels_of(scenes))
