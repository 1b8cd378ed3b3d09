"""The table [each] of a mechanism file: what there are several of, and what differs from one to the next.

In: the table, which fits the schema. Out: `Families`; a `InstanceChoice` puts names and values of one choice of
instances into texts: `{leg}` and `{leg.A}`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from itertools import product
from typing import Any

from exporter.model.nearest import list_words, nearest
from exporter.model.place import Place
from exporter.records import dataclass

Choice = Mapping[str, str]
"""The instance that each family stands for: {"leg": "3"}."""

_REFERENCE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(?:\.([A-Za-z_][A-Za-z0-9_]*))?\}")


@dataclass(frozen=True)
class Families:
    """Values by family, instance and name, and what of them has been asked for yet."""

    place: Place  # of [each]
    instances: Mapping[str, Mapping[str, Mapping[str, Any]]]
    used: set[tuple[str, str]] = field(default_factory=set)  # family and value; "" for the family itself

    def named_in(self, text: str) -> tuple[str, ...]:
        """The families that a text names, in the order of [each]."""
        found = {match[1] for match in _REFERENCE.finditer(text)}
        return tuple(family for family in self.instances if family in found)

    def choices(self, families: tuple[str, ...], choice: Choice) -> Iterator[Choice]:
        """The choice widened by every combination of instances of these families, the last one changing fastest."""
        self.used.update((family, "") for family in families)
        for combination in product(*(self.instances[family] for family in families)):
            yield {**choice, **dict(zip(families, combination, strict=True))}

    def require_used(self) -> None:
        """Refuse what nothing asks for: most likely a name is misspelt.

        Raises:
            ModelError: naming the table or the value.
        """
        for family, instances in self.instances.items():
            if (family, "") not in self.used:
                raise (self.place / family).error(
                    f"no name has {{{family}}} in it; put it into the names of the entries that are repeated"
                )
            for name, values in instances.items():
                for key in values:
                    if (family, key) not in self.used:
                        raise (self.place / family / name / key).error(
                            f"nothing asks for {{{family}.{key}}}; use it or leave it out"
                        )


def families_of(place: Place, table: Mapping[str, Any]) -> Families:
    """The families of [each]; a list gives names alone.

    Raises:
        ModelError: a list names an instance twice.
    """
    instances: dict[str, Mapping[str, Mapping[str, Any]]] = {}
    for family, given in table.items():
        if isinstance(given, list):
            _require_once(place / family, given)
            instances[family] = {name: {} for name in given}
        else:
            instances[family] = given
    return Families(place, instances)


def _require_once(place: Place, names: list[str]) -> None:
    for position, name in enumerate(names):
        if name in names[:position]:
            raise place.error(f'"{name}" is named twice; name it once')


@dataclass(frozen=True, slots=True)
class InstanceChoice:
    """One choice of instances, for texts that stand in one line of the file."""

    families: Families
    choice: Choice
    line: int
    pending: tuple[tuple[str, str], ...] = ()  # values that are being filled in

    def of(self, text: str) -> Any:
        """The text with what it names filled in. A text that is nothing but one value becomes that value.

        Raises:
            ModelError: it names what is not there, a list within a text, or a value that is defined by itself.
        """
        whole = _REFERENCE.fullmatch(text)
        return self._meaning(whole) if whole else _REFERENCE.sub(self._within, text)

    def _within(self, match: re.Match[str]) -> str:
        meaning = self._meaning(match)
        if not isinstance(meaning, str):
            raise self.families.place.error(
                f"{match[0]} in line {self.line} is a list in the middle of a text; let it stand alone"
            )
        return meaning

    def _meaning(self, match: re.Match[str]) -> Any:
        family, key = match[1], match[2]
        known, asked = self.families.instances, f"{match[0]} in line {self.line}"
        if family not in known:
            raise self.families.place.error(
                f"{asked} names no table of [each]{nearest(family, known)}; there is {list_words(known)}"
            )
        if family not in self.choice:
            raise self.families.place.error(
                f"{asked} stands in an entry that is written once; put {{{family}}} into the name of the entry"
            )
        return self.choice[family] if key is None else self._value(family, key, asked)

    def _value(self, family: str, key: str, asked: str) -> Any:
        instance = self.choice[family]
        values, place = self.families.instances[family][instance], self.families.place / family / instance
        if key not in values:
            raise place.error(f'there is no "{key}"{nearest(key, values)}, and {asked} asks for it; add it')
        if (family, key) in self.pending:
            raise (place / key).error(f"{asked} needs this value, and this value needs itself; write it out")
        self.families.used.add((family, key))
        inner = replace(self, pending=(*self.pending, (family, key)))
        value = values[key]
        return inner.of(value) if isinstance(value, str) else [inner.of(part) for part in value]
