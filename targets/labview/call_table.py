"""Prints `clfn.csv`: every setting of every Call Library Function Node, one line per result or argument.

In: the calls of the interface. Out: text. The words are those of the node's configuration dialogue.
"""

import csv
import io
from dataclasses import dataclass

from exporter.manifest import Manifest
from targets.labview.interface import Call, Kind, Parameter, Role, calls

COLUMNS = (
    "function",
    "purpose",
    "library",
    "thread",
    "calling_convention",
    "position",
    "argument",
    "type",
    "data_type",
    "pass_or_format",
    "dimensions",
    "minimum_size",
    "direction",
    "unit",
    "minimum",
    "maximum",
    "reserve",
    "unreserve",
    "abort",
    "c",
    "about",
)
THREAD_SETTING = "Run in any thread"
CALLING_CONVENTION = "C"


@dataclass(frozen=True, slots=True)
class Setting:
    """What the Parameters page of the node says for one argument."""

    type: str
    data_type: str
    form: str  # Pass, Array format or String format
    dimensions: str
    direction: str


SETTINGS: dict[Kind, Setting] = {
    Kind.INT: Setting("Numeric", "Signed 32-bit Integer", "Value", "", "in"),
    Kind.REAL: Setting("Numeric", "8-byte Double", "Value", "", "in"),
    Kind.INT_OUT: Setting("Numeric", "Signed 32-bit Integer", "Pointer to Value", "", "out"),
    Kind.REAL_OUT: Setting("Numeric", "8-byte Double", "Pointer to Value", "", "out"),
    Kind.REALS_IN: Setting("Array", "8-byte Double", "Array Data Pointer", "1", "in"),
    Kind.REALS_OUT: Setting("Array", "8-byte Double", "Array Data Pointer", "1", "out"),
    Kind.INTS_OUT: Setting("Array", "Signed 32-bit Integer", "Array Data Pointer", "1", "out"),
    Kind.TEXT_OUT: Setting("String", "", "C String Pointer", "", "out"),
    Kind.SLOT: Setting("Instance Data Pointer", "", "", "", "LabVIEW"),
}
RESULT_SETTING = Setting("Numeric", "Signed 32-bit Integer", "", "", "return")


def describe_parameter(parameter: Parameter) -> str:
    """What an argument is, with unit and range."""
    unit = {"": "", "1": "dimensionless"}.get(parameter.unit, parameter.unit)
    limits = ""
    if parameter.minimum is not None and parameter.maximum is not None:
        limits = f"[{parameter.minimum:.9g}, {parameter.maximum:.9g}]"
    return ", ".join(part for part in (parameter.about, unit, limits) if part)


def call_table(manifest: Manifest) -> str:
    """The text of clfn.csv."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for call in calls(manifest):
        if call.role is not Role.CALLBACK:  # those are named on the Callbacks page and never placed
            writer.writerow(_row(manifest, call, 0, None))
            for position, parameter in enumerate(call.parameters, start=1):
                writer.writerow(_row(manifest, call, position, parameter))
    return stream.getvalue()


def callbacks(manifest: Manifest, call: Call) -> dict[str, str]:
    """The names for the Callbacks page of a node, empty where it has none."""
    has_slot = any(each.kind is Kind.SLOT for each in call.parameters)
    return {name: f"{manifest.name}_lv_{name}" if has_slot else "" for name in ("reserve", "unreserve", "abort")}


def _row(manifest: Manifest, call: Call, position: int, parameter: Parameter | None) -> dict[str, str]:
    setting = RESULT_SETTING if parameter is None else SETTINGS[parameter.kind]
    head, _ = call.prototype
    return {
        "function": call.symbol,
        "purpose": call.role.value,
        "library": f"{manifest.name}*.*",
        "thread": THREAD_SETTING,
        "calling_convention": CALLING_CONVENTION,
        "position": str(position),
        "argument": "return type" if parameter is None else parameter.name,
        "type": setting.type,
        "data_type": setting.data_type,
        "pass_or_format": setting.form,
        "dimensions": setting.dimensions,
        "minimum_size": "" if parameter is None else parameter.length,
        "direction": setting.direction,
        "unit": "" if parameter is None else parameter.unit,
        "minimum": "" if parameter is None else _number(parameter.minimum),
        "maximum": "" if parameter is None else _number(parameter.maximum),
        **callbacks(manifest, call),
        "c": head if parameter is None else parameter.kind.declare(parameter.name),
        "about": call.about if parameter is None else parameter.about,
    }


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)
