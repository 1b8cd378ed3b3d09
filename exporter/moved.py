"""Modules that users import and that have moved: found under their old names for one release, with a sentence.

In: an import of an old name. Used by: the module under its new name. docs/python-names.md lists the names that
users may rely on.
"""

import importlib
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.abc import Loader  # which takes long to load

MOVED = {
    "exporter.compose": "exporter.functions.program",
    "exporter.kinematics.analysis.planar_degree": "exporter.kinematics.degrees.planar_degree",
    "exporter.kinematics.triangular": "exporter.kinematics.planar.triangular",
    "exporter.model.symbolic": "exporter.symbolic",
    "exporter.model.symbolic_program": "exporter.symbolic.program",
    "exporter.model.toml_reader": "exporter.model.toml.reader",
}
"""Old name -> new name, of version 0.1."""


class MovedModules:
    """Finds a module by its old name and loads it; asked only where no file has that name."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - the protocol's
        target: ModuleType | None = None,  # noqa: ARG002 - the protocol's
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for an old name, None for any other."""
        return importlib.machinery.ModuleSpec(fullname, cast("Loader", self)) if fullname in MOVED else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The module under its new name, its own spec kept aside: the import that asks writes one of the old name."""
        import warnings  # noqa: PLC0415 - not for --help

        new = MOVED[spec.name]
        warnings.warn(
            f"{spec.name} is {new} now; import it by that name, the old one ends with the next release",
            FutureWarning,
            stacklevel=2,
        )
        module = importlib.import_module(new)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing but its own spec put back: the module has run under its new name."""
        asked = module.__spec__
        if asked is not None and asked.loader_state is not None:
            module.__spec__ = asked.loader_state
            module.__loader__ = module.__spec__.loader


def find_moved_modules() -> None:
    """Look for old names after all others."""
    sys.meta_path.append(MovedModules())
