"""What was run, of what there is: model, function, clock, parameters, vectors and their hashes.

In: an open bench and its runs. Out: `Coverage`. Used by: baselines, and the report, which names what was not shown.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from exporter.export_folder import MANIFEST_NAME
from exporter.manifest import Manifest
from hil.bench_runtime import BenchRuntime
from hil.can.database import dbc_text
from hil.freerun import TimedRun
from hil.lockstep import Lockstep
from sil.compare import ulp_distance
from sil.vectors import npy_bytes
from targets.rows import tunable_fields

MODEL = "model SHA-256"
FUNCTION = "function"
EXPORT = "export"  # its id and number type, as in the identity of a run


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much a run covers."""

    setting: Mapping[str, str]  # what two runs must share where their times are compared
    functions: tuple[str, ...]  # of the export
    tunable: tuple[str, ...]  # parameters
    sets: int  # of parameters in lockstep
    vectors: int  # in lockstep
    flagged: int  # of them
    ulp: float | None  # greatest distance of a finite output to the same C here; None where nothing was stepped
    hashes: Mapping[str, str]  # SHA-256 by what was hashed
    export: Path

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "functions": list(self.functions),
            "tunable": list(self.tunable),
            "parameter_sets": self.sets,
            "vectors": self.vectors,
            "flagged": self.flagged,
            "greatest_ulp": self.ulp,
        }


def setting_of(runtime: BenchRuntime) -> dict[str, str]:
    """What two runs must share where their times are compared, by name."""
    manifest, base, timing = runtime.export.manifest, runtime.timebase, runtime.bench.timing
    period, deadline = timing.period.text, timing.deadline.text
    if base.moves:
        period, deadline = (
            f"{float(each.seconds(base.counter_hz)) * 1e6:.12g} us" for each in (timing.period, timing.deadline)
        )
    return {
        MODEL: manifest.model_hash,
        "number type": manifest.real,
        FUNCTION: runtime.function.name,
        "target": runtime.bench.target.kind,
        "core": runtime.bench.target.core,
        "clock": base.label,
        "counter": f"{base.counter}, {base.counter_hz:,} Hz" if base.moves else "none",
        "period": period,
        "deadline": deadline,
    }


def subject_of(manifest: Manifest, function: str) -> dict[str, str]:
    """What two runs must share to stand beside each other, by name."""
    return {
        MODEL: manifest.model_hash,
        EXPORT: f"{manifest.export_id:08x}, {manifest.real}",
        FUNCTION: function,
    }


def coverage_of(runtime: BenchRuntime, runs: Sequence[Lockstep], timed: TimedRun | None) -> Coverage:
    """What was run."""
    manifest = runtime.export.manifest
    return Coverage(
        setting=setting_of(runtime),
        functions=tuple(each.name for each in manifest.functions),
        tunable=tuple(each.name for each in tunable_fields(manifest)),
        sets=len(runs),
        vectors=sum(len(run.rows) for run in runs),
        flagged=sum(int((run.status != 0).sum()) for run in runs),
        ulp=max((_greatest_ulp(run) for run in runs), default=None),
        hashes=_hashes(runtime, runs, timed),
        export=runtime.export.folder,
    )


def _greatest_ulp(run: Lockstep) -> float:
    """Infinite where one is finite and the other is not."""
    finite = np.isfinite(run.outputs) | np.isfinite(run.host_outputs)
    apart = ulp_distance(run.outputs, run.host_outputs.astype(run.outputs.dtype))
    return float(apart[finite].max(initial=0.0))


def _hashes(runtime: BenchRuntime, runs: Sequence[Lockstep], timed: TimedRun | None) -> dict[str, str]:
    found = {}
    if runs:
        found["vectors in lockstep"] = _rows_hash(runs)
    if timed is not None:
        found["vectors of the free run"] = hashlib.sha256(npy_bytes(timed.ring)).hexdigest()
    if digest := runtime.facts.get("firmware SHA-256"):
        found["firmware"] = digest
    manifest = runtime.export.folder / MANIFEST_NAME
    found["manifest of the export"] = hashlib.sha256(manifest.read_bytes()).hexdigest()
    found["bench file"] = runtime.bench.sha256
    if runtime.can is not None:
        found["CAN database (DBC)"] = hashlib.sha256(dbc_text(runtime.can_layout).encode()).hexdigest()
    return found


def _rows_hash(runs: Sequence[Lockstep]) -> str:
    """Hash of all rows as one .npy file, followed by the parameters of each run where they are not nominal."""
    digest = hashlib.sha256(npy_bytes(np.concatenate([run.rows for run in runs])))
    for number, run in enumerate(runs):
        for name, value in run.stimulus.parameters.items():
            digest.update(f"{number} {name}={value.hex()}\n".encode())
    return digest.hexdigest()
