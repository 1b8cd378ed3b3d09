"""What every runner gives back, and how one is chosen by name."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.errors import KinefixError
from exporter.export import Export
from exporter.sequence.program import Program
from sil.runners.interpreted import interpreted_rows
from targets.ecu.batch import run_batch
from targets.ecu.firmware import build_firmware
from targets.python.host import build_host

Rows = NDArray[Any]
NAMES = ("interpreter", "host", "emulated", "m7")


@dataclass(frozen=True, slots=True)
class Ran:
    """Outputs (rows, n) of the export's type, status (rows,), instructions (rows,) where they were counted."""

    outputs: Rows
    status: NDArray[np.uint32]
    instructions: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class Runner:
    """A way to run: its name, what it is, and the door."""

    name: str
    about: str
    run: Callable[[str, Rows], Ran]


def interpreter_runner(program: Program) -> Runner:
    """The operation sequence in numpy, rounded at every operation."""

    def run(function: str, rows: Rows) -> Ran:
        done = interpreted_rows(program, function, rows)
        return Ran(done.outputs, done.status)

    return Runner("interpreter", "operation sequence in numpy", run)


def host_runner(export: Export, folder: Path) -> Runner:
    """The C, compiled for this computer; its self-test has passed before the first row.

    Raises:
        MissingTool: no compiler.
        CheckFailed: the self-test failed.
    """
    library = build_host(export, folder)

    def run(function: str, rows: Rows) -> Ran:
        called = library.call(function, rows)
        return Ran(called.outputs, called.status)

    return Runner("host", library.compiler, run)


def emulated_runner(export: Export, folder: Path) -> Runner:
    """The C on an emulated Cortex-M4F board, float32, with instructions counted.

    Raises:
        KinefixError: the export is float64, which that core has no unit for.
    """
    if export.manifest.real != "float32":
        raise KinefixError("the emulated Cortex-M4F runs float32 exports; use `--runner m7` for float64")

    def run(function: str, rows: Rows) -> Ran:
        done = run_batch(build_firmware(export, function, folder / function, "batch"), rows)
        return Ran(done.outputs, done.status, done.instructions)

    return Runner("emulated", "Cortex-M4F in QEMU, mps2-an386", run)


def m7_runner(export: Export, folder: Path) -> Runner:
    """The C on an emulated Cortex-M7 board, either number type, with instructions counted."""

    def run(function: str, rows: Rows) -> Ran:
        done = run_batch(build_firmware(export, function, folder / function, "batch", "arm-m7"), rows)
        return Ran(done.outputs, done.status, done.instructions)

    return Runner("m7", "Cortex-M7 in QEMU, mps2-an500", run)


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
