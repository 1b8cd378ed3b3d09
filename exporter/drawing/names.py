"""Names beside what they name, none on another one: where there is room they stand on no line either.

In: texts with the boxes that they are beside, and what is taken already. Out: where each text stands, in pixels.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from exporter.drawing.forces.labels import Box, box_of, label_place
from exporter.drawing.hull import Point
from exporter.records import dataclass

Kind = Literal["bodies", "joints", "points", "none"]
KINDS: tuple[Kind, ...] = get_args(Kind)
USUAL: tuple[Kind, ...] = ("bodies", "points")
"""What a picture names where nobody asks for other names."""


@dataclass(frozen=True, slots=True)
class Name:
    """A text on paper."""

    kind: str  # "body", "joint", "point"
    of: str
    text: str
    at: Point
    color: str

    @property
    def box(self) -> Box:
        """What it takes."""
        return box_of(self.text, self.at)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A text that needs a place beside a box."""

    kind: str
    of: str
    text: str
    beside: Box
    color: str


def placed_names(wanted: Iterable[Wanted], taken: Sequence[Box], lines: Sequence[Box], paper: Box) -> tuple[Name, ...]:
    """All names in turn, each where none before it is."""
    boxes, names = list(taken), []
    for each in wanted:
        if each.text:
            at = label_place(each.text, each.beside, boxes, lines, paper)
            names.append(Name(each.kind, each.of, each.text, at, each.color))
            boxes.append(names[-1].box)
    return tuple(names)
