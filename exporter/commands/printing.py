"""How commands print: JSON, tables of two columns, the commands that may follow, progress."""

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from exporter.progress import heard_by, line, say
from exporter.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

    from exporter.progress import Step


def print_json(facts: Mapping[str, object]) -> None:
    """Facts as JSON on stdout."""
    import json

    click.echo(json.dumps(facts, indent=2, ensure_ascii=False))


def print_head(name: str, title: str, *more: str) -> None:
    """The line that says what follows is about: "four_bar: Planar four-bar linkage, float32"; a title may be empty."""
    said = ", ".join(part for part in (title, *more) if part)
    click.echo(f"{name}: {said}" if said else name)


def print_rows(rows: Iterable[tuple[str, ...]], indent: str = "  ") -> None:
    """Rows of words in columns as wide as their longest word; the last column is free."""
    table = list(rows)
    widths = [max(len(word) for word in column) for column in zip(*table, strict=True)]
    for row in table:
        words = [word.ljust(width) for word, width in zip(row[:-1], widths, strict=False)]
        click.echo(f"{indent}{'  '.join((*words, row[-1]))}".rstrip())


OF_LOOP = re.compile(r"loop '([^']*)': (.*)", re.DOTALL)
"""A note on one loop: its name, and what is said of it."""


def joined_notes(notes: Iterable[str]) -> list[str]:
    """Notes, those that say the same of several loops as one that names two of them and how many there are."""
    found: dict[tuple[bool, str], list[str]] = {}
    for note in notes:
        match = OF_LOOP.fullmatch(note)
        found.setdefault((True, match[2]) if match else (False, note), []).append(match[1] if match else "")
    return [_of_loops(names, said) if of_loop else said for (of_loop, said), names in found.items()]


def _of_loops(names: list[str], said: str) -> str:
    if len(names) == 1:
        return f"loop '{names[0]}': {said}"
    more = ", ..." if len(names) > 2 else ""
    return f"each of {len(names):,} loops ('{names[0]}', '{names[1]}'{more}): {said}"


def print_next(*commands: tuple[str, ...]) -> None:
    """What a user may type now, words quoted where a shell needs it."""
    click.echo("next:")
    for words in commands:
        click.echo(f"  {shlex.join(words)}")


BESIDE = 11
"""Columns of a terminal that spinner and clock take, with spaces."""


def _cut(words: str, console: "Console") -> str:
    """Words that leave room for what stands beside them."""
    from rich.text import Text

    text = Text(visible(words))
    text.truncate(max(console.width - BESIDE, 1), overflow="ellipsis")
    return text.plain


@contextmanager
def progress(what: str, console: "Console | None" = None) -> Iterator[Callable[[str], None]]:
    """A line on stderr while something runs: what it does, how far it is, for how long; it is gone at the end.

    Inside, what `exporter.progress` is told stands in it, and what is given to the function that this yields. It is cut
    where the terminal ends, the clock behind it never. Where stderr is no terminal, or the environment has CI, nothing
    is printed.
    """
    if os.environ.get("CI") or (console is None and not sys.stderr.isatty()):
        yield say
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    shown = console or Console(stderr=True)
    words = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis"))
    columns = (SpinnerColumn(), words, TimeElapsedColumn(Column(no_wrap=True)))
    with Progress(*columns, console=shown, transient=True, disable=not shown.is_interactive) as bar:
        task = bar.add_task(_cut(what, shown), total=None)

        def hear(steps: "tuple[Step, ...]") -> None:
            bar.update(task, description=_cut(line(steps), shown))

        with heard_by(hear):
            yield say
