"""Outputs of a mechanism's `dynamics` at values of its inputs, interpreted in float64."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exporter.functions.mechanism import dynamics
from exporter.kinematics.engine import solved_mechanism
from exporter.model.mechanism import Mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.pipeline import finished


def dynamics_values(mechanism: Mechanism, given: Mapping[str, ArrayLike]) -> dict[str, NDArray[np.float64]]:
    """Every output by name, (rows,); rows that are flagged fail. Inputs that are not given are nominal."""
    sequence = finished(dynamics(solved_mechanism(mechanism), "float64", contract=True))
    columns = [given.get(signal.name, float(signal.nominal or 0)) for signal in sequence.inputs]
    result = interpret(sequence, np.stack(np.broadcast_arrays(*(np.atleast_1d(each) for each in columns)), axis=1))
    assert not result.status.any()
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


def vector(values: Mapping[str, NDArray[np.float64]], name: str) -> NDArray[np.float64]:
    """The three components of an output, (rows, 3)."""
    return np.stack([values[f"{name}.{axis}"] for axis in "xyz"], axis=1)
