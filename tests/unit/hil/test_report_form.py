"""The report as a form: the verdict in words first, what was not shown, who and what, columns, and where to sign.

The page is read as a browser reads its text; JSON and JUnit must say the same.
"""

import json
import re
import subprocess
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bench_result import FORM, ROOT, report, result

from hil.bench import read_bench, with_entries
from hil.errors import BenchError
from hil.report.beside import read_beside, reports_beside, require_same_subject
from hil.report.columns import MOST_COLUMNS, Column, column_of, ordered, table_of
from hil.report.commit import commit_of
from hil.report.files import write_report
from hil.report.form import form_of
from hil.report.page import page_text
from hil.report.report import Report, make_report
from sil.verdict import Verdict

GOOD = Verdict("missed deadlines", "dostep", 0.0, 0.0, "activations", "all")
NOON = datetime(2026, 1, 2, 12, 0, tzinfo=timezone(timedelta(hours=-3, minutes=-30)))


class Text(HTMLParser):
    """The texts of a page's body, in order, and the cells of its tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.rows: list[list[str]] = []
        self._is_cell = False
        self.feed(page.partition("<body>")[2])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """A row or a cell begins."""
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._is_cell = True

    def handle_endtag(self, tag: str) -> None:
        """A cell ends."""
        self._is_cell = self._is_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        """Text of the page, and of the cell that is open."""
        if data.strip():
            self.texts.append(data.strip())
        if self._is_cell:
            self.rows[-1][-1] += data.strip()

    def row(self, name: str) -> list[str]:
        """The cells behind the one of this text."""
        return next(row[1:] for row in self.rows if row and row[0] == name)


@pytest.mark.parametrize(("verdict", "word"), [(GOOD, "PASSED"), (replace(GOOD, value=3.0), "FAILED")])
def test_the_first_words_are_the_verdict_and_what_was_not_shown(tmp_path: Path, verdict: Verdict, word: str) -> None:
    """In words, not by colour; page, JSON and JUnit name the same, and the signature repeats the verdict."""
    made = report(replace(result(), verdicts=(verdict,)))
    write_report(made, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    text = Text(page).texts
    assert text[:2] == [word, "Not shown:"]
    head = text[2 : text.index("bench <one> & two")]
    document = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert document["verdict"] == word
    lines = [f"{each['what']} ({each['why']})" for each in document["not_shown"]]
    assert page.count("<li>") == len(lines)
    assert " ".join(head) == " ".join(lines)
    assert "time on hardware (the device is emulated, its time is virtual)" in lines
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()
    said = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert said["verdict"] == word
    assert [said[f"not shown.{number}"] for number in range(1, len(lines) + 1)] == lines
    assert f"{word}: bench <one> & two, {FORM.time}" in text[text.index("Signature") :]
    assert text[-3:] == ["name", "date", "signature"]


def test_a_report_that_lacks_nothing_says_so() -> None:
    """An empty list is words too."""
    texts = Text(page_text(replace(report(), not_shown=()))).texts
    assert texts[2] == "nothing that this report could show."


def test_identity_is_in_all_three_files(tmp_path: Path) -> None:
    """Date with offset, station, operator, unit, serial number, tools, hashes, commits, command line."""
    write_report(report(), tmp_path)
    page = Text((tmp_path / "report.html").read_text(encoding="utf-8"))
    form = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["form"]
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()
    said = {each.get("name"): each.get("value") for each in suite.iter("property")}
    wanted = {
        "date and time": "2026-01-02 03:04:05+01:00", "station": "bench 3", "operator": "A. Tester",
        "unit under test": "ECU 7", "serial number": "0042", "target": "emulated arm-m4f", "link": "tcp",
    }  # fmt: skip
    for name, value in wanted.items():
        assert page.row(name) == [value]
        assert form[name] == said[name] == value
    assert page.row("SHA-256: firmware") == [form["sha256"]["firmware"]] == [said["sha256.firmware"]] == ["ab" * 32]
    assert page.row("commit: export") == [form["commits"]["export"]] == [said["commit.export"]] == ["not in git"]
    assert page.row("command line") == [form["command_line"]] == [said["command line"]] == ["kinefix hil bench.toml"]


def test_what_was_not_stated_is_a_line_to_be_filled_in() -> None:
    """A blank in the page, an empty text in JSON, nothing in JUnit."""
    made = report(form=replace(FORM, operator="", serial_number=""))
    page = page_text(made)
    assert page.count('<span class="blank">') == 2
    assert Text(page).row("unit under test") == ["ECU 7"]
    assert (made.document["form"]["operator"], "operator" in made.properties) == ("", False)


def test_a_form_has_the_time_the_station_and_the_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Station and time are of this computer unless the bench file says otherwise, the offset to UTC is the clock's."""
    monkeypatch.chdir(tmp_path)
    found = result()
    stated = with_entries(found.bench, operator="B", unit=None)
    assert (stated.report.operator, stated.report.unit) == ("B", "")
    form = form_of(replace(found, bench=stated), NOON, ("/usr/bin/kinefix", "hil", "my bench.toml"))
    assert form.time == "2026-01-02 12:00:00-03:30"
    assert form.operator == "B"
    assert form.station
    assert form.command_line == "kinefix hil 'my bench.toml'"
    assert form.folder == str(tmp_path)
    assert {"kinefix", "Python", "pyserial", "python-can", "robotframework"} <= set(form.tools)
    named = replace(found.bench, report=replace(found.bench.report, station="room 3"))
    assert form_of(replace(found, bench=named), NOON, ()).station == "room 3"


