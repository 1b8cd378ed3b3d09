"""What the columns of a function's rows mean to a mechanism, recognised by the names of its signals alone.

In: a function of the manifest and a mechanism; out: `Columns` for inputs and outputs. "theta" is a coordinate,
"theta.rate", "theta.acceleration", "theta.sin", "theta.cos" belong to it. Aliases of the model are resolved.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from exporter.manifest import Field, Function, Manifest
from sil.domain import Rows
from sil.reference.motion import Configuration, configuration
from sil.reference.rotations import Array
from sil.reference.skeleton import Skeleton
from sil.reference.whole_turns import unwound


@dataclass(frozen=True, slots=True)
class Columns:
    """Column numbers by coordinate, one mapping per kind of quantity; `others` holds what belongs to no coordinate."""

    value: dict[str, int] = field(default_factory=dict)
    sine: dict[str, int] = field(default_factory=dict)
    cosine: dict[str, int] = field(default_factory=dict)
    rate: dict[str, int] = field(default_factory=dict)
    acceleration: dict[str, int] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)

    def holds_pose_of(self, coordinate: str) -> bool:
        """Whether the coordinate can be told from these columns."""
        return coordinate in self.value or (coordinate in self.sine and coordinate in self.cosine)


SUFFIXES = {"": "value", ".sin": "sine", ".cos": "cosine", ".rate": "rate", ".acceleration": "acceleration"}


def columns_of(fields: tuple[Field, ...], coordinates: tuple[str, ...], aliases: Mapping[str, str]) -> Columns:
    """Sort fields by what their names say."""
    return columns_of_names([each.name for each in fields], coordinates, aliases)


def columns_of_names(names: Iterable[str], coordinates: tuple[str, ...], aliases: Mapping[str, str]) -> Columns:
    """Sort the names of signals by what they say."""
    columns = Columns()
    meaning = {f"{name}{suffix}": (kind, name) for name in coordinates for suffix, kind in SUFFIXES.items()}
    for number, each in enumerate(names):
        kind, name = meaning.get(aliases.get(each, each), ("others", each))
        getattr(columns, kind).setdefault(name, number)
    return columns


def state_width(manifest: Manifest, function: Function) -> int:
    """How many of the first output columns are the state that the function writes."""
    structs = {struct.type: struct for struct in manifest.structs}
    return sum(
        len(structs[argument.struct].fields)
        for argument in function.arguments
        if not argument.const and structs[argument.struct].group == "state"
    )


def by_role(function: Function, role: str) -> list[int]:
    """Output columns of this role."""
    return [number for number, each in enumerate(function.row_outputs) if each.role == role]


def output_configuration(skeleton: Skeleton, independent: Array, columns: Columns, outputs: Rows) -> Configuration:
    """The pose that an export's own outputs spell, independent coordinates taken from the inputs, in float64."""
    values = np.zeros((len(outputs), len(skeleton.coordinates)))
    values[:, list(skeleton.independent)] = independent
    for number, name in enumerate(skeleton.coordinates):
        if name in columns.value and number not in skeleton.independent:
            values[:, number] = outputs[:, columns.value[name]]
        elif name in columns.sine and name in columns.cosine and number not in skeleton.independent:
            values[:, number] = np.arctan2(outputs[:, columns.sine[name]], outputs[:, columns.cosine[name]])
    if skeleton.ties:
        itself = [number for number, name in enumerate(skeleton.coordinates) if name in columns.value]
        values = unwound(skeleton, values, itself)
    pose = configuration(values)
    for number, name in enumerate(skeleton.coordinates):
        if name in columns.sine and name in columns.cosine and number not in skeleton.independent:
            pose.sines[:, number] = outputs[:, columns.sine[name]]
            pose.cosines[:, number] = outputs[:, columns.cosine[name]]
    return pose
