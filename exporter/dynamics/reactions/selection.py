"""Which equations determine which unknowns, in which order, from their coefficients at some poses.

In: coefficients (poses, equations, unknowns). Out: `Block`s in solve order, each with its pivots in order. Rows and
columns that are linear in others at every pose are left out: what a statically indeterminate joint transmits beyond
that is taken as zero, which does not matter where only what is determined is given.
"""

from collections.abc import Sequence

import numpy as np

from exporter.kinematics.closures.numeric import Array
from exporter.records import dataclass

ZERO_COEFFICIENT = 1e-9  # of the largest at a pose: below, it is rounding
DEPENDENT = 1e-7  # part of a column that others leave: below, it is linear in them
WEAK_PIVOT = 0.02
"""Part of the largest of its column below which a pivot, at some pose, is not taken in a fixed order."""
GOOD_PIVOT = 0.2
"""Part of the largest of its column from which on a pivot is as good as any."""
PAIR = 2  # unknowns that are solved for by their determinant
EQUAL = 1 - 1e-9  # of the best: as good but for rounding


@dataclass(frozen=True, slots=True)
class Block:
    """Equations and the unknowns that they determine, both in the order of elimination, and sizes of the pivots."""

    equations: tuple[int, ...]
    unknowns: tuple[int, ...]
    pivots: tuple[float, ...]  # the largest at any pose; of two unknowns their product, the determinant
    exchanges: bool = False  # rows are exchanged at run time


def independent_columns(matrices: Array) -> list[int]:
    """Columns of (poses, m, n) that are independent at every pose, those that stand out most first."""
    if not matrices.size:
        return []
    left = np.array(matrices)
    count, chosen = matrices.shape[2], list[int]()
    sizes = np.maximum(np.linalg.norm(matrices, axis=1).max(axis=1), np.finfo(float).tiny)
    for _ in range(count):
        lengths = (np.linalg.norm(left, axis=1) / sizes[:, None]).min(axis=0, initial=np.inf)
        lengths[chosen] = 0.0
        if not lengths.size or lengths.max() <= DEPENDENT:
            break
        column = int(np.argmax(lengths >= EQUAL * lengths.max()))
        chosen.append(column)
        unit = left[:, :, column] / np.linalg.norm(left[:, :, column], axis=1, keepdims=True)
        for _ in range(2):  # Gram-Schmidt, twice is enough
            left = left - unit[:, :, None] * np.einsum("pm,pmn->pn", unit, left)[:, None, :]
    return sorted(chosen)


def blocks_of(matrices: Array) -> list[Block]:
    """Square blocks (poses, n, n) in solve order: a block needs unknowns of blocks before it only.

    Raises:
        ValueError: the equations do not determine the unknowns.
    """
    largest = np.abs(matrices).max(axis=(1, 2), keepdims=True, initial=0.0)
    pattern = (np.abs(matrices) > ZERO_COEFFICIENT * largest).any(axis=0)
    matched = _matched(pattern)
    import networkx as nx  # noqa: PLC0415 - it is slow to import

    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(range(len(pattern)))  # equations
    owner = {unknown: equation for equation, unknown in matched.items()}
    for equation, row in enumerate(pattern):
        graph.add_edges_from((owner[int(u)], equation) for u in np.flatnonzero(row) if owner[int(u)] != equation)
    condensed = nx.condensation(graph)
    members = {node: sorted(condensed.nodes[node]["members"]) for node in condensed}
    order = nx.lexicographical_topological_sort(condensed, key=lambda node: members[node][0])
    return [_ordered(matrices, members[node], [matched[e] for e in members[node]]) for node in order]


def _matched(pattern: Array) -> dict[int, int]:
    """Equation -> unknown, by augmenting paths in the order of the equations."""
    owner: dict[int, int] = {}

    def place(equation: int, seen: set[int]) -> bool:
        for unknown in (int(each) for each in np.flatnonzero(pattern[equation])):
            if unknown not in seen:
                seen.add(unknown)
                if unknown not in owner or place(owner[unknown], seen):
                    owner[unknown] = equation
                    return True
        return False

    if not all(place(equation, set()) for equation in range(len(pattern))):
        raise ValueError("the equations do not determine the unknowns")
    return {equation: unknown for unknown, equation in owner.items()}


def _ordered(matrices: Array, equations: Sequence[int], unknowns: Sequence[int]) -> Block:
    """Pivots that are never small beside their column, those first that fill in least (Markowitz), then the largest."""
    own = matrices[np.ix_(range(len(matrices)), equations, unknowns)]
    if len(equations) == PAIR:
        return Block(tuple(equations), tuple(unknowns), (1.0, float(np.abs(np.linalg.det(own)).max())))
    left, rows, columns, pivots = np.array(own), list(equations), list(unknowns), []
    for k in range(len(rows)):
        found = _next_pivot(left[:, k:, k:])
        if found is None:
            return _by_exchange(own, equations, unknowns)
        row, column = k + found[0], k + found[1]
        left[:, [k, row]] = left[:, [row, k]]
        left[:, :, [k, column]] = left[:, :, [column, k]]
        rows[k], rows[row], columns[k], columns[column] = rows[row], rows[k], columns[column], columns[k]
        pivots.append(float(np.abs(left[:, k, k]).max()))
        left[:, k + 1 :] -= left[:, k + 1 :, k, None] / left[:, k, None, k, None] * left[:, k, None]
    return Block(tuple(rows), tuple(columns), tuple(pivots))


def _next_pivot(rest: Array) -> tuple[int, int] | None:
    """Row and column of the next pivot among what is left; None where all are too small at some pose."""
    sizes = np.abs(rest)
    filled = (sizes > ZERO_COEFFICIENT * sizes.max(axis=(1, 2), keepdims=True)).any(axis=0)
    shares = (sizes / np.maximum(sizes.max(axis=1, keepdims=True), np.finfo(float).tiny)).min(axis=0)
    if shares.max() < WEAK_PIVOT:
        return None
    allowed = shares >= min(GOOD_PIVOT, EQUAL * shares.max())
    fill = np.outer(filled.sum(axis=1) - 1, filled.sum(axis=0) - 1)
    fewest = allowed & (fill == fill[allowed].min())
    best = fewest & (shares >= EQUAL * shares[fewest].max())
    row, column = np.unravel_index(int(np.argmax(best)), best.shape)
    return int(row), int(column)


def _by_exchange(matrices: Array, equations: Sequence[int], unknowns: Sequence[int]) -> Block:
    """No fixed order does at all poses: rows are exchanged as a pose needs it; the pivots that this takes."""
    left, pivots = np.array(matrices), []
    poses = np.arange(len(left))
    for k in range(len(equations)):
        row = k + np.abs(left[:, k:, k]).argmax(axis=1)
        left[poses, k], left[poses, row] = left[poses, row], left[poses, k].copy()
        pivots.append(float(np.abs(left[:, k, k]).max()))
        divisor = np.where(left[:, k, k] == 0, 1.0, left[:, k, k])
        left[:, k + 1 :] -= left[:, k + 1 :, k, None] / divisor[:, None, None] * left[:, k, None]
    return Block(tuple(equations), tuple(unknowns), tuple(pivots), exchanges=True)
