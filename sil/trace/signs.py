"""Where an exported quaternion changes its sign along a path, half a turn away from the design pose's attitude.

As an attitude nothing jumps there; whoever interpolates or filters the four numbers must know it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sil.checks.attitudes import QUATERNION_PARTS, quaternion_outputs
from sil.trace.continuity import assembled_rows
from sil.trace.evaluation import TracedPath


@dataclass(frozen=True, slots=True)
class Change:
    """Between two rows q goes on as -q."""

    row: int  # the pose before
    name: str  # of the output


def sign_changes(found: TracedPath) -> Iterator[Change]:
    """Every pair of neighbouring poses whose quaternions point apart: less than half a turn took the body there."""
    there = assembled_rows(found)
    for name, _ in quaternion_outputs(found.mechanism):
        q = np.stack([found.outputs[f"{name}.{part}"] for part in QUATERNION_PARTS], axis=1)
        apart = np.einsum("nk,nk->n", q[:-1], q[1:]) < 0
        for row in np.flatnonzero(apart & there[:-1] & there[1:]):
            yield Change(int(row), name)
