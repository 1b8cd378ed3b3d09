"""The export of a bench: the folder that its file names, or one made from the model that it names.

In: a `Bench`. Out: `Export`. What was made is kept in the bench's work folder.
"""

from pathlib import Path
from typing import cast

from exporter.export import Export, export_source, load_export
from exporter.made_with import made_with
from exporter.manifest import Manifest
from exporter.model.library import model_path
from exporter.sequence.operations import Precision
from hil.bench import DEFAULT_TOLERANCE, Bench
from hil.errors import BenchError
from targets.build_cache import cached_entry, key_of


def export_of(bench: Bench) -> Export:
    """Load the export, made first where the file names a model."""
    if bench.model is not None:
        return load_export(_export_folder(bench.model, cast(Precision, bench.real), bench.work / "export"))
    assert bench.export is not None  # read_bench saw to it
    return load_export(bench.export)


def _export_folder(model: str, real: Precision, cache: Path) -> Path:
    """The folder of the export of a model, by the bytes of its file and of the exporter."""
    facts = (made_with(), real, model_path(model).read_bytes())
    return cached_entry(cache, key_of(facts), lambda folder: export_source(model, folder, real))


def require_outputs(bench: Bench, manifest: Manifest) -> None:
    """See that every tolerance belongs to an output of a function of the export, or is the default.

    Raises `BenchError` naming the first that does not, and what there is.
    """
    outputs = dict.fromkeys(field.name for function in manifest.functions for field in function.row_outputs)
    for name in bench.tolerances:
        if name not in outputs and name != DEFAULT_TOLERANCE:
            known = ", ".join(outputs)
            raise BenchError(
                f"{bench.path}: [tolerance.{name}]: there is no output '{name}'; known: {DEFAULT_TOLERANCE}, {known}"
            )
