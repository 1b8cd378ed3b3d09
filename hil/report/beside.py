"""Reports of other runs of the same model, to stand beside this one.

In: paths that were named, or the folder of this report. Out: `ReportData`. A report that was named and is of another
model or export is refused; one that merely lies in a folder beside is left out.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hil.coverage import EXPORT, FUNCTION, MODEL
from hil.errors import BenchError
from hil.report.names import DATA, REPORT_KIND
from hil.report.report_data import SIL_KIND, ReportData, read_report, wrong_keys

KEYS: Mapping[str, Mapping[str, type]] = {
    SIL_KIND: {"model": dict, "runners": list, "vectors": list},
    REPORT_KIND: {"setting": dict, "identity": dict, "coverage": dict, "sections": list, "time_base": str},
}
"""What a column is made of, by kind of report."""


def read_beside(paths: Sequence[Path]) -> tuple[ReportData, ...]:
    """The reports that were named; raises `BenchError` where one cannot be read or is neither of sil nor of hil."""
    found = tuple(read_report(path) for path in paths)
    for each in found:
        if wrong := _lacks(each):
            raise BenchError(f"{each.path} cannot stand beside a run: {wrong}; give one of kinefix sil or kinefix hil")
    return found


def require_same_subject(reports: Sequence[ReportData], subject: Mapping[str, str]) -> None:
    """See that all are of this model, export and function; raises `BenchError` naming the first that is not."""
    for each in reports:
        if other := _other(each, subject):
            raise BenchError(f"{each.path} cannot stand beside this run: {other}; give a report of the same export")


def reports_beside(folder: Path, subject: Mapping[str, str]) -> tuple[ReportData, ...]:
    """The reports in folders beside `folder`, by name; what cannot be read, or is of another export, is left out."""
    here = folder.resolve()
    if not here.parent.is_dir():
        return ()
    places = (each / DATA for each in sorted(here.parent.iterdir()) if each != here)
    found = (_readable(place) for place in places if place.is_file())
    return tuple(each for each in found if each is not None and not _other(each, subject))


def _readable(path: Path) -> ReportData | None:
    try:
        data = read_report(path)
    except BenchError:
        return None
    return None if _lacks(data) else data


def _lacks(data: ReportData) -> str:
    """What a column needs and the report has not; empty where it has all."""
    if data.kind not in KEYS:
        return f"it is a report of {data.kind}"
    return wrong_keys(data.document, KEYS[data.kind])


def _other(data: ReportData, subject: Mapping[str, str]) -> str:
    """What it is of, where that is not this model, export and function; empty where it is."""
    model, export, functions = _subject(data.document, data.kind)
    if model != subject[MODEL]:
        return f"it is of model {model[:16] or 'not known'}, this run of {subject[MODEL][:16]}"
    if export != subject[EXPORT]:
        return f"it is of export {export or 'not known'}, this run of {subject[EXPORT]}"
    if subject[FUNCTION] not in functions:
        return f"it is of {', '.join(functions) or 'no function'}, this run of {subject[FUNCTION]}"
    return ""


def _subject(document: Mapping[str, Any], kind: str) -> tuple[str, str, tuple[str, ...]]:
    """Hash of the model, id and number type of the export, and the functions that were run."""
    if kind == SIL_KIND:
        functions = dict.fromkeys(str(each["function"]) for each in document["verdicts"])
        model = document["model"]
        export = f"{str(model.get('export_id', '')).lower()}, {model.get('real', '')}"
        return str(model.get("model_hash", "")), export, tuple(functions)
    setting = document["setting"]
    export = str(document["identity"].get(EXPORT, ""))
    return str(setting.get(MODEL, "")), export, (str(setting.get(FUNCTION, "")),)
