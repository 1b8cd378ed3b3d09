"""Requirements that a run only seems to show: plans of pytest, dry runs, keywords that were taken away, suites' ends.

Oracle: verdicts written down by hand for each requirement.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from exporter.cli import kinefix
from hil.requirements.results import read_results

PYTEST_FILE = """import pytest

@pytest.mark.requirement("P-1")
def test_it():
    assert True
"""
SUITE = """
*** Settings ***
Suite Teardown    {teardown}
*** Keywords ***
Mine
    No Operation
    RETURN    5
*** Test Cases ***
Plain
    [Tags]    req:R-1
    No Operation
Branches
    [Tags]    req:R-2
    [Setup]    Mine
    FOR    ${{i}}    IN RANGE    2
        IF    True
            No Operation
        ELSE
            Fail
        END
    END
    TRY
        GROUP    inside
            No Operation
        END
    FINALLY
        VAR    ${{y}}    1
    END
Callers
    [Tags]    req:R-3
    ${{x}}=    Mine
    Run Keyword If    ${{x}} == 5    Mine
    Wait Until Keyword Succeeds    2x    1ms    No Operation
    Repeat Keyword    2x    No Operation
Preparation
    [Tags]    req:R-5
    Import Library    String
    Set Tags    mine
    Remove Tags    mine
    Set Library Search Order    String
Nothing But A Variable
    [Tags]    req:R-4
    VAR    ${{z}}    1
"""


@pytest.mark.parametrize(
    ("options", "ending"), [([], "passed"), (["--setup-plan"], "skipped"), (["--setup-only"], "skipped")]
)
def test_a_plan_of_pytest_has_shown_nothing(tmp_path: Path, options: list[str], ending: str) -> None:
    """A plan lets every test pass that it does not run."""
    (tmp_path / "test_it.py").write_text(PYTEST_FILE, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "--junitxml", "out.xml", *options, "test_it.py"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    (test,) = read_results(tmp_path / "out.xml")
    assert test.requirements == ("P-1",)
    assert test.ending.value == ending


def shown(folder: Path, teardown: str = "No Operation", **options: bool) -> tuple[int, dict[str, str]]:
    """How the command ends on what Robot Framework wrote, and what it says of each requirement."""
    from robot import run as run_robot

    (folder / "suite.robot").write_text(SUITE.format(teardown=teardown), encoding="utf-8")
    run_robot(str(folder / "suite.robot"), outputdir=str(folder), log=None, report=None, console="none", **options)
    words = ["requirements", str(folder / "output.xml"), "--json"]
    done = CliRunner().invoke(kinefix, words, catch_exceptions=False)
    return done.exit_code, {each["number"]: each["shown"] for each in json.loads(done.output)["requirements"]}


def test_a_dry_run_of_robot_framework_has_shown_nothing(tmp_path: Path) -> None:
    """Keywords of users, loops, branches and keywords that call others pass in one; a variable alone is no test."""
    passed = {"R-1": "passed", "R-2": "passed", "R-3": "passed", "R-4": "open", "R-5": "open"}
    assert shown(tmp_path) == (1, passed)
    assert shown(tmp_path, dryrun=True) == (1, dict.fromkeys(passed, "open"))


@pytest.mark.parametrize("option", [{"flattenkeywords": "name:*"}, {"removekeywords": "all"}])
@pytest.mark.parametrize("dry", [True, False])
def test_keywords_that_rebot_took_away_have_shown_nothing(tmp_path: Path, option: dict[str, str], dry: bool) -> None:
    """A dry run looks like a run then: the test that has a keyword of its user passes in both. The reason is told."""
    from robot import rebot

    shown(tmp_path, dryrun=dry)
    out = {"output": str(tmp_path / "less.xml"), "log": None, "report": None, "console": "none"}
    rebot(str(tmp_path / "output.xml"), **out, **option)
    tests = {test.requirements[0]: test for test in read_results(tmp_path / "less.xml")}
    assert tests["R-3"].ending.value == "skipped"
    assert tests["R-3"].message.startswith("which keywords ran is not told: rebot has flatten")


@pytest.mark.parametrize(("teardown", "said"), [("Fail", "failed"), ("Skip", "open")])
def test_the_end_of_a_suite_is_the_end_of_its_tests(tmp_path: Path, teardown: str, said: str) -> None:
    """Robot Framework counts them so in its own pages; the tests' own status in the file is another."""
    assert shown(tmp_path, teardown) == (1, dict.fromkeys(("R-1", "R-2", "R-3", "R-4", "R-5"), said))
