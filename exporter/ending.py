"""How a command ends that did not succeed: whatever was raised becomes one sentence and an exit code.

In: any exception. Out: an `Ending`. Beside the errors that Kinefix raises on purpose this knows what Python raises
where its own limits are met (memory, depth of recursion), and it has a sentence for faults of Kinefix itself.
"""

import os
import traceback
from pathlib import Path

import click

from exporter.errors import KinefixError, SeveralAssemblies
from exporter.full_disk import FULL
from exporter.interruption import Interrupted
from exporter.records import dataclass

WRONG_USE_EXIT_CODE = 2
TRACE_VARIABLE = "KINEFIX_TRACE"  # of the environment: where it is set, faults of Kinefix come with a traceback
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Ending:
    """What is printed on stderr behind `kinefix: error:`, and what the process exits with."""

    sentence: str
    code: int = WRONG_USE_EXIT_CODE
    listed: tuple[str, ...] = ()  # lines that follow


def ending(error: BaseException) -> Ending:
    """The sentence and the exit code of an exception."""
    if isinstance(error, click.Abort) and isinstance(error.__cause__, EOFError):
        error = error.__cause__
    if isinstance(error, OSError) and isinstance(error.__context__, Interrupted):  # of a terminal that closed
        error = error.__context__
    match error:
        case SeveralAssemblies():
            return Ending(f"{error.sentence}:", error.exit_code, error.listed)
        case KinefixError():
            return Ending(str(error), error.exit_code)
        case click.ClickException():
            return Ending(_usage(error))
        case click.Abort() | KeyboardInterrupt():
            return _interrupted(error)
        case OSError():
            return Ending(_of_the_system(error))
    return Ending(_of_python(error))


def _interrupted(error: BaseException) -> Ending:
    """By a signal, of which the exception may know more than that it was Ctrl-C."""
    cause = error.__cause__ if isinstance(error, click.Abort) else error
    known = cause if isinstance(cause, Interrupted) else Interrupted()
    return Ending(known.sentence, known.code)


def _of_python(error: BaseException) -> str:
    """What nobody foresaw."""
    report = f"please report it with what was asked; {TRACE_VARIABLE}=1 in the environment shows the whole way there"
    match error:
        case ImportError():
            return f"{error} ({_place(error)}); install Kinefix again, with what it needs"
        case RecursionError():
            return f"this goes deeper than Python can follow ({_place(error)}); take a smaller model, or {report}"
        case MemoryError():
            return f"the memory of this computer does not suffice for the model ({_place(error)}); take a smaller one"
    return f"a fault of Kinefix itself: {type(error).__name__}: {error} ({_place(error)}); {report}"


def _usage(error: click.ClickException) -> str:
    """A wrong option or argument, and where to read more."""
    context = getattr(error, "ctx", None)
    where = "kinefix" if context is None else context.command_path
    return f"{' '.join(error.format_message().split()).rstrip('.')}; see {where} --help"


def _of_the_system(error: OSError) -> str:
    why = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        return f"{why}; check disk, network and permissions ({_place(error)})"
    if error.errno in FULL:
        return f"'{error.filename}': {why}; free some space there, or name another place"
    return f"'{error.filename}': {why}; check the path and its permissions"


def _place(error: BaseException) -> str:
    """The innermost line of ours that an exception passed."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_ours(frame.filename)]
    if not frames:
        return "outside of Kinefix"
    return f"{Path(frames[-1].filename).relative_to(ROOT).as_posix()}, line {frames[-1].lineno}"


def _is_ours(filename: str) -> bool:
    path = Path(filename)
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in ("exporter", "targets", "sil", "hil")


def wants_trace() -> bool:
    """Whether the environment asks for tracebacks."""
    return bool(os.environ.get(TRACE_VARIABLE))
