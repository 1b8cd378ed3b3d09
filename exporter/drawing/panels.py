"""Scenes in pixels: what both renderers draw."""

import math
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import chain

from exporter.drawing.canvas import CAPTION, HEIGHT, MARGIN, WIDTH, Canvas, canvas_for
from exporter.drawing.colors import color
from exporter.drawing.dots import dots_along
from exporter.drawing.drawn import DrawnAxis, DrawnLink, DrawnPath, DrawnPivot, DrawnSlide, DrawnSpot, Panel, Text
from exporter.drawing.forces.labels import Box, along_line, around, box_of, extent
from exporter.drawing.forces.placing import draw_marks
from exporter.drawing.headings import heading
from exporter.drawing.hull import Point
from exporter.drawing.names import USUAL, Kind, Wanted, placed_names
from exporter.drawing.quantities import length_text
from exporter.drawing.scene import Guide, Link, Path, Pivot, Rail, Scene
from exporter.drawing.slides import cylinder, direction, rail

TOTAL_HEIGHT = HEIGHT + CAPTION + 24
TRIAD, CORNER = 34, (WIDTH - 60, TOTAL_HEIGHT - 54)  # pixels: length of the ground's axes, and where they start
SYMBOLS = {
    "": "circle",
    "revolute": "circle",
    "prismatic": "square",
    "cylindrical": "boxed circle",
    "spherical": "disc",
    "universal": "diamond",
    "planar": "square",
    "fixed": "plate",
    "free": "cross",
}
"""How a joint is drawn, by its type."""
PIN_NAMES, POINT_NAMES = "#222222", "#555555"
NARROW = 0.92  # of the width that a text takes at most
LEAST_BARREL = 0.35  # a hinge whose axis is seen shorter is a circle


def panels_of(scenes: tuple[Scene, ...], names: Collection[Kind] = USUAL) -> tuple[Panel, ...]:
    """The scenes side by side at one scale, with these names."""
    canvas = canvas_for(scenes)
    bar = 10 ** math.floor(math.log10((HEIGHT - 2 * MARGIN) / canvas.scale))
    return tuple(_named(_with_marks(_panel(canvas, scene, bar), canvas, scene), scene, names) for scene in scenes)


def _panel(canvas: Canvas, scene: Scene, bar: float) -> Panel:
    slides = (*(_rail(canvas, each) for each in scene.rails), *(_guide(canvas, each) for each in scene.guides))
    drawn = {each.name for each in slides if each.strokes}
    return Panel(
        scene.title,
        heading(scene.title),
        tuple(scene.caption.splitlines()),
        tuple(_link(canvas, number, link) for number, link in enumerate(scene.links)),
        tuple(_pivot(canvas, pivot, drawn) for pivot in scene.pivots),
        slides,
        length_text(bar, bar) if scene.has_scale else "",
        round(bar * canvas.scale, 3),
        tuple(_axis(name, unit) for name, unit in scene.axes if unit != (0, 0)),
        tuple(DrawnSpot(spot.name, canvas.place(spot.at)) for spot in scene.spots),
        paths=tuple(_path(canvas, path) for path in scene.paths),
        seen_from=_seen_from(scene.seen_from) if scene.seen_from else None,
    )


def _with_marks(panel: Panel, canvas: Canvas, scene: Scene) -> Panel:
    """The panel with loads, elements and drivers."""
    taken = [box_of(axis.name, axis.label) for axis in panel.axes]
    return replace(panel, marks=draw_marks(scene.marks, canvas.place, taken, _lines_of(panel), _paper(panel)))


def _paper(panel: Panel) -> Box:
    """Where names may stand: below the caption, above the scale."""
    return Box(4, 54 + 17 * (len(panel.caption) - 1), WIDTH - 4, TOTAL_HEIGHT - 34)


def _lines_of(panel: Panel) -> list[Box]:
    """What bodies, joints, slides and axes take, more or less."""
    rings = [[*link.corners, *link.corners[:1]] for link in panel.links]
    rings += [list(stroke.points) for slide in panel.slides for stroke in slide.strokes]
    rings += [[axis.start, axis.end] for axis in panel.axes]
    rings += [list(slide.line) for slide in panel.slides if slide.line]
    return [
        *(box for ring in rings for box in along_line(ring)),
        *(around(pivot.at, 8) for pivot in panel.pivots),
        *(around((pivot.at[0], pivot.at[1] + 10), 12) for pivot in panel.pivots if pivot.grounded),
        *(around(spot.at, 5) for spot in panel.spots),
        *(around(dot, 3) for path in panel.paths for dot in path.dots),
        *(around(link.center_of_mass, 5) for link in panel.links if link.center_of_mass),
    ]


# -- names --------------------------------------------------------------------------------------------------------


