"""Which struct field each real of a row is: the bridge from rows to the C interface.

In: a manifest and a function. Out: slots in row order, and how the derived constants come about. Used by the firmware
glue and by the host library, so that all of them mean the same by a row.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from exporter.c99.literals import real_literal
from exporter.errors import KinefixError
from exporter.manifest import Argument, Field, Function, Manifest, Struct
from exporter.sequence.operations import Precision

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REAL_TYPES = {"float32": "<f4", "float64": "<f8"}
"""How numpy calls an export's real type."""
INPUT_GROUPS = ("state", "par", "in")
OUTPUT_GROUPS = ("state", "derived", "out")


@dataclass(frozen=True, slots=True)
class Slot:
    """One real of a row."""

    argument: str  # "in"
    field: str  # "theta_rad"
    unit: str


@dataclass(frozen=True, slots=True)
class NominalParameter:
    """A field of the parameter struct and what it is set to."""

    field: str
    value: float
    literal: str
    unit: str


def real_rows(manifest: Manifest, function: Function, rows: "NDArray[np.floating]") -> "NDArray[np.floating]":
    """Rows (n, inputs) in the export's real type, contiguous, little endian; what is too large becomes infinite.

    Raises:
        KinefixError: wrong number of columns.
    """
    import numpy as np  # noqa: PLC0415 - not for --help

    width = len(function.row_inputs)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise KinefixError(f"{function.symbol} takes rows of {width} reals; an array of shape {rows.shape} was given")
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(rows, dtype=REAL_TYPES[manifest.real])


def has_selftest(manifest: Manifest) -> bool:
    """Whether the export brings `int <m>_selftest(void)`."""
    return f"{manifest.name}_selftest.c" in manifest.files


def input_slots(manifest: Manifest, function: Function) -> tuple[Slot, ...]:
    """The reals of an input row."""
    return _slots(manifest, function, function.row_inputs, _structs(manifest, function.arguments, INPUT_GROUPS))


def output_slots(manifest: Manifest, function: Function) -> tuple[Slot, ...]:
    """The reals of an output row."""
    written = [argument for argument in function.arguments if not argument.const]
    return _slots(manifest, function, function.row_outputs, _structs(manifest, written, OUTPUT_GROUPS))


def struct_of(manifest: Manifest, struct_type: str) -> Struct:
    """The struct of this type name.

    Raises:
        KinefixError: the manifest does not describe it.
    """
    for struct in manifest.structs:
        if struct.type == struct_type:
            return struct
    raise KinefixError(f"manifest of '{manifest.name}' names the struct '{struct_type}' and does not describe it")


def every_function(manifest: Manifest) -> tuple[Function, ...]:
    """The functions that rows can go through: recalibrate too, where there is one."""
    recalibrate = () if manifest.recalibrate is None else (manifest.recalibrate,)
    return (*recalibrate, *manifest.functions)


def function_of(manifest: Manifest, name: str) -> Function:
    """The function of this name.

    Raises:
        KinefixError: the export has none; the sentence lists what it has.
    """
    functions = every_function(manifest)
    for function in functions:
        if function.name == name:
            return function
    known = ", ".join(function.name for function in functions)
    raise KinefixError(f"export '{manifest.name}' has no function '{name}'; it has {known}")


def stepped_function(manifest: Manifest, name: str) -> Function:
    """The function of this name, for a device that steps it.

    Raises:
        KinefixError: the export has none, or it is recalibrate: a device calls that for the parameters that it is
            given, and a step of it would bring others into force.
    """
    function = function_of(manifest, name)
    if manifest.recalibrate is not None and function.name == manifest.recalibrate.name:
        known = ", ".join(each.name for each in manifest.functions)
        raise KinefixError(
            f"'{name}' is not stepped on a bench: it brings parameters into force, and every bench holds it against "
            f"this computer as it sets them; choose one of {known}"
        )
    return function


def tunable_fields(manifest: Manifest) -> tuple[Field, ...]:
    """The fields of the parameter struct; none where every parameter is frozen."""
    return tuple(field for struct in manifest.structs if struct.group == "par" for field in struct.fields)


def nominal_parameters(manifest: Manifest) -> tuple[NominalParameter, ...]:
    """The tunable parameters at their nominal values, in struct order.

    Raises:
        KinefixError: a parameter has no nominal value.
    """
    return tuple(_nominal_parameter(manifest, field) for field in tunable_fields(manifest))


def parameter_values(manifest: Manifest, changed: Mapping[str, float]) -> list[float]:
    """Tunable parameters in struct order, some of them changed by the user's name.

    Raises:
        KinefixError: a name is no tunable parameter; the sentence lists those that are.
    """
    fields = tunable_fields(manifest)
    unknown = sorted(set(changed) - {field.name for field in fields})
    if unknown:
        known = ", ".join(field.name for field in fields) or "none"
        raise KinefixError(f"'{unknown[0]}' is no tunable parameter of '{manifest.name}'; tunable: {known}")
    nominal = nominal_parameters(manifest)
    return [float(changed.get(field.name, each.value)) for field, each in zip(fields, nominal, strict=True)]


def parameter_reals(manifest: Manifest, changed: Mapping[str, float] | None) -> "NDArray[np.floating]":
    """Tunable parameters in struct order and in the export's real type, little endian; none where all are nominal.

    Raises:
        KinefixError: a name is no tunable parameter.
    """
    import numpy as np  # noqa: PLC0415 - not for --help

    values = parameter_values(manifest, changed) if changed else []
    with np.errstate(all="ignore"):
        return np.array(values, dtype=REAL_TYPES[manifest.real])


def _nominal_parameter(manifest: Manifest, field: Field) -> NominalParameter:
    if field.nominal is None:
        raise KinefixError(
            f"parameter '{field.name}' of '{manifest.name}' has no nominal value; export the model again"
        )
    literal = real_literal(Fraction(field.nominal), cast(Precision, manifest.real))
    return NominalParameter(field.field, field.nominal, literal, field.unit)


def _slots(
    manifest: Manifest, function: Function, row: tuple[Field, ...], structs: Iterable[tuple[Argument, Struct]]
) -> tuple[Slot, ...]:
    """Lay the row over the structs; a struct that the row leaves out (a state that is only written) is skipped."""
    slots: list[Slot] = []
    names = [field.field for field in row]
    for argument, struct in structs:
        here = [field.field for field in struct.fields]
        if names[len(slots) : len(slots) + len(here)] == here:
            slots += [Slot(argument.name, field.field, field.unit) for field in struct.fields]
    if len(slots) != len(row):
        raise KinefixError(
            f"the row of {function.symbol} in the manifest of '{manifest.name}' lists {', '.join(names)}, which is not "
            "what its structs hold; export the model again"
        )
    return tuple(slots)


def _structs(
    manifest: Manifest, arguments: Iterable[Argument], groups: tuple[str, ...]
) -> Iterator[tuple[Argument, Struct]]:
    """The arguments of these groups with their structs, in the order of the groups."""
    described = [(argument, struct_of(manifest, argument.struct)) for argument in arguments]
    for group in groups:
        yield from ((argument, struct) for argument, struct in described if struct.group == group)
