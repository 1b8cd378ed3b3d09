"""The matrix of requirements: from result files as Robot Framework and pytest write them to pages and exit codes.

Oracle: verdicts written down by hand for each requirement.
"""

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from exporter.cli import kinefix
from exporter.errors import KinefixError
from hil.report.index import collect
from hil.requirements.files import MATRIX_KIND, MATRIX_VERSION, write_matrix
from hil.requirements.matrix import matrix_of
from hil.requirements.results import read_results

ROBOT = """<?xml version="1.0"?>
<robot generator="Robot 7.5"><suite name="ECU"><suite name="Crank">
<test name="Turns">
<kw><status status="PASS"/></kw><tag>req:SYS-1</tag><tag>REQ:SYS-2</tag><status status="PASS"/></test>
<test name="Stops">
<kw><status status="FAIL"/></kw><tag>req:SYS-2</tag><status status="FAIL">F &lt; 1 N</status></test>
<test name="In time">
<kw><status status="SKIP"/></kw><tag>req:SYS-3</tag><status status="SKIP">no counter</status></test>
<test name="Free">
<kw><status status="PASS"/></kw><tag>smoke</tag><status status="PASS"/></test>
</suite></suite></robot>
"""
JUNIT = """<testsuites><testsuite name="pytest">
<testcase classname="test_ecu" name="test_up"><properties><property name="requirement" value="SYS-1"/>
<property name="other" value="SYS-9"/></properties></testcase>
<testcase classname="test_ecu" name="test_down"><properties><property name="requirement" value="SYS-6"/></properties>
<failure message="1 mm off">trace</failure></testcase>
</testsuite></testsuites>
"""
LIST = "# of the crank\nSYS-1 it turns\nSYS-2\tit stops\n\nSYS-3 in time\nSYS-4 it is silent\nSYS-6 it goes <down>\n"
SHOWN = {"SYS-1": "passed", "SYS-2": "failed", "SYS-3": "open", "SYS-4": "untested", "SYS-6": "failed"}
GREEN = ROBOT.partition('<test name="Stops"')[0].replace("REQ:SYS-2", "fast") + "</suite></suite></robot>"


def run(folder: Path, *words: str, robot: str = ROBOT, listed: str = LIST) -> Result:
    """The command on these results."""
    (folder / "output.xml").write_text(robot, encoding="utf-8")
    (folder / "pytest.xml").write_text(JUNIT, encoding="utf-8")
    (folder / "list.txt").write_text(listed, encoding="utf-8")
    return CliRunner().invoke(kinefix, ["requirements", str(folder / "output.xml"), *words], catch_exceptions=False)


def test_each_requirement_has_its_verdict_in_all_forms(tmp_path: Path) -> None:
    """HTML, JSON, text, JUnit and the index of reports say the same."""
    out = tmp_path / "out"
    done = run(tmp_path, str(tmp_path / "pytest.xml"), "--list", str(tmp_path / "list.txt"), "--out", str(out))
    assert done.exit_code == 1
    assert done.output.splitlines()[0] == "FAILED: 5 requirements, 1 passed, 2 failed, 1 open, 1 untested"
    data = json.loads((out / "requirements.json").read_text(encoding="utf-8"))
    assert {each["number"]: each["shown"] for each in data["requirements"]} == SHOWN
    tests = {each["number"]: [test["name"] for test in each["tests"]] for each in data["requirements"]}
    assert tests["SYS-1"] == ["ECU.Crank.Turns", "test_ecu.test_up"]
    assert tests["SYS-2"] == ["ECU.Crank.Turns", "ECU.Crank.Stops"]
    assert [each["name"] for each in data["without_requirement"]] == ["ECU.Crank.Free"]
    text = (out / "requirements.txt").read_text(encoding="utf-8")
    assert dict(re.findall(r"^  (?=\w+ +SYS)(\w+) +(SYS-\d)", text, re.MULTILINE)[i][::-1] for i in range(5)) == SHOWN
    assert "ECU.Crank.Stops failed: F < 1 N" in text
    assert "ECU.Crank.In time skipped: no counter" in text
    page = (out / "requirements.html").read_text(encoding="utf-8")
    assert (
        dict(re.findall(r'<tr id="(SYS-\d)">.*?<span class="(?:pass|fail|none)">(\w+)</span>', page, re.DOTALL))
        == SHOWN
    )
    assert "it goes &lt;down&gt;" in page
    assert page[page.index("<body>") :].count("FAILED") == 1
    assert data["files"] == [
        {"name": "output.xml", "folder": tmp_path.as_posix(), "on": "", "log": ""},
        {"name": "pytest.xml", "folder": tmp_path.as_posix(), "on": "", "log": ""},
    ]
    suite = ElementTree.parse(out / "requirements.xml").getroot()
    assert suite.attrib == {"name": "Requirements", "tests": "5", "failures": "2", "errors": "1", "skipped": "1"}
    (entry,) = collect(out)
    assert (entry.kind, entry.passed, entry.link) == ("REQUIREMENTS", False, "requirements.html")
    assert (data["report"], data["version"]) == (MATRIX_KIND, MATRIX_VERSION)


def test_all_passed_is_passed_and_a_missing_list_is_told(tmp_path: Path) -> None:
    done = run(tmp_path, robot=GREEN)
    assert (done.exit_code, done.output.splitlines()[0]) == (
        0, "PASSED: 1 requirement, 1 passed; no list was given, so nothing is said about untested ones",
    )  # fmt: skip
    done = run(tmp_path, "--list", str(tmp_path / "list.txt"), robot=GREEN, listed="SYS-1 it turns")
    assert (done.exit_code, done.output.splitlines()[0]) == (0, "PASSED: 1 requirement, 1 passed")


