"""The flat interface of an export as data: what LabVIEW can call, with every argument's kind, unit and range.

In: a manifest. Out: calls in the order of the header. Header, shim, .def, call table and README are all printed from
this, so they cannot disagree. Scalars and array data pointers only; every length is an int32 beside its array; double
is the only real type, whatever the export computes in.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from exporter.c99.names import checked_prefix
from exporter.errors import ModelError
from exporter.manifest import Argument, Field, Function, Manifest
from targets.rows import struct_of

VERSION = 1
"""Of the interface: rises when a prototype or the meaning of a code changes."""
INSTANCES = 64
"""Size of the static pool: nodes and ids together."""
NAME_LIMIT = 63
"""Significant characters of a name in C99 (5.2.4.1); the compilers of these targets keep all of them."""
RESERVED_ARGUMENTS = ("instance", "slot", "in", "out", "status", "rows")
"""Argument names of our own, which a signal's field cannot have."""


class Kind(StrEnum):
    """What an argument is."""

    INT = "int32 by value"
    REAL = "double by value"
    INT_OUT = "int32 result"
    REAL_OUT = "double result"
    REALS_IN = "array of double, read"
    REALS_OUT = "array of double, written"
    INTS_OUT = "array of int32, written"
    TEXT_OUT = "text, written"
    SLOT = "instance data pointer"

    def declare(self, name: str) -> str:
        """The argument in C."""
        return f"{_DECLARATIONS[self]}{name}"


_DECLARATIONS: dict[Kind, str] = {
    Kind.INT: "int ",
    Kind.REAL: "double ",
    Kind.INT_OUT: "int *",
    Kind.REAL_OUT: "double *",
    Kind.REALS_IN: "const double *",
    Kind.REALS_OUT: "double *",
    Kind.INTS_OUT: "int *",
    Kind.TEXT_OUT: "char *",
    Kind.SLOT: "int *",
}


