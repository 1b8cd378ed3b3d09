"""Whether data that was read back has the types that its dataclass declares.

In: an instance of a dataclass, perhaps with others inside. Out: the place of the first value of another type.
"""

import math
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints


def misfit(value: Any, hint: Any, where: str = "") -> str:
    """Where a value is not what a hint says, as "functions[1].name is 3"; empty where all is right.

    Numbers are finite, and a whole one may stand for a float. What a hint leaves open is not looked at.
    """
    if is_dataclass(hint):
        if not isinstance(value, hint):  # type: ignore[arg-type]
            return _tell_type(value, where)
        parts = ((getattr(value, name), kind, f"{where}.{name}".lstrip(".")) for name, kind in _kinds(cast(type, hint)))
        return next((found for part in parts if (found := misfit(*part))), "")
    origin, inner = get_origin(hint), get_args(hint)
    if origin is UnionType:
        tried = [misfit(value, each, where) for each in inner]
        return "" if "" in tried else tried[0]
    if origin in (tuple, dict):
        return _inside(value, origin, inner, where)
    return _plain(value, hint, where)


@cache
def _kinds(described: type) -> tuple[tuple[str, Any], ...]:
    """The fields of a dataclass with what their values shall be; asked for each of thousands of instances."""
    hints = get_type_hints(described)
    return tuple((each.name, hints[each.name]) for each in fields(described))


def _inside(value: Any, origin: Any, inner: tuple[Any, ...], where: str) -> str:
    if not isinstance(value, origin):
        return _tell_type(value, where)
    if origin is dict:
        parts = [(each, inner[1], f"{where}[{key!r}]") for key, each in value.items()]
    else:
        kinds = (inner[0],) * len(value) if inner[1:] == (...,) else inner
        if len(kinds) != len(value):
            return _tell_type(value, where)
        parts = [(each, kind, f"{where}[{k}]") for k, (each, kind) in enumerate(zip(value, kinds, strict=True))]
    return next((found for part in parts if (found := misfit(*part))), "")


def _plain(value: Any, hint: Any, where: str) -> str:
    if hint not in (str, int, float, bool, type(None)):
        return ""
    allowed = (int, float) if hint is float else (hint,)
    fits = type(value) in allowed and not (isinstance(value, float) and not math.isfinite(value))
    return "" if fits else _tell_type(value, where)


def _tell_type(value: Any, where: str) -> str:
    return f"{where} is {value!r:.60}"
