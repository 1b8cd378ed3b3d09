"""What a run was fed with: rows by seed or from a file, at which parameters; in words, and as options of a command."""

import hashlib
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exporter.manifest import Function
from hil.bench import Bench
from hil.driving.vector_table import has_unit_header, read_vector_table
from hil.errors import BenchError
from sil.vectors import read_vectors

if TYPE_CHECKING:
    from hil.can.layout import CanLayout

LOG_SUFFIXES = (".asc", ".blf")
"""Of logs of CAN frames."""


@dataclass(frozen=True, slots=True)
class Stimulus:
    """Where the rows of one run come from; neither seed nor file: a program gave them."""

    seed: int | None = None
    file: Path | None = None
    sha256: str = ""  # of the file
    parameters: Mapping[str, float] = field(default_factory=dict)  # tunable ones that are not nominal, SI units
    is_sequence: bool = False  # rows without a state: each step goes on from the one before
    stated: Mapping[str, float] | None = None  # parameters as the file states them; None: it states none
    notes: tuple[str, ...] = ()  # on what of the file is left out

    @property
    def source(self) -> str:
        """In words: "seed 7", or the file and its hash."""
        if self.file is not None:
            return f"file {self.file.name}, SHA-256 {self.sha256}"
        return "rows of a program" if self.seed is None else f"seed {self.seed}"

    @property
    def tuned(self) -> str:
        """The parameters in words."""
        values = ", ".join(f"{name} = {value!r}" for name, value in self.parameters.items())
        return values or "nominal"

    @property
    def options(self) -> tuple[str, ...]:
        """Options of `kinefix hil` that give these rows and these parameters."""
        rows = ("--vectors", str(self.file.resolve())) if self.file is not None else ("--seed", str(self.seed or 0))
        tuned = tuple(f"--parameter={name}={value!r}" for name, value in self.parameters.items())
        return (*rows, *tuned)


def replay_command(bench: Bench, lockstep: int, free_run: int, stimulus: Stimulus, faults: Path | None = None) -> str:
    """The command that does the same again, from any folder; empty where a program gave the rows, or steps in a row."""
    if stimulus.is_sequence or (stimulus.seed is None and stimulus.file is None):
        return ""
    target = ("--target", bench.target.name) if bench.is_target_chosen else ()
    words = ["kinefix", "hil", str(bench.path.resolve()), *target]
    words += ["--lockstep", str(lockstep), "--free-run", str(free_run)]
    under = () if faults is None else ("--faults", str(faults.resolve()))
    return shlex.join([*words, *stimulus.options, *under])


def load_rows(path: Path, function: Function, layout: "CanLayout | None" = None) -> tuple[NDArray[Any], Stimulus]:
    """Rows of inputs (state first) from a file.

    A .npy file; a .csv file, with units in its header or hexadecimal floats; with a `layout` also a log of CAN frames,
    .asc or .blf.

    Raises `BenchError` where there is no such file, where it holds no rows, or rows of another function.
    """
    suffix = path.suffix.lower()
    if suffix == ".csv" and path.is_file() and has_unit_header(path):
        table = read_vector_table(path, function, states=0)
        return table.rows, Stimulus(file=path, sha256=table.sha256)
    if suffix in LOG_SUFFIXES and layout is not None:
        from hil.can.replay import replayed_log  # noqa: PLC0415 - python-can, where there is a log

        log = replayed_log(path, layout)
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        return log.rows, Stimulus(file=path, sha256=sha256, stated=log.parameters, notes=log.notes)
    try:
        content = path.read_bytes()
        rows = read_vectors(path, [field.name for field in function.row_inputs])
    except OSError as error:
        raise BenchError(
            f"{path} cannot be read ({error.strerror or error}); give a .npy or .csv file of rows"
        ) from error
    except (ValueError, EOFError, IndexError) as error:
        raise BenchError(f"{path} holds no rows of {function.symbol} ({error}); write them with numpy.save") from error
    wanted = len(function.row_inputs)
    if rows.ndim != 2 or rows.shape[1] != wanted or not len(rows) or not np.issubdtype(rows.dtype, np.floating):
        raise BenchError(
            f"{path} holds an array of {rows.dtype} of shape {rows.shape}; "
            f"{function.symbol} takes rows of {wanted} reals"
        )
    return rows, Stimulus(file=path, sha256=hashlib.sha256(content).hexdigest())
