"""A picture as SVG text: the same scenes give the same bytes."""

from collections.abc import Collection

from exporter.drawing.canvas import WIDTH
from exporter.drawing.names import USUAL, Kind
from exporter.drawing.panels import TOTAL_HEIGHT, panels_of
from exporter.drawing.scene import Scene
from exporter.drawing.templating import render


def svg(scenes: tuple[Scene, ...], names: Collection[Kind] = USUAL) -> str:
    """The scenes side by side, with these names."""
    return render("mechanism.svg.j2", width=WIDTH, height=TOTAL_HEIGHT, panels=panels_of(scenes, names))
