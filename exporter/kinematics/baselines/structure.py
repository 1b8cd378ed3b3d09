"""How Newton's method is ordered: which equations it uses, in which blocks, and in which order a block is eliminated.

In: the closures in numbers at the design pose. Used by: `newton`. Redundant equations are left out by rank;
blocks are the strongly connected components of the matched incidence graph (or one block of everything). Columns are
eliminated in the order of their number of entries; rows are exchanged at run time (see `elimination`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.errors import SingularPose
from exporter.kinematics.baselines.design import Numbers
from exporter.records import dataclass

Array = NDArray[Any]
RANK_TOLERANCE = 1e-8  # part of a row that must be independent of the rows before it
CLOSED_FORM = 2  # largest matrix that is solved by its determinant


@dataclass(frozen=True, slots=True)
class NewtonBlock:
    """Equations that are solved together for as many unknowns."""

    id: str  # "N1"
    equations: tuple[tuple[str, int], ...]  # (closing joint, number among its equations)
    coordinates: tuple[str, ...]  # unknowns in the order of elimination
    pivots: tuple[float, ...]  # their magnitudes at the design pose; the last is a determinant


def blocks_of(numbers: Numbers, row: Array, *, per_loop: bool) -> tuple[NewtonBlock, ...]:
    """The blocks in solve order.

    Args:
        numbers: the closures.
        row: all coordinates at the design pose.
        per_loop: block by block; else one block of all dependent coordinates.

    Raises:
        ModelError: the independent coordinates do not determine the others at the design pose.
    """
    mechanism = numbers.mechanism
    dependent = [name for name in mechanism.coordinates() if name not in mechanism.independent]
    columns = [mechanism.coordinates().index(name) for name in dependent]
    jacobian = numbers.at(row)[1][:, columns]
    chosen = _independent_rows(numbers, jacobian)
    if len(chosen) != len(dependent):
        raise SingularPose(
            f"{mechanism.name}: at the design pose the loops determine {len(chosen)} of {len(dependent)} dependent "
            "coordinates; it is singular there, or the independent coordinates cannot drive the mechanism"
        )
    parts = _components(numbers, dependent, chosen) if per_loop else [(chosen, dependent)]
    blocks = []
    for number, (rows, names) in enumerate(parts, start=1):
        matrix = jacobian[np.ix_(rows, [dependent.index(name) for name in names])]
        entries = np.array([[name in numbers.patterns[k].coordinates for name in names] for k in rows])
        order, pivots = _elimination(matrix, entries)
        equations = tuple((numbers.patterns[k].closure, numbers.patterns[k].number) for k in rows)
        blocks.append(NewtonBlock(f"N{number}", equations, tuple(names[j] for j in order), pivots))
    return tuple(blocks)


def _independent_rows(numbers: Numbers, jacobian: Array) -> list[int]:
    """Rows that determine something new, those with few coordinates first; in the order of the equations."""
    taken: list[Array] = []
    rows: list[int] = []
    order = sorted(range(len(jacobian)), key=lambda k: (len(numbers.patterns[k].coordinates), k))
    for k in order:
        length = float(np.linalg.norm(jacobian[k]))
        rest = jacobian[k].copy()
        for _ in range(2):
            for unit in taken:
                rest -= (rest @ unit) * unit
        if length > 0 and np.linalg.norm(rest) > RANK_TOLERANCE * length:
            taken.append(rest / np.linalg.norm(rest))
            rows.append(k)
    return sorted(rows)


def _components(numbers: Numbers, dependent: Sequence[str], chosen: Sequence[int]) -> list[tuple[list[int], list[str]]]:
    """Strongly connected components of 'equation needs an unknown that another equation determines'."""
    import networkx as nx  # noqa: PLC0415 - it is slow to import

    graph: nx.Graph = nx.Graph()
    graph.add_nodes_from(chosen)
    needs = {k: [name for name in numbers.patterns[k].coordinates if name in dependent] for k in chosen}
    graph.add_edges_from((k, name) for k, names in needs.items() for name in names)
    matched = nx.bipartite.hopcroft_karp_matching(graph, top_nodes=chosen)
    owner = {matched[k]: k for k in chosen}
    directed: nx.DiGraph = nx.DiGraph()
    directed.add_nodes_from(chosen)
    directed.add_edges_from((owner[name], k) for k, names in needs.items() for name in names if owner[name] != k)
    condensed = nx.condensation(directed)
    order = nx.lexicographical_topological_sort(condensed, key=lambda node: min(condensed.nodes[node]["members"]))
    parts = []
    for node in order:
        rows = sorted(condensed.nodes[node]["members"])
        owned = {matched[k] for k in rows}
        parts.append((rows, [name for name in dependent if name in owned]))
    return parts


def _elimination(matrix: Array, entries: Array) -> tuple[list[int], tuple[float, ...]]:
    """The order of the columns, and the pivots at the design pose: each the largest of its column."""
    work, pattern = matrix.copy(), entries.copy()
    rows, columns = list(range(len(matrix))), list(range(len(matrix)))
    order, pivots = [], []
    while len(rows) > CLOSED_FORM:
        j = min(columns, key=lambda column: (int(pattern[rows, column].sum()), column))
        i = max(rows, key=lambda row: float(abs(work[row, j])))
        order.append(j)
        pivots.append(float(abs(work[i, j])))
        others = [k for k in rows if k != i and pattern[k, j]]
        columns.remove(j)
        rows.remove(i)
        for k in others:
            work[k, columns] -= work[k, j] / work[i, j] * work[i, columns]
        pattern[np.ix_(others, columns)] |= pattern[[i, *others]][:, columns].any(axis=0)
    pivots.append(float(abs(np.linalg.det(work[np.ix_(rows, columns)]))))
    return [*order, *columns], tuple(pivots)
