"""Runs programs: within limits that a busy machine does not change, and never longer than this process lives.

In: a command and a `Limit`. Out: `ProgramResult`, or `TookTooLong`. A program that outlives its user keeps a core, a
port and a folder busy for ever. Where there is a POSIX shell, the program leads a process group, and a watcher in that
group reads from a pipe that only this process can write to: when this process ends, however it does, the pipe breaks
and the watcher kills the group. Elsewhere (Windows) a program ends with this process only where this one ends in order.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from exporter.errors import CheckFailed
from exporter.full_disk import temporary_folder
from exporter.records import dataclass
from exporter.time_limits import ASKED_S, END_S, Limit

IS_POSIX = os.name == "posix"
SHELL = "/bin/sh"
WATCHER_SCRIPT = """exec 3<&0
( trap "" TERM; ( read -r _ <&3; kill -KILL "-$$" ) >/dev/null 2>&1 & )
input=$1; shift
exec "$@" <"$input" 3<&-"""
"""The shell becomes the program. The watcher is no child of it, waits on descriptor 3, and stays when the group is
asked to end: as long as it lives, nobody else gets the group's number."""

LONGEST_LOOK_S = 1.0
"""How often the computing time of a program is looked at."""


class TookTooLong(CheckFailed):
    """A program was stopped at its limit."""


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """What a program left behind."""

    code: int  # exit code; negative: the signal that ended it
    out: str
    err: str


class Program:
    """A running program. Close it, or use it as a context manager: then it and its children are gone."""

    def __init__(
        self,
        command: Sequence[str | Path],
        folder: Path | None = None,
        stdin: str | Path = os.devnull,
        stderr: int = subprocess.PIPE,
    ) -> None:
        """Start it; raises `OSError` where it cannot be started."""
        self.name = Path(command[0]).name
        self._computed_s = 0.0
        self._watched: Any = None  # psutil's view of it, made once
        words = [str(word) for word in command]
        options: dict[str, Any] = {"cwd": folder, "stdout": subprocess.PIPE, "stderr": stderr, "text": True}
        if not IS_POSIX:
            with Path(stdin).open("rb") as content:
                self.process = subprocess.Popen(words, stdin=content, **options)
            return
        _require_executable(words[0], folder)
        read_end, self._alive = os.pipe()
        try:
            self.process = subprocess.Popen(
                [SHELL, "-c", WATCHER_SCRIPT, self.name, str(stdin), *words], stdin=read_end, process_group=0, **options
            )
        except BaseException:
            os.close(self._alive)
            raise
        finally:
            os.close(read_end)

    def __enter__(self) -> "Program":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Kill what still runs of it, and let go of what it says; may be called twice."""
        self.kill()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def kill(self) -> None:
        """End what still runs of it and its children; may be called twice.

        They are asked first, for a compiler then removes its temporary files.
        """
        if not IS_POSIX:
            self.process.kill()
        elif self._alive >= 0:
            try:
                self._ask_to_end()
            finally:
                self._signal_group(signal.SIGKILL)
                os.close(self._alive)
                self._alive = -1
        self.process.wait(END_S)

    def _ask_to_end(self) -> None:
        if self.process.poll() is None:
            self._signal_group(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(ASKED_S)

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
            os.killpg(self.process.pid, number)

    def computed_s(self, *, with_children: bool = True) -> float:
        """CPU seconds so far; never less than it was."""
        import psutil  # noqa: PLC0415 - not for --help

        with suppress(psutil.Error):
            untyped: Any = psutil
            self._watched = self._watched or untyped.Process(self.process.pid)
            family = (self._watched, *(self._watched.children(recursive=True) if with_children else ()))
            times = [each.cpu_times() for each in family]
            spent = sum(each.user + each.system + each.children_user + each.children_system for each in times)
            self._computed_s = max(self._computed_s, spent)
        return self._computed_s

    def finish(self, limit: Limit, progress: Callable[[], object] = lambda: None) -> ProgramResult:
        """Wait for its end.

        Args:
            limit: when to stop it.
            progress: what changes while it gets on; the limit begins anew at each change.

        Raises:
            TookTooLong: it was stopped; the sentence has how long it took, the limit, and what to do.
        """
        look_s = min(LONGEST_LOOK_S, limit.computing_s / 4, limit.clock_s / 4)
        since = self._mark(progress())
        while True:
            try:
                out, err = self.process.communicate(timeout=look_s)
            except subprocess.TimeoutExpired:
                now = self._mark(progress())
                since = since if now.progress == since.progress else now
                self._hold_to(limit, since, now)
            else:
                return ProgramResult(self.process.returncode, out or "", err or "")

    def _mark(self, progress: object) -> "_Mark":
        return _Mark(progress, self.computed_s(), time.monotonic())

    def _hold_to(self, limit: Limit, since: "_Mark", now: "_Mark") -> None:
        computed_s, waited_s = now.computed_s - since.computed_s, now.clock_s - since.clock_s
        if computed_s <= limit.computing_s and waited_s <= limit.clock_s:
            return
        self.close()
        if computed_s > limit.computing_s:
            taken = f"computed for {computed_s:.3g} s and did not end; the limit is {limit.computing_s:g} s of CPU"
        else:
            taken = (
                f"waited for {waited_s:.3g} s, computed for {computed_s:.3g} s of them, and did not end; "
                f"the limit is {limit.clock_s:g} s"
            )
        raise TookTooLong(f"{self.name} {taken}; {limit.next_step}")


@dataclass(frozen=True, slots=True)
class _Mark:
    """How far a program had come at some time: a limit counts from one mark to another."""

    progress: object
    computed_s: float
    clock_s: float


def run(command: Sequence[str | Path], limit: Limit, folder: Path | None = None, stdin: str = "") -> ProgramResult:
    """Run a program to its end.

    Args:
        command: the program and its arguments; no shell sees them.
        limit: when to stop it.
        folder: where it runs.
        stdin: what it reads.

    Raises:
        TookTooLong: it was stopped at its limit.
        OSError: it cannot be started.
    """
    if not stdin:
        with Program(command, folder) as program:
            return program.finish(limit)
    with temporary_folder("kinefix-") as temporary:
        content = temporary / "stdin"
        content.write_text(stdin, encoding="utf-8")
        with Program(command, folder, content) as program:
            return program.finish(limit)


def _require_executable(program: str, folder: Path | None) -> None:
    """Say what `subprocess` would say of a program that is not there; the shell says it on stderr only."""
    import shutil  # noqa: PLC0415 - used here alone

    place = str((folder or Path()) / program) if "/" in program else program
    if shutil.which(place) is None:
        raise FileNotFoundError(2, "there is no such program", program)
