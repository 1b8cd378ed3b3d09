"""Describes an export: the manifest out of a printed program.

In: a program's texts, its canonical model, the hashes of its files. Out: the `Manifest`.
"""

import hashlib
from collections.abc import Mapping
from fractions import Fraction

from exporter import __version__
from exporter.c99.files import Texts, conditions
from exporter.c99.flags import NUMERIC_FLAGS
from exporter.c99.layout import Layout
from exporter.manifest import LoopEntry, Manifest, ParameterEntry
from exporter.sequence.program import Loop, Program
from exporter.sequence.status import BITS


def describe(texts: Texts, files: Mapping[str, str], kind: str, model: Mapping[str, object]) -> Manifest:
    """The manifest of these files (relative path -> text)."""
    plan, program = texts.layout, texts.layout.program
    return Manifest(
        kinefix=__version__,
        name=program.name,
        title=program.title,
        source=program.source,
        kind=kind,
        model_hash=program.model_hash,
        export_id=texts.export_id,
        real=program.precision,
        flags=NUMERIC_FLAGS,
        mangling=plan.names.table(),
        parameters=_parameters(plan),
        structs=plan.structs,
        functions=plan.functions,
        status={name: BITS[name][0] for name in conditions(plan)},
        branches=tuple(
            {
                "name": branch.name,
                "unknown": branch.unknown,
                "equation": branch.equation,
                "sign": branch.sign,
                "alternatives": list(branch.alternatives),
            }
            for branch in program.branches
        ),
        notes=program.notes,
        files={name: hashlib.sha256(text.encode()).hexdigest() for name, text in sorted(files.items())},
        model=dict(model),
        recalibrate=plan.recalibrate,
        manifest_version=_version(program),
        loop=None if program.loop is None else _loop(program.loop),
        design_pose=dict(program.design),
    )


def _version(program: Program) -> int:
    """The first version of manifests whose readers see everything that is in this one."""
    if any(function.left_out for function in program.functions):
        return 4
    if program.design:
        return 3
    return 1 if program.loop is None else 2


def _loop(loop: Loop) -> LoopEntry:
    return LoopEntry(loop.body, loop.functions, loop.carried, loop.residual, float(loop.tolerance), loop.most)


def _parameters(plan: Layout) -> tuple[ParameterEntry, ...]:
    """Tunable parameters in the order of the par struct, then the frozen ones."""
    tunable = [
        ParameterEntry(
            name=signal.name,
            c_name=plan.names.of(signal.name, signal.unit),
            value=float(signal.nominal or 0),
            unit=signal.unit,
            tunable=True,
            minimum=_number(signal.minimum),
            maximum=_number(signal.maximum),
            about=signal.about,
        )
        for signal in plan.program.parameters
    ]
    frozen = [
        ParameterEntry(
            name=each.name,
            c_name=plan.names.of(each.name, each.unit),
            value=float(each.value),
            unit=each.unit,
            tunable=False,
            minimum=None,
            maximum=None,
            about=each.about,
        )
        for each in plan.program.frozen
    ]
    return (*tunable, *frozen)


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
