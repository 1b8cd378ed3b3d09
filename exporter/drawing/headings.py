"""A title that stays in the picture: long ones in smaller letters, longer ones cut.

In: a title. Out: its words and their size. No font is asked, for an SVG has none: letters count as wide ones.
"""

from exporter.drawing.canvas import WIDTH
from exporter.drawing.drawn import Heading
from exporter.drawing.forces.labels import CAPITAL, box_of

LARGEST, SMALLEST = 17, 11  # px
LABEL = 13  # px, of the letters that `box_of` measures
ROOM = WIDTH - 2 * 20  # px


def heading(title: str) -> Heading:
    """The title in the largest letters with which it fits, or as many of its words as fit in the smallest."""
    size = min(LARGEST, int(LABEL * ROOM / max(_width(title), 1)))
    if size >= SMALLEST:
        return Heading(title, size)
    kept = title
    while kept and _width(f"{kept}...") * SMALLEST > LABEL * ROOM:
        kept = kept[:-1]
    return Heading(f"{kept.rsplit(' ', 1)[0] if ' ' in kept else kept}...", SMALLEST)


def _width(words: str) -> float:
    """At the size of labels, px."""
    widest = sum(each in "MW@%" for each in words)
    return box_of(words, (0, 0)).right + widest * (LABEL - CAPITAL)
