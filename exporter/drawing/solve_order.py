"""The solve order as a diagram: coordinates at the left, blocks to the right of what they need, arrows between them.

In: nodes with the names of what they need. Out: SVG text; the same nodes give the same bytes.
"""

from collections.abc import Sequence

from exporter.drawing.colors import color
from exporter.drawing.templating import render
from exporter.records import dataclass

SMALL_LETTER_WIDTH, CAPITAL_WIDTH = 7.0, 9.6  # pixels of a character at 13 px, on average
PADDING, LINE, GAP_X, GAP_Y, TOP = 12, 18, 64, 22, 72  # pixels
SMALLEST_WIDTH = 320  # of the picture, for its title


@dataclass(frozen=True, slots=True)
class Node:
    """A coordinate or a block."""

    id: str  # what others need it by
    title: str
    lines: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    kind: str = "block"  # "coordinate", "block", or "joined": what cannot be solved in turn


@dataclass(frozen=True, slots=True)
class Box:
    """A node on paper, pixels."""

    node: Node
    x: float
    y: float
    width: float
    height: float
    color: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """A curve from the right of one box to the left of another."""

    source: str
    target: str
    path: str


def diagram(title: str, caption: str, nodes: Sequence[Node]) -> str:
    """The diagram as SVG."""
    boxes = boxes_of(nodes)
    width = max(max(box.x + box.width for box in boxes) + GAP_Y, SMALLEST_WIDTH, len(title) * 9 + 40)
    height = max(box.y + box.height for box in boxes) + GAP_Y
    return render(
        "solve_order.svg.j2",
        title=title,
        caption=caption,
        width=round(max(width, _length(caption) + 40)),
        height=round(height),
        boxes=boxes,
        arrows=_arrows(boxes),
        padding=PADDING,
        line=LINE,
    )


def boxes_of(nodes: Sequence[Node]) -> tuple[Box, ...]:
    """Every node in the column after the last one that it needs; nodes of a column below each other."""
    column: dict[str, int] = {}
    for node in nodes:
        column[node.id] = 1 + max((column[name] for name in node.needs if name in column), default=-1)
        if node.kind != "coordinate":
            column[node.id] = max(column[node.id], 1)
    widths = [max(_width(node) for node in nodes if column[node.id] == k) for k in sorted(set(column.values()))]
    bottom = dict.fromkeys(column.values(), float(TOP))
    boxes = []
    for number, node in enumerate(nodes):
        place = column[node.id]
        height = float(2 * PADDING + LINE * (1 + len(node.lines)) - 4)
        x = GAP_Y + sum(widths[:place]) + GAP_X * place
        ink = "#555555" if node.kind == "coordinate" else "#b03030" if node.kind == "joined" else color(number)
        boxes.append(Box(node, round(x, 1), round(bottom[place], 1), round(widths[place], 1), height, ink))
        bottom[place] += height + GAP_Y
    return tuple(boxes)


def _width(node: Node) -> float:
    return 2 * PADDING + max(_length(text) for text in (f"{node.title}  ", *node.lines))


def _length(text: str) -> float:
    return sum(CAPITAL_WIDTH if character.isupper() else SMALL_LETTER_WIDTH for character in text)


def _arrows(boxes: tuple[Box, ...]) -> tuple[Arrow, ...]:
    by_id = {box.node.id: box for box in boxes}
    found = []
    for box in boxes:
        sources = [by_id[name] for name in box.node.needs if name in by_id]
        for number, source in enumerate(sources, start=1):
            x1, y1 = source.x + source.width, source.y + source.height / 2
            x2, y2 = box.x, box.y + box.height * number / (len(sources) + 1)
            bend = round(GAP_X * 0.6, 1)
            path = f"M{x1:.1f} {y1:.1f} C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2 - 7:.1f} {y2:.1f}"
            found.append(Arrow(source.node.id, box.node.id, path))
    return tuple(found)
