"""Holds what the device computed in lockstep against the reference of the model, at the parameters that it ran at.

In: an open bench and its lockstep runs, one for each set of parameters. Out: the verdicts of `kinefix sil`, of the
device's outputs. The reference shares no code with the exporter; see `sil.reference`.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hil.bench_runtime import BenchRuntime
from hil.check_names import BenchCheck
from hil.lockstep import Lockstep, random_vectors, replay_of
from sil.against_reference import check_against_reference
from sil.check_names import Check
from sil.domain import Rows
from sil.evidence import Evidence, flagged_rows
from sil.figures import count_text
from sil.limits import LIMITS
from sil.margins import margins_of
from sil.merged_verdicts import merged_verdicts
from sil.options import excuse_of_few
from sil.parameter_sets import NOMINAL_SET, ParameterSet, function_domain, parameter_sets, shares, user_set
from sil.runners.runner import RunResult
from sil.setting import Setting
from sil.vectors import KINDS, Vectors
from sil.verdict import Verdict, not_judged
from sil.warm_start import limits_of
from sil.whole_poses import whole_poses
from targets.rows import tunable_fields

OUT_OF_RANGE_FACTOR = 16.0
"""How far a parameter that must be refused is beyond its range."""


def sets_of(runtime: BenchRuntime, given: Mapping[str, float], count: int, seed: int) -> list[tuple[ParameterSet, int]]:
    """At which parameters the bench steps, and how many vectors at each: those given, or nominal, ends and random."""
    manifest = runtime.export.manifest
    sets = (user_set(manifest, given),) if given else parameter_sets(manifest, seed)
    return list(zip(sets, shares(count, len(sets)), strict=True))


def judge_parameters(runtime: BenchRuntime, statuses: Sequence[tuple[int, int]]) -> list[Verdict]:
    """Whether recalibrate on the device says what it says on this computer, for each set; none without parameters.

    A set with every parameter beyond its range is one of them: it must be refused, and leave in force what was before.
    """
    fields = tunable_fields(runtime.export.manifest)
    if not fields:
        return []
    beyond = {
        field.name: OUT_OF_RANGE_FACTOR * max(abs(field.minimum or 0.0), abs(field.maximum or 0.0), 1.0)
        for field in fields
    }
    found = [*statuses, (runtime.try_parameters(beyond), runtime.host_status(beyond))]
    wrong = sum(device != host for device, host in found)
    detail = (
        f"status of recalibrate on the device and on this computer at {count_text(len(found), 'set')} of parameters"
    )
    return [
        Verdict(
            BenchCheck.PARAMETERS, runtime.function.name, float(wrong), 0.0, "sets",
            f"{detail}, one beyond all ranges; what is in force was read back", compared=len(found),
        )
    ]  # fmt: skip


def judge_against_reference(runtime: BenchRuntime, runs: Sequence[Lockstep]) -> list[Verdict]:
    """Every check of the function that applies, over all runs."""
    total = sum(len(run.rows) for run in runs)
    found = [_judge_run(runtime, run, total) for run in runs]
    verdicts = merged_verdicts(found)
    if verdicts:
        return verdicts
    reason = "the export holds no model of which a reference could be made"
    return [not_judged(Check.REFERENCE, runtime.function.name, reason)]


def _judge_run(runtime: BenchRuntime, run: Lockstep, total: int) -> list[Verdict]:
    manifest, changed = runtime.export.manifest, run.stimulus.parameters
    parameters = user_set(manifest, changed) if changed else NOMINAL_SET
    verdicts, _ = check_against_reference(
        _evidence(runtime, run, parameters, total), Setting(parameters, runtime.export)
    )
    return verdicts


def _evidence(runtime: BenchRuntime, run: Lockstep, parameters: ParameterSet, total: int) -> Evidence:
    manifest, function = runtime.export.manifest, runtime.function
    ran = RunResult(run.outputs, run.status)
    call = _caller(runtime, run.stimulus.parameters)
    whole = whole_poses(runtime.export, call, parameters.changed)
    return Evidence(
        export=runtime.export,
        function=function,
        domain=function_domain(runtime.export.manifest, function),
        vectors=_vectors(runtime, run),
        ran=ran,
        margins=margins_of(whole, function, run.rows, ran),
        call=call,
        limits=limits_of(LIMITS[manifest.real], whole.manifest, function, nominal=not parameters.changed),
        replay=lambda _: replay_of(runtime, run),
        parameters=parameters,
        share=len(run.rows) / total,
        whole=whole,
        excuse="" if flagged_rows(manifest, ran).all() else excuse_of_few(total, "--lockstep"),
    )


def _caller(runtime: BenchRuntime, parameters: Mapping[str, float]) -> Callable[[str, Rows], RunResult]:
    """Other functions of the export, which the device does not run, on this computer at the same parameters."""

    def call(name: str, rows: Rows) -> RunResult:
        called = runtime.library.call(name, rows, parameters)
        return RunResult(called.outputs, called.status, start_status=called.start_status)

    return call


def _vectors(runtime: BenchRuntime, run: Lockstep) -> Vectors:
    """The rows with what they are: of the fixed mix where a seed made them, else of no kind."""
    if run.stimulus.seed is not None:
        return random_vectors(runtime, len(run.rows), run.stimulus.seed, run.stimulus.parameters)
    kinds: NDArray[np.uint8] = np.full(len(run.rows), KINDS.index("random"), dtype=np.uint8)
    rows = run.rows.astype(runtime.export.manifest.real)
    return Vectors(tuple(field.name for field in runtime.function.row_inputs), rows, kinds, 0)
