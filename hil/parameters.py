"""Why a device does not take a set of tunable parameters. In: a manifest, values, a status. Out: a sentence."""

from collections.abc import Mapping

from exporter.digits import digits
from exporter.manifest import Manifest
from targets.rows import tunable_fields


def why_flagged(manifest: Manifest, values: Mapping[str, float], status: int) -> str:
    """Why recalibrate does not take a set: its conditions, and the ranges of what was given."""
    conditions = ", ".join(name for name, bit in manifest.status.items() if status >> bit & 1)
    ranges = ", ".join(
        f"{field.name} = {digits(values[field.name])} {field.unit} (from {digits(field.minimum)} to "
        f"{digits(field.maximum)} {field.unit})"
        for field in tunable_fields(manifest)
        if field.name in values and field.minimum is not None and field.maximum is not None
    )
    end = "the parameters before stay in force; give values of these ranges"
    return f"recalibrate flags {conditions or hex(status)}: {ranges}; {end}"
