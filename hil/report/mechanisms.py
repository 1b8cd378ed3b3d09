"""What the index says of each mechanism: its cost, its C files, and how every check ended in every run.

In: the exports below a folder, and the entries of the reports there. Out: `MechanismSummary`, one for each export that
is there or was run. An export that no report is about is listed too: nothing was shown of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from exporter.export import Export
from hil.report.entries import Entry
from hil.report.exports_below import export_key
from hil.report.pictures import picture_of

NOT_RUN = "NOT RUN"
WORDS = ("FAILED", "NOTHING COMPARED", "NOT JUDGED", "PASSED")
"""How a check ends, the worst first."""


@dataclass(frozen=True, slots=True)
class FunctionCost:
    """What one call of a function costs."""

    function: str
    operations: int | None  # None: the export is not there
    instructions: str  # empty where no report counted them


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A check, and how it ended in each run."""

    function: str
    check: str
    words: tuple[str, ...]  # of `MechanismSummary.runs`, in their order


@dataclass(frozen=True, slots=True)
class MechanismSummary:
    """A mechanism with everything that was found of it."""

    title: str
    name: str  # of the export; empty where it does not lie below the folder
    export_id: str
    real: str
    files: tuple[str, ...]  # header and C first, relative to the index
    costs: tuple[FunctionCost, ...]
    runs: tuple[Entry, ...]
    rows: tuple[CheckRow, ...]
    picture: str = ""  # where it is, relative to the index, or as data

    @property
    def word(self) -> str:
        """How its runs ended, taken together."""
        if not self.runs:
            return NOT_RUN
        return "PASSED" if all(run.passed for run in self.runs) else "FAILED"

    @property
    def picture_file(self) -> str:
        """The picture where it is a file."""
        return "" if self.picture.startswith("data:") else self.picture

    @property
    def groups(self) -> dict[str, list[CheckRow]]:
        """The rows by function, in their order."""
        return {name: list(rows) for name, rows in groupby(self.rows, key=lambda row: row.function)}


def mechanisms_of(
    folder: Path, exports: Mapping[str, Export], entries: Sequence[Entry]
) -> tuple[MechanismSummary, ...]:
    """All mechanisms: those whose export is there, then those that were only run."""
    there = [_summary(folder, export, _runs_of(key, entries)) for key, export in exports.items()]
    missing = dict.fromkeys(entry.export_id for entry in entries if entry.export_id not in exports)
    return (*there, *(_without_export(key, _runs_of(key, entries)) for key in missing if key))


def _runs_of(export_id: str, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """In software first."""
    return tuple(sorted((each for each in entries if each.export_id == export_id), key=lambda each: not each.is_sil))


def _summary(folder: Path, export: Export, runs: tuple[Entry, ...]) -> MechanismSummary:
    manifest = export.manifest
    costs = tuple(
        FunctionCost(function.name, sum(function.cost.values()), _instructions(runs, function.name))
        for function in manifest.functions
    )
    return MechanismSummary(
        title=manifest.title,
        name=manifest.name,
        export_id=export_key(export),
        real=manifest.real,
        files=_c_files(folder, export),
        costs=costs,
        runs=runs,
        rows=_rows(runs),
        picture=picture_of(folder, export),
    )


def _without_export(export_id: str, runs: tuple[Entry, ...]) -> MechanismSummary:
    functions = dict.fromkeys(check.function for run in runs if not run.is_suite for check in run.checks)
    costs = tuple(FunctionCost(each, None, _instructions(runs, each)) for each in functions)
    return MechanismSummary(runs[0].model or runs[0].title, "", export_id, "", (), costs, runs, _rows(runs))


def _instructions(runs: Sequence[Entry], function: str) -> str:
    """For each core what the first run says that counted them, one that counted exactly before others."""
    cores = dict.fromkeys(run.core for run in runs if function in run.instructions)
    return ", ".join(f"{_counted(runs, function, core)}{f' on {core}' if core else ''}" for core in cores)


def _counted(runs: Sequence[Entry], function: str, core: str) -> str:
    told = [run.instructions[function] for run in runs if run.core == core and function in run.instructions]
    return min(told, key=lambda text: text.startswith("about"))


def _c_files(folder: Path, export: Export) -> tuple[str, ...]:
    """Links to the header, the C file, then all other C of the export."""
    name = export.manifest.name
    own = [f"{name}.h", f"{name}.c"]
    others = sorted(file for file in export.manifest.files if file.endswith((".h", ".c")) and file not in own)
    return tuple(
        (export.folder / file).relative_to(folder).as_posix()
        for file in (*own, *others)
        if (export.folder / file).is_file()
    )


def _rows(runs: Sequence[Entry]) -> tuple[CheckRow, ...]:
    """Each check by function, in the order of the reports; where a run judged it more than once, the worst counts."""
    found: dict[tuple[str, str], list[set[str]]] = {}
    for number, run in enumerate(runs):
        for check in run.checks:
            cells = found.setdefault((check.function, check.check), [set() for _ in runs])
            cells[number].add(check.word)
    functions = list(dict.fromkeys(function for function, _ in found))
    ordered = sorted(found.items(), key=lambda item: functions.index(item[0][0]))
    return tuple(CheckRow(*key, tuple(_worst(words) for words in cells)) for key, cells in ordered)


def _worst(words: set[str]) -> str:
    known = [word for word in WORDS if word in words]
    return known[0] if known else min(words, default=NOT_RUN)
