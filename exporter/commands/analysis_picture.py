"""The solve order of an `Analysis` as a diagram; where the choice cannot be solved, what would be solved together."""

from exporter.commands.analysis_facts import Analysis
from exporter.drawing.solve_order import Node, diagram
from exporter.kinematics.analysis.solve_order import OrderedBlock


def picture_of(analysis: Analysis) -> str:
    """SVG text."""
    mechanism, shown = analysis.mechanism, analysis.shown
    names = ", ".join(shown.independent)
    coordinates = [Node(name, name, kind="coordinate") for name in shown.independent]
    if shown.solvable:
        blocks = [_node(block) for block in analysis.order]
        caption = f"driven by {names}: {len(blocks)} block{'' if len(blocks) == 1 else 's'}, one after the other"
    else:
        blocks = _join_systems(analysis)
        caption = f"driven by {names}: cannot be solved in turn"
    return diagram(f"{mechanism.title or mechanism.name}: solve order", caption, [*coordinates, *blocks])


def _node(block: OrderedBlock) -> Node:
    root = "" if not block.sign else f", root {'+' if block.sign > 0 else '-'}"
    branch = f" '{block.branch}'" if block.branch else ""
    lines = [
        f"degree {block.degree}{root}{branch}",
        f"gives {', '.join(block.gives) or ', '.join(block.unknowns)}",
        block.cost.text(),
        *(f"smallest {margin.role} {margin.smallest:.3g}" for margin in block.margins),
        *([f"guards {', '.join(block.guards)}"] if block.guards else []),
    ]
    return Node(block.id, block.title, tuple(lines), block.needs)


def _join_systems(analysis: Analysis) -> list[Node]:
    """Systems one after the other, each after all coordinates and the one before."""
    found: list[Node] = []
    for number, system in enumerate(analysis.shown.systems, start=1):
        together = len(system.loops) > 1
        degree = "unknown degree" if system.degree is None else f"degree {system.degree}"
        before = [found[-1].id] if found else list(analysis.shown.independent)
        lines = (degree, f"{len(system.unknowns)} unknowns", *system.unknowns)
        title = f"loops {', '.join(system.loops)} together" if together else f"loop {system.loops[0]}"
        found.append(Node(f"S{number}", title, lines, tuple(before), "joined" if together else "block"))
    return found
