"""The program behind an export: what its libraries are held against, and where derived constants come from.

In: an export. Out: its program, rebuilt from the model in the manifest.
"""

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from exporter.errors import ModelError

if TYPE_CHECKING:
    from exporter.export import Export
    from exporter.sequence.program import Program


def required_program(export: "Export", program: "Program | None" = None) -> "Program":
    """The program of an export.

    Raises:
        ModelError: the manifest holds no model, or this version of kinefix makes another program of it.
    """
    if program is not None:
        return program
    from exporter.export import program_of_export  # noqa: PLC0415 - SymPy only where it is needed

    found = program_of_export(export)
    if found is None:
        raise ModelError(f"the manifest of '{export.manifest.name}' holds no model; export the model again")
    _require_same(export, found)
    return found


def _require_same(export: "Export", program: "Program") -> None:
    """An export of another version has other operations, and its vectors would not be those of its C."""
    from exporter.c99.files import program_texts  # noqa: PLC0415 - not for --help

    source = f"{export.manifest.name}.c"
    printed = program_texts(program).files[source]
    if hashlib.sha256(printed.encode()).hexdigest() != export.manifest.files[source]:
        raise ModelError(
            f"'{export.folder}' was exported by another version of kinefix (it says {export.manifest.kinefix}), which "
            "computes in another order; export the model again"
        )


def nominal_derived(program: "Program") -> Mapping[str, float]:
    """Derived constants at the nominal parameters, by name; empty where every parameter is frozen."""
    from exporter.c99.layout import layout  # noqa: PLC0415 - not for --help
    from exporter.c99.rows import nominal_derived as of_layout  # noqa: PLC0415

    return of_layout(layout(program))
