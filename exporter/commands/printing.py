"""How commands print: JSON, tables of two columns, the commands that may follow, progress."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

import click

from exporter.visible import visible


def print_json(facts: Mapping[str, object]) -> None:
    """Facts as JSON on stdout."""
    import json

    click.echo(json.dumps(facts, indent=2, ensure_ascii=False))


def print_rows(rows: Iterable[tuple[str, ...]], indent: str = "  ") -> None:
    """Rows of words in columns as wide as their longest word; the last column is free."""
    table = list(rows)
    widths = [max(len(word) for word in column) for column in zip(*table, strict=True)]
    for row in table:
        words = [word.ljust(width) for word, width in zip(row[:-1], widths, strict=False)]
        click.echo(f"{indent}{'  '.join((*words, row[-1]))}".rstrip())


def print_next(*commands: tuple[str, ...]) -> None:
    """What a user may type now, words quoted where a shell needs it."""
    click.echo("next:")
    for words in commands:
        click.echo(f"  {shlex.join(words)}")


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """A spinner on stderr while something runs, and what changes its text; nothing where stderr is no terminal."""
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(visible(what))) as status:
        yield lambda text: status.update(Text(visible(text)))
