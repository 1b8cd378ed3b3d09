"""Tunable parameters by the user's name and with a unit: "200 mm" as a value of the export's SI unit, and back.

In: a manifest and texts of a bench file, an option or a keyword. Out: values that a session sets.
"""

from collections.abc import Mapping

from exporter.errors import ModelError
from exporter.manifest import Field, Manifest
from exporter.model.units import NONE, describe, parse_quantity, parse_unit
from hil.errors import BenchError
from targets.rows import tunable_fields


def parse_parameters(manifest: Manifest, texts: Mapping[str, float | str]) -> dict[str, float]:
    """Values by name, SI units; a number alone is in the parameter's SI unit.

    Raises `BenchError` where a name is no tunable parameter, a text no number, or its unit one of another dimension.
    """
    fields = {field.name: field for field in tunable_fields(manifest)}
    for name in texts:
        if name not in fields:
            known = ", ".join(fields) or "none"
            raise BenchError(f"'{name}' is no tunable parameter of '{manifest.name}'; tunable: {known}")
    return {name: _value(fields[name], text) for name, text in texts.items()}


def _value(field: Field, text: float | str) -> float:
    try:
        quantity, wanted = parse_quantity(str(text)), parse_unit(field.unit).dimension
    except ModelError as error:
        raise BenchError(f"parameter {field.name}: {error}") from error
    if quantity.dimension not in (NONE, wanted):
        raise BenchError(
            f"parameter {field.name}: '{text}' is {describe(quantity.dimension)}, wanted is {describe(wanted)}, "
            f"for example in {field.unit}"
        )
    return float(quantity.value)


def why_flagged(manifest: Manifest, values: Mapping[str, float], status: int) -> str:
    """Why recalibrate does not take a set: its conditions, and the ranges of what was given."""
    conditions = ", ".join(name for name, bit in manifest.status.items() if status >> bit & 1)
    ranges = ", ".join(
        f"{field.name} = {values[field.name]:g} {field.unit} (from {field.minimum:g} to {field.maximum:g})"
        for field in tunable_fields(manifest)
        if field.name in values and field.minimum is not None and field.maximum is not None
    )
    return f"recalibrate flags {conditions or hex(status)}: {ranges}; the parameters before stay in force"
