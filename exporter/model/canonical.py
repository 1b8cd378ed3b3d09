"""A mechanism as JSON-able data, and back: exact, in one form only, so that its hash is its identity.

In: a `Mechanism`. Out: a dict of texts, lists and dicts; rationals are "3/10", formulas are lists such as
["/", ["name", "l1"], "2"]. `from_canonical(canonical(m)) == m`.
"""

import hashlib
import json
import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from exporter.errors import ModelError
from exporter.model.expression import (
    ARGUMENTS,
    Binary,
    Call,
    Expression,
    Function,
    Lookup,
    LookupTable,
    Name,
    Number,
    Power,
)
from exporter.model.mechanism import Mechanism, SolverOptions
from exporter.model.table_data import checked_table

CANONICAL_VERSION = 1


def canonical(mechanism: Mechanism) -> dict[str, Any]:
    """The mechanism as JSON-able data; keys are the fields of the dataclasses. What is usual is left out."""
    data = _encode(mechanism)
    if mechanism.solver == SolverOptions():
        del data["solver"]
    elif not mechanism.solver.tolerance:
        del data["solver"]["tolerance"]
    if not mechanism.alternative:
        del data["alternative"], data["switch_ratio"]
    for key in ("angles", "distances", "elements", "reactions", "couplings", "chosen_outputs"):
        if not data[key]:
            del data[key]
    if not mechanism.step.implicit:
        del data["step"]["implicit"]
    for load in data["loads"]:
        if load["axes"] is None:
            del load["axes"]
    return {"canonical": CANONICAL_VERSION, **data}


def from_canonical(data: dict[str, Any]) -> Mechanism:
    """The mechanism that `canonical` gave.

    Raises:
        ModelError: the data has another version or form.
    """
    version = data.get("canonical")
    if version != CANONICAL_VERSION:
        raise ModelError(
            f"the model has canonical version {version!r}; this version of Kinefix reads {CANONICAL_VERSION}: "
            "export it again"
        )
    try:
        content = {key: value for key, value in data.items() if key != "canonical"}
        return cast("Mechanism", _decode(content, Mechanism))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ModelError(f"the model does not have the canonical form ({error}); export it again") from None


def model_hash(mechanism: Mechanism) -> str:
    """SHA-256, in hexadecimal, of the canonical JSON without the hash itself."""
    data = canonical(replace(mechanism, model_hash=""))
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _encode(value: Any) -> Any:
    match value:
        case Fraction():
            return str(value)
        case Number() | Name() | Binary() | Power() | Call() | Lookup():
            return _formula(value)
        case tuple():
            return [_encode(entry) for entry in value]
        case dict():
            return {key: _encode(entry) for key, entry in value.items()}
        case _ if is_dataclass(value):
            return {field.name: _encode(getattr(value, field.name)) for field in fields(value)}
        case _:
            return value


def _formula(expression: Expression) -> Any:
    match expression:
        case Number(value, unit):
            return ["quantity", str(value), unit] if unit else str(value)
        case Name(name):
            return ["name", name]
        case Binary(operator, left, right):
            return [operator, _formula(left), _formula(right)]
        case Power(base, exponent):
            return ["^", _formula(base), exponent]
        case Lookup(known, arguments):
            return ["lookup", _encoded_table(known), *(_formula(argument) for argument in arguments)]
        case Call(function, arguments):
            return [function, *(_formula(argument) for argument in arguments)]


def _encoded_table(known: LookupTable) -> dict[str, Any]:
    axes = [[str(knot) for knot in knots] for knots in known.table.axes]
    values = [str(value) for value in known.table.values]
    return {"name": known.name, "axes": axes, "values": values, "method": known.table.method, "units": [*known.units]}


def _decoded_table(data: dict[str, Any]) -> LookupTable:
    axes = tuple(tuple(Fraction(knot) for knot in knots) for knots in data["axes"])
    table = checked_table(data["name"], axes, tuple(Fraction(value) for value in data["values"]), data["method"])
    return LookupTable(data["name"], table, tuple(data["units"]))


def _called(function: Function, arguments: tuple[Any, ...]) -> Call:
    if len(arguments) != ARGUMENTS[function]:
        raise ValueError(f"{function} of {len(arguments)} arguments")
    return Call(function, tuple(_formula_of(argument) for argument in arguments))


def _decode(data: Any, kind: Any) -> Any:
    """The value of type `kind` that `_encode` made `data` of."""
    if kind == Expression:
        return _formula_of(data)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return None if data is None else _decode(data, inner[0])
    if origin is tuple:
        kinds = [inner[0]] * len(data) if inner[-1] is Ellipsis else inner
        return tuple(_decode(entry, kind) for entry, kind in zip(data, kinds, strict=True))
    if origin is dict:
        return {key: _decode(entry, inner[1]) for key, entry in data.items()}
    if origin is Literal:
        return _chosen(data, inner)
    return _plain(data, kind)


def _chosen(data: Any, choices: tuple[Any, ...]) -> Any:
    if data not in choices:
        raise ValueError(f"{data!r} is none of {choices}")
    return data


def _plain(data: Any, kind: Any) -> Any:
    if kind is Fraction:
        return Fraction(data)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        return kind(**{key: _decode(value, hints[key]) for key, value in data.items()})
    if not isinstance(data, kind):
        raise TypeError(f"{data!r} is not of type {kind.__name__}")
    return data


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


_LEAVES: dict[str, Callable[..., Expression]] = {
    **{
        operator: lambda left, right, o=operator: Binary(o, _formula_of(left), _formula_of(right))
        for operator in "+-*/"
    },
    **{name: lambda *arguments, f=name: _called(f, arguments) for name in ARGUMENTS},
    "quantity": lambda value, unit: Number(Fraction(value), _plain(unit, str)),
    "name": lambda name: Name(_plain(name, str)),
    "lookup": lambda data, *arguments: Lookup(_decoded_table(data), tuple(_formula_of(part) for part in arguments)),
    "^": lambda base, exponent: Power(_formula_of(base), _plain(exponent, int)),
}


def _formula_of(data: Any) -> Expression:
    if isinstance(data, str):
        return Number(Fraction(data))
    return _LEAVES[data[0]](*data[1:])
