"""Judges one mutant in a process of its own: does it move a value, and does a verdict stand against it?

`mutant_judge.py values:MODEL FOLDER` writes a model's right values; `mutant_judge.py PATH:NUMBER FOLDER` prints JSON:
{"outcome": "no export" | "no answer" | "equivalent" | "found" | "not found", "by": ..., "model": ..., "moved": ...}.
"""

import importlib.abc
import importlib.machinery
import json
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent.parent)]

from areas import AREAS, ROOT, Mutant, faults_of, files_of  # noqa: E402 - after the path

REACHED = "reached.json"
"""MODEL.reached.json has the lines by file that a model reaches: a fault elsewhere moves none of its values."""
LONGEST_S = 240
"""Of computing, for one fault: some never come to an end."""
VECTORS = 2000
"""Of each function in SIL."""


class _Mutated(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self.source = source

    def get_code(self, fullname: str) -> Any:  # noqa: ARG002 - importlib's signature
        return compile(self.source, self.path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    """Gives one module with its fault, all others as they are."""

    def __init__(self, mutant: Mutant) -> None:
        self.module = mutant.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        self.source = mutant.source()

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self.module:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Mutated(name, spec.origin, self.source)
        return spec


def mutant_of(name: str) -> Mutant:
    """A mutant by "path:number"."""
    path, _, number = name.rpartition(":")
    return Mutant("", path, faults_of(path)[int(number)])


def install(mutant: Mutant) -> None:
    """From now on the module is imported with its fault."""
    sys.meta_path.insert(0, _Finder(mutant))


def write_right_values(folder: Path, model: str) -> None:
    """The values of the code as it is, through sequence and C, and the lines that making them reaches.

    Each model in a process of its own, since what one leaves in a cache the next does not reach.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with reached_lines() as lines:
        _write_values(folder, model)
    found = {path: sorted(reached) for path, reached in lines.items()}
    (folder / f"{model}.{REACHED}").write_text(json.dumps(found), encoding="utf-8")


def _write_values(folder: Path, model: str) -> None:
    import values

    made = values.program(model)
    for kind, through_c in (("sequence", False), ("c", True)):
        np.savez(folder / f"{model}.{kind}.npz", **values.values(made, through_c))


def models_at(mutant: Mutant, folder: Path) -> tuple[str, ...]:
    """The models that reach the line of a fault; all of them for one in C."""
    import values

    if mutant.path.endswith(".c"):
        return values.NAMES
    return tuple(model for model in values.NAMES if mutant.fault.line in _reached(folder, model)[mutant.path])


@cache
def _reached(folder: Path, model: str) -> dict[str, set[int]]:
    lines = json.loads((folder / f"{model}.{REACHED}").read_text(encoding="utf-8"))
    return {path: set(found) for path, found in lines.items()}


@contextmanager
def reached_lines() -> Iterator[dict[str, set[int]]]:
    """Lines of the mutated files that run inside, imports included."""
    paths = {str(ROOT / path): path for area in AREAS for path in files_of(area)}
    lines: dict[str, set[int]] = {path: set() for path in paths.values()}

    def in_function(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            lines[paths[frame.f_code.co_filename]].add(frame.f_lineno)
        return in_function

    sys.settrace(lambda frame, *_: in_function if frame.f_code.co_filename in paths else None)
    try:
        yield lines
    finally:
        sys.settrace(None)


def judged(mutant: Mutant, folder: Path) -> dict[str, Any]:
    """The outcome of a fault in Python."""
    import values

    kind = "c" if values.through_c(mutant.path) else "sequence"
    lost = ""
    moved = []
    for model in models_at(mutant, folder):
        right = dict(np.load(folder / f"{model}.{kind}.npz"))
        try:
            distance = values.moved(right, values.values(values.program(model), kind == "c"))
        except Exception as error:  # noqa: BLE001 - a fault may raise anything
            lost = f"{type(error).__name__}: {error}"[:200]
            continue
        if distance > 1:
            moved.append((model, distance))
            verdict = _verdict_against(model)
            if verdict:
                return {"outcome": "found", "by": verdict, "model": model, "moved": distance}
    if moved:
        return {"outcome": "not found", "by": "", "model": moved[0][0], "moved": moved[0][1]}
    return {"outcome": "no export" if lost else "equivalent", "by": lost, "model": "", "moved": 0.0}


def _verdict_against(model: str) -> str:
    """The first verdict of SIL that stands against the export of the faulty exporter."""
    import values

    from exporter.errors import KinefixError
    from exporter.export import write_export
    from sil.campaign import Options, run

    with TemporaryDirectory() as folder:
        try:
            export = write_export(values.program(model), Path(folder) / "export", values.canonical_of(model))
            campaign = run(export, Options(runner="host", count=VECTORS))
        except KinefixError as error:
            return f"refused: {error}"[:200]
        against = [verdict for verdict in campaign.verdicts if verdict.stands_against]
        return f"{against[0].function}: {against[0].check}" if against else ""


def _in_python(mutant: Mutant, folder: Path) -> dict[str, Any]:
    install(mutant)
    return judged(mutant, folder)


def _in_firmware(mutant: Mutant) -> dict[str, Any]:
    import firmware

    with TemporaryDirectory() as folder:
        return firmware.judged(mutant, Path(folder))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_S, LONGEST_S))
    what, place = sys.argv[1], Path(sys.argv[2])
    if what.startswith("values:"):
        write_right_values(place, what.removeprefix("values:"))
    else:
        chosen = mutant_of(what)
        print(json.dumps(_in_firmware(chosen) if chosen.path.endswith(".c") else _in_python(chosen, place)))
