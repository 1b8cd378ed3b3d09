"""What outputs should be: the export's model evaluated in double precision on this computer.

In: an open bench and rows. Out: outputs in float64. The model comes from the manifest and is evaluated operation by
operation with 53 bits; `kinefix sil` is what holds the model itself against an independent reference.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.functions.program import program_of_mechanism
from exporter.manifest import Manifest
from exporter.model import canonical
from exporter.sequence.program import Program
from hil.bench import DEFAULT_TOLERANCE, ToleranceEntry
from hil.bench_runtime import BenchRuntime
from hil.errors import BenchError
from hil.lockstep import Lockstep
from sil.compare import Tolerance
from sil.runners.interpreted import interpret_rows


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An output outside its tolerance."""

    signal: str
    unit: str
    row: int
    actual: float
    expected: float
    tolerance: ToleranceEntry


@dataclass(frozen=True, slots=True)
class ComparedNumbers:
    """How many numbers were held against the reference, and what did not hold."""

    numbers: int
    flagged_rows: int  # left out: their outputs are last-resort values
    mismatches: tuple[Mismatch, ...]  # the worst of each output


def compare_with_reference(runtime: BenchRuntime, lockstep: Lockstep) -> ComparedNumbers:
    """Hold the device's outputs against the reference, rows with a status left out.

    Raises `BenchError` where the export carries no model, or the bench file no tolerance.
    """
    program, given = _program(runtime.export.manifest), lockstep.stimulus.parameters
    reference = interpret_rows(program, runtime.function.name, lockstep.rows, given)
    clean = (lockstep.status == 0) & (reference.status == 0)
    found = [
        _worst(
            runtime, number, lockstep.outputs[clean, number], reference.outputs[clean, number], np.flatnonzero(clean)
        )
        for number in range(len(runtime.function.row_outputs))
    ]
    return ComparedNumbers(
        int(clean.sum()) * len(found), int((~clean).sum()), tuple(each for each in found if each is not None)
    )


def _program(manifest: Manifest) -> Program:
    if manifest.kind == "mechanism" and manifest.model:
        return program_of_mechanism(canonical.from_canonical(dict(manifest.model)), "float64")
    if manifest.model.get("kind") == "composed":
        from exporter.composition.canonical import from_canonical as from_composed  # noqa: PLC0415 - SymPy only for it
        from exporter.composition.program import program_of_composition  # noqa: PLC0415

        return program_of_composition(from_composed(dict(manifest.model)), "float64")
    if manifest.model.get("kind") == "symbolic":
        from exporter.symbolic.canonical import from_canonical  # noqa: PLC0415 - SymPy only for a symbolic model
        from exporter.symbolic.program import program_of_symbolic  # noqa: PLC0415

        return program_of_symbolic(from_canonical(dict(manifest.model)), "float64")
    raise BenchError(
        f"the export of '{manifest.name}' carries no model to evaluate; use Outputs Should Be Bit Identical instead"
    )


def tolerance_of(runtime: BenchRuntime, signal: str) -> ToleranceEntry:
    """What the bench file allows for this output."""
    tolerances = runtime.bench.tolerances
    if signal not in tolerances and DEFAULT_TOLERANCE not in tolerances:
        raise BenchError(
            f"{runtime.bench.path}: there is neither [tolerance.{signal}] nor [tolerance.{DEFAULT_TOLERANCE}]"
        )
    return tolerances.get(signal, tolerances.get(DEFAULT_TOLERANCE, ToleranceEntry()))


def _worst(
    runtime: BenchRuntime, number: int, actual: NDArray[Any], expected: NDArray[np.float64], places: NDArray[np.int64]
) -> Mismatch | None:
    output = runtime.function.row_outputs[number]
    allowed = tolerance_of(runtime, output.name)
    right = expected.astype(actual.dtype)
    tolerance = Tolerance(allowed.ulp, allowed.absolute, allowed.relative, angle=output.unit == "rad")
    failed = np.flatnonzero(~tolerance.holds(actual, right))
    if len(failed) == 0:
        return None
    error = np.nan_to_num(np.abs(actual[failed] - right[failed]).astype(np.float64), nan=np.inf)
    worst = failed[int(np.argmax(error))]
    return Mismatch(output.name, output.unit, int(places[worst]), float(actual[worst]), float(right[worst]), allowed)