def test_the_bench_file_states_what_the_report_says(tmp_path: Path) -> None:
    """The section [report], and how much slower than a baseline is allowed; left out, blanks and 5 %."""
    text = (ROOT / "examples" / "bench.toml").read_text(encoding="utf-8")
    plain = re.sub(r"(?ms)^\[(report|baseline)\].*?(?=^\[|\Z)", "", text)
    (tmp_path / "bench.toml").write_text(plain, encoding="utf-8")
    found = read_bench(tmp_path / "bench.toml")
    assert (found.report.operator, found.max_slower) == ("", 0.05)
    stated = '[report]\noperator = "A"\nunit = "U"\nserial_number = "1"\nstation = "S"\n[baseline]\nmax_slower = 0.1\n'
    (tmp_path / "bench.toml").write_text(plain + stated, encoding="utf-8")
    found = read_bench(tmp_path / "bench.toml")
    assert (found.report.unit, found.report.serial_number, found.report.station) == ("U", "1", "S")
    assert found.max_slower == 0.1


def test_a_commit_is_that_of_the_folder_and_says_what_is_not_in_it(
    tmp_path: Path, require_tool: Callable[[str], str]
) -> None:
    """Outside of a repository, without a commit, committed, changed, and beside a file that is not in it."""
    git = require_tool("git")

    def call(*words: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.invalid")
        done = subprocess.run([git, *who, *words], cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    file = tmp_path / "bench.toml"
    file.touch()
    assert commit_of(file) == "not in git"
    call("init", "-q")
    assert commit_of(file) == "in git, without a commit yet"
    call("add", "bench.toml")
    call("commit", "-q", "-m", "one")
    commit = call("rev-parse", "HEAD")
    assert commit_of(file) == commit
    (tmp_path / "other.toml").touch()
    assert commit_of(tmp_path / "other.toml") == f"{commit}; other.toml itself is not in it"
    file.write_text("changed", encoding="utf-8")
    assert commit_of(file) == f"{commit}, with uncommitted changes"


def test_a_computer_without_git_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report is written all the same."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit_of(ROOT / "pyproject.toml") == "not known: git is not installed"


SIL_DOCUMENT = {
    "report": "kinefix-sil", "version": 1, "title": "crank", "headline": "h", "passed": False,
    "model": {"export_id": "AB12", "real": "float32"}, "runners": ["host: gcc 12", "emulated: QEMU"],
    "vectors": [{"function": "position", "count": 1}, {"function": "dostep", "count": 5000}],
    "verdicts": [
        {"function": "position", "check": "closure residual", "value": 9.0, "limit": 10.0, "unit": "m"},
        {"function": "dostep", "check": "closure residual", "value": 1.5, "limit": 2.0, "unit": "m"},
        {"function": "dostep", "check": "bit agreement of m7 and host", "value": 0, "limit": 0, "unit": "rows"},
        {"function": "dostep", "check": "spread of the instruction count", "value": 0, "limit": 0, "unit": "1",
         "fewest": 214},
    ],
}  # fmt: skip


def test_columns_tell_the_same_of_sil_and_of_a_bench() -> None:
    """Verdict, vectors, errors with limits, distance to the C here, instructions, worst time, misses."""
    sil = column_of(SIL_DOCUMENT, "sil", "dostep")
    assert dict(sil.cells) == {
        "verdict": "FAILED", "export": "ab12, float32", "run by": "host, emulated", "vectors": "5,000",
        "rows that differ from the C here": "0", "distance to the C here, ULP": "0", "instructions of a call": "214",
        "closure residual": "1.5 of 2 m",
    }  # fmt: skip
    checks = (
        Verdict("bit agreement in lockstep", "dostep", 0.0, 0.0, "rows", "all"),
        Verdict("closure residual", "dostep", 1.25, 2.0, "m", "all"),
        Verdict("worst finish after release", "dostep", 481.6, 400.0, "us", "all"),
        GOOD,
    )
    own = column_of(report(replace(result(), verdicts=checks)).document, "", "dostep")
    assert (own.kind, own.head) == ("emulated", "emulated arm-m4f, tcp")
    assert sil.head == "SIL arm-m4f"
    wanted = {
        "verdict": "FAILED", "vectors": "200", "rows that differ from the C here": "0",
        "distance to the C here, ULP": "0", "closure residual": "1.25 of 2 m", "longest duration": "480 us",
        "worst finish after release": "482 of 400 us", "missed deadlines": "0", "start jitter": "0.04 us",
        "instructions of a call": "about 7,498",
    }  # fmt: skip
    assert {name: own.cells.get(name) for name in wanted} == wanted
    lines = dict(table_of(ordered((own, sil))))
    assert lines["closure residual"] == ["1.5 of 2 m", "1.25 of 2 m"], "SIL stands first"
    assert lines["missed deadlines"] == ["", "0"]


@pytest.mark.parametrize("value", [None, "text", True, [], {}, float("nan")])
def test_a_report_with_odd_values_gives_a_column_with_fewer_cells(value: object) -> None:
    """Whatever stands where a number belongs is no number, and no error."""
    spoiled = json.loads(json.dumps(SIL_DOCUMENT))
    spoiled["vectors"] = [value, {"function": "dostep", "count": value}]
    for each in spoiled["verdicts"]:
        each |= {"value": value, "limit": value, "fewest": value}
    cells = column_of(spoiled, "sil", "dostep").cells
    assert dict(cells) == {"verdict": "FAILED", "export": "ab12, float32", "run by": "host, emulated"}
    bench = report().document
    bench["sections"] = [value, {"greatest_us": value, "instructions": value}]
    bench["coverage"] = {"vectors": value, "greatest_ulp": value}
    for each in bench["verdicts"]:
        each |= {"value": value, "limit": value}
    assert set(column_of(bench, "", "dostep").cells) == {"verdict", "export", "run by", "clock"}


def test_a_cell_that_a_run_does_not_fill_is_not_shown() -> None:
    """In words, in the page; every column has its kind at its head."""
    sil = column_of(SIL_DOCUMENT, "sil", "dostep")
    page = Text(page_text(replace(report(), columns=ordered((*report().columns, sil)))))
    assert ["", "SIL arm-m4f", "emulated arm-m4f, tcp, this run"] in page.rows
    assert page.row("closure residual") == ["1.5 of 2 m", "not shown"]
    assert page.row("start jitter") == ["not shown", "0.04 us"]


def test_more_runs_than_there_is_room_for_are_counted(tmp_path: Path) -> None:
    """Six columns; of eight runs beside this one three are left out, in words."""
    for number in range(8):
        write_report(report(), tmp_path / f"run {number}")
    made = make_report(result(), tmp_path / "own", now=NOON)
    assert [column.place for column in made.columns] == ["", *(f"run {number}" for number in range(5))]
    assert made.not_shown[-1].text == "3 more runs beside this one (there is room for 6 columns)"
    assert len(made.columns) == MOST_COLUMNS
    assert make_report(result(), None, now=NOON).columns == made.columns[:1], "without a folder nothing is beside it"


def test_paper_and_dark_screens_have_their_own_look() -> None:
    """Black on white on paper, one signature on one sheet; colours of charts follow; nothing is hidden by colour."""
    page = page_text(report())
    style = page.partition("<style>")[2].partition("</style>")[0]
    dark, paper = style.partition("prefers-color-scheme: dark")[2], style.partition("@media print")[2]
    assert "--paper: #14181c" in dark
    assert "--ink: #000000" in paper
    assert "--paper: #ffffff" in paper
    assert re.search(r"\.signature \{ break-inside: avoid", paper)
    assert "svg .bar { fill: var(--bar); }" in style
    assert not re.search(r"<(script|button|input|form)\b", page)


def test_columns_are_told_to_scripts_too() -> None:
    """In JSON and JUnit, by number and label."""
    made: Report = replace(report(), columns=(Column("SIL", "crank", "sil", {"verdict": "PASSED"}, "arm-m7"),))
    assert made.document["columns"] == [
        {
            "kind": "SIL",
            "core": "arm-m7",
            "link": "",
            "title": "crank",
            "folder": "sil",
            "cells": {"verdict": "PASSED"},
        }
    ]
    assert made.properties["column.1.verdict"] == "PASSED"
    assert made.properties["column.1.run"] == "SIL arm-m7, crank"


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({}, ""),
        ({"real": "float64"}, "it is of export ab12, float64, this run of ab12, float32"),
        ({"export_id": "AB13"}, "it is of export ab13, float32, this run of ab12, float32"),
        ({"export_id": None, "real": None}, "it is of export none, None, this run of ab12"),
        ({"model_hash": "other"}, "it is of model other, this run of hash"),
    ],
)
def test_software_of_another_export_does_not_stand_beside_a_run(
    tmp_path: Path, model: dict[str, object], said: str
) -> None:
    """The number type and every byte of the C are in the export's id; named it is refused, found it is left out."""
    verdicts = [{**each, "outcome": "passed", "passed": True, "reason": ""} for each in SIL_DOCUMENT["verdicts"]]
    beside = {**SIL_DOCUMENT, "verdicts": verdicts, "model": SIL_DOCUMENT["model"] | {"model_hash": "hash"} | model}
    path = tmp_path / "sil" / "report.json"
    path.parent.mkdir()
    path.write_text(json.dumps(beside), encoding="utf-8")
    subject = {"model SHA-256": "hash", "export": "ab12, float32", "function": "dostep"}
    assert len(reports_beside(tmp_path / "hil", subject)) == (not said)
    with pytest.raises(BenchError, match=said) if said else nullcontext():
        require_same_subject(read_beside([path]), subject)
