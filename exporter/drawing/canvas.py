"""Where a scene goes on paper: metres to pixels, y upwards to y downwards."""

from exporter.drawing.hull import Point
from exporter.drawing.scene import Scene
from exporter.records import dataclass

WIDTH, HEIGHT, MARGIN, CAPTION = 640, 480, 60, 64  # pixels


@dataclass(frozen=True, slots=True)
class Canvas:
    """A scale that fits the scene."""

    scale: float  # pixels per metre
    left: float  # m
    top: float  # m

    def place(self, point: Point) -> tuple[float, float]:
        """Pixels of a point in metres."""
        return (
            round(MARGIN + (point[0] - self.left) * self.scale, 3),
            round(CAPTION + MARGIN + (self.top - point[1]) * self.scale, 3),
        )


def canvas_for(scenes: tuple[Scene, ...]) -> Canvas:
    """One scale for all scenes of a picture."""
    points = [point for scene in scenes for point in scene.points()]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    bottom, top = min(y for _, y in points), max(y for _, y in points)
    scale = min((WIDTH - 2 * MARGIN) / max(right - left, 1e-9), (HEIGHT - 2 * MARGIN) / max(top - bottom, 1e-9))
    spare_x = ((WIDTH - 2 * MARGIN) / scale - (right - left)) / 2
    spare_y = ((HEIGHT - 2 * MARGIN) / scale - (top - bottom)) / 2
    return Canvas(scale, left - spare_x, top + spare_y)
