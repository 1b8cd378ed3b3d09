"""A run that something cuts short: what had ended is judged, nothing has passed, and every report says why.

Oracle: a board in software that is right until its cable is pulled or it starts anew.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from exporter.cli import main
from exporter.export import load_export
from hil.check_names import BenchCheck
from hil.protocol import Packet, Type

pytestmark = pytest.mark.compiled
SAID = {
    "pulled": "the other end closed it",
    "reset": "the device announced a boot in the middle of the session",
}


@pytest.fixture
def board(board_export: Path, wire: ModuleType) -> Iterator[Any]:
    """A board that is right until something happens to it."""
    with wire.board_of(load_export(board_export)) as board:
        yield board


def ran(bench: Path, report: Path) -> tuple[int | str | None, dict[str, Any], ElementTree.Element]:
    """Exit code, report and JUnit file of twenty vectors and twenty activations."""
    with pytest.raises(SystemExit) as left:
        main(["hil", str(bench), "--lockstep", "20", "--free-run", "20", "--report", str(report)])
    document = json.loads((report / "report.json").read_text(encoding="utf-8"))
    return left.value.code, document, ElementTree.parse(report / "report.xml").getroot()


def after(number: int, type_: Type, accident: str) -> Callable[[Packet], str]:
    """An accident at a request of a type that comes after so many of them."""
    asked = [0]

    def happens(packet: Packet) -> str:
        asked[0] += packet.type is type_
        return accident if packet.type is type_ and asked[0] > number else ""

    return happens


@pytest.mark.parametrize("accident", SAID)
@pytest.mark.parametrize(("number", "type_"), [(1, Type.BATCH), (0, Type.RUN)])
def test_a_run_that_is_cut_short_has_not_passed(
    board: Any, wire: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    accident: str, number: int, type_: Type,
) -> None:  # fmt: skip
    """In lockstep, at the second set of parameters; and in the free run, when lockstep had passed."""
    file = wire.bench_file(board, tmp_path, more="[timeouts]\nrun = '0.2 s'\n")
    code, whole, _ = ran(file, tmp_path / "whole")
    assert (code, whole["passed"]) == (0, True)
    assert BenchCheck.FINISHED not in {each["check"] for each in whole["verdicts"]}

    board.accident = after(number, type_, accident)
    code, cut, junit = ran(file, tmp_path / "cut")
    assert (code, cut["passed"]) == (2, False)
    outcomes = {each["check"]: each["outcome"] for each in cut["verdicts"]}
    assert outcomes.pop(BenchCheck.FINISHED) == "failed"
    assert set(outcomes.values()) <= {"passed", "not judged"}
    assert outcomes[BenchCheck.LOCKSTEP] == "passed"
    assert BenchCheck.MISSED not in outcomes
    assert cut["headline"].startswith("the run was cut short: ")
    assert "vectors in lockstep, 0 wrong" in cut["headline"]
    assert SAID[accident] in cut["headline"]
    assert SAID[accident] in capsys.readouterr().err
    assert (junit.get("errors"), junit.get("failures")) == ("1", "0")
    assert SAID[accident] in ElementTree.tostring(junit, encoding="unicode")


def test_a_run_that_is_cut_short_at_once_does_not_speak_of_what_was_judged(
    board: Any, wire: ModuleType, tmp_path: Path
) -> None:
    """Nothing had ended."""
    board.accident = after(0, Type.BATCH, "pulled")
    code, cut, _ = ran(wire.bench_file(board, tmp_path), tmp_path / "cut")
    assert code == 2
    assert [each["detail"] for each in cut["verdicts"]] == ["nothing had ended before"]
