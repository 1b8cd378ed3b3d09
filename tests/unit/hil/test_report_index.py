"""The index of `kinefix report`: each mechanism, its cost, and the word for every check in every run."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from exporter.cli import main
from exporter.drawing.from_model import picture_of_model
from exporter.export import Export, load_export, write_export
from exporter.model.canonical import canonical
from exporter.model.changes import Changes
from exporter.sources import mechanism_of
from hil.errors import BenchError
from hil.report.index import index_of, write_index
from hil.report.mechanisms import NOT_RUN
from hil.requirements.endings import Ending, RunTest
from hil.requirements.files import write_matrix
from hil.requirements.matrix import matrix_of

ROOT = Path(__file__).resolve().parents[3]
Loader = Callable[[str], ModuleType]


@pytest.fixture
def export(load_data_module: Loader, tmp_path: Path) -> Export:
    """A small export below the folder of the reports."""
    folder = tmp_path / "made here" / "slider"
    write_export(load_data_module("sample_program").slider_crank_program("float32"), folder, {})
    return load_export(folder)


def verdict(check: str, outcome: str = "passed", **more: object) -> dict[str, object]:
    """A verdict of `dostep` as reports have it."""
    reason = "no counter" if outcome == "not judged" else ""
    passed = outcome == "passed"
    return {"function": "dostep", "check": check, "outcome": outcome, "passed": passed, "reason": reason, **more}


def leave(folder: Path, kind: str, verdicts: list[dict[str, object]], **more: object) -> None:
    """A report of a run."""
    passed = all(each["outcome"] in ("passed", "not judged") for each in verdicts)
    document = {
        "report": kind,
        "version": 2 if kind == "kinefix-hil" else 1,
        "title": f"run of {folder.name}",
        "headline": "a headline",
    }
    folder.mkdir(parents=True)
    text = json.dumps(document | {"passed": passed, "verdicts": verdicts} | more)
    (folder / "report.json").write_text(text, encoding="utf-8")


def leave_both(folder: Path, export: Export) -> None:
    """What SIL and a bench leave of an export."""
    key = f"{export.manifest.export_id:08x}"
    spread = verdict("spread of the instruction count", value=2.0, fewest=1214)
    sil = [verdict("closure residual"), verdict("dynamics", "nothing compared"), spread]
    leave(folder / "sil", "kinefix-sil", sil, model={"export_id": key.upper()})
    late = verdict("worst finish after release", value=26.76, limit=400.0, unit="us")
    hil = [verdict("closure residual", "failed"), verdict("cost depends on inputs", "not judged"), late]
    about = {"identity": {"export": f"{key}, float32", "model": "A slider (slider)"}, "time_base": "virtual time"}
    leave(folder / "hil", "kinefix-hil", hil, **about)


def page_of(folder: Path) -> ElementTree.Element:
    """The page as a tree; it is written so that an XML reader takes it, but for the line before and void elements."""
    text = write_index(folder, index_of(folder)).read_text(encoding="utf-8")
    body = text[text.index("<body>") : text.index("</body>") + len("</body>")]
    return ElementTree.fromstring(body)


def cells(row: ElementTree.Element) -> list[str]:
    """The words of a row."""
    return ["".join(cell.itertext()) for cell in row]


def test_every_check_has_its_word_in_every_run(export: Export, tmp_path: Path) -> None:
    """Software first; in words, and what was not run is said to be so."""
    leave_both(tmp_path, export)
    (mechanism,) = index_of(tmp_path).mechanisms
    assert [run.label for run in mechanism.runs] == ["SIL", "HIL: run of hil"]
    assert mechanism.word == "FAILED"
    table = {row.check: row.words for row in mechanism.rows}
    assert table == {
        "closure residual": ("PASSED", "FAILED"),
        "dynamics": ("NOTHING COMPARED", NOT_RUN),
        "spread of the instruction count": ("PASSED", NOT_RUN),
        "cost depends on inputs": (NOT_RUN, "NOT JUDGED"),
        "worst finish after release": (NOT_RUN, "PASSED"),
    }
    rows = [cells(row) for row in page_of(tmp_path).iter("tr")]
    assert all([check, *words] in rows for check, words in table.items())


def test_cost_and_worst_time_are_those_of_export_and_reports(export: Export, tmp_path: Path) -> None:
    """Operations of the manifest, instructions of SIL, the finish of the bench."""
    leave_both(tmp_path, export)
    rows = [cells(row) for row in page_of(tmp_path).iter("tr")]
    operations = {each.name: sum(each.cost.values()) for each in export.manifest.functions}
    assert ["dostep", f"{operations['dostep']:,}", "1,214 to 1,216"] in rows
    assert ["position", f"{operations['position']:,}", "not counted"] in rows
    title = export.manifest.title
    assert [title, "HIL: run of hil", "FAILED", "1 of 3", "26.8 us of 400 us, virtual time"] in rows
    assert [title, "SIL", "FAILED", "2 of 3", "–"] in rows


def test_a_count_of_instructions_has_its_core(export: Export, tmp_path: Path) -> None:
    """One for each core, that of SIL before that of a bench on the same one; runs are told apart by their core."""
    key, spread = f"{export.manifest.export_id:08x}", verdict("spread of the instruction count", value=0, fewest=1214)
    leave(tmp_path / "sil", "kinefix-sil", [spread], model={"export_id": key}, runners=["host: gcc", "emulated: QEMU"])
    for core, count in (("arm-m4f", 1215), ("arm-m7", 1301)):
        about = {
            "setting": {"target": "emulated", "core": core},
            "identity": {"export": f"{key}, float32", "link": "tcp"},
        }
        leave(tmp_path / core / "hil", "kinefix-hil", [verdict("c")], sections=[{"instructions": count}], **about)
    (mechanism,) = index_of(tmp_path).mechanisms
    told = next(each.instructions for each in mechanism.costs if each.function == "dostep")
    assert told == "1,214 on arm-m4f, about 1,301 on arm-m7"
    labels = ["SIL, arm-m4f", "HIL: run of hil, emulated arm-m4f, tcp", "HIL: run of hil, emulated arm-m7, tcp"]
    assert [run.label for run in mechanism.runs] == labels
    assert [run.place for run in mechanism.runs][1:] == [
        "arm-m4f/hil; emulated arm-m4f, tcp",
        "arm-m7/hil; emulated arm-m7, tcp",
    ]


def test_the_c_is_linked(export: Export, tmp_path: Path) -> None:
    """Header and C first; a blank in a folder's name is written as links need it."""
    leave_both(tmp_path, export)
    links = [each.get("href", "") for each in page_of(tmp_path).iter("a")]
    name = export.manifest.name
    assert [link for link in links if link.endswith((".h", ".c"))][:2] == [
        f"made%20here/slider/{name}.h",
        f"made%20here/slider/{name}.c",
    ]


