"""A set of parameters and the reference there, made when a check needs it."""

from dataclasses import dataclass, field
from functools import cached_property

from exporter.export import Export
from sil.checks.mechanism_case import Case
from sil.composed import ComposedReference
from sil.domain import Rows
from sil.export_reference import reference_of_export
from sil.parameter_sets import ParameterSet
from sil.reference.mechanism import Reference
from sil.reference.symbolic import SymbolicReference
from sil.switching import References, alternative_reference


@dataclass(frozen=True)
class Setting:
    """What an export is judged by at one set of parameters."""

    parameters: ParameterSet
    export: Export
    gathered: dict[object, Rows] = field(default_factory=dict, init=False, compare=False)  # rows near zeros of margins
    cases: list[Case] = field(default_factory=list, init=False, compare=False)  # the last one that was judged

    @cached_property
    def reference(self) -> Reference | SymbolicReference | ComposedReference | None:
        """The reference at these parameters; None where the export holds no model."""
        return reference_of_export(self.export, self.parameters.changed)

    @property
    def has_reference(self) -> bool:
        """Whether the reference was needed."""
        return "reference" in self.__dict__

    @cached_property
    def references(self) -> References:
        """References of both choices, kept since following a branch takes longer than a small campaign."""
        return References(self._mechanism)

    @cached_property
    def alternative(self) -> Reference:
        """The reference driven by the alternative coordinates."""
        return alternative_reference(self._mechanism)

    @property
    def _mechanism(self) -> Reference:
        if not isinstance(self.reference, Reference):
            raise TypeError("only a mechanism has choices of coordinates")
        return self.reference
