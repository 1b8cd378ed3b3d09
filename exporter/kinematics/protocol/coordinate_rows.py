"""Coordinates as outputs of a sequence, and read back at rows of its inputs.

An angle is written as "theta.sin" and "theta.cos", a displacement under its own name; read, both are rad and m. Every
engine evaluates its poses so, at nominal parameters.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.protocol.margins import Margin
from exporter.sequence.builder import Builder, Value
from exporter.sequence.operations import Group, Role, Signal

Array = NDArray[Any]


class CoordinateValues(Protocol):
    """What a pose tells of its coordinates."""

    def displacement(self, coordinate: str) -> Value:
        """A displacement, m."""

    def pair(self, coordinate: str) -> tuple[Value, Value]:
        """Cosine and sine of an angle."""


def write_coordinates(
    builder: Builder, pose: CoordinateValues, names: Iterable[str], displacements: Collection[str], prefix: str = ""
) -> None:
    """Declare coordinates as outputs, each name after a prefix."""
    for name in names:
        if name in displacements:
            builder.output(Signal(prefix + name, "m", group=Group.OUTPUT), pose.displacement(name))
            continue
        cosine, sine = pose.pair(name)
        builder.output(Signal(f"{prefix}{name}.sin", "1", group=Group.OUTPUT), sine)
        builder.output(Signal(f"{prefix}{name}.cos", "1", group=Group.OUTPUT), cosine)


def write_margins(builder: Builder, margins: Iterable[Margin]) -> None:
    """Declare margins and pivots as outputs: "L1.margin"."""
    for margin in margins:
        signal = Signal(f"{margin.block}.{margin.role}", "1", role=Role(margin.role), group=Group.OUTPUT)
        builder.output(signal, margin.value)


def coordinate_of(outputs: Mapping[str, Array], name: str) -> Array:
    """A coordinate from outputs by their names, (rows,); an angle within half a turn."""
    if name in outputs:
        return outputs[name]
    return np.asarray(np.arctan2(outputs[f"{name}.sin"], outputs[f"{name}.cos"]))


def margins_of(outputs: Mapping[str, Array], role: str) -> dict[str, Array]:
    """Margins or pivots by block, (rows,), from outputs by their names."""
    ending = f".{role}"
    return {name.removesuffix(ending): value for name, value in outputs.items() if name.endswith(ending)}
