"""Lockstep: the same vectors through the device and through the same code on this computer.

Says whether the device computes right and what one vector costs; says nothing about deadlines.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.opened import OpenBench
from hil.statistics import Spread, spread_of
from sil.compare import different_bits
from sil.domain import domain_of
from sil.vectors import Vectors, vectors
from sil.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Lockstep:
    """What came of it."""

    rows: NDArray[Any]  # (n, row_inputs)
    outputs: NDArray[Any]  # (n, row_outputs) of the device
    status: NDArray[np.uint32]  # (n,)
    ticks: NDArray[np.uint32]  # (n,) with the overhead of measuring
    host_outputs: NDArray[Any]
    host_status: NDArray[np.uint32]

    @property
    def durations(self) -> Spread:
        """Statistics of the ticks."""
        return spread_of(Counter(self.ticks.tolist()))

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Per row: an output differs in any bit, or the status does."""
        differs = different_bits(self.outputs, self.host_outputs).any(axis=1)
        return np.asarray(differs | (self.status != self.host_status))


def random_vectors(opened: OpenBench, count: int, seed: int) -> Vectors:
    """The fixed mix of invalid, boundary, subnormal and random rows for the bench's function."""
    domain = domain_of(opened.function.row_inputs, opened.export.manifest.real)
    return vectors(domain, seed, count)


def run_lockstep(opened: OpenBench, rows: NDArray[Any]) -> Lockstep:
    """Step the device once per row (state included) and compute the same on this computer."""
    stepped = opened.session.step(rows, with_state=True)
    host_outputs, host_status = opened.host(rows)
    return Lockstep(rows, stepped.outputs, stepped.status, stepped.ticks, host_outputs, host_status)


def judge_lockstep(opened: OpenBench, lockstep: Lockstep, replay: str) -> Verdict:
    """Whether device and host agree bit for bit."""
    wrong = np.flatnonzero(lockstep.wrong)
    worst = int(wrong[0]) if len(wrong) else None
    fields = opened.function.row_inputs
    inputs = {} if worst is None else hex_row(fields_names(fields), lockstep.rows[worst])
    return Verdict(
        check="bit agreement in lockstep",
        function=opened.function.name,
        value=float(len(wrong)),
        limit=0.0,
        unit="rows",
        detail=f"{len(lockstep.rows):,} vectors: outputs and status of the device against the same C on this computer",
        worst=worst,
        inputs=inputs,
        replay=replay,
    )


def fields_names(fields: tuple[Any, ...]) -> tuple[str, ...]:
    """Names with units, as the report prints them."""
    return tuple(f"{each.name} [{each.unit}]" for each in fields)


def hex_row(names: tuple[str, ...], row: Any) -> dict[str, str]:
    """A row as hexadecimal floats, which lose nothing."""
    return {name: float(value).hex() for name, value in zip(names, row, strict=False)}
