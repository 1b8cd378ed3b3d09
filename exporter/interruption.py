"""What a signal that ends this process does: it raises one exception, or waits until what must not be cut is done.

In: Ctrl-C, SIGTERM, SIGHUP. Out: `Interrupted`. Nothing heavy is imported: a command asks for this first of all.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ENDING_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What ends a command: Ctrl-C, a supervisor, a terminal that closes. Windows has no SIGHUP."""


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
    def code(self) -> int:
        """What a shell gives a program that this signal ends."""
        return 128 + self.number


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
