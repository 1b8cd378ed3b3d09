"""A symbolic model as JSON-able data and back: what the manifest keeps and what the model hash is made of.

In: a `SymbolicModel`. Out: a dict of text, numbers and lists. Expressions become one shared list of nodes in
evaluation order: [class, operand...] with operands as positions, so deep and shared graphs stay flat. Rebuilding
constructs the listed classes unevaluated; nothing is parsed or run.
"""

import hashlib
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy as sp

from exporter.errors import ModelError
from exporter.model.exact_numbers import exact_float
from exporter.model.mechanism import Input, Parameter
from exporter.symbolic.model import Definition, LinearSolve, SolveStep, SymbolicModel, SymbolicOutput
from exporter.symbolic.policies import Division, Root
from exporter.symbolic.rules import FUNCTION_RULES, NUMBER_RULES
from exporter.symbolic.state import State, whole_states
from exporter.symbolic.symbol_names import leaf_name

Json = dict[str, Any]
Node = list[Any]
_SYMBOL: Callable[[str], Any] = sp.Symbol
_FUNCTIONS = {kind.__name__: kind for kind in FUNCTION_RULES}
_ATOMS: dict[str, Any] = {
    str(atom): atom
    for atom in (
        sp.pi, sp.E, sp.GoldenRatio, sp.EulerGamma, sp.Catalan, sp.oo, -sp.oo, sp.zoo, sp.nan, sp.I, sp.true, sp.false,
    )
}  # fmt: skip


def canonical(model: SymbolicModel) -> Json:
    """The model as data, the same for the same model everywhere.

    Raises:
        ModelError: an expression uses a class that symbolic models do not know.
    """
    graph = _Graph()
    return _stateless(model, graph) | (_stepping(model, graph) if model.states or model.period else {})


def _stateless(model: SymbolicModel, graph: "_Graph") -> Json:
    return {
        "kind": "symbolic",
        "name": model.name,
        "title": model.title,
        "source": model.source,
        "inputs": [_signal(given) | {"nominal": str(given.nominal)} for given in model.inputs],
        "parameters": [_parameter(parameter) for parameter in model.parameters],
        "division": None if model.division is None else str(model.division.threshold),
        "root": None if model.root is None else {"scale": _text(model.root.scale)},
        "steps": [_step(step, graph) for step in model.steps],
        "outputs": [
            {
                "name": output.name,
                "value": graph.position(output.expression),
                "unit": output.unit,
                "about": output.about,
                "role": output.role,
            }
            for output in model.outputs
        ],
        "nodes": graph.nodes,
    }


def _stepping(model: SymbolicModel, graph: "_Graph") -> Json:
    """What a model with states has besides; others keep the hash that they always had."""
    return {
        "states": [_state(state, graph) for state in model.states],
        "whole": list(whole_states(model.states)),
        "period": _text(model.period),
        "method": model.method,
    }


