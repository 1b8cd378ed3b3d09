"""The program behind an export: what its libraries are held against, and where derived constants come from.

In: an export. Out: its program, rebuilt from the model in the manifest.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from exporter.errors import ModelError

if TYPE_CHECKING:
    from exporter.export import Export
    from exporter.sequence.program import Program


def required_program(export: "Export", program: "Program | None" = None) -> "Program":
    """The program of an export.

    Raises:
        ModelError: the manifest holds no model, or one that gives another program.
    """
    if program is not None:
        return program
    from exporter.export import program_of_export  # noqa: PLC0415 - SymPy only where it is needed

    found = program_of_export(export)
    if found is None:
        raise ModelError(f"the manifest of '{export.manifest.name}' holds no model; export the model again")
    return found


def nominal_derived(program: "Program") -> Mapping[str, float]:
    """Derived constants at the nominal parameters, by name; empty where every parameter is frozen."""
    from exporter.c99.layout import layout  # noqa: PLC0415 - not for --help
    from exporter.c99.rows import nominal_derived as of_layout  # noqa: PLC0415

    return of_layout(layout(program))
