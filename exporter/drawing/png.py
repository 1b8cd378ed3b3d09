"""A picture as PNG bytes, drawn with Pillow from the same panels as the SVG."""

import io
from collections.abc import Collection

from PIL import Image, ImageDraw, ImageFont

from exporter.drawing.canvas import WIDTH
from exporter.drawing.drawn import DrawnLink, DrawnPivot, Panel
from exporter.drawing.forces.strokes import Strokes
from exporter.drawing.headings import LARGEST
from exporter.drawing.hull import Point
from exporter.drawing.names import USUAL, Kind
from exporter.drawing.panels import TOTAL_HEIGHT, panels_of
from exporter.drawing.scene import Scene

PIXEL_RATIO = 2  # pixels of the picture per pixel of the panel
INK, GREY, PALE, PATH = "#222222", "#555555", "#dddddd", "#66b3af"


def png(scenes: tuple[Scene, ...], names: Collection[Kind] = USUAL) -> bytes:
    """The scenes side by side, with these names."""
    image = Image.new("RGB", (WIDTH * len(scenes) * PIXEL_RATIO, TOTAL_HEIGHT * PIXEL_RATIO), "white")
    draw = ImageDraw.Draw(image, "RGBA")
    for number, panel in enumerate(panels_of(scenes, names)):
        _Brush(draw, WIDTH * number).panel(panel)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


class _Brush:
    """Draws one panel, its origin shifted to the right."""

    def __init__(self, draw: ImageDraw.ImageDraw, shift: float) -> None:
        self.draw = draw
        self.shift = shift

    def at(self, point: Point) -> Point:
        """Pixels of the picture."""
        return (point[0] + self.shift) * PIXEL_RATIO, point[1] * PIXEL_RATIO

    def panel(self, panel: Panel) -> None:
        """Everything, back to front."""
        for dot in (dot for path in panel.paths for dot in path.dots):
            self.disc(dot, 1.1, PATH, PATH)
        for ends in (slide.line for slide in panel.slides if slide.line):
            self.draw.line([self.at(point) for point in ends], "#999999", 3 * PIXEL_RATIO)
        for link in panel.links:
            self.link(link)
        for slide in panel.slides:
            self.strokes(slide.strokes, GREY, "#eeeeee")
        for mark in panel.marks:
            self.strokes(mark.strokes, mark.color, "white")
            self.text((mark.label[0], mark.label[1] - 12), mark.mark.label, 13, mark.color)
        for pivot in panel.pivots:
            self.pivot(pivot)
        for spot in panel.spots:
            self.disc(spot.at, 3, GREY, GREY)
        self.words(panel)

    def words(self, panel: Panel) -> None:
        """Names, axes and the scale."""
        self.text((20, 12 + LARGEST - panel.heading.size), panel.heading.words, panel.heading.size)
        for number, line in enumerate(panel.caption):
            self.text((20, 36 + 17 * number), line, 13, GREY)
        for name in panel.names:
            self.text((name.at[0], name.at[1] - 12), name.text, 13, name.color)
        if panel.seen_from is not None:
            self.text((panel.seen_from.at[0], panel.seen_from.at[1] - 12), panel.seen_from.words, 13, GREY)
        for axis in panel.axes:
            self.draw.line([self.at(axis.start), self.at(axis.end)], GREY, PIXEL_RATIO)
            self.text((axis.label[0], axis.label[1] - 12), axis.name, 13, GREY)
        if panel.bar:
            ends = ((20, TOTAL_HEIGHT - 18), (20 + panel.bar_px, TOTAL_HEIGHT - 18))
            self.draw.line([self.at(end) for end in ends], INK, PIXEL_RATIO)
            self.text((26 + panel.bar_px, TOTAL_HEIGHT - 26), panel.bar, 13)

    def link(self, link: DrawnLink) -> None:
        """A body's outline, lightly filled."""
        if len(link.corners) > 2:
            self.draw.polygon([self.at(corner) for corner in link.corners], fill=f"{link.color}24")
        if len(link.corners) > 1:
            ring = [self.at(corner) for corner in (*link.corners, link.corners[0])]
            self.draw.line(ring, fill=link.color, width=round(link.width * PIXEL_RATIO), joint="curve")
        if link.center_of_mass is not None:
            self.disc(link.center_of_mass, 4, link.color)

    def strokes(self, strokes: Strokes, ink: str, paper: str) -> None:
        """Lines and areas of a symbol."""
        for stroke in strokes:
            points = [self.at(point) for point in stroke.points]
            if stroke.fill:
                self.draw.polygon(points, fill=ink if stroke.fill == "ink" else paper)
                points.append(points[0])
            self.draw.line(points, fill=ink, width=round(stroke.width * PIXEL_RATIO), joint="curve")

    def text(self, place: Point, words: str, size: int, ink: str = INK) -> None:
        """Words with their upper left corner at a place."""
        self.draw.text(self.at(place), words, fill=ink, font=ImageFont.load_default(size * PIXEL_RATIO))

    def disc(self, place: Point, radius: float, ink: str, fill: str = "white") -> None:
        """A disc with a rim."""
        x, y = self.at(place)
        reach = radius * PIXEL_RATIO
        self.draw.ellipse([x - reach, y - reach, x + reach, y + reach], fill=fill, outline=ink, width=PIXEL_RATIO)

    def pivot(self, pivot: DrawnPivot) -> None:
        """A joint's symbol, on a triangle where it stands on the ground."""
        x, y = pivot.at
        if pivot.grounded:
            self.draw.polygon([self.at((x, y)), self.at((x - 12, y + 20)), self.at((x + 12, y + 20))], PALE, GREY)
        if pivot.symbol in _POLYGONS:
            corners, fill = _POLYGONS[pivot.symbol]
            self.draw.polygon([self.at((x + dx, y + dy)) for dx, dy in corners], fill, INK, 2 * PIXEL_RATIO)
        if pivot.symbol in _DISCS:
            radius, fill = _DISCS[pivot.symbol]
            self.disc(pivot.at, radius, INK, fill)
        if pivot.symbol == "cross":
            self.draw.line([self.at((x - 7, y)), self.at((x + 7, y))], INK, 2 * PIXEL_RATIO)
            self.draw.line([self.at((x, y - 7)), self.at((x, y + 7))], INK, 2 * PIXEL_RATIO)
        if pivot.symbol == "barrel":
            corners = tuple((x + dx, y + dy) for dx, dy in pivot.corners)
            self.draw.polygon([self.at(corner) for corner in corners], "white", INK, 2 * PIXEL_RATIO)


def _square(reach: float) -> tuple[Point, ...]:
    return ((-reach, -reach), (reach, -reach), (reach, reach), (-reach, reach))


_POLYGONS = {
    "square": (_square(7), "white"),
    "boxed circle": (_square(9), "white"),
    "plate": (_square(5), INK),
    "diamond": (((-8, 0), (0, -8), (8, 0), (0, 8)), "white"),
}
_DISCS = {"circle": (6, "white"), "boxed circle": (5, "white"), "disc": (6, INK)}
