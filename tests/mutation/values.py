"""Values of six models at fixed poses: what a fault must move to count.

Each function of a model runs at 24 random rows within its ranges, at nominal parameters and at two other sets, in
float64: through the operation sequence, or through the C where the fault is in what prints or calls it.
"""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group
from exporter.sequence.program import Program
from targets.python.host import build_host

MODELS = Path(__file__).parent / "models"
NAMES = ("planar_pair", "planar_loop", "spatial_tree", "spatial_loop", "slider_crank", "rocker_four_bar")
ROWS = 24
TOLERANCE = 1e-9
"""Relative to 1 and to the largest value of an output: far above rounding, far below what SIL allows in float32."""
Values = dict[str, NDArray[Any]]  # "dostep.a.rate at set 1": a value per row; NaN where the row is flagged


def program(model: str) -> Program:
    """A model's program in float64."""
    return program_of_mechanism(read_mechanism(MODELS / f"{model}.toml"), "float64")


def values(made: Program, through_c: bool) -> Values:
    """All outputs of all functions."""
    found = _through_c(made) if through_c else _through_sequence(made)
    return {name: np.where(status == 0, outputs, np.nan) for name, outputs, status in found}


def moved(right: Values, found: Values) -> float:
    """The largest difference over its tolerance; infinite where a row is flagged that was not.

    An output that is no longer there, or has another name, moves no value.
    """
    worst = 0.0
    for name in right.keys() & found.keys():
        before, after = right[name], found[name]
        known = ~np.isnan(before)
        if (known & np.isnan(after)).any():
            return float("inf")
        scale = TOLERANCE * max(1.0, float(np.abs(before[known]).max(initial=0.0)))
        worst = max(worst, float(np.abs(after - before)[known].max(initial=0.0)) / scale)
    return worst


def _sets(made: Program) -> list[dict[str, float]]:
    """Nominal, and two sets by chance."""
    generator = np.random.default_rng(11)
    ends = [(float(s.minimum or 0), float(s.maximum or 0)) for s in made.parameters]
    drawn = [
        {s.name: float(generator.uniform(*end)) for s, end in zip(made.parameters, ends, strict=True)} for _ in "12"
    ]
    return [{s.name: float(s.nominal or 0) for s in made.parameters}, *drawn]


def _rows(signals: Any, seed: int) -> NDArray[Any]:
    generator = np.random.default_rng(seed)
    low = np.array([max(float(s.minimum or 0), -2.0) for s in signals])
    high = np.array([min(float(s.maximum or 0), 2.0) for s in signals])
    return low + (high - low) * generator.uniform(0, 1, (ROWS, len(signals)))


def _through_sequence(made: Program) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
    for place, chosen in enumerate(_sets(made)):
        derived = _derived(made, chosen)
        for function in made.functions:
            own = [signal for signal in function.inputs if signal.group is not Group.DERIVED]
            drawn = dict(zip((s.name for s in own), _rows(own, len(function.name)).T, strict=True))
            columns = [drawn.get(s.name, np.full(ROWS, derived.get(s.name, 0.0))) for s in function.inputs]
            inputs = np.stack(columns, axis=1) if columns else np.empty((ROWS, 0))
            done = interpret(function, inputs)
            for output, column in zip(function.outputs, done.outputs.T, strict=True):
                yield f"{function.name}.{output.signal.name} at set {place}", column, done.status


def _derived(made: Program, chosen: dict[str, float]) -> dict[str, float]:
    if made.recalibrate is None:
        return {}
    row = np.array([[chosen[signal.name] for signal in made.recalibrate.inputs]])
    outputs = interpret(made.recalibrate, row).outputs[0]
    return {out.signal.name: float(value) for out, value in zip(made.recalibrate.outputs, outputs, strict=True)}


def _through_c(made: Program) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
    with TemporaryDirectory() as folder:
        export = write_export(made, Path(folder) / "export", {})
        library = build_host(export, Path(folder) / "host")
        for place, chosen in enumerate(_sets(made)):
            for function in export.manifest.functions:
                rows = _rows(function.row_inputs, len(function.name))
                called = library.call(function.name, rows, chosen)
                for field, column in zip(function.row_outputs, called.outputs.T, strict=True):
                    yield f"{function.name}.{field.name} at set {place}", column, called.status


def through_c(path: str) -> bool:
    """Whether a fault in this file shows in the C alone."""
    return path.startswith(("exporter/c99/", "targets/"))


def canonical_of(model: str) -> Any:
    """The model as the manifest keeps it."""
    return canonical(read_mechanism(MODELS / f"{model}.toml"))