@pytest.mark.parametrize(
    ("robot", "listed", "words"),
    [
        (GREEN, "SYS-1\nSYS-8 more", "1 untested"),
        (GREEN, "SYS-8", "1 unlisted"),
        (GREEN.replace("<tag>req:SYS-1</tag>", ""), "SYS-1", "0 passed|1 untested"),
        (GREEN.replace('"PASS"/></kw>', '"NOT RUN"/></kw>'), "SYS-1", "1 open"),
        (GREEN.replace('<status status="PASS"/></test>', "</test>"), "SYS-1", "1 failed"),
    ],
)
def test_what_shows_nothing_does_not_pass(tmp_path: Path, robot: str, listed: str, words: str) -> None:
    """Untested, not in the list, without a tag, a dry run, a test without an end."""
    done = run(tmp_path, "--list", str(tmp_path / "list.txt"), "--json", robot=robot, listed=listed)
    assert done.exit_code == 1
    assert re.search(words, json.loads(done.output)["headline"])


def test_what_is_skipped_on_one_target_may_be_shown_on_another(tmp_path: Path) -> None:
    """Two results of one suite: passed on one is passed, failed on one is failed, skipped on both is open."""
    skipped = GREEN.replace('"PASS"/></test>', '"SKIP">no counter</status></test>')
    failed = GREEN.replace('"PASS"/></test>', '"FAIL">late</status></test>')
    for other, words in ((GREEN, "PASSED"), (skipped, "FAILED: 1 requirement, 1 open"), (failed, "1 failed")):
        (tmp_path / "other.xml").write_text(other, encoding="utf-8")
        done = run(tmp_path, str(tmp_path / "other.xml"), robot=skipped)
        assert words in done.output
        assert done.exit_code == (0 if other == GREEN else 1)


def test_a_namesake_in_the_same_file_shows_nothing_for_a_test_that_was_skipped(tmp_path: Path) -> None:
    turns = GREEN[GREEN.index("<test") : GREEN.index("</suite>")]
    skipped = turns.replace('"PASS"/></test>', '"SKIP">no counter</status></test>')
    for both, words in ((turns + turns, "PASSED"), (turns + skipped, "FAILED: 1 requirement, 1 open")):
        done = run(tmp_path, robot=GREEN.replace(turns, both))
        assert done.output.startswith(words)


def test_no_requirement_at_all_does_not_pass(tmp_path: Path) -> None:
    done = run(tmp_path, robot=GREEN.replace("<tag>req:SYS-1</tag>", ""))
    assert done.exit_code == 1
    assert done.output.startswith("FAILED: 0 requirements; no list")


@pytest.mark.parametrize(
    ("results", "listed", "words"),
    [
        (None, LIST, "no.xml"),
        ("<robot", LIST, "is no XML"),
        ("<html/>", LIST, "begins with <html>"),
        ('<robot><suite name="x"><nonsense/></suite></robot>', LIST, "is no result of Robot Framework"),
        (ROBOT.replace("req:SYS-1", "req:"), LIST, "'ECU.Crank.Turns' names a requirement without a number"),
        (ROBOT, "", "lists no requirement"),
        (ROBOT, "SYS-1 a\nSYS-1 b", "line 2: 'SYS-1' is listed already"),
        (ROBOT, b"SYS-1 \xff", "no text in UTF-8"),
        (ROBOT, None, "list.txt"),
    ],
)
def test_wrong_files_are_one_sentence(
    tmp_path: Path, results: str | None, listed: str | bytes | None, words: str
) -> None:
    """The sentence names the file, the line or the test; right files pass in the other tests of this module."""
    file, other = tmp_path / "no.xml", tmp_path / "list.txt"
    if results is not None:
        file.write_text(results, encoding="utf-8")
    if listed is not None:
        other.write_bytes(listed if isinstance(listed, bytes) else listed.encode())
    with pytest.raises(KinefixError, match=words):
        CliRunner().invoke(kinefix, ["requirements", str(file), "--list", str(other)], catch_exceptions=False)


def test_a_result_file_stands_with_its_target_and_its_log(tmp_path: Path) -> None:
    """As a suite left it on a target, whose log is linked; a suite.json that is older is of another run."""
    suite, out = tmp_path / "suite.json", tmp_path / "out"
    told = {"report": "kinefix-suite", "version": 1, "title": "t", "headline": "h", "passed": True, "verdicts": []}
    about = {"setting": {"target": "emulated", "core": "arm-m7"}, "identity": {"link": "tcp"}}
    (tmp_path / "log.html").write_text("<!DOCTYPE html>", encoding="utf-8")
    for age, on in ((1, "emulated arm-m7, tcp"), (-1, "")):
        (tmp_path / "output.xml").write_text(GREEN, encoding="utf-8")
        suite.write_text(json.dumps(told | about), encoding="utf-8")
        at = (tmp_path / "output.xml").stat().st_mtime + age
        os.utime(suite, (at, at))
        matrix = matrix_of(read_results(tmp_path / "output.xml"), None)
        page = write_matrix(matrix, out, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)).read_text(encoding="utf-8")
        assert "<p>2026-01-02 03:04:05+00:00</p>" in page
        assert '<a href="../log.html">log.html</a>' in page
        assert (f'<td class="text">{on}</td>' if on else "not told") in page


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "output.xml").write_text(GREEN, encoding="utf-8")
    matrix = matrix_of(read_results(tmp_path / "output.xml"), None)
    with pytest.raises(KinefixError, match="the matrix cannot be written"):
        write_matrix(matrix, tmp_path / "output.xml")
