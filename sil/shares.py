"""How much of a task is done: told by what is at work deep inside it, heard by whoever waits for its end.

In: parts of a task, and rows as they are done. Out: nothing; where nobody listens, telling costs a look at a variable.
No result depends on it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")
Found = TypeVar("Found")
Hear = Callable[[float, str], None]
"""Hears which share of a task is done, from 0 to 1, and what is at work now."""


@dataclass(slots=True)
class _Part:
    """What is at work, and between which shares of the task."""

    hear: Hear
    what: str
    done: float
    end: float


_now: ContextVar[_Part | None] = ContextVar("now", default=None)


@contextmanager
def heard_by(hear: Hear) -> Iterator[None]:
    """What is done inside is a whole task."""
    with _set(_Part(hear, "", 0.0, 1.0)):
        yield


@contextmanager
def part(what: str, begin: float, end: float) -> Iterator[None]:
    """What is done inside lies between two shares of what it is part of."""
    outer = _now.get()
    if outer is None:
        yield
        return
    width = outer.end - outer.done
    inner = _Part(outer.hear, what, outer.done + begin * width, outer.done + end * width)
    inner.hear(inner.done, what)
    with _set(inner):
        yield


def in_parts(
    items: Sequence[Item], name: Callable[[Item], str], work: Callable[[Item], Found], begin: float = 0.0
) -> list[Found]:
    """Do the work on each of the items, which are equal parts of what is left from a share on."""
    width, found = (1.0 - begin) / max(len(items), 1), []
    for number, item in enumerate(items):
        with part(name(item), begin + number * width, begin + (number + 1) * width):
            found.append(work(item))
    return found


def one_by_one(items: Sequence[Item]) -> Iterator[Item]:
    """Each of the items; all of them are half of what is left of the part, since others may follow them there."""
    now = _now.get()
    if now is None or len(items) < 2:
        yield from items
        return
    begin, width = now.done, (now.end - now.done) / 2
    for number, item in enumerate(items, start=1):
        yield item
        now.done = begin + width * number / len(items)
        now.hear(now.done, now.what)


@contextmanager
def _set(now: _Part) -> Iterator[None]:
    token = _now.set(now)
    try:
        yield
    finally:
        _now.reset(token)
