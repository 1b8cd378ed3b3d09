"""Writes out what a mechanism file says once for each of several: entries with `{leg}` in their name.

In: the document that a TOML reader made, which fits the schema. Out: `ExpandedDocument`: the same without [each], every
such entry once for each instance, so that nothing behind this step knows of repetition.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from itertools import groupby
from typing import Any

from exporter.errors import ModelError
from exporter.model.place import Place
from exporter.model.toml.each import Choice, Families, InstanceChoice, families_of
from exporter.model.toml.lines import Path, key_lines, line_of
from exporter.records import dataclass

EACH = "each"
MOST_ENTRIES = 10_000  # that a file may be written out to


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a written-out entry comes from: the line of what was repeated, and for which instances."""

    line: int
    choice: Choice


@dataclass(frozen=True, slots=True)
class ExpandedDocument:
    """A document without repetition, and where its entries come from."""

    document: dict[str, Any]
    place: Place  # of the file
    origins: Mapping[str, Origin]  # by key, "joints.hip3.parent"

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Errors raised inside tell which instance is meant, and which line of the file."""
        try:
            yield
        except ModelError as error:
            origin = self._origin_of(str(error).removeprefix(f"{self.place.origin}: "))
            if origin is None:
                raise
            chosen = ", ".join(f"{family} = {instance}" for family, instance in origin.choice.items())
            raise ModelError(f"{error} (line {origin.line}, {chosen})") from None

    def _origin_of(self, sentence: str) -> Origin | None:
        """The origin of the longest key which an error starts with."""
        keys = [key for key in self.origins if sentence.startswith((f"{key}:", f"{key}.", f"{key}["))]
        return self.origins[max(keys, key=len)] if keys else None


def written_out(document: Mapping[str, Any], text: str, place: Place) -> ExpandedDocument:
    """The document that a file with [each] stands for; `text` is that of the file.

    Raises:
        ModelError: a name or value that [each] lacks or that nothing asks for, or two entries of one name.
    """
    families = families_of(place / EACH, document[EACH])
    writer = _Writer(place, families, key_lines(text))
    written = writer.table({key: value for key, value in document.items() if key != EACH}, {}, "", ())
    families.require_used()
    return ExpandedDocument(written, place, writer.origins)


@dataclass
class _Writer:
    """A document being written out; `key` is where an entry goes, `source` the path of what is repeated."""

    place: Place
    families: Families
    lines: Mapping[Path, int]
    origins: dict[str, Origin] = field(default_factory=dict)
    entries: int = 0

    def table(self, table: Mapping[str, Any], choice: Choice, key: str, source: Path) -> dict[str, Any]:
        """A table. Neighbours that repeat for the same families take turns: hip1, leg1, hip2, leg2."""
        written: dict[str, Any] = {}
        for families, run in groupby(table.items(), lambda entry: self._open(entry[0], choice)):
            entries = list(run)
            for wider in self.families.choices(families, choice):
                for name, value in entries:
                    self._entry(written, value, wider, key, (*source, name))
        return written

    def _entry(self, written: dict[str, Any], value: Any, choice: Choice, key: str, source: Path) -> None:
        line = line_of(source, self.lines)
        name = InstanceChoice(self.families, choice, line).of(source[-1])
        if not isinstance(name, str):
            raise self.families.place.error(f'"{source[-1]}" in line {line} is a list, and a name is a text')
        at = f"{key}.{name}" if key else name
        if name in written:
            raise Place(self.place.origin, at).error(
                f'"{source[-1]}" in line {line} gives a second entry of this name; rename one of them'
            )
        if choice:
            self.origins[at] = Origin(line, choice)
        written[name] = self._value(value, choice, at, source)

    def _value(self, value: Any, choice: Choice, key: str, source: Path) -> Any:
        self.entries += 1
        if self.entries > MOST_ENTRIES:
            raise self.families.place.error(f"the file means more than {MOST_ENTRIES} entries; repeat less")
        if isinstance(value, str):
            return InstanceChoice(self.families, choice, line_of(source, self.lines)).of(value)
        if isinstance(value, list):
            return [self._value(part, wider, key, source) for part, wider in self._parts(value, choice)]
        if isinstance(value, dict):
            return self.table(value, choice, key, source)
        return value

    def _parts(self, parts: list[Any], choice: Choice) -> Iterator[tuple[Any, Choice]]:
        """The parts of a list, those that name a family once for each of its instances."""
        for part in parts:
            for wider in self.families.choices(self._open(part, choice), choice):
                yield part, wider

    def _open(self, text: Any, choice: Choice) -> tuple[str, ...]:
        """The families for which an entry of this name, or a text of a list, is repeated here."""
        named = self.families.named_in(text) if isinstance(text, str) else ()
        return tuple(family for family in named if family not in choice)
