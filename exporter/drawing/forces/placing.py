"""Marks on paper: symbols beside each other where they act between the same points, names where there is room.

In: marks in metres, where a point goes on paper, and boxes that other names take. Out: a `DrawnMark` for each.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from exporter.drawing.colors import DRIVER, ELEMENT, LOAD
from exporter.drawing.forces.about_joints import BESIDE, FIRST_RADIUS, RING, beside, ring, tilted
from exporter.drawing.forces.along_lines import ARROW, SHORTEST, along_the_view, force, half_width, stop, symbol
from exporter.drawing.forces.labels import Box, along_line, around, box_of, extent, label_place
from exporter.drawing.forces.marks import Mark
from exporter.drawing.forces.strokes import Stroke, Strokes, line, placed
from exporter.drawing.hull import Point
from exporter.records import dataclass

Place = Callable[[Point], Point]
BESIDE_RAIL = 24.0  # pixels from a joint's rail to the middle of the elements along it
BETWEEN = 5.0  # pixels between elements that are side by side
LEAST_LINE = 2.0  # pixels: shorter ones are seen from their end
JOINT = 8.0  # pixels of a joint's symbol
MIDDLE = 6.0  # pixels around the middle of a line that its name is beside
BESIDE_SLIDE = 19.0  # pixels from the line of a joint to the arrow of what drives it
INKS = {"load": LOAD, "element": ELEMENT, "driver": DRIVER}
GROUND = 16.0  # pixels of the hatched ground where an element is fixed


@dataclass(frozen=True, slots=True)
class DrawnMark:
    """A mark in pixels."""

    mark: Mark
    start: Point
    end: Point
    strokes: Strokes
    label: Point
    color: str

    @property
    def label_box(self) -> Box:
        """What its name takes."""
        return box_of(self.mark.label, self.label)


@dataclass(frozen=True, slots=True)
class _Shape:
    """A symbol and what its name is beside: all of it, or the middle of a long one."""

    strokes: Strokes
    named: Box


def draw_marks(
    marks: Sequence[Mark], place: Place, names: Sequence[Box], lines: Sequence[Box], paper: Box
) -> tuple[DrawnMark, ...]:
    """All marks, with names that cover none of those that are there (and lines only where there is no other room)."""
    shapes = _shapes(marks, place)
    own = [box for shape in shapes for stroke in shape.strokes for box in along_line(stroke.points)]
    taken, drawn = list(names), []
    for mark, shape in zip(marks, shapes, strict=True):
        label = label_place(mark.label, shape.named, taken, [*lines, *own], paper)
        taken.append(box_of(mark.label, label))
        drawn.append(DrawnMark(mark, place(mark.start), place(mark.end), shape.strokes, label, INKS[mark.group]))
    return tuple(drawn)


def _shapes(marks: Sequence[Mark], place: Place) -> list[_Shape]:
    """The symbol of every mark; those at one place, or between the same two, know of each other."""
    together: dict[object, list[int]] = defaultdict(list)
    for number, mark in enumerate(marks):
        together[_where(mark, place)].append(number)
    shapes: dict[int, _Shape] = {}
    for numbers in together.values():
        group = [marks[number] for number in numbers]
        shapes |= dict(zip(numbers, _group_shapes(group, place), strict=True))
    return [shapes[number] for number in range(len(marks))]


def _whole(strokes: Strokes) -> _Shape:
    return _Shape(strokes, extent(point for each in strokes for point in each.points))


def _where(mark: Mark, place: Place) -> object:
    """What marks have in common that would cover each other."""
    if mark.type in ("force", "slide"):
        return mark.type, place(mark.start), tuple(round(part, 3) for part in mark.along)
    kind = "about" if mark.along == (0.0, 0.0) and mark.start == mark.end else "between"
    return kind, *sorted((place(mark.start), place(mark.end)))


def _group_shapes(group: list[Mark], place: Place) -> Iterator[_Shape]:
    kind = _where(group[0], place)
    assert isinstance(kind, tuple)
    if kind[0] in ("force", "slide"):
        return _forces(group, place)
    return _about(group, place) if kind[0] == "about" else _between(group, place)


def _forces(group: list[Mark], place: Place) -> Iterator[_Shape]:
    """Arrows along one line stand beside each other; those of drivers beside the line of their joint."""
    for number, mark in enumerate(group):
        (x, y), along = place(mark.start), (mark.along[0], -mark.along[1])
        size = math.hypot(*along) or 1.0
        aside, back = 10.0 * (number - (len(group) - 1) / 2), 0.0
        if mark.beside:  # the middle of the arrow is where the joint is
            aside, back = aside - BESIDE_SLIDE, ARROW / 2
        right, down = along[1] / size * aside + along[0] * back, along[1] * back - along[0] / size * aside
        yield _whole(placed(force(along), (x - right, y - down)))


def _about(group: list[Mark], place: Place) -> Iterator[_Shape]:
    """Rings around a joint, then what stands beside it."""
    rings = [mark for mark in group if mark.type not in BESIDE]
    outside = [mark for mark in group if mark.type in BESIDE]
    radius = FIRST_RADIUS + RING * (len(rings) - 1) if rings else JOINT
    for mark in group:
        shape = (
            beside(mark.type, outside.index(mark), radius)
            if mark in outside
            else tilted(ring(mark.type, rings.index(mark), mark.turning), (mark.axis[0], -mark.axis[1]))
        )
        yield _whole(placed(shape, place(mark.start)))


def _between(group: list[Mark], place: Place) -> Iterator[_Shape]:
    """Side by side, together in the middle of the line, or beside the rail that is there; stops on the line."""
    halves = [half_width(mark.type, damped=mark.damped) for mark in group if mark.type != "end_stop"]
    side = -sum(halves) - BETWEEN * (len(halves) - 1) / 2
    if halves and any(mark.beside for mark in group):
        side = BESIDE_RAIL - halves[0]
    for mark in group:
        if mark.type == "end_stop":
            yield _stops(mark, place)
            continue
        half = half_width(mark.type, damped=mark.damped)
        yield _line_shape(mark, place, side + half)
        side += 2 * half + BETWEEN


def _line_shape(mark: Mark, place: Place, aside: float) -> _Shape:
    """From start to end, with leads to a line at the side of it."""
    start, end = place(mark.start), place(mark.end)
    unit, length = _line_of(start, end, mark.along)
    if length < LEAST_LINE:
        return _whole(placed(along_the_view(), end))
    if mark.start == mark.end:
        start = (end[0] - unit[0] * length, end[1] - unit[1] * length)
    drawn = (*placed(symbol(mark.type, length, damped=mark.damped), (0, aside)), *_leads(mark, length, aside))
    middle = placed((line((length / 2, aside)),), start, unit)[0].points[0]
    return _Shape(placed(drawn, start, unit), around(middle, MIDDLE))


def _line_of(start: Point, end: Point, along: Point) -> tuple[Point, float]:
    """Direction on paper and length; what has no length yet is drawn as long as a symbol needs."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    if start == end:
        dx, dy, length = along[0], -along[1], SHORTEST
    size = math.hypot(dx, dy)
    return ((dx / size, dy / size), length) if size > 1e-9 else ((1.0, 0.0), 0.0)


def _leads(mark: Mark, length: float, aside: float) -> Strokes:
    """From the points to the line of the symbol, and the ground where an end is fixed to it."""
    leads = [line((x, 0), (x, aside)) for x in (0, length) if abs(aside) > 1]
    ends = zip((0, length), ((1.0, 0.0), (-1.0, 0.0)), mark.grounded, strict=True)
    walls = [each for x, unit, grounded in ends if grounded for each in placed(stop(GROUND), (x, 0), unit)]
    return (*leads, *walls)


def _stops(mark: Mark, place: Place) -> _Shape:
    """Walls where a stop begins to act; at the end of the line where that is far away."""
    middle = place(mark.end)
    unit, _ = _line_of(place(mark.start), middle, mark.along)
    found: list[Stroke] = []
    for x, y in map(place, mark.stops or (mark.end,)):
        ahead = (x - middle[0]) * unit[0] + (y - middle[1]) * unit[1] > 0
        found += placed(stop(), (x, y), (-unit[0], -unit[1]) if ahead else unit)
    return _Shape(tuple(found), extent(found[-1].points))
