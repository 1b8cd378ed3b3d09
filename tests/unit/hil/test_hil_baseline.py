"""Times, jitter and misses against an earlier report: slower fails, what cannot be compared is refused in a sentence.

What is expected follows from the numbers by arithmetic; a board in this process claims the times.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from bench_result import CLOCK, result

from exporter.cli import main
from exporter.export import load_export
from hil.baseline import Baseline, Change, Terms, changes_since
from hil.campaign import held_against
from hil.duration_statistics import DurationStatistics
from sil.verdict import Outcome

TERMS = Terms("dostep", 0.05, 0.04, "kinefix hil b.toml --baseline r.json")
NAME = "free run: one activation"


def row(**changes: object) -> DurationStatistics:
    """A section of a run: 100 us at most, no jitter, no miss."""
    known: dict[str, Any] = {"name": NAME, "greatest_us": 100.0, "p99_us": 90.0, "jitter_us": 0.0, "misses": 0}
    return replace(result().duration_statistics[0], **(known | changes))


def since(before: DurationStatistics | None, now: DurationStatistics | None) -> dict[str, Change]:
    """The changes between two runs by quantity."""
    sections = {} if before is None else {before.name: json.loads(json.dumps(before.as_dict()))}
    baseline = Baseline(Path("r.json"), "", "earlier", True, {}, sections)
    return {each.quantity: each for each in changes_since(baseline, () if now is None else (now,), TERMS)}


@pytest.mark.parametrize(
    ("key", "quantity", "allowed", "beyond"),
    [
        ("greatest_us", "longest duration", 105.03, 105.05),  # 5 % more than 100 us, and a tick of 40 ns
        ("p99_us", "p99 of durations", 94.53, 94.55),
        ("jitter_us", "start jitter", 0.039, 0.041),  # of nothing, 5 % is nothing
        ("misses", "missed deadlines", 0, 1),
    ],
)
def test_each_quantity_fails_alone_where_it_is_worse(key: str, quantity: str, allowed: float, beyond: float) -> None:
    """Just within its limit a quantity passes, just beyond it fails; all others pass."""
    for value, outcome in ((allowed, Outcome.PASSED), (beyond, Outcome.FAILED)):
        found = since(row(), row(**{key: value}))
        assert {name for name, each in found.items() if each.verdict.outcome is Outcome.FAILED} == (
            {quantity} if outcome is Outcome.FAILED else set()
        )
        assert found[quantity].verdict.outcome is outcome
        assert found[quantity].verdict.replay == TERMS.replay


def test_a_baseline_that_had_failed_is_told_in_the_first_line() -> None:
    """One that had passed is not."""
    sections = {each.name: each.as_dict() for each in result().duration_statistics}
    for passed in (True, False):
        held = held_against(result(), Baseline(Path("r.json"), "", "earlier", passed, {}, sections))
        assert held.headline.endswith("; the baseline itself had FAILED") == (not passed)


def test_a_difference_is_told_in_percent_where_there_is_one() -> None:
    """112 us are 12 % more than 100 us, 75 us are 25 % less; from nothing there is no percentage."""
    assert since(row(), row(greatest_us=112.0))["longest duration"].percent == pytest.approx(12.0)
    assert since(row(), row(greatest_us=75.0))["longest duration"].percent == pytest.approx(-25.0)
    assert since(row(), row(jitter_us=1.0))["start jitter"].percent is None


def test_what_one_run_lacks_is_not_judged() -> None:
    """A section, or a number: with who lacks it."""
    for before, now, who in ((None, row(), "the baseline"), (row(), None, "this run")):
        (change,) = since(before, now).values()
        assert change.verdict.outcome is Outcome.NOT_JUDGED
        assert change.verdict.reason == f"{who} has none"
    lost = since(row(greatest_us=None, misses=None), row())
    assert lost["longest duration"].verdict.reason == "the baseline measured nothing"
    assert lost["missed deadlines"].verdict.reason == "the baseline measured nothing"
    assert lost["p99 of durations"].verdict.passed


@pytest.fixture
def board(board_export: Path, wire: ModuleType) -> Iterator[Any]:
    """A board that is right until a test changes it."""
    with wire.board_of(load_export(board_export)) as board:
        yield board


class Runs:
    """Free runs of a board through the command line, each with a report."""

    def __init__(self, folder: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.file, self._capsys = folder, file, capsys

    def run(self, name: str, *options: str) -> tuple[int, str]:
        """Exit code, and what is said on stderr."""
        self._capsys.readouterr()
        command = ["hil", str(self.file), "--lockstep", "0", "--free-run", "20", "--report", str(self.folder / name)]
        with pytest.raises(SystemExit) as ended:
            main([*command, *options])
        return int(ended.value.code or 0), self._capsys.readouterr().err

    def document(self, name: str) -> dict[str, Any]:
        """The data of a report."""
        read: dict[str, Any] = json.loads((self.folder / name / "report.json").read_text(encoding="utf-8"))
        return read

    def changed(self, name: str, document: dict[str, Any]) -> str:
        """Another report in the first one's place."""
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return str(path)


