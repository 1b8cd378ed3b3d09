"""Dataclasses that are made in a quarter of the time: a command imports three hundred of them.

In: a class and the options of `dataclasses.dataclass`. Out: a class that behaves like the one which that makes. Of its
methods only `__init__` is compiled; those that compare, hash, show and protect are shared by all classes, over the
names of their fields. What is rare `dataclasses` makes: a class whose base has fields, that writes what protects or
hashes it, with a default that is no parameter, with names that are taken here, or with other options such as an order.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

Fields = Sequence["dataclasses.Field[Any]"]
MISSING = dataclasses.MISSING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - which type checkers know
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, **others):
        """A class of data, with the options of `dataclasses.dataclass`; no field is an InitVar or by keyword only."""
        if others:
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, **others)
        return (lambda each: _made(each, frozen, slots)) if cls is None else _made(cls, frozen, slots)


RARE_METHODS = frozenset({"__setattr__", "__delattr__", "__hash__"})
TAKEN_NAMES = frozenset({"self", "MISSING", "set_field"})


def _is_rare(cls: type[Any]) -> bool:
    """Whether a class is left to `dataclasses`, with its rules and refusals."""
    own = vars(cls)
    names = own.get("__annotations__", {}).keys()
    hidden = any(
        isinstance(value, dataclasses.Field) and not value.init and value.default is not MISSING
        for value in own.values()
    )
    based = dataclasses.is_dataclass(cls)  # its base is one
    return based or hidden or not names.isdisjoint(TAKEN_NAMES) or not RARE_METHODS.isdisjoint(own)


def _made(cls: type[Any], frozen: bool, slots: bool) -> type[Any]:
    if _is_rare(cls):
        return dataclasses.dataclass(frozen=frozen, slots=slots)(cls)
    written = frozenset(vars(cls))
    made: type[Any] = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    for method in _methods(made, frozen, slots):
        if method.__name__ not in written:
            setattr(made, method.__name__, method)
    if not frozen:
        made.__hash__ = None  # type: ignore[assignment]
    for option in ("init", "repr", "eq", *(["frozen"] if frozen else [])):
        setattr(made.__dataclass_params__, option, True)
    return made


def _methods(made: type[Any], frozen: bool, slots: bool) -> Iterator[Callable[..., Any]]:
    fields = dataclasses.fields(made)
    yield _init(made, fields, frozen)
    yield _equality(_values([field.name for field in fields if field.compare]))
    yield __repr__
    if frozen:
        hashed = [field.name for field in fields if (field.compare if field.hash is None else field.hash)]
        yield from (_hash(_values(hashed)), __setattr__, __delattr__)
    if frozen and slots:
        yield from (__getstate__, __setstate__)


def _init(made: type[Any], fields: Fields, frozen: bool) -> Callable[..., None]:
    """What sets the fields, compiled: parameters with defaults, a line per field, and `__post_init__`."""
    names: dict[str, Any] = {"MISSING": MISSING, "set_field": object.__setattr__}
    parameters, lines = ["self"], []
    for field in fields:
        name = value = field.name
        if field.default_factory is not MISSING:
            names[f"default_{name}"] = field.default_factory
            value = f"default_{name}() if {name} is MISSING else {name}" if field.init else f"default_{name}()"
        elif field.default is not MISSING:
            names[f"default_{name}"] = field.default
        if field.init:
            parameters.append(f"{name}={_default(field)}" if _default(field) else name)
        if field.init or field.default_factory is not MISSING:
            lines.append(f"set_field(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"]), names)
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    init.__annotations__ = {**{field.name: field.type for field in fields if field.init}, "return": None}
    return init


def _default(field: "dataclasses.Field[Any]") -> str:
    """How the default of a parameter is spelled; empty where there is none."""
    if field.default_factory is not MISSING:
        return "MISSING"
    return "" if field.default is MISSING else f"default_{field.name}"


def _values(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What reads these fields of an object, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple([getattr(record, name) for name in names])


def _equality(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], bool]:
    def __eq__(self: Any, other: Any) -> bool:  # noqa: N807 - what a class calls it
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


# -- methods that all classes share ----------------------------------------------------------------------------------


@recursive_repr()
def __repr__(self: Any) -> str:  # noqa: N807
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{self.__class__.__qualname__}({shown})"


def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: N807, ARG001
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def __delattr__(self: Any, name: str) -> None:  # noqa: N807, ARG001
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def __getstate__(self: Any) -> list[Any]:  # noqa: N807
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def __setstate__(self: Any, state: list[Any]) -> None:  # noqa: N807
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
