"""`kinefix compare` as a user meets it."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner

from exporter.cli import kinefix, main
from exporter.model.library import model_path


def compare(*arguments: str) -> str:
    result = CliRunner().invoke(kinefix, ["compare", *arguments, "--no-instructions"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_method_has_a_row_or_a_reason() -> None:
    """The slider-crank has no loop of two directions, so its characteristic pair is refused in words."""
    printed = compare("slider_crank", "--poses", "60")
    for method in ("triangular", "newton, 2 steps", "newton-per-loop, 2 steps", "lexicographic"):
        assert f"\n  {method}" in printed
    assert "no characteristic pair of its own" in printed


def test_json_holds_what_the_table_shows() -> None:
    """A step more costs more and closes the loops farther."""
    runs = [
        json.loads(compare("four_bar", "--methods", "newton", "--steps", str(steps), "--poses", "60", "--json"))
        for steps in (1, 3)
    ]
    one, three = (run["methods"][0] for run in runs)
    assert one["arithmetic"]["mul_div"] < three["arithmetic"]["mul_div"]
    assert three["accuracy"]["float64"]["residual"] < one["accuracy"]["float64"]["residual"] / 1000
    assert one["accuracy"]["float64"]["poses"] >= 50


def test_a_tunable_parameter_is_compared_at_its_value(tmp_path: Path) -> None:
    """The twist of the spatial four-bar as a symbol, at 0 degrees."""
    text = model_path("spatial_four_bar").read_text(encoding="utf-8")
    path = tmp_path / "twisted.toml"
    path.write_text(text.replace('["-30 deg", "30 deg"], frozen = true', '["-30 deg", "30 deg"]'), encoding="utf-8")
    run = json.loads(compare(str(path), "--methods", "triangular", "--json"))
    assert run["methods"][0]["accuracy"]["float64"]["residual"] < 1e-14


def test_a_raw_basis_is_told_to_be_on_another_assembly() -> None:
    """The four-bar's: without a flag, at a part of its poses."""
    facts = json.loads(compare("four_bar", "--methods", "lexicographic", "--json"))["methods"][0]
    assert facts["accuracy"]["float64"]["elsewhere"] > 0


def test_the_picture_is_svg_and_the_same_every_time(tmp_path: Path) -> None:
    """With a bar per method and column."""
    pictures = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for picture in pictures:
        compare("slider_crank", "--methods", "triangular,newton", "--poses", "60", "--picture", str(picture))
    assert pictures[0].read_bytes() == pictures[1].read_bytes()
    bars = [each for each in ET.parse(pictures[0]).getroot().iter() if each.get("class") == "bar"]
    assert len(bars) == 3 * 3  # triangular, newton in fixed steps and to a tolerance


def test_newton_to_a_tolerance_has_no_constant_count() -> None:
    """The four-bar's takes more steps at some poses than at others, and the table says so."""
    facts = {
        each["tolerance"]: each for each in json.loads(compare("four_bar", "--methods", "newton", "--json"))["methods"]
    }
    fewest, most = facts["1e-6"]["iterations"]
    assert 1 <= fewest < most < 20
    assert facts[""]["iterations"] == [0, 0]
    assert facts["1e-6"]["accuracy"]["float64"]["residual"] < 1e-6
    assert f"{fewest} to {most} steps" in compare("four_bar", "--methods", "newton")


def test_parameters_are_frozen_for_the_comparison(tmp_path: Path) -> None:
    """A file with a tunable parameter is compared as if it were frozen."""
    text = model_path("four_bar").read_text(encoding="utf-8").replace("frozen = true, ", "", 1)
    (tmp_path / "tunable.toml").write_text(text, encoding="utf-8")
    tunable, frozen = (
        json.loads(compare(model, "--methods", "triangular", "--json"))["methods"][0]["arithmetic"]
        for model in (str(tmp_path / "tunable.toml"), "four_bar")
    )
    assert tunable == frozen


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["four_bar", "--methods", "newtn"], 'did you mean "newton"'),
        (["four_bar", "--tolerance", "tight"], "--tolerance"),
        (["four_bar", "--tolerance", "2"], "give a residual between 0 and 1"),
        (["four_bar", "--picture", "out.png"], "does not end in .svg"),
        (["examples/model.py:model"], "compare is for mechanisms"),
    ],
)
def test_wrong_use_is_one_sentence(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["compare", *arguments])
    assert stop.value.code == 2
    assert words in capsys.readouterr().err
