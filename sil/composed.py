"""The parts of a composed export as functions of their own: what each was given in a row, and what it gave.

In: the evidence of the whole. Out: the evidence of the mechanism's step, whose driven inputs are what the export itself
says that its controller gave, and of the controller's, whose measured inputs are the export's own signals. Each part is
then judged by its own reference, and a wrong wire or a late one shows in the part behind it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from exporter.c99.layout import layout
from exporter.export import Export
from exporter.manifest import Field, Function, Manifest
from exporter.sequence.operations import Precision
from exporter.sequence.program import Program
from sil.domain import Rows
from sil.evidence import Evidence
from sil.parameter_sets import function_domain
from sil.reference.mechanism import Reference
from sil.reference.symbolic import SymbolicReference
from sil.runners.runner import RunResult, interpreter_runner
from sil.vectors import Vectors
from sil.whole_poses import whole_poses

PLANT, CONTROLLER = "mechanism", "controller"
"""The parts of the canonical model."""
LIMITED_WORD = np.uint32(1)
"""Bit 0, which no exported function sets: a row of the controller whose measured inputs were limited."""


@dataclass(frozen=True, slots=True)
class PartFunctions:
    """A part as it would be exported alone."""

    program: Program
    manifest: Manifest

    def function(self, *names: str) -> Function | None:
        """The first function that has one of these names."""
        return next((each for each in self.manifest.functions if each.name in names), None)


@dataclass(frozen=True)
class ComposedReference:
    """The references of both parts, and what connects them."""

    plant: Reference
    controller: SymbolicReference
    measured: Mapping[str, str]  # input of the controller -> signal of the mechanism
    driven: Mapping[str, str]  # input of the mechanism -> output of the controller


def plant_evidence(evidence: Evidence, reference: ComposedReference) -> Evidence | None:
    """What the mechanism's step was given and gave; of `startup` what it set."""
    part = _functions_of(PLANT, evidence.export)
    function = part.function(evidence.function.name)
    if function is None:
        return None
    values, _ = _given(evidence, function, reference.driven)
    return _view(evidence, part, function, values, evidence.ran.status)


def controller_evidence(evidence: Evidence, reference: ComposedReference) -> Evidence | None:
    """What the controller's step was given and gave; rows where a measured signal was limited count as flagged."""
    part = _functions_of(CONTROLLER, evidence.export)
    function = part.function(evidence.function.name, *(("evaluate",) if evidence.function.name == "dostep" else ()))
    if function is None:
        return None
    values, limited = _given(evidence, function, reference.measured)
    unclear = limited | commands_beyond(evidence, reference)
    return _view(
        evidence, part, function, values, np.where(unclear, evidence.ran.status | LIMITED_WORD, evidence.ran.status)
    )


def commands_beyond(evidence: Evidence, reference: ComposedReference) -> NDArray[np.bool_]:
    """Rows where a command of the controller leaves the range of the input that it drives."""
    part = _functions_of(PLANT, evidence.export)
    function = part.function("dostep")
    if function is None or not evidence.function.row_inputs:
        return np.zeros(len(evidence.vectors.rows), dtype=np.bool_)
    return _given(evidence, function, reference.driven)[1]


def signals_beyond(evidence: Evidence, reference: ComposedReference) -> NDArray[np.bool_]:
    """Rows where a signal between the parts leaves the range of the input that it reaches."""
    part = _functions_of(CONTROLLER, evidence.export)
    function = part.function("dostep", "evaluate")
    beyond = commands_beyond(evidence, reference)
    return beyond if function is None else beyond | _given(evidence, function, reference.measured)[1]


def _given(evidence: Evidence, function: Function, wires: Mapping[str, str]) -> tuple[Rows, NDArray[np.bool_]]:
    """The rows that a part was given, and where one of its wires was limited."""
    inputs = {name: number for number, name in enumerate(evidence.vectors.names)}
    outputs = {field.name: number for number, field in enumerate(evidence.function.row_outputs)}
    rows, limited = evidence.vectors.rows, np.zeros(len(evidence.vectors.rows), dtype=np.bool_)
    columns = []
    for field in function.row_inputs:
        if field.name not in wires:
            columns.append(rows[:, inputs[field.name]])
            continue
        source = wires[field.name]
        value = rows[:, inputs[source]] if source in inputs else evidence.ran.outputs[:, outputs[source]]
        low, high = _bounds(field, rows.dtype)
        with np.errstate(invalid="ignore"):
            limited |= (value < low) | (value > high)
            columns.append(np.clip(value, low, high))
    return np.stack(columns, axis=1) if columns else rows[:, :0], limited


def _bounds(field: Field, dtype: np.dtype) -> Rows:
    return np.array([field.minimum, field.maximum], dtype=dtype)


def _view(
    evidence: Evidence, part: PartFunctions, function: Function, rows: Rows, status: NDArray[np.uint32]
) -> Evidence:
    names = [field.name for field in evidence.function.row_outputs]
    wanted = [names.index(field.name) for field in function.row_outputs]
    runner = interpreter_runner(part.program)
    tunable = {signal.name for signal in part.program.parameters}
    changed = {name: value for name, value in evidence.parameters.changed.items() if name in tunable}
    given = Vectors(
        tuple(each.name for each in function.row_inputs), rows, evidence.vectors.kinds, evidence.vectors.seed
    )
    export = replace(evidence.export, manifest=part.manifest)

    def call(name: str, more: Rows) -> RunResult:
        return runner.run(name, more, changed)

    return replace(
        evidence,
        export=export,
        function=function,
        domain=function_domain(part.manifest, function),
        vectors=given,
        ran=replace(evidence.ran, outputs=evidence.ran.outputs[:, wanted], status=status),
        margins=np.ones(len(rows)),
        call=call,
        whole=whole_poses(export, call, changed),
    )


def _functions_of(part: str, export: Export) -> PartFunctions:
    """A part of the model, as it would be exported alone."""
    whole = export.manifest
    model = cast(dict[str, object], whole.model[part])
    program = _program(part, json.dumps(model, sort_keys=True), cast(Precision, whole.real))
    plan = layout(program)
    kind = "mechanism" if part == PLANT else "symbolic"
    return PartFunctions(
        program, replace(whole, kind=kind, model=model, structs=plan.structs, functions=plan.functions)
    )


@lru_cache(maxsize=8)
def _program(part: str, text: str, precision: Precision) -> Program:
    """Writing it takes longer than a small campaign."""
    if part == PLANT:
        from exporter.functions.program import program_of_mechanism  # noqa: PLC0415 - SymPy only where it is needed
        from exporter.model.canonical import from_canonical  # noqa: PLC0415

        return program_of_mechanism(from_canonical(json.loads(text)), precision, only=("dostep",))
    from exporter.symbolic.canonical import from_canonical as from_symbolic  # noqa: PLC0415
    from exporter.symbolic.program import program_of_symbolic  # noqa: PLC0415

    return program_of_symbolic(from_symbolic(json.loads(text)), precision)
