"""What is being done, and how far it is: said by whatever takes long, heard by whoever runs it.

In: words and counts. Out: nothing; where nobody listens, saying costs a look at a variable. So a search deep inside
needs no argument for it, and knows nothing of terminals.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from exporter.records import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is being done."""

    what: str
    number: int = 0  # of the part that is being done, from 1; 0: there are no parts
    total: int = 0  # parts
    name: str = ""  # of the part, however long: it is shown behind all that is done inside

    def text(self) -> str:
        """In words, with the count where there is one."""
        return f"{self.what} ({self.number:,} of {self.total:,})" if self.total else self.what


Listener = Callable[[tuple[Step, ...]], None]
"""Hears of a step and of those that it is part of, the outermost first."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Whatever is said inside is heard by this listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def say(what: str, number: int = 0, total: int = 0) -> None:
    """Say what begins now."""
    listener = _listener.get()
    if listener is not None:
        listener((Step(what, number, total),))


def unnamed(_: object) -> str:
    """The name of what is only counted."""
    return ""


def counted(what: str, items: Sequence[T], name: Callable[[T], str] = str) -> Iterator[T]:
    """Each of the items, said as "what name (3 of 7)" before it is taken."""
    for number, item in enumerate(items, start=1):
        say(f"{what} {name(item)}".rstrip(), number, len(items))
        yield item


def line(steps: Sequence[Step]) -> str:
    """All steps in one line, what and how far first: where it is cut, long names are."""
    words = ": ".join(step.text() for step in steps)
    names = [step.name for step in steps if step.name]
    return f"{words}, {'; '.join(names)}" if names else words


@contextmanager
def within(what: str, number: int = 0, total: int = 0, name: str = "") -> Iterator[None]:
    """What is said inside is part of this step."""
    outer = _listener.get()
    if outer is None:
        yield
        return
    step = Step(what, number, total, name)
    outer((step,))
    with heard_by(lambda inner: outer((step, *inner))):
        yield