def model_hash(model: SymbolicModel) -> str:
    """SHA-256 of the canonical model."""
    text = json.dumps(canonical(model), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def from_canonical(data: Json) -> SymbolicModel:
    """The model that `canonical` was given; expressions stay unevaluated.

    Raises:
        ModelError: a node is of an unknown class.
    """
    nodes = _build_nodes(data["nodes"])
    root = data["root"]
    return SymbolicModel(
        name=data["name"],
        inputs=tuple(_input_from(entry) for entry in data["inputs"]),
        outputs=tuple(
            SymbolicOutput(entry["name"], nodes[entry["value"]], entry["unit"], entry["about"], entry["role"])
            for entry in data["outputs"]
        ),
        parameters=tuple(_parameter_from(entry) for entry in data["parameters"]),
        steps=tuple(_step_from(entry, nodes) for entry in data["steps"]),
        states=tuple(_state_from(entry, nodes) for entry in data.get("states", ())),
        period=_fraction(data.get("period")),
        method=data.get("method", "rk4"),
        division=None if data["division"] is None else Division(Fraction(data["division"])),
        root=None if root is None else Root(_fraction(root["scale"])),
        title=data["title"],
        source=data["source"],
    )


class _Graph:
    """Nodes of all expressions, each once: by identity first, then by class and operands."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._of_node: dict[int, int] = {}
        self._of_text: dict[str, int] = {}

    def position(self, expression: Any) -> int:
        """Where the expression stands in the list; adds what is missing."""
        stack = [expression]
        while stack:
            node = stack[-1]
            missing = [part for part in _parts(node) if id(part) not in self._of_node]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            if id(node) not in self._of_node:
                self._of_node[id(node)] = self._add(
                    _encode_node(node, [self._of_node[id(part)] for part in _parts(node)])
                )
        return self._of_node[id(expression)]

    def _add(self, encoded: Node) -> int:
        text = json.dumps(encoded)
        if text not in self._of_text:
            self._of_text[text] = len(self.nodes)
            self.nodes.append(encoded)
        return self._of_text[text]


def _parts(node: Any) -> tuple[Any, ...]:
    if leaf_name(node) is not None or type(node) in NUMBER_RULES:
        return ()
    if type(node) is sp.Piecewise:
        return tuple(part for pair in node.args for part in pair.args)
    return tuple(node.args)


def _encode_node(node: Any, operands: list[int]) -> Node:
    name = leaf_name(node)
    if name is not None:
        return ["name", name]
    if type(node) in FUNCTION_RULES:
        return [type(node).__name__, *operands]
    if str(node) in _ATOMS and type(node) in NUMBER_RULES:
        return ["atom", str(node)]
    if type(node) not in NUMBER_RULES:
        raise ModelError(f"{type(node).__name__} has no fixed-time form; it cannot be part of a symbolic model")
    value = exact_float(node) if node.is_Float else Fraction(int(node.p), int(node.q))
    return ["number", str(value)]


def _build_nodes(encoded: list[Node]) -> list[Any]:
    nodes: list[Any] = []
    for kind, *rest in encoded:
        if kind == "name":
            nodes.append(_SYMBOL(rest[0]))
        elif kind == "number":
            value = Fraction(rest[0])
            nodes.append(sp.Rational(value.numerator, value.denominator))
        elif kind == "atom":
            nodes.append(_ATOMS[rest[0]])
        else:
            nodes.append(_rebuilt(kind, [nodes[position] for position in rest]))
    return nodes


def _rebuilt(kind: str, operands: list[Any]) -> Any:
    if kind not in _FUNCTIONS:
        raise ModelError(f"the stored model uses '{kind}', which this version does not know; export the model again")
    make: Callable[..., Any] = _FUNCTIONS[kind]
    if kind == "Piecewise":
        return make(*zip(operands[::2], operands[1::2], strict=True), evaluate=False)
    if kind == "UnevaluatedExpr":
        return make(*operands)
    return make(*operands, evaluate=False)


def _text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def _fraction(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def _signal(signal: Input | Parameter) -> Json:
    return {
        "name": signal.name,
        "unit": signal.unit,
        "minimum": _text(signal.minimum),
        "maximum": _text(signal.maximum),
        "about": signal.about,
    }


def _parameter(parameter: Parameter) -> Json:
    more = {"value": str(parameter.value), "frozen": parameter.frozen, "integer": parameter.integer}
    return _signal(parameter) | more


def _input_from(entry: Json) -> Input:
    low, high, nominal = (Fraction(entry[key]) for key in ("minimum", "maximum", "nominal"))
    return Input(entry["name"], entry["unit"], low, high, nominal, entry["about"])


def _parameter_from(entry: Json) -> Parameter:
    return Parameter(
        entry["name"],
        Fraction(entry["value"]),
        entry["unit"],
        entry["frozen"],
        _fraction(entry["minimum"]),
        _fraction(entry["maximum"]),
        entry["integer"],
        entry["about"],
    )


def _step(step: SolveStep, graph: _Graph) -> Json:
    if isinstance(step, Definition):
        return {"define": step.name, "value": graph.position(step.expression), "about": step.about}
    return {
        "solve": list(step.unknowns),
        "matrix": [[graph.position(entry) for entry in row] for row in step.matrix],
        "right": [graph.position(entry) for entry in step.right],
        "threshold": _text(step.threshold),
        "about": step.about,
    }


def _step_from(entry: Json, nodes: list[Any]) -> SolveStep:
    if "define" in entry:
        return Definition(entry["define"], nodes[entry["value"]], entry["about"])
    return LinearSolve(
        tuple(entry["solve"]),
        tuple(tuple(nodes[position] for position in row) for row in entry["matrix"]),
        tuple(nodes[position] for position in entry["right"]),
        _fraction(entry["threshold"]),
        entry["about"],
    )


_OF_STATES = ("start", "next", "rate", "reset", "to")
"""Expressions of a state."""


def _state(state: State, graph: _Graph) -> Json:
    said = {field: getattr(state, field) for field in _OF_STATES}
    return {
        "name": state.name,
        "unit": state.unit,
        "minimum": _text(state.minimum),
        "maximum": _text(state.maximum),
        "every": state.every,
        "integer": state.integer,
        "about": state.about,
    } | {field: None if value is None else graph.position(value) for field, value in said.items()}


def _state_from(entry: Json, nodes: list[Any]) -> State:
    said: Json = {field: None if entry[field] is None else nodes[entry[field]] for field in _OF_STATES}
    low, high = Fraction(entry["minimum"]), Fraction(entry["maximum"])
    more: Json = {field: entry[field] for field in ("every", "integer", "about")}
    return State(entry["name"], entry["unit"], low, high, **said, **more)
