"""Redundant closure equations at the command line: told by analyse and export, refused where a loop stays open."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from exporter.cli import kinefix, main
from exporter.commands.printing import joined_notes

DATA = Path(__file__).resolve().parents[2] / "data" / "mechanisms"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(kinefix, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_tilted_four_bar_loses_three_equations(tmp_path: Path) -> None:
    """A four-bar in the plane with the normal (1, 2, 2)/3: analyse counts them, and so do the notes of an export."""
    model = str(DATA / "tilted_crank_rocker.toml")
    assert "5 equations, 3 redundant" in run("analyse", model)
    run("export", model, "--out", str(tmp_path / "out"))
    notes = json.loads((tmp_path / "out" / "manifest.json").read_text())["notes"]
    assert any("3 of its spatial closure equations are redundant and were dropped" in note for note in notes)


def test_notes_that_say_the_same_of_many_loops_are_one_line() -> None:
    """The manifest has all of them; a terminal names two loops and how many."""
    notes = [*(f"loop 'c{k}': 3 of its equations are redundant" for k in range(1, 1201)), "else", "loop 'd': other"]
    assert joined_notes(notes) == [
        "each of 1,200 loops ('c1', 'c2', ...): 3 of its equations are redundant", "else", "loop 'd': other"
    ]  # fmt: skip
    assert joined_notes(notes[:2]) == ["each of 2 loops ('c1', 'c2'): 3 of its equations are redundant"]
    text = run("show", "peaucellier")
    assert len([line for line in text.splitlines() if "3 of its spatial closure equations are redundant" in line]) == 1


def test_bennett_loop_with_a_wrong_twist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, the residual, and what to do; nothing is written."""
    model, folder = str(DATA / "bennett.toml"), tmp_path / "out"
    with pytest.raises(SystemExit) as ended:
        main(["export", model, "--set", "beta=0.53 rad", "--out", str(folder)])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert "the loop of 'theta3' does not close: its equations stay open by 0.0" in error
    assert "check lengths and axes" in error
    assert not folder.exists()
