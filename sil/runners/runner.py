"""What every runner gives back, and how one is chosen by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.errors import KinefixError
from exporter.export import Export
from exporter.sequence.program import Program
from sil.runners.interpreted import interpret_rows, recalibrate
from targets.ecu.batch import run_batch
from targets.ecu.firmware import Firmware, Objects, build_one_of_several
from targets.python.host import build_host

Rows = NDArray[Any]
NOMINAL_PARAMETERS: Mapping[str, float] = MappingProxyType({})
NAMES = ("interpreter", "host", "emulated", "m7")


@dataclass(frozen=True, slots=True)
class RunResult:
    """Outputs (rows, n) of the export's type, status (rows,), instructions (rows,) where they were counted."""

    outputs: Rows
    status: NDArray[np.uint32]
    instructions: NDArray[np.int64] | None = None
    start_status: int = 0  # of recalibrate at the parameters that were used; any where the function takes none of it


@dataclass(frozen=True, slots=True)
class Runner:
    """A way to run: its name, what it is, and the door."""

    name: str
    about: str
    door: Callable[[str, Rows, Mapping[str, float]], RunResult]

    def run(self, function: str, rows: Rows, parameters: Mapping[str, float] = NOMINAL_PARAMETERS) -> RunResult:
        """Run rows (n, inputs) through a function; parameters by the user's name, the others nominal."""
        return self.door(function, rows, parameters)


def interpreter_runner(program: Program) -> Runner:
    """The operation sequence in numpy, rounded at every operation."""

    def run(function: str, rows: Rows, parameters: Mapping[str, float]) -> RunResult:
        done = interpret_rows(program, function, rows, parameters)
        started = recalibrate(program, parameters)
        return RunResult(done.outputs, done.status, start_status=0 if started is None else int(started.status[0]))

    return Runner("interpreter", "operation sequence in numpy", run)


def host_runner(export: Export, folder: Path) -> Runner:
    """The C, compiled for this computer; its self-test has passed before the first row.

    Raises:
        MissingTool: no compiler.
        CheckFailed: the self-test failed.
    """
    library = build_host(export, folder)

    def run(function: str, rows: Rows, parameters: Mapping[str, float]) -> RunResult:
        called = library.call(function, rows, parameters)
        return RunResult(called.outputs, called.status, start_status=called.start_status)

    return Runner("host", library.compiler, run)


def emulated_runner(export: Export, folder: Path) -> Runner:
    """The C on an emulated Cortex-M4F board, float32, with instructions counted.

    Raises:
        KinefixError: the export is float64, which that core has no unit for.
    """
    if export.manifest.real != "float32":
        raise KinefixError("the emulated Cortex-M4F runs float32 exports; use `--runner m7` for float64")

    return Runner("emulated", "Cortex-M4F in QEMU, mps2-an386", _batches(export, folder, "arm-m4f"))


def m7_runner(export: Export, folder: Path) -> Runner:
    """The C on an emulated Cortex-M7 board, either number type, with instructions counted."""
    return Runner("m7", "Cortex-M7 in QEMU, mps2-an500", _batches(export, folder, "arm-m7"))


def _batches(export: Export, folder: Path, profile: str) -> Callable[[str, Rows, Mapping[str, float]], RunResult]:
    """Batch runs, each function built once, the export's sources once for all of them."""
    objects: Objects = {}

    @cache
    def firmware(function: str) -> Firmware:
        return build_one_of_several(export, function, folder / function, objects, "batch", profile)

    def run(function: str, rows: Rows, parameters: Mapping[str, float]) -> RunResult:
        done = run_batch(firmware(function), rows, parameters=parameters)
        return RunResult(done.outputs, done.status, done.instructions, done.start_status)

    return run


def runner_names(choice: str, real: str) -> tuple[str, ...]:
    """The runners that are compared with the host: "all" takes what this number type can use.

    "interpreter" compares nothing: it stands in for the host, and needs no compiler.

    Raises:
        KinefixError: there is no such runner.
    """
    if choice == "all":
        return ("interpreter", "emulated") if real == "float32" else ("interpreter", "m7")
    if choice == "interpreter":
        return ()
    if choice == "host":
        return ("interpreter",)
    if choice in NAMES:
        return ("interpreter", choice)
    raise KinefixError(f"there is no runner '{choice}'; choose interpreter, host, emulated, m7 or all")
