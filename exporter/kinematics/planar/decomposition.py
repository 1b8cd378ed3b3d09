"""The solve order: which closures determine which unknowns, one after the other.

In: the closures of a planar model. Used by: `triangular`. Incidence graph, maximum matching, strongly
connected components (networkx); a component with its unknowns is a block.
"""

from collections.abc import Mapping
from typing import Literal

from exporter.errors import NoForm, Unsolved
from exporter.kinematics.planar.directions import Direction
from exporter.kinematics.planar.model import Closure, PlanarModel
from exporter.model.joints import GROUND
from exporter.records import dataclass

UnknownKind = Literal["direction", "slide"]


@dataclass(frozen=True, slots=True, order=True)
class Unknown:
    """The direction of a root body, or a displacement."""

    kind: UnknownKind
    name: str


@dataclass(frozen=True, slots=True)
class System:
    """Closures that must be solved together for these unknowns."""

    closures: tuple[Closure, ...]
    unknowns: tuple[Unknown, ...]


def unknowns_of(closure: Closure, direction: Mapping[str, Direction], known_slides: set[str]) -> tuple[Unknown, ...]:
    """The unknowns in a closure, directions in tree order, then displacements."""
    roots = dict.fromkeys(direction[term.body].root for term in closure.terms)
    slides = dict.fromkeys(term.slide for term in closure.terms if term.slide and term.slide not in known_slides)
    return (
        *(Unknown("direction", root) for root in roots if root != GROUND),
        *(Unknown("slide", slide) for slide in slides),
    )


def decompose(model: PlanarModel, direction: Mapping[str, Direction], known_slides: set[str]) -> tuple[System, ...]:
    """The systems in solve order.

    Raises:
        NoForm: the number of independent coordinates does not fit, or they cannot drive the mechanism.
    """
    incidence = {closure.name: unknowns_of(closure, direction, known_slides) for closure in model.closures}
    all_unknowns = _all_unknowns(model, direction, known_slides)
    _check_count(model, all_unknowns)
    if len(model.closures) == 1 and set(all_unknowns) == set(incidence[model.closures[0].name]):
        return (System(model.closures, incidence[model.closures[0].name]),)
    matching = _match_unknowns(model, incidence, all_unknowns)
    return _components(model, incidence, matching)


def _all_unknowns(
    model: PlanarModel, direction: Mapping[str, Direction], known_slides: set[str]
) -> tuple[Unknown, ...]:
    roots = dict.fromkeys(direction[body].root for body in model.bodies)
    return (
        *(Unknown("direction", root) for root in roots if root != GROUND),
        *(Unknown("slide", slide) for slide in model.slides if slide not in known_slides),
    )


def _check_count(model: PlanarModel, unknowns: tuple[Unknown, ...]) -> None:
    mechanism = model.mechanism
    equations = 2 * len(model.closures)
    if len(unknowns) == equations:
        return
    chosen, names = len(mechanism.independent), ", ".join(mechanism.independent) or "none"
    freedom = chosen + len(unknowns) - equations
    many = f"{mechanism.name}: {chosen} independent coordinate{_s(chosen)} chosen ({names})"
    if freedom > 0:
        raise Unsolved(
            f"{many}, but the loops leave {freedom} degree{_s(freedom)} of freedom; "
            f"choose {freedom} of {', '.join(mechanism.coordinates())}"
        )
    raise NoForm(
        f"{many}, but by count the loops leave {freedom} degrees of freedom: {equations} equations for {len(unknowns)} "
        "unknowns; some may repeat others, and only closing joints that repeat others wholly are dropped: leave one out"
    )


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _match_unknowns(
    model: PlanarModel, incidence: Mapping[str, tuple[Unknown, ...]], unknowns: tuple[Unknown, ...]
) -> dict[tuple[str, int], Unknown]:
    import networkx as nx  # noqa: PLC0415 - it is slow to import

    graph: nx.Graph = nx.Graph()
    equations = [(name, part) for name in incidence for part in (0, 1)]
    graph.add_nodes_from(equations)
    for name, part in equations:
        graph.add_edges_from(((name, part), unknown) for unknown in incidence[name])
    matched = nx.bipartite.hopcroft_karp_matching(graph, top_nodes=equations)
    free = [unknown for unknown in unknowns if unknown not in matched]
    if free:
        names = ", ".join(f"the {unknown.kind} of {unknown.name}" for unknown in free)
        raise NoForm(
            f"{model.mechanism.name}: {', '.join(model.mechanism.independent)} cannot drive the mechanism: no loop "
            f"determines {names}"
        )
    return {equation: matched[equation] for equation in equations}


def _components(
    model: PlanarModel,
    incidence: Mapping[str, tuple[Unknown, ...]],
    matching: Mapping[tuple[str, int], Unknown],
) -> tuple[System, ...]:
    """Strongly connected components of 'closure needs unknown that another closure determines'."""
    import networkx as nx  # noqa: PLC0415

    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(incidence)
    for (name, _), unknown in matching.items():
        for other, unknowns in incidence.items():
            if unknown in unknowns and other != name:
                graph.add_edge(name, other)
    rank = {closure.name: number for number, closure in enumerate(model.closures)}
    order = list(
        nx.lexicographical_topological_sort(
            condensed := nx.condensation(graph),
            key=lambda node: min(rank[name] for name in condensed.nodes[node]["members"]),
        )
    )
    systems = []
    for node in order:
        members = sorted(condensed.nodes[node]["members"], key=rank.__getitem__)
        closures = tuple(closure for closure in model.closures if closure.name in members)
        owned = {matching[name, part] for name in members for part in (0, 1)}
        unknowns = tuple(dict.fromkeys(unknown for name in members for unknown in incidence[name] if unknown in owned))
        systems.append(System(closures, unknowns))
    return tuple(systems)
