"""The reference for an export: of its mechanism, or of its symbolic model, or none."""

import json
from functools import lru_cache

import numpy as np

from exporter.export import Export
from exporter.model import canonical, symbolic_canonical
from sil.reference.mechanism import Reference, reference_of
from sil.reference.symbolic import SymbolicReference, symbolic_reference_of


def subject_of(export: Export) -> Reference | SymbolicReference | None:
    """What this export is judged by; tunable parameters as the C holds them, rounded to its type.

    Raises:
        ModelError: the model does not assemble.
    """
    manifest = export.manifest
    if manifest.model.get("kind") == "symbolic":
        return symbolic_reference_of(symbolic_canonical.from_canonical(dict(manifest.model)))
    if manifest.kind != "mechanism" or not manifest.model:
        return None
    real = np.dtype(manifest.real).type
    tunable = tuple((entry.name, float(real(entry.value))) for entry in manifest.parameters if entry.tunable)
    return _assembled(json.dumps(manifest.model, sort_keys=True), tunable)


@lru_cache(maxsize=4)
def _assembled(model: str, tunable: tuple[tuple[str, float], ...]) -> Reference:
    """A mechanism's reference; following its branch takes longer than a small campaign."""
    return reference_of(canonical.from_canonical(json.loads(model)), dict(tunable))
