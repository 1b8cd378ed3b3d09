"""Loops in the control flow of one function, as strongly connected components.

Used by the path proof to name an undecided branch that leaves a loop: its trip count is then not an immediate.
"""

from targets.audit.image import FunctionSymbol
from targets.audit.machine import Flow, Instruction, Machine

Loops = tuple[frozenset[int], ...]


def find_loops(machine: Machine, function: FunctionSymbol) -> Loops:
    """The addresses of each loop of a function; nested loops are one."""
    import networkx  # noqa: PLC0415 - only code with undecided branches needs it

    graph = networkx.DiGraph()
    pending = [function.start]
    while pending:
        address = pending.pop()
        if graph.nodes.get(address, {}).get("seen"):
            continue
        graph.add_node(address, seen=True)
        ways = _ways(machine.decode(address), function)
        graph.add_edges_from((address, way) for way in ways)
        pending.extend(ways)
    return tuple(
        frozenset(component)
        for component in networkx.strongly_connected_components(graph)
        if len(component) > 1 or any(graph.has_edge(node, node) for node in component)
    )


def leaves_loop(loops: Loops, branch: Instruction) -> bool:
    """Whether one way of a conditional branch stays in a loop that the other way leaves."""
    loop = next((item for item in loops if branch.address in item), frozenset())
    return (branch.next in loop) != (branch.target in loop)


def _ways(instruction: Instruction, function: FunctionSymbol) -> list[int]:
    if instruction.flow is Flow.REFUSED:
        return []
    ways = []
    if instruction.flow in (Flow.NEXT, Flow.CALL) or instruction.condition:
        ways.append(instruction.next)
    if instruction.flow is Flow.JUMP and instruction.target is not None:
        ways.append(instruction.target)
    return [way for way in ways if function.start <= way < function.end]
