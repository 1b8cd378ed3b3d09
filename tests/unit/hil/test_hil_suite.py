"""The suite of an export: what it tests by name, that it is green on software, and that nobody's changes are lost."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner, Result

from exporter.cli import kinefix, main
from exporter.errors import KinefixError
from exporter.export import write_export
from exporter.progress import heard_by
from exporter.writable import require_folder
from hil.report.index import index_of
from hil.suite.kept_files import write_unless_changed
from hil.suite.suite_document import write_suite
from hil.suite.suite_run import run_suite

pytestmark = pytest.mark.compiled

BENCH = """
schema = 1
[bench]
name = "suite"
target = "software"
export = "{export}"
work = "{work}"
[target.software]
kind = "sil"
[timing]
period = "1 ms"
"""
OWN = """
The Crank Starts At Rest
    [Tags]    req:SYS-1
    Step
    Output Should Be    theta.rate    0 rad/s    tolerance=0.1 rad/s

What Another Test Ran Is Not Judged
    [Tags]    req:SYS-2
    [Setup]    No Operation
    Run Keyword And Expect Error    nothing was stepped in this test, nor in*    Status Should Be    ok
    Run Keyword And Expect Error    nothing was run in this test, nor in*    Save Deadline Report    ${OUTPUT DIR}/none
"""
FAILING = """
Fails
    Fail    on purpose
