"""This run and others of the same model side by side: errors, distance to the C here, cost, worst time, misses.

In: reports as data. Out: `Column`, one for each run, whose cells have the same labels.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hil.check_names import BenchCheck
from hil.report.report_data import SIL_KIND
from sil.check_names import Check
from sil.figures import figure

SIL = "SIL"
RUN_BY = "run by"
KINDS = {SIL: "SIL", "sil": "software", "emulated": "emulated", "board": "board"}
"""Kinds of runs by their names in the data, in the order of the columns, with the word at the head of a column."""
WANTED = {SIL: "SIL", "emulated": "an emulated ECU", "board": "a board"}
"""What a model is to be verified on, in words."""
CORES = {"emulated": "arm-m4f", "m7": "arm-m7"}
"""Runners of SIL that execute machine code of a target, each with its core as bench files call it."""
MOST_COLUMNS = 6
"""More find no room on paper."""


@dataclass(frozen=True, slots=True)
class Column:
    """One run."""

    kind: str  # a key of KINDS
    title: str
    place: str  # folder of its report; empty for this run
    cells: Mapping[str, str]  # by label; what is missing was not shown
    core: str = ""  # empty: this computer
    link: str = ""  # its kind

    @property
    def head(self) -> str:
        """What stands at the head of the column: "emulated arm-m4f, CAN"."""
        words = f"{KINDS.get(self.kind, self.kind)} {self.core}".strip()
        return f"{words}, {self.link}" if self.link else words

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = {"kind": KINDS.get(self.kind, self.kind), "core": self.core, "link": self.link}
        return told | {"title": self.title, "folder": self.place, "cells": dict(self.cells)}


def column_of(document: Mapping[str, Any], place: str, function: str) -> Column:
    """The column of a report; `function` is what this run is of."""
    verdicts = [each for each in document["verdicts"] if each["function"] == function]
    is_sil = document["report"] == SIL_KIND
    cells = {
        "verdict": "PASSED" if document["passed"] else "FAILED",
        **dict(_of_sil(document, verdicts, function) if is_sil else _of_bench(document, verdicts)),
        **dict(_errors(verdicts)),
    }
    kind = _kind_of(document)
    return Column(kind, document["title"], place, cells, core_of(document), _link_of(document))


def core_of(document: Mapping[str, Any]) -> str:
    """Which core's machine code ran, as in "arm-m4f"; empty where it was this computer's, or is not told."""
    if document["report"] == SIL_KIND:
        names = (str(each).partition(":")[0] for each in document.get("runners") or ())
        return ", ".join(CORES[name] for name in names if name in CORES)
    setting = document.get("setting")
    told = setting if isinstance(setting, dict) else {}
    return "" if told.get("target") == "sil" else str(told.get("core", ""))


def place_of(document: Mapping[str, Any]) -> str:
    """What a run was on: "emulated arm-m4f, CAN"; empty where that is not told."""
    return Column(_kind_of(document), "", "", {}, core_of(document), _link_of(document)).head


def _kind_of(document: Mapping[str, Any]) -> str:
    """A key of KINDS; empty where none is told."""
    if document["report"] == SIL_KIND:
        return SIL
    setting = document.get("setting")
    return str(setting.get("target", "")) if isinstance(setting, dict) else ""


def _link_of(document: Mapping[str, Any]) -> str:
    """The kind of link: "CAN"; empty for software."""
    identity = document.get("identity")
    told = str(identity.get("link", "")) if isinstance(identity, dict) else ""
    return "" if told == "loop" else told.partition(",")[0]


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
    yield RUN_BY, ", ".join(str(each).partition(":")[0] for each in document["runners"])
    for each in _tables(document["vectors"]):
        if each.get("function") == function and (count := _number(each.get("count"))) is not None:
            yield "vectors", figure(count)
    differ = [_number(each.get("value")) for each in verdicts if each["check"].startswith(Check.AGREEMENT)]
    if differ and None not in differ:
        most = max(number for number in differ if number is not None)
        yield "rows that differ from the C here", figure(most)
        if most == 0:
            yield "distance to the C here, ULP", "0"
    for each in verdicts:
        spread, fewest = _number(each.get("value")), _number(each.get("fewest"))
        if each["check"].startswith(Check.SPREAD) and fewest is not None and spread is not None:
            longer = f" to {figure(fewest + spread)}" if spread else ""
            yield "instructions of a call", f"{figure(fewest)}{longer}"


def _of_bench(document: Mapping[str, Any], verdicts: Sequence[Any]) -> Iterator[tuple[str, str]]:
    yield "export", str(document["identity"].get("export", ""))
    yield RUN_BY, str(document["identity"].get("device", ""))
    covered = document["coverage"]
    if count := _number(covered.get("vectors")):
        yield "vectors", figure(count)
    by_check = {each["check"]: each for each in verdicts}
    if (differ := _number(by_check.get(BenchCheck.LOCKSTEP, {}).get("value"))) is not None:
        yield "rows that differ from the C here", figure(differ)
    if (ulp := _number(covered.get("greatest_ulp"))) is not None:
        yield "distance to the C here, ULP", figure(ulp)
    yield from _costs(_tables(document["sections"]))
    for check in (BenchCheck.RESPONSE, BenchCheck.MISSED):
        if (value := _number(by_check.get(check, {}).get("value"))) is not None:
            yield check.value, _of_limit(by_check[check], value)
    yield "clock", str(document["time_base"])


def _costs(sections: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """The greatest of all modes: what one call takes, in what the device counts."""
    for key, label, how in (("instructions", "instructions of a call", "about "), ("cycles", "cycles of a call", "")):
        numbers = [number for each in sections if (number := _number(each.get(key))) is not None]
        if numbers:
            yield label, f"{how}{figure(max(numbers))}"
    for key, label in (("greatest_us", "longest duration"), ("jitter_us", "start jitter")):
        times = [time for each in sections if (time := _number(each.get(key))) is not None]
        if times:
            yield label, f"{figure(max(times))} us"


def _errors(verdicts: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Every comparison with the reference: its worst value and its limit."""
    for each in verdicts:
        value, limit = _number(each.get("value")), _number(each.get("limit"))
        is_error = any(each["check"].startswith(name) for name in Check)
        if is_error and value is not None and limit is not None and limit > 0:
            yield each["check"], _of_limit(each, value)


def _of_limit(verdict: Mapping[str, Any], value: float) -> str:
    unit = "" if verdict.get("unit") in (None, "1", "activations") else f" {verdict['unit']}"
    limit = _number(verdict.get("limit"))
    return f"{figure(value)}{unit}" if not limit else f"{figure(value)} of {figure(limit)}{unit}"


def _tables(listed: Sequence[Any]) -> list[dict[str, Any]]:
    """The tables of a list."""
    return [each for each in listed if isinstance(each, dict)]


def _number(value: Any) -> float | None:
    """A finite number; None for what JSON has in its place."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None
