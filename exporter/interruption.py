"""What a signal that ends this process does: it raises one exception, or waits until what must not be cut is done.

In: Ctrl-C, SIGTERM, SIGHUP. Out: `Interrupted`. Nothing heavy is imported: a command asks for this first of all.
"""

import math
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ENDING_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What ends a command: Ctrl-C, a supervisor, a terminal that closes. Windows has no SIGHUP."""

DEFAULT_HANDLERS = (signal.SIG_DFL, signal.default_int_handler)
REPEATED_WITHIN = 0.5
"""Seconds after a signal in which another one is the same, as wrappers send them."""
RAISED_AGAIN_AFTER = 0.05
"""Seconds after which a signal is raised again whose exception Python dropped."""


class Interrupted(KeyboardInterrupt):
    """A signal asked this process to end; `done` says what had come to its end all the same."""

    def __init__(self, number: int = signal.SIGINT, done: str = "") -> None:
        super().__init__(number, done)
        self.number, self.done = number, done

    @property
    def sentence(self) -> str:
        """What is told of it."""
        by = "interrupted" if self.number == signal.SIGINT else f"ended by {signal.Signals(self.number).name}"
        return f"{by}; {self.done}" if self.done else by

    @property
    def line(self) -> str:
        """The line on stderr."""
        return f"kinefix: error: {self.sentence}\n"

    @property
    def code(self) -> int:
        """What a shell gives a program that this signal ends."""
        return 128 + self.number


class _Handler:
    """Raises `Interrupted` at the first signal; those that follow at once do not cut short what that one began."""

    def __init__(self) -> None:
        self.is_over = False  # nothing is left that could be interrupted in order
        self._last = -math.inf

    def __call__(self, number: int = signal.SIGINT, *_: object) -> None:
        before, self._last = self._last, time.monotonic()
        if self._last - before <= REPEATED_WITHIN:
            return
        interrupted = Interrupted(number)
        if self.is_over:
            _leave(interrupted, told=before > -math.inf)
        raise interrupted

    def raise_again(self, number: int) -> None:
        """Let a signal come once more, a moment later."""
        import threading  # noqa: PLC0415 - not for --help

        self._last = -math.inf
        threading.Timer(RAISED_AGAIN_AFTER, signal.raise_signal, (number,)).start()


@contextmanager
def _none_dropped(handler: _Handler) -> Iterator[None]:
    """Raise signals again whose exception Python drops: in a callback of a weak reference, in `__del__`."""
    before = sys.unraisablehook

    def hook(dropped: "sys.UnraisableHookArgs") -> None:
        if isinstance(dropped.exc_value, Interrupted):
            handler.raise_again(dropped.exc_value.number)
        else:
            before(dropped)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def _leave(interrupted: Interrupted, *, told: bool) -> None:
    """End at once, at the end of the process, where an exception would become a traceback."""
    try:
        if not told:
            os.write(2, interrupted.line.encode())
    finally:
        os._exit(interrupted.code)


@contextmanager
def raised_signals(*, for_good: bool) -> Iterator[None]:
    """Let signals that end this process raise `Interrupted` inside; not those that are ignored or handled already.

    Args:
        for_good: the process ends with the inside; until it is gone, a signal ends it at once, in one sentence.
    """
    handler = _Handler()
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    ours = {number: known for number, known in before.items() if known in DEFAULT_HANDLERS}
    try:
        _handle(dict.fromkeys(ours, handler))
        with _none_dropped(handler):
            yield
    finally:
        handler.is_over = True
        if not for_good:
            _handle(ours)


@contextmanager
def unbroken(done: str = "") -> Iterator[None]:
    """Hold back signals that end this process until what is inside has ended; they act then.

    Args:
        done: what the sentence of an interrupted command then says, where the inside came to its end.

    Raises:
        Interrupted: a signal came meanwhile, and its handler raises `KeyboardInterrupt`.
    """
    held: list[int] = []
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS} if _hears_signals() else {}
    heard = {number: handler for number, handler in before.items() if handler not in (None, signal.SIG_IGN)}
    said = ""
    try:
        _handle(dict.fromkeys(heard, lambda number, _: held.append(number)))
        yield
        said = done
    finally:
        _handle(heard)
        if held:
            _pass_on(held[0], said)


def _hears_signals() -> bool:
    """Whether this is the main thread, in which alone handlers run."""
    import threading  # noqa: PLC0415 - not for --help

    return threading.current_thread() is threading.main_thread()


def _handle(handlers: dict[int, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _pass_on(number: int, done: str) -> None:
    """Let a signal act as if it had come now."""
    try:
        signal.raise_signal(number)
    except KeyboardInterrupt as error:
        raise Interrupted(number, done) from error