"""


@pytest.fixture
def bench(board_export: Path, tmp_path: Path) -> Path:
    """A bench file of the software target, with what other tests have built."""
    work, path = board_export.parent / "work", tmp_path / "bench.toml"
    text = BENCH.format(export=board_export.as_posix(), work=work.as_posix())
    path.write_text(text, encoding="utf-8")
    return path


def run(export: Path, bench: Path, *words: str) -> Result:
    """The command."""
    command = ["hil", str(export), "--suite", "--bench", str(bench), *words]
    return CliRunner().invoke(kinefix, command, catch_exceptions=False)


def test_the_suite_is_green_on_software_and_goes_on_with_what_was_added(board_export: Path, bench: Path) -> None:
    """Tests on time are skipped with their reason; a test that was added by hand stays, runs, and is in the matrix."""
    done = run(board_export, bench)
    assert done.exit_code == 0, done.output
    assert done.output.startswith("PASSED: 10 tests, 8 passed, 0 failed, 2 skipped\n")
    assert done.output.count("no counter moves") == 2
    suite = bench.parent / "slider_crank-suite" / "slider_crank.robot"
    for words in ("Set Input    F    3000 N", "Set State    theta.rate    -1500 rad/s", "l1    0.35 m", "l1    0.6 m"):
        assert words in suite.read_text(encoding="utf-8")
    changed = suite.read_text(encoding="utf-8") + OWN
    suite.write_text(changed, encoding="utf-8")
    done = run(board_export, bench, "--report", str(bench.parent / "out"), "--target", "software")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("PASSED: 12 tests, 10 passed")
    assert "slider_crank.robot (left as it is: changed by hand)" in done.output
    assert suite.read_text(encoding="utf-8") == changed
    assert "SYS-1" in (bench.parent / "out" / "requirements.txt").read_text(encoding="utf-8")
    suite.write_text(changed + FAILING, encoding="utf-8")
    other = bench.rename(bench.with_name("other.toml"))
    (bench.parent / "out" / "report.html").write_text("of a run", encoding="utf-8")
    done = run(board_export, other, "--report", str(bench.parent / "out"))
    assert done.exit_code == 1, done.output
    assert not list(suite.parent.glob("*.new"))
    assert (bench.parent / "out" / "report.html").read_text(encoding="utf-8") == "of a run"
    _require_failed_on_the_index(bench.parent / "out")


def _require_failed_on_the_index(out: Path) -> None:
    """A suite that failed has a row with its log, and fails the report."""
    done = CliRunner().invoke(kinefix, ["report", str(out)], catch_exceptions=False)
    assert done.exit_code == 1, done.output
    assert re.search(
        r"^FAIL .*suite on software \(\.; software\): 13 tests, 10 passed, 1 failed", done.output, re.MULTILINE
    )
    entry = next(each for each in index_of(out).entries if each.is_suite)
    assert entry.link == "log.html"
    assert entry.failed == ("suite: Slider Crank.Fails",)
    assert index_of(out).mechanisms[0].word == "FAILED"


def test_files_are_written_again_only_while_nobody_changed_them(tmp_path: Path) -> None:
    """Another export renews what is as it was written; beside what was changed it puts its own."""

    def done(text: str) -> str:
        return write_unless_changed(tmp_path, {"a.robot": text})[0].done

    file, new = tmp_path / "a.robot", tmp_path / "a.robot.new"
    assert [done("one\n"), done("one\n"), done("two\n")] == ["written", "up to date", "written"]
    assert file.read_text(encoding="utf-8").endswith("\ntwo\n")
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))  # as an editor or git may leave it
    assert done("two\n") == "up to date"
    file.write_text(file.read_text(encoding="utf-8") + "mine\n", encoding="utf-8")
    assert done("two\n") == "left as it is: changed by hand"
    assert not new.exists()
    assert done("three\n") == "left as it is: changed by hand; a.robot.new is of this export"
    assert new.read_text(encoding="utf-8").endswith("\nthree\n")
    assert file.read_text(encoding="utf-8").endswith("\ntwo\nmine\n")
    file.write_text("my own\n", encoding="utf-8")
    assert done("three\n").startswith("left as it is")
    file.unlink()
    assert done("three\n") == "written"


def test_what_cannot_be_run_is_one_sentence(
    board_export: Path, bench: Path, tmp_path: Path, load_data_module: Callable[[str], ModuleType]
) -> None:
    """Another export, a file where the folder belongs, a suite without a test; the right twin is above."""
    program = load_data_module("sample_program").slider_crank_program("float32")
    write_export(program, tmp_path / "other", {})
    with pytest.raises(KinefixError, match=r"bench.toml is of export \w{8} of 'slider_crank', and the suite of export"):
        run(tmp_path / "other", bench)
    folder = tmp_path / "slider_crank-suite"
    folder.write_text("", encoding="utf-8")
    with pytest.raises(KinefixError, match="the suite cannot be written"):
        run(board_export, bench)
    folder.unlink()
    folder.mkdir()
    (folder / "slider_crank.robot").write_text("*** Settings ***\nDocumentation    Mine.\n", encoding="utf-8")
    (folder / "results").mkdir()
    earlier = ("suite.json", "log.html", "robot-report.html", "output.xml", "requirements.html", "requirements.pdf")
    for name in earlier:
        (folder / "results" / name).write_text("of an earlier run", encoding="utf-8")
    with pytest.raises(KinefixError, match=r"Robot Framework could not run .*contains no tests"):
        run(board_export, bench)
    assert not [name for name in earlier if (folder / "results" / name).exists()]


def test_a_suites_data_that_cannot_be_written_is_told(board_export: Path, bench: Path) -> None:
    """Before anything runs, and at the end."""
    folder = bench.parent / "out" / "suite.json"
    folder.mkdir(parents=True)
    with pytest.raises(KinefixError, match=r"suite.json cannot be replaced .*; choose another --report"):
        run(board_export, bench, "--report", str(folder.parent))
    with pytest.raises(KinefixError, match=r"suite.json cannot be written .*; choose another --report"):
        write_suite({}, folder.parent)


STOPPED = """
*** Settings ***
Suite Setup    {setup}
*** Test Cases ***
Stopped
    [Tags]    req:SYS-1
    Stop
After It
    [Tags]    req:SYS-2
    No Operation
