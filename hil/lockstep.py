"""Lockstep: the same vectors through the device and through the same code on this computer.

Says whether the device computes right and what one vector costs; says nothing about deadlines.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.bench_runtime import BenchRuntime
from hil.check_names import BenchCheck
from hil.statistics import IntegerStatistics, spread_of
from hil.stimulus import Stimulus, replay_command
from sil.compare import different_bits
from sil.export_reference import reference_of_export
from sil.figures import count_text
from sil.parameter_sets import function_domain
from sil.reference.mechanism import Reference
from sil.vectors import Vectors, vectors
from sil.verdict import Verdict
from sil.warm_start import starts_from_previous, with_previous
from targets.rows import parameter_values, tunable_fields


@dataclass(frozen=True, slots=True)
class Lockstep:
    """What came of it."""

    rows: NDArray[Any]  # (n, row_inputs)
    outputs: NDArray[Any]  # (n, row_outputs) of the device
    status: NDArray[np.uint32]  # (n,)
    ticks: NDArray[np.uint32]  # (n,) with the overhead of measuring
    host_outputs: NDArray[Any]
    host_status: NDArray[np.uint32]
    stimulus: Stimulus = field(default_factory=Stimulus)

    @property
    def durations(self) -> IntegerStatistics:
        """Statistics of the ticks."""
        return spread_of(Counter(self.ticks.tolist()))

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Per row: an output differs in any bit, or the status does."""
        differs = different_bits(self.outputs, self.host_outputs).any(axis=1)
        return np.asarray(differs | (self.status != self.host_status))


def random_vectors(
    runtime: BenchRuntime, count: int, seed: int, parameters: Mapping[str, float] | None = None
) -> Vectors:
    """The fixed mix of invalid, boundary, subnormal and random rows for the bench's function.

    Previous solutions that an iterative method starts from are those of the reference at these parameters, left out:
    those in force.
    """
    domain = function_domain(runtime.export.manifest, runtime.function)
    made = vectors(domain, seed, count)
    if not starts_from_previous(runtime.function):
        return made
    reference = reference_of_export(runtime.export, runtime.parameters if parameters is None else parameters)
    return with_previous(made, runtime.function, domain, reference) if isinstance(reference, Reference) else made


def run_lockstep(runtime: BenchRuntime, rows: NDArray[Any], stimulus: Stimulus | None = None) -> Lockstep:
    """Step the device once per row (state included) and compute the same on this computer.

    Both at the parameters in force. `stimulus` says where the rows come from.
    """
    stepped = runtime.session.step(rows, with_state=True)
    host_outputs, host_status = runtime.host(rows)
    fed = replace(stimulus or Stimulus(), parameters=dict(runtime.parameters))
    return Lockstep(rows, stepped.outputs, stepped.status, stepped.ticks, host_outputs, host_status, fed)


def run_as_stated(runtime: BenchRuntime, rows: NDArray[Any], stimulus: Stimulus) -> Lockstep:
    """Lockstep for the rows of a file, at the parameters that the file states; those before are in force afterwards."""
    before = dict(runtime.parameters)
    if stimulus.stated is None or stimulus.stated == before:
        return run_lockstep(runtime, rows, stimulus)
    runtime.set_parameters(stimulus.stated)
    run = run_lockstep(runtime, rows, stimulus)
    runtime.set_parameters(before)
    return run


def judge_lockstep(runtime: BenchRuntime, runs: Sequence[Lockstep]) -> Verdict:
    """Whether device and host agree bit for bit, in all runs; the first vector that differs is told."""
    total = sum(len(run.rows) for run in runs)
    sets = f" at {len(runs)} sets of parameters" if len(runs) > 1 else ""
    vectors = f"{count_text(total, 'vector')}{sets}"
    verdict = Verdict(
        check=BenchCheck.LOCKSTEP,
        function=runtime.function.name,
        value=float(sum(int(run.wrong.sum()) for run in runs)),
        limit=0.0,
        unit="rows",
        detail=f"{vectors}: outputs and status of the device against the same C on this computer",
        compared=total,
    )
    first = next((run for run in runs if run.wrong.any()), None)
    if first is None:
        return verdict
    worst = int(np.flatnonzero(first.wrong)[0])
    inputs = hex_row(fields_names(runtime.function.row_inputs), first.rows[worst])
    replay = replay_of(runtime, first)
    detail = f"{verdict.detail}; the first is vector {worst}, parameters {first.stimulus.tuned}"
    return replace(verdict, worst=worst, inputs=inputs, replay=replay, detail=detail)


def replay_of(runtime: BenchRuntime, run: Lockstep) -> str:
    """The command that steps these rows again, at these parameters alone."""
    values = parameter_values(runtime.export.manifest, run.stimulus.parameters)
    names = (field.name for field in tunable_fields(runtime.export.manifest))
    pinned = replace(run.stimulus, parameters=dict(zip(names, values, strict=True)))
    return replay_command(runtime.bench, len(run.rows), 0, pinned)


def fields_names(fields: tuple[Any, ...]) -> tuple[str, ...]:
    """Names with units, as the report prints them."""
    return tuple(f"{each.name} [{each.unit}]" for each in fields)


def hex_row(names: tuple[str, ...], row: Any) -> dict[str, str]:
    """A row as hexadecimal floats, which lose nothing."""
    return {name: float(value).hex() for name, value in zip(names, row, strict=False)}