@pytest.fixture
def runs(board: Any, wire: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Runs:
    """A first run that passed."""
    found = Runs(tmp_path / "out", wire.bench_file(board, tmp_path), capsys)
    assert found.run("first") == (0, "")
    return found


@pytest.mark.compiled
def test_a_run_that_is_slower_than_its_baseline_fails(runs: Runs) -> None:
    """Against itself it passes; against a baseline made a fifth faster on purpose it fails, unless that is allowed."""
    first = str(runs.folder / "first" / "report.json")
    assert runs.run("same", "--baseline", first) == (0, "")
    document = runs.document("first")
    for section in document["sections"]:
        section |= {key: section[key] / 1.2 for key in ("greatest_us", "p99_us")}
    faster = runs.changed("faster", document)
    assert runs.run("slower", "--baseline", faster) == (1, "")
    told = runs.document("slower")
    failed = [each["check"] for each in told["verdicts"] if each["outcome"] == "failed"]
    assert failed == [f"slower than baseline in free run: {name}" for name in ("longest duration", "p99 of durations")]
    assert told["verdict"] == "FAILED"
    assert [round(each["percent"]) for each in told["baseline"]["changes"][:2]] == [20, 20]
    assert f"--baseline {faster}" in told["command"]
    page = (runs.folder / "slower" / "report.html").read_text(encoding="utf-8")
    assert page.count("fail: slower than baseline") == 2
    assert "+20.00 %" in page
    runs.file.write_text(runs.file.read_text(encoding="utf-8") + "\n[baseline]\nmax_slower = 0.25\n", encoding="utf-8")
    assert runs.run("allowed", "--baseline", faster) == (0, "")


STRANGERS: dict[str, tuple[dict[str, Any], str]] = {
    "another model": ({"setting": {"model SHA-256": "12"}}, "its model SHA-256 is 12, here it is "),
    "another counter": (
        {"setting": {"counter": "SysTick, 8,000,000 Hz"}},
        "its counter is SysTick, 8,000,000 Hz, here",
    ),
    "another clock": ({"setting": {"clock": "virtual time"}}, "its clock is virtual time, here it is hardware time"),
    "another deadline": ({"setting": {"deadline": "500 us"}}, "its deadline is 500 us, here it is 400 us"),
    "another core": ({"setting": {"core": "arm-m7"}}, "its core is arm-m7, here it is arm-m4f"),
    "another schema": ({"version": 1}, "'version' is 1, known is 2; run again what wrote it"),
    "another command": ({"report": "kinefix-sil", "version": 1}, "is a report of kinefix-sil; --baseline takes a"),
    "no sections": ({"sections": None}, "cannot be a baseline: 'sections' is null; run again what wrote it"),
}


@pytest.mark.compiled
def test_a_baseline_that_cannot_be_compared_is_one_sentence(board: Any, runs: Runs) -> None:
    """Exit code 2, before the device is asked to run."""
    board.request = None
    for change, words in STRANGERS.values():
        document = runs.document("first")
        setting = document["setting"] | change.get("setting", {})
        other = runs.changed("other", document | change | {"setting": setting})
        code, said = runs.run("refused", "--baseline", other)
        assert code == 2
        assert words in said
        assert said.count("\n") == 1
    code, said = runs.run("refused", "--baseline", str(runs.folder / "none.json"))
    assert (code, "there is no report " in said) == (2, True)
    (runs.folder / "text.json").write_text("no JSON", encoding="utf-8")
    code, said = runs.run("refused", "--baseline", str(runs.folder / "text.json"))
    assert (code, "is no report; give a report.json" in said) == (2, True)
    assert board.request is None
    assert not (runs.folder / "refused").exists()


@pytest.mark.compiled
def test_without_a_counter_nothing_is_held_against_a_baseline(board: Any, runs: Runs) -> None:
    """Whoever asks for it is told; the same device without --baseline fails for want of a measurement."""
    board.hello["counter_moves"] = 0
    code, said = runs.run("refused", "--baseline", str(runs.folder / "first" / "report.json"))
    assert (code, "nothing can be held against a baseline; take a target with a counter" in said) == (2, True)
    assert CLOCK.moves


@pytest.mark.compiled
def test_another_model_cannot_stand_beside_a_run(runs: Runs) -> None:
    """Named, it is refused; lying in a folder beside, it is left out; one of this model stands there either way."""
    document = runs.document("first")
    stranger = runs.changed("stranger", document | {"setting": document["setting"] | {"model SHA-256": "12"}})
    matrix = runs.changed("matrix", document | {"report": "kinefix-requirements", "version": 1})
    older = runs.changed("older", document | {"coverage": None})
    idle = runs.changed("idle", document | {"setting": document["setting"] | {"function": "position"}})
    for path, words in (
        (stranger, "cannot stand beside this run: it is of model 12, this run of "),
        (idle, "cannot stand beside this run: it is of position, this run of dostep"),
        (matrix, "cannot stand beside a run: it is a report of kinefix-requirements; give one of"),
        (older, "cannot stand beside a run: 'coverage' is null"),
    ):
        code, said = runs.run("refused", "--beside", path)
        assert (code, words in said, said.count("\n")) == (2, True, 1), said
    (runs.folder / "lost").mkdir()
    Path(stranger).rename(runs.folder / "lost" / "report.json")
    (runs.folder / "spoiled").mkdir()
    (runs.folder / "spoiled" / "report.json").write_text("{", encoding="utf-8")
    assert runs.run("found") == (0, "")
    assert [each["folder"] for each in runs.document("found")["columns"]] == ["", "first"]
    assert runs.run("named", "--beside", str(runs.folder / "found" / "report.json")) == (0, "")
    assert [each["folder"] for each in runs.document("named")["columns"]] == ["", "found"]