def _named(panel: Panel, scene: Scene, kinds: Collection[Kind]) -> Panel:
    """The panel with the names that are asked for, beside those of marks and axes."""
    taken = [*(box_of(axis.name, axis.label) for axis in panel.axes), *(mark.label_box for mark in panel.marks)]
    lines = [box for mark in panel.marks for stroke in mark.strokes for box in along_line(stroke.points)]
    wanted = chain(
        _bodies(panel) if "bodies" in kinds else (),
        (Wanted("point", each.name, each.name, around(each.at, 5), POINT_NAMES) for each in panel.spots)
        if "points" in kinds
        else (),
        _joints(panel, scene) if "joints" in kinds else (),
    )
    return replace(panel, names=placed_names(wanted, taken, [*_lines_of(panel), *lines], _paper(panel)))


def _bodies(panel: Panel) -> Iterator[Wanted]:
    """Beside the middle of a bar, in the middle of an area, beside a cylinder whose barrel or rod is the body."""
    for link in panel.links:
        if len(link.corners) > 1:
            box = extent(link.corners)
            middle = ((box.left + box.right) / 2, (box.top + box.bottom) / 2)
            if len(link.corners) > 2:
                middle = tuple(sum(parts) / len(link.corners) for parts in zip(*link.corners, strict=True))
            yield Wanted("body", link.name, link.name, around(middle, 6 if len(link.corners) == 2 else 0), link.color)


def _joints(panel: Panel, scene: Scene) -> Iterator[Wanted]:
    """All joints; those that are seen at one place are named together."""
    for drawn, pivot in zip(panel.pivots, scene.pivots, strict=True):
        label = pivot.name if pivot.label is None else pivot.label
        yield Wanted("joint", pivot.name, label, around(drawn.at, 8), PIN_NAMES)
    pins = {pivot.name for pivot in panel.pivots}
    for slide in panel.slides:
        if slide.name not in pins:
            yield Wanted("joint", slide.name, slide.name, around(slide.strokes[-1].points[0], 10), PIN_NAMES)


# -- parts --------------------------------------------------------------------------------------------------------


def _link(canvas: Canvas, number: int, link: Link) -> DrawnLink:
    corners = tuple(canvas.place(corner) for corner in link.corners)
    centre = None if link.center_of_mass is None else canvas.place(link.center_of_mass)
    return DrawnLink(link.name, corners, centre, color(number))


def _pivot(canvas: Canvas, pivot: Pivot, slides: set[str]) -> DrawnPivot:
    """A joint that is drawn as a slide has no further symbol."""
    x, y = (f"{part:.9g}" for part in pivot.at)
    symbol = "none" if pivot.name in slides else SYMBOLS[pivot.type]
    axis = (pivot.axis[0], -pivot.axis[1])
    if symbol == "circle" and math.hypot(*axis) > LEAST_BARREL:
        symbol = "barrel"
    return DrawnPivot(pivot.name, canvas.place(pivot.at), pivot.grounded, x, y, pivot.type, symbol, axis)


def _rail(canvas: Canvas, joint: Rail) -> DrawnSlide:
    """A cylinder between bodies that move, where it is long enough to be seen."""
    foot, slider = canvas.place(joint.foot), canvas.place(joint.slider)
    if not joint.grounded and (found := cylinder(foot, slider)):
        return DrawnSlide(joint.name, found)
    start, end = canvas.place(joint.start), canvas.place(joint.end)
    return DrawnSlide(joint.name, rail(start, end, slider, grounded=joint.grounded))


def _guide(canvas: Canvas, joint: Guide) -> DrawnSlide:
    """A cylinder between bodies, a rail on the ground, the line alone where neither can be seen."""
    start, end = canvas.place(joint.start), canvas.place(joint.end)
    if not joint.grounded:
        return DrawnSlide(joint.name, cylinder(start, end) if joint.reaches else (), (start, end))
    seen = direction(start, end)[1] > 2
    slider = canvas.place(joint.slider)
    return DrawnSlide(
        joint.name, rail(start, end, slider, grounded=True) if seen and joint.slides_only else (), (start, end)
    )


def _path(canvas: Canvas, path: Path) -> DrawnPath:
    corners = tuple(canvas.place(point) for point in path.points)
    return DrawnPath(path.point, path.driver, corners, dots_along(corners))


def _seen_from(words: str) -> Text:
    """In the lower right corner, below the axes."""
    return Text(words, (round(WIDTH - 12 - box_of(words, (0, 0)).right * NARROW, 3), TOTAL_HEIGHT - 13))


def _axis(name: str, unit: Point) -> DrawnAxis:
    x, y = CORNER
    end = (round(x + TRIAD * unit[0], 3), round(y - TRIAD * unit[1], 3))
    label = (round(x + (TRIAD + 10) * unit[0] - 4, 3), round(y - (TRIAD + 10) * unit[1] + 4, 3))
    return DrawnAxis(name, (x, y), end, label)
