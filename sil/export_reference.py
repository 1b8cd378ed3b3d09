"""The reference for an export: of its mechanism, or of its symbolic model, or none; at any parameters."""

import json
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from exporter.errors import Unsolved
from exporter.export import Export
from exporter.manifest import Manifest
from exporter.model import canonical
from exporter.model.mechanism import Mechanism
from sil.composed import ComposedReference
from sil.reference.assembly import FINE_NODES
from sil.reference.mechanism import Reference, reference_of, residual_reference_of
from sil.reference.rotations import Array
from sil.reference.start import start_of
from sil.reference.symbolic import SymbolicReference, symbolic_reference_of
from sil.warm_start import SUFFIX as PREVIOUS

Values = tuple[tuple[str, float], ...]
"""Values by name, to be kept by."""
COARSE_NODES = FINE_NODES // 10
"""Off nominal few vectors are judged: the path that their poses start from need not be as fine."""


def reference_of_export(
    export: Export, parameters: Mapping[str, float]
) -> Reference | SymbolicReference | ComposedReference | None:
    """What this export is judged by; `parameters` are those that are not nominal, rounded to the type of the C.

    Where the design pose does not assemble at other than nominal parameters, the reference knows residuals alone.

    Raises:
        ModelError: the model does not assemble at its nominal parameters.
    """
    manifest = export.manifest
    values = _tunable_values(manifest, parameters)
    nodes = COARSE_NODES if parameters else FINE_NODES
    if manifest.model.get("kind") == "composed":
        return _composed_reference(manifest, values, nodes)
    if manifest.model.get("kind") == "symbolic":
        from exporter.symbolic.canonical import from_canonical  # noqa: PLC0415 - SymPy only for a symbolic model

        return symbolic_reference_of(from_canonical(dict(manifest.model)), values)
    if manifest.kind != "mechanism" or not manifest.model:
        return None
    return _mechanism_reference(
        json.dumps(manifest.model, sort_keys=True), tuple(values.items()), nodes, _stated(manifest)
    )


def _composed_reference(manifest: Manifest, values: Mapping[str, float], nodes: int) -> ComposedReference:
    """The references of both parts, each at the parameters that it has."""
    from exporter.composition.canonical import from_canonical  # noqa: PLC0415 - SymPy only where it is needed

    composed = from_canonical(dict(manifest.model))
    plant, controller = ({each.name for each in part.parameters} for part in (composed.mechanism, composed.controller))
    text = json.dumps(manifest.model["mechanism"], sort_keys=True)
    return ComposedReference(
        _mechanism_reference(
            text, tuple((name, value) for name, value in values.items() if name in plant), nodes, _stated(manifest)
        ),
        symbolic_reference_of(composed.controller, {n: value for n, value in values.items() if n in controller}),
        composed.measured,
        composed.driven,
    )


def _tunable_values(manifest: Manifest, parameters: Mapping[str, float]) -> dict[str, float]:
    """All tunable parameters."""
    real = np.dtype(manifest.real).type
    return {
        entry.name: float(real(parameters.get(entry.name, entry.value)))
        for entry in manifest.parameters
        if entry.tunable
    }


def _stated(manifest: Manifest) -> Values:
    """The design pose where the export says it: by itself, or as what its iterations start from at first."""
    inputs = (field for function in manifest.functions for field in function.row_inputs)
    starts = {
        field.name.removesuffix(PREVIOUS): field.nominal
        for field in inputs
        if field.name.endswith(PREVIOUS) and field.nominal is not None
    }
    return tuple((manifest.design_pose or starts).items())


@lru_cache(maxsize=32)
def _mechanism_reference(model: str, tunable: Values, nodes: int, stated: Values) -> Reference:
    """A mechanism's reference; following its branch takes longer than a small campaign."""
    mechanism, values, start = _mechanism(model), dict(tunable), _start(model, stated)
    if nodes == FINE_NODES:
        return reference_of(mechanism, values, start=start)
    return _off_nominal(mechanism, values, nodes, start)


@lru_cache(maxsize=32)
def _mechanism(model: str) -> Mechanism:
    return canonical.from_canonical(json.loads(model))


@lru_cache(maxsize=32)
def _start(model: str, stated: Values) -> Array | None:
    """Where the reference begins at all sets of parameters."""
    return start_of(_mechanism(model), dict(stated))


def _off_nominal(mechanism: Mechanism, values: dict[str, float], nodes: int, start: Array | None) -> Reference:
    try:
        return reference_of(mechanism, values, nodes, start)
    except (Unsolved, np.linalg.LinAlgError):
        return residual_reference_of(mechanism, values)