def test_an_export_that_nothing_ran_is_no_pass(export: Export, tmp_path: Path) -> None:
    """The headline, the page and the table say so."""
    leave(tmp_path / "hil", "kinefix-hil", [verdict("missed deadlines")])
    index = index_of(tmp_path)
    assert index.headline == "1 report, none failed; nothing was run of 1 export"
    assert [cells(row) for row in page_of(tmp_path).iter("tr")][1] == [export.manifest.title, "none", NOT_RUN, "–", "–"]
    assert [entry.title for entry in index.others] == ["run of hil"]


def test_a_run_without_its_export_is_listed_all_the_same(export: Export, tmp_path: Path) -> None:
    """Found by what the reports say of it; no C is linked, and no operations are claimed."""
    leave_both(tmp_path / "reports", export)
    (mechanism,) = index_of(tmp_path / "reports").mechanisms
    assert (mechanism.export_id, mechanism.files) == (f"{export.manifest.export_id:08x}", ())
    assert ["dostep", "–", "1,214 to 1,216"] in [cells(row) for row in page_of(tmp_path / "reports").iter("tr")]


def test_a_changed_export_is_named(export: Export, tmp_path: Path) -> None:
    """It is none of what the reports are about; a manifest of another program is nobody's concern."""
    leave_both(tmp_path, export)
    (tmp_path / "manifest.json").write_text('{"name": "a web page"}', encoding="utf-8")
    assert index_of(tmp_path).notes == ()
    header = export.folder / f"{export.manifest.name}.h"
    header.write_text("changed", encoding="utf-8")
    (note,) = index_of(tmp_path).notes
    assert note.startswith("the export made here/slider is left out:")
    assert "was changed after the export" in note


