"""Tunable parameters by the user's name and with a unit: "200 mm" as a value in the SI unit of the export.

In: a manifest and texts of an option, a bench file or a keyword. Out: values that a run takes.
"""

from collections.abc import Mapping

from exporter.errors import KinefixError, ModelError
from exporter.manifest import Field, Manifest
from exporter.model.units import DIMENSIONLESS, describe, parse_quantity, parse_unit, signed_float
from targets.rows import tunable_fields


def parse_parameters(manifest: Manifest, texts: Mapping[str, float | str]) -> dict[str, float]:
    """Values by name, SI units; a number alone is in the parameter's SI unit.

    Raises:
        KinefixError: a name is no tunable parameter, a text no number, or its unit one of another dimension.
    """
    fields = {field.name: field for field in tunable_fields(manifest)}
    for name in texts:
        if name not in fields:
            raise not_tunable(manifest, name)
    return {name: _value(fields[name], text) for name, text in texts.items()}


def not_tunable(manifest: Manifest, name: str) -> KinefixError:
    """The error for a name that is no tunable parameter of the export."""
    known = ", ".join(field.name for field in tunable_fields(manifest))
    step = f"tunable: {known}; name one of them" if known else "all are frozen; export it with --tunable NAMES first"
    return KinefixError(f"'{name}' is no tunable parameter of '{manifest.name}'; {step}")


def _value(field: Field, text: float | str) -> float:
    try:
        quantity, wanted = parse_quantity(str(text)), parse_unit(field.unit).dimension
    except ModelError as error:
        raise KinefixError(f"parameter {field.name}: {error}") from error
    if quantity.dimension not in (DIMENSIONLESS, wanted):
        raise KinefixError(
            f"parameter {field.name}: '{text}' is {describe(quantity.dimension)}, wanted is {describe(wanted)}, "
            f"for example in {field.unit}"
        )
    return signed_float(quantity.value, str(text))