class Role(StrEnum):
    """What a call is for."""

    ABOUT = "about the library"
    INSTANCE = "instances"
    CALLBACK = "callbacks"
    PARAMETER = "parameters"
    STATE = "state"
    EVALUATE = "evaluation"
    ROWS = "evaluation of many rows"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument."""

    name: str
    kind: Kind
    about: str
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    length: str = ""  # the argument that says how long this array or text is


@dataclass(frozen=True, slots=True)
class Call:
    """One exported function of the flat interface."""

    symbol: str
    role: Role
    about: str
    parameters: tuple[Parameter, ...]
    function: str = ""  # the export's function behind it

    @property
    def prototype(self) -> tuple[str, tuple[str, ...]]:
        """What stands before the parenthesis, and the declared arguments."""
        return f"int {self.symbol}", tuple(each.kind.declare(each.name) for each in self.parameters)


@dataclass(frozen=True, slots=True)
class Code:
    """A negative result: nothing was computed; ABORTED: no row behind that."""

    number: int
    name: str
    about: str


CODES: tuple[Code, ...] = (
    Code(-1, "NULL_POINTER", "a pointer is null"),
    Code(-2, "WRONG_LENGTH", "wrong length of an array or a text"),
    Code(-3, "NO_INSTANCE", "no open instance of this number"),
    Code(-4, "NO_SUCH_INDEX", "no such index"),
    Code(-5, "POOL_FULL", "no instance is free"),
    Code(-6, "ABORTED", "the VI was aborted"),
    Code(-7, "FROZEN", "the parameter is fixed"),
)


def reads_state(function: Function, manifest: Manifest) -> bool:
    """Whether a function needs the state that was before."""
    argument = argument_of(function, "state")
    if argument is None:
        return False
    fields = struct_of(manifest, argument.struct).fields
    return function.row_inputs[: len(fields)] == fields


def argument_of(function: Function, name: str) -> Argument | None:
    """The pointer argument of this name in C."""
    return next((each for each in function.arguments if each.name == name), None)


def state_fields(manifest: Manifest) -> tuple[Field, ...]:
    """The state, empty where the model has none."""
    return next((struct.fields for struct in manifest.structs if struct.group == "state"), ())


def parameter_fields(manifest: Manifest) -> tuple[Field, ...]:
    """The tunable parameters in struct order, empty where all are frozen."""
    return next((struct.fields for struct in manifest.structs if struct.group == "par"), ())


def inputs_of(function: Function, manifest: Manifest) -> tuple[Field, ...]:
    """What a call takes: the instance keeps the state, so the rest of a row."""
    state = len(state_fields(manifest)) if reads_state(function, manifest) else 0
    return function.row_inputs[state:]


def has_rows(function: Function, manifest: Manifest) -> bool:
    """Whether calling it many times in one go makes sense: it takes something, or goes on from its state."""
    return bool(inputs_of(function, manifest)) or reads_state(function, manifest)


def calls(manifest: Manifest) -> tuple[Call, ...]:
    """The flat interface of an export.

    Raises:
        ModelError: the model's name is no prefix of C names, or a function's name is too long.
    """
    m = f"{checked_prefix(manifest.name)}_lv"
    found = [*_about(m, manifest), *_instances(m), *_parameters(m, manifest), *_state(m, manifest)]
    for function in manifest.functions:
        found.append(_evaluate(m, function, manifest))
        if has_rows(function, manifest):
            found.append(_rows(m, function, manifest))
    return tuple(_distinct_calls(found))


def _distinct_calls(found: Iterable[Call]) -> Iterable[Call]:
    """A function of the model may be called as one of ours ("open"): it is the later one and gets an ending."""
    taken: set[str] = set()
    for call in found:
        symbol = _unused_name(call.symbol, taken, "_v")
        _require_short(symbol)
        yield replace(call, symbol=symbol)


def _require_short(symbol: str) -> None:
    if len(symbol) > NAME_LIMIT or not re.fullmatch(r"[A-Za-z]\w*", symbol, re.ASCII):
        raise ModelError(
            f"'{symbol}' cannot be the name of an exported function: letters, digits and underscores, at most "
            f"{NAME_LIMIT} characters; shorten the model's or the function's name"
        )


def _text(name: str, about: str) -> tuple[Parameter, Parameter]:
    size = f"{name}_size"
    return (
        Parameter(name, Kind.TEXT_OUT, about, length=size),
        Parameter(size, Kind.INT, f"bytes that {name} has room for, the final zero included"),
    )


def _about(m: str, manifest: Manifest) -> list[Call]:
    function = Parameter("function", Kind.INT, "index of the function, from 0")
    return [
        Call(f"{m}_interface", Role.ABOUT, f"Version of this interface: {VERSION}.", ()),
        Call(f"{m}_identity", Role.ABOUT, f"Identity of the export, as int32: 0x{manifest.export_id:08X}.", ()),
        Call(f"{m}_version", Role.ABOUT, "Model, generator version and identity as text.", _text("text", "the text")),
        Call(
            f"{m}_counts",
            Role.ABOUT,
            "How many functions, parameters and states there are, and how many instances can be open.",
            (
                Parameter("functions", Kind.INT_OUT, "number of functions"),
                Parameter("parameters", Kind.INT_OUT, "number of parameters, tunable ones first"),
                Parameter("states", Kind.INT_OUT, "reals in the state of an instance"),
                Parameter("instances", Kind.INT_OUT, "size of the pool of instances"),
            ),
        ),
        Call(
            f"{m}_function",
            Role.ABOUT,
            "Name of a function, and how many reals one row takes and gives.",
            (
                function,
                *_text("name", "its name"),
                Parameter("inputs", Kind.INT_OUT, "reals that a row takes"),
                Parameter("outputs", Kind.INT_OUT, "reals that a row gives"),
            ),
        ),
        Call(
            f"{m}_signal",
            Role.ABOUT,
            "Name and unit of one real of a row.",
            (
                function,
                Parameter("output", Kind.INT, "0: an input, 1: an output"),
                Parameter("index", Kind.INT, "index in the row, from 0"),
                *_text("name", "the signal's name"),
                *_text("unit", "its unit, 1 where it has none"),
            ),
        ),
        Call(
            f"{m}_status_text",
            Role.ABOUT,
            "A result in words: names of conditions, or the meaning of a negative code.",
            (Parameter("code", Kind.INT, "what a function returned"), *_text("text", "the words")),
        ),
    ]


def _instances(m: str) -> list[Call]:
    slot = Parameter("slot", Kind.SLOT, "the node's Instance Data Pointer; LabVIEW fills it in, nothing is wired")
    instance_out = Parameter("instance", Kind.INT_OUT, f"its number, 1 to {INSTANCES}")
    return [
        Call(f"{m}_open", Role.INSTANCE, "Take an instance from the pool, with nominal parameters.", (instance_out,)),
        Call(f"{m}_close", Role.INSTANCE, "Give an instance back.", (_instance("its number, 1 or more"),)),
        Call(
            f"{m}_own",
            Role.INSTANCE,
            "The number of the instance that belongs to this node: it is opened when the VI is reserved and closed "
            "when the VI ends. Set the three callbacks of this node.",
            (slot, instance_out),
        ),
        Call(f"{m}_reserve", Role.CALLBACK, "Callback for Reserve: opens the node's instance.", (slot,)),
        Call(f"{m}_unreserve", Role.CALLBACK, "Callback for Unreserve: closes it.", (slot,)),
        Call(f"{m}_abort", Role.CALLBACK, "Callback for Abort: a call over many rows stops at the next row.", (slot,)),
    ]


def _instance(about: str) -> Parameter:
    return Parameter("instance", Kind.INT, about)


def _parameters(m: str, manifest: Manifest) -> list[Call]:
    index = Parameter("index", Kind.INT, "index of the parameter, from 0")
    found = [
        Call(
            f"{m}_parameter",
            Role.PARAMETER,
            "Name, unit, nominal value and range of a parameter, and whether it can be changed.",
            (
                index,
                *_text("name", "its name"),
                *_text("unit", "its unit, 1 where it has none"),
                Parameter("nominal", Kind.REAL_OUT, "value at export"),
                Parameter("minimum", Kind.REAL_OUT, "lower limit; the nominal value where it is fixed"),
                Parameter("maximum", Kind.REAL_OUT, "upper limit; the nominal value where it is fixed"),
                Parameter("tunable", Kind.INT_OUT, "1: it can be changed, 0: it was fixed at export"),
            ),
        ),
        Call(
            f"{m}_get_parameter",
            Role.PARAMETER,
            "Value of a parameter in an instance.",
            (
                _instance("0 for the nominal values"),
                index,
                Parameter("value", Kind.REAL_OUT, "in the parameter's unit"),
            ),
        ),
        Call(
            f"{m}_set_parameter",
            Role.PARAMETER,
            "Change a parameter of an instance. A value that is out of range is reported and not taken.",
            (_instance("1 or more"), index, Parameter("value", Kind.REAL, "in the parameter's unit")),
        ),
    ]
    tunable = len(parameter_fields(manifest))
    if tunable:
        about = "Change all tunable parameters of an instance at once. Out of range: reported, and none is taken."
        array = Parameter("values", Kind.REALS_IN, f"{tunable} values in index order", length="values_length")
        length = Parameter("values_length", Kind.INT, f"must be {tunable}")
        found.append(Call(f"{m}_set_parameters", Role.PARAMETER, about, (_instance("1 or more"), array, length)))
    return found


def _state(m: str, manifest: Manifest) -> list[Call]:
    fields = state_fields(manifest)
    if not fields:
        return []
    content = ", ".join(f"{field.name} ({field.unit})" for field in fields)
    length = Parameter("state_length", Kind.INT, f"must be {len(fields)}")
    out = Parameter("state", Kind.REALS_OUT, content, length="state_length")
    given = Parameter("state", Kind.REALS_IN, content, length="state_length")
    return [
        Call(f"{m}_get_state", Role.STATE, "Read the state.", (_instance("1 or more"), out, length)),
        Call(f"{m}_set_state", Role.STATE, "Replace the state.", (_instance("1 or more"), given, length)),
    ]


def _evaluate(m: str, function: Function, manifest: Manifest) -> Call:
    taken = {name.lower() for name in RESERVED_ARGUMENTS}
    arguments = [_instance(_instance_text(function))]
    for field in inputs_of(function, manifest):
        arguments.append(_of_field(field, _unused_name(field.field, taken, "_in"), Kind.REAL))
    for field in function.row_outputs:
        arguments.append(_of_field(field, _unused_name(field.field, taken, "_out"), Kind.REAL_OUT))
    about = f"Call {function.name} once. The result is the status, or a negative code."
    return Call(f"{m}_{function.name}", Role.EVALUATE, about, tuple(arguments), function.name)


def _instance_text(function: Function) -> str:
    stateful = argument_of(function, "state") is not None
    return "number of an open instance, which keeps the state" if stateful else "0 for the nominal parameters"


def _of_field(field: Field, name: str, kind: Kind) -> Parameter:
    unit = "1" if not field.unit else field.unit
    return Parameter(name, kind, field.about or field.name, unit, field.minimum, field.maximum)


def _unused_name(name: str, taken: set[str], ending: str) -> str:
    while name.lower() in taken:
        name += ending
    taken.add(name.lower())
    return name


def _rows(m: str, function: Function, manifest: Manifest) -> Call:
    inputs, outputs = inputs_of(function, manifest), function.row_outputs
    once = "row after row, each from the state that the one before left" if argument_of(function, "state") else "each"
    about = (
        f"Call {function.name} on many rows, {once}; as many as status has room for. "
        "The result is the union of all status words, or a negative code."
    )
    taken = (
        Parameter("in", Kind.REALS_IN, _row_about(inputs), length="in_length"),
        Parameter("in_length", Kind.INT, f"rows times {len(inputs)}"),
    )
    arguments = (
        _instance(_instance_text(function)),
        *(taken if inputs else ()),
        Parameter("out", Kind.REALS_OUT, _row_about(outputs), length="out_length"),
        Parameter("out_length", Kind.INT, f"rows times {len(outputs)}"),
        Parameter("status", Kind.INTS_OUT, "status of each row", length="status_length"),
        Parameter("status_length", Kind.INT, "number of rows"),
    )
    return Call(f"{m}_{function.name}_rows", Role.ROWS, about, arguments, function.name)


def _row_about(fields: Iterable[Field]) -> str:
    return "one row after the other: " + ", ".join(f"{field.name} ({field.unit})" for field in fields)


def c_symbols(manifest: Manifest) -> tuple[str, ...]:
    """The functions of `<m>.h`, which the library exports too, for callers in C.

    The self-test is not among them: it is for the compiler and the machine of whoever builds the sources.
    """
    own: Sequence[str] = [function.symbol for function in manifest.functions]
    check = [f"{manifest.name}_check_frozen"]
    derive = [] if manifest.recalibrate is None else [manifest.recalibrate.symbol]
    return (*derive, *check, *own)


def exported_names(manifest: Manifest) -> tuple[str, ...]:
    """Every name that the libraries export, sorted."""
    return tuple(sorted({*c_symbols(manifest), *(call.symbol for call in calls(manifest))}))
