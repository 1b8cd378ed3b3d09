"""Functions that tell whole poses with their margins and pivots, also of an export that gives chosen outputs alone.

In: an export and what runs its rows. Out: `WholePoses`: the export's own functions, or where outputs are left out the
positions of its model with all of them, run by the interpreter. They judge nothing: they say near which poses vectors
are drawn, and which poses are regular, so that an export is judged as if it gave everything.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

from exporter.c99.layout import Layout, layout
from exporter.export import Export
from exporter.manifest import Manifest
from exporter.sequence.operations import Precision
from sil.domain import Rows
from sil.runners.runner import RunResult, interpreter_runner

Call = Callable[[str, Rows], RunResult]


@dataclass(frozen=True, slots=True)
class WholePoses:
    """Functions by a manifest that lists them, and what runs rows of inputs through them by name."""

    manifest: Manifest
    call: Call


def whole_poses(export: Export, call: Call, parameters: Mapping[str, float]) -> WholePoses:
    """What tells the poses of an export at parameters that are not nominal; `call` runs its own functions there."""
    manifest = export.manifest
    if manifest.kind != "mechanism" or not manifest.model.get("chosen_outputs"):
        return WholePoses(manifest, call)
    plan = _positions(json.dumps(manifest.model, sort_keys=True), cast(Precision, manifest.real))
    runner = interpreter_runner(plan.program)
    listed = replace(manifest, structs=plan.structs, functions=plan.functions)
    return WholePoses(listed, lambda name, rows: runner.run(name, rows, parameters))


@lru_cache(maxsize=8)
def _positions(model: str, precision: Precision) -> Layout:
    """Positions by each choice of coordinates, with all outputs; writing them takes longer than a small campaign."""
    from exporter.functions.program import program_of_mechanism  # noqa: PLC0415 - SymPy only where it is needed
    from exporter.model.canonical import from_canonical  # noqa: PLC0415
    from exporter.model.complete import with_outputs  # noqa: PLC0415

    mechanism = with_outputs(from_canonical(json.loads(model)))
    names = ("position", "position_alt") if mechanism.alternative else ("position",)
    return layout(program_of_mechanism(mechanism, precision, only=names))