def test_runs_of_one_name_are_told_apart(export: Export, tmp_path: Path) -> None:
    """By their folders; a run that is alone needs none."""
    leave_both(tmp_path / "monday", export)
    leave_both(tmp_path / "tuesday", export)
    (mechanism,) = index_of(tmp_path).mechanisms
    assert [run.label for run in mechanism.runs] == [
        "SIL (monday/sil)",
        "SIL (tuesday/sil)",
        "HIL: run of hil (monday/hil)",
        "HIL: run of hil (tuesday/hil)",
    ]


def test_requirements_are_listed_with_their_verdicts(tmp_path: Path) -> None:
    """Each links its line of the matrix."""
    passed = RunTest("Suite.Stays Below", Ending.PASSED, "", ("SYS 1",), "output.xml")
    write_matrix(matrix_of([passed], {"SYS 1": "the piston stays", "SYS-2": "nobody asks"}), tmp_path / "matrix")
    page = page_of(tmp_path)
    rows = [cells(row) for row in page.iter("tr")]
    assert rows[1:] == [["SYS 1", "the piston stays", "PASSED"], ["SYS-2", "nobody asks", "UNTESTED"]]
    links = [each.get("href") for each in page.iter("a")]
    assert links == [f"matrix/requirements.html{anchor}" for anchor in ("", "#SYS%201", "#SYS-2")]


def test_scripts_get_the_same(export: Export, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` has mechanisms, cost, words and links."""
    leave_both(tmp_path, export)
    with pytest.raises(SystemExit, match="1"):
        main(["report", str(tmp_path), "--json"])
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (told["passed"], told["headline"]) == (False, "2 of 2 reports failed")
    (mechanism,) = told["mechanisms"]
    assert mechanism["rows"][0] == {"function": "dostep", "check": "closure residual", "words": ["PASSED", "FAILED"]}
    assert mechanism["costs"][-1]["instructions"] == "1,214 to 1,216"


def test_a_picture_beside_the_export_is_shown(export: Export, tmp_path: Path) -> None:
    """One called as the mechanism, with words for who cannot see it; without it, and without a model, none."""
    leave_both(tmp_path, export)
    assert page_of(tmp_path).find(".//img") is None
    (tmp_path / f"{export.manifest.name}.svg").write_text("<svg/>", encoding="utf-8")
    text = write_index(tmp_path, index_of(tmp_path)).read_text(encoding="utf-8")
    assert f'<img src="{export.manifest.name}.svg" alt="{export.manifest.title}, drawn">' in text


def test_a_mechanism_is_drawn_from_its_export(export: Export) -> None:
    """As `kinefix show` draws it (docs/images), but for the line that names the branch."""
    mechanism = mechanism_of("slider_crank", Changes(), "show")
    manifest = replace(export.manifest, kind="mechanism", model=dict(canonical(mechanism)))
    shown = (ROOT / "docs" / "images" / "slider_crank.svg").read_text(encoding="utf-8").splitlines()
    drawn = picture_of_model(manifest).splitlines()
    assert [line for line in shown if 'y="48"' not in line] == [line for line in drawn if 'y="48"' not in line]
    assert picture_of_model(replace(manifest, kind="symbolic")) == ""


def test_an_index_whose_place_is_taken_is_one_sentence(export: Export, tmp_path: Path) -> None:
    """A folder stands where the page is to be written."""
    leave_both(tmp_path, export)
    write_index(tmp_path, index_of(tmp_path)).unlink()
    (tmp_path / "index.html").mkdir()
    with pytest.raises(BenchError, match=r"index\.html cannot be written \(Is a directory\)"):
        write_index(tmp_path, index_of(tmp_path))
