"""This run and others of the same model side by side: errors, distance to the C here, cost, worst time, misses.

In: reports as data. Out: `Column`, one for each run, whose cells have the same labels.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hil.check_names import BenchCheck
from hil.report.report_data import SIL_KIND
from sil.check_names import Check
from sil.figures import figure

SIL = "SIL"
KINDS = {SIL: "SIL", "sil": "software", "emulated": "emulated", "board": "board"}
"""Kinds of runs by their names in the data, in the order of the columns, with the word at the head of a column."""
WANTED = {SIL: "SIL", "emulated": "an emulated ECU", "board": "a board"}
"""What a model is to be verified on, in words."""
MOST_COLUMNS = 6
"""More find no room on paper."""


@dataclass(frozen=True, slots=True)
class Column:
    """One run."""

    kind: str  # a key of KINDS
    title: str
    place: str  # folder of its report; empty for this run
    cells: Mapping[str, str]  # by label; what is missing was not shown

    @property
    def head(self) -> str:
        """The word at the head of the column."""
        return KINDS.get(self.kind, self.kind)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"kind": self.head, "title": self.title, "folder": self.place, "cells": dict(self.cells)}


def column_of(document: Mapping[str, Any], place: str, function: str) -> Column:
    """The column of a report; `function` is what this run is of."""
    verdicts = [each for each in document["verdicts"] if each["function"] == function]
    is_sil = document["report"] == SIL_KIND
    cells = {
        "verdict": "PASSED" if document["passed"] else "FAILED",
        **dict(_of_sil(document, verdicts, function) if is_sil else _of_bench(document, verdicts)),
        **dict(_errors(verdicts)),
    }
    kind = SIL if is_sil else str(document["setting"].get("target", ""))
    return Column(kind, document["title"], place, cells)


def ordered(columns: Sequence[Column]) -> tuple[Column, ...]:
    """SIL first, boards last."""
    kinds = list(KINDS)
    return tuple(sorted(columns, key=lambda each: kinds.index(each.kind) if each.kind in kinds else len(kinds)))


def table_of(columns: Sequence[Column]) -> list[tuple[str, list[str]]]:
    """A line for each label, with its cell in every column; empty where that run did not show it."""
    labels = dict.fromkeys(label for column in columns for label in column.cells)
    return [(label, [column.cells.get(label, "") for column in columns]) for label in labels]


def missing_kinds(columns: Sequence[Column]) -> tuple[str, ...]:
    """What is wanted and has no column, in words."""
    there = {column.kind for column in columns}
    return tuple(words for kind, words in WANTED.items() if kind not in there)


def _of_sil(document: Mapping[str, Any], verdicts: Sequence[Any], function: str) -> Iterator[tuple[str, str]]:
    model = document["model"]
    yield "export", f"{str(model.get('export_id')).lower()}, {model.get('real')}"
    yield "run by", ", ".join(str(each).partition(":")[0] for each in document.get("runners", ()))
    for each in document.get("vectors", ()):
        if each.get("function") == function:
            yield "vectors", f"{each['count']:,}"
    differ = [_number(each["value"]) for each in verdicts if each["check"].startswith(Check.AGREEMENT)]
    if differ and None not in differ:
        most = max(number for number in differ if number is not None)
        yield "rows that differ from the C here", figure(most)
        if most == 0:
            yield "distance to the C here, ULP", "0"
    for each in verdicts:
        spread = _number(each["value"])
        if each["check"].startswith(Check.SPREAD) and "fewest" in each and spread is not None:
            least = int(each["fewest"])
            yield "instructions of a call", f"{least:,}" if spread == 0 else f"{least:,} to {least + int(spread):,}"


def _of_bench(document: Mapping[str, Any], verdicts: Sequence[Any]) -> Iterator[tuple[str, str]]:
    yield "export", str(document["identity"].get("export", ""))
    yield "run by", str(document["identity"].get("device", ""))
    covered = document.get("coverage", {})
    if covered.get("vectors"):
        yield "vectors", f"{covered['vectors']:,}"
    by_check = {each["check"]: each for each in verdicts}
    if (differ := _number(by_check.get(BenchCheck.LOCKSTEP, {}).get("value"))) is not None:
        yield "rows that differ from the C here", figure(differ)
    if (ulp := _number(covered.get("greatest_ulp"))) is not None:
        yield "distance to the C here, ULP", figure(ulp)
    yield from _costs(document.get("sections", ()))
    for check in (BenchCheck.RESPONSE, BenchCheck.MISSED):
        if (value := _number(by_check.get(check, {}).get("value"))) is not None:
            yield check.value, _of_limit(by_check[check], value)
    yield "clock", str(document["time_base"])


def _costs(sections: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """The greatest of all modes: what one call takes, in what the device counts."""
    for key, label in (("instructions", "instructions of a call"), ("cycles", "cycles of a call")):
        numbers = [each[key] for each in sections if isinstance(each.get(key), int)]
        if numbers:
            yield label, f"about {max(numbers):,}" if key == "instructions" else f"{max(numbers):,}"
    for key, label in (("greatest_us", "longest duration"), ("jitter_us", "start jitter")):
        times = [time for each in sections if (time := _number(each.get(key))) is not None]
        if times:
            yield label, f"{figure(max(times))} us"


def _errors(verdicts: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Every comparison with the reference: its worst value and its limit."""
    for each in verdicts:
        value, limit = _number(each["value"]), _number(each["limit"])
        is_error = any(each["check"].startswith(name) for name in Check)
        if is_error and value is not None and limit is not None and limit > 0:
            yield each["check"], _of_limit(each, value)


def _of_limit(verdict: Mapping[str, Any], value: float) -> str:
    unit = "" if verdict["unit"] in ("1", "activations") else f" {verdict['unit']}"
    limit = _number(verdict["limit"])
    return f"{figure(value)}{unit}" if not limit else f"{figure(value)} of {figure(limit)}{unit}"


def _number(value: Any) -> float | None:
    """A finite number; None for what JSON has in its place."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
