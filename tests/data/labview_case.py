"""Exports and libraries for the tests of the LabVIEW package, each made once."""

import ctypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from exporter.export import Export, export_source, program_of_export
from exporter.sequence.program import Program
from targets.labview.libraries import BuiltLibrary, build_library
from targets.labview.oracle import nominal_derived
from targets.labview.shim import texts
from targets.toolchain import find


@dataclass(frozen=True)
class Case:
    """An export with its program, in a folder where libraries may be built."""

    export: Export
    program: Program
    folder: Path

    def built(self, profile: str) -> BuiltLibrary:
        """The library of a profile."""
        return _built(self, profile)

    def loaded(self) -> ctypes.CDLL:
        """The library of this computer."""
        return ctypes.CDLL(str(self.built("linux-x64").file))

    def __hash__(self) -> int:
        return hash(self.folder)


@cache
def _built(case: Case, profile: str) -> BuiltLibrary:
    printed = texts(case.export.manifest, nominal_derived(case.program))
    return build_library(find(profile), case.export, printed, case.folder / profile)


@cache
def library_case(name: str, folder: Path, precision: str = "float64") -> Case:
    """A mechanism of the library."""
    here = folder / f"{name}-{precision}"
    export = export_source(name, here / "export", precision)
    program = program_of_export(export)
    assert program is not None
    return Case(export, program, here)