*** Keywords ***
Stop
    Evaluate    os.kill(os.getpid(), signal.SIGINT)    modules=os, signal
    Sleep    10 s
"""


def test_a_suite_says_which_test_runs(board_export: Path, bench: Path) -> None:
    """The number of tests is that of all suites of the folder together."""
    folder = bench.parent / "slider_crank-suite"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.robot").write_text(f"*** Test Cases ***\nFirst {name}\n    No Operation\n", encoding="utf-8")
    said: list[str] = []
    with heard_by(lambda steps: said.append(steps[-1].text())):
        run_suite(board_export, bench, None, bench.parent / "out", lambda _: None)
    assert [each for each in said if each.startswith("test First")] == [
        "test First a (1 of 12)", "test First b (2 of 12)"
    ]  # fmt: skip


@pytest.mark.parametrize("setup", ["No Operation", "Stop"])
def test_a_suite_that_its_user_ends_has_no_verdict(board_export: Path, bench: Path, setup: str) -> None:
    """Robot Framework would count all that did not run as failed; in a setup, no test tells of the signal."""
    folder = bench.parent / "slider_crank-suite"
    folder.mkdir()
    (folder / "a_first.robot").write_text(STOPPED.format(setup=setup), encoding="utf-8")
    out = bench.parent / "out"
    with pytest.raises(SystemExit) as left:
        main(["hil", str(board_export), "--suite", "--bench", str(bench), "--report", str(out)])
    assert left.value.code == 130
    assert not (out / "requirements.html").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--suite", "--bench", "{bench}", "--lockstep", "5"), "--lockstep does not go with --suite; state it in the"),
        (("--suite", "--bench", "{bench}", "--operator", "A"), "--operator does not go with --suite"),
        (("--suite",), "--suite needs --bench; a suite is run by"),
        (("--bench", "{bench}"), "--bench needs --suite; a suite is run by"),
    ],
)
def test_what_does_not_go_with_a_suite_is_named(bench: Path, words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(kinefix, ["hil", "export", *(word.format(bench=bench) for word in words)])
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


def test_what_is_told_in_a_report_needs_one(bench: Path) -> None:
    done = CliRunner().invoke(kinefix, ["hil", str(bench), "--operator", "A"])
    assert done.exit_code == 2
    assert "--operator is told in a report; give --report DIR too" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("words", "named"),
    [(("hil", "{bench}", "--report", "{export}/out"), "{export}/out"),
     (("dbc", "{export}", "--out", "{export}/slider_crank.c"), "{export}/slider_crank.c"),
     (("sil", "{export}", "--report", "{export}"), "{export}"),
     (("export", "slider_crank", "--out", "{export}/deep/er"), "{export}/deep/er"),
     (("show", "slider_crank", "--picture", "{export}/x.svg"), "{export}/x.svg"),
     (("build", "{export}", "--out", "{export}/host"), "{export}/host"),
     (("build", "{export}", "--target", "labview", "--with", "win32", "--out", "{export}/deep/er"), "{export}/deep/er"),
     (("new", "mine"), "mine.toml")],
)  # fmt: skip
def test_nothing_is_written_into_an_export(
    board_export: Path, bench: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], named: str
) -> None:
    """An export's own C was replaced by a database, without a word. The sentence names the place that was asked for."""
    monkeypatch.chdir(board_export)
    before = {path: path.read_bytes() for path in board_export.rglob("*") if path.is_file()}
    with pytest.raises(KinefixError) as refused:
        CliRunner().invoke(
            kinefix, [word.format(export=board_export, bench=bench) for word in words], catch_exceptions=False
        )
    place = named.format(export=board_export)
    assert f"'{place}' cannot be written (it is in the export 'export')" in str(refused.value)
    assert before == {path: path.read_bytes() for path in board_export.rglob("*") if path.is_file()}


def test_another_programs_manifest_is_no_export(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    require_folder("--report", tmp_path / "out")
