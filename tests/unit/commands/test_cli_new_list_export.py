"""`kinefix new`, `list` and `export` as a user meets them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from exporter.cli import kinefix
from exporter.export import load_export
from exporter.model.library import model_names, model_path, practice_names
from exporter.model.toml.reader import read_mechanism

SYMBOLIC = """
import sympy as sp
from exporter.symbolic import SymbolicModel, given, output

def model():
    x = sp.Symbol("x")
    return SymbolicModel(name="square", inputs=(given("x", -2, 2),), outputs=(output("y", x * x),))
"""


@pytest.fixture(autouse=True)
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(kinefix, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def run_json(*arguments: str) -> Any:
    return json.loads(CliRunner().invoke(kinefix, [*arguments, "--json"], catch_exceptions=False).stdout)


def test_new_writes_a_file_that_reads_and_says_what_may_follow() -> None:
    printed = run("new", "my_press")
    assert read_mechanism("my_press.toml").name == "my_press"
    assert "kinefix export my_press.toml --out out/my_press" in printed


def test_what_may_follow_can_be_typed_where_a_path_has_a_space() -> None:
    run("new", "my_press")
    printed = run("export", "my_press.toml", "--out", "two words/press")
    assert "kinefix sil 'two words/press'" in printed


@pytest.mark.parametrize("like", ["gough_stewart", "macpherson"])
def test_new_copies_a_model_by_a_new_name(like: str) -> None:
    """A copy from the library or from practice is that mechanism but for its name, with every comment."""
    assert f"a copy of {like}" in run("new", "my_own", "--like", like)
    copied, source = read_mechanism("my_own.toml"), read_mechanism(model_path(like))
    assert replace(copied, name=source.name, model_hash=source.model_hash) == source
    comments = [line for line in model_path(like).read_text(encoding="utf-8").splitlines() if "#" in line]
    assert [line for line in Path("my_own.toml").read_text(encoding="utf-8").splitlines() if "#" in line] == comments


def test_new_copies_a_file_of_the_users() -> None:
    """By its path; a model that does not read is not copied."""
    run("new", "first")
    run("new", "second", "--like", "first.toml")
    assert read_mechanism("second.toml").name == "second"
    Path("first.toml").write_text("schema = 1\n", encoding="utf-8")
    result = CliRunner().invoke(kinefix, ["new", "third", "--like", "first.toml"])
    assert result.exit_code != 0
    assert not Path("third.toml").exists()


def test_new_writes_a_suspension_with_its_sheet() -> None:
    """The sheet's numbers are those of the library's double wishbone, with which the mechanism agrees."""
    printed = run("new", "corner", "--sheet")
    assert "wrote corner.csv, which it reads" in printed
    corner, wishbone = read_mechanism("corner.toml"), read_mechanism(model_path("double_wishbone_front"))
    assert [body.name for body in corner.bodies] == [body.name for body in wishbone.bodies]
    frames = {frame.name: frame.at for body in corner.bodies for frame in body.frames}
    by_hand = {frame.name: frame.at for body in wishbone.bodies for frame in body.frames}
    assert frames["carrier.wheel"] == by_hand["carrier.wheel"]
    assert frames["carrier.upper_ball"] == by_hand["carrier.A"]
    assert frames["lower_arm.lower_ball"] == by_hand["lower_arm.D"]


def test_new_copies_the_sheet_that_a_model_reads() -> None:
    """It stands beside the copy; one that is there and differs is left alone, and nothing is written."""
    run("new", "corner", "--sheet")
    Path("elsewhere").mkdir()
    for file in ("corner.toml", "corner.csv"):
        Path(file).rename(Path("elsewhere", file))
    assert json.loads(run("new", "second", "--like", "elsewhere/corner.toml", "--json"))["beside"] == ["corner.csv"]
    assert read_mechanism("second.toml").name == "second"
    Path("corner.csv").write_text("name,x,y,z\n", encoding="utf-8")
    result = CliRunner().invoke(kinefix, ["new", "third", "--like", "elsewhere/corner.toml"])
    assert "'corner.csv' is there already" in str(result.exception) + result.output
    assert not Path("third.toml").exists()


def test_new_with_a_sheet_like_a_model_is_refused() -> None:
    """A copy has the sheet of what it copies."""
    result = CliRunner().invoke(kinefix, ["new", "corner", "--sheet", "--like", "macpherson"])
    assert "leave --like or --sheet out" in str(result.exception) + result.output


def test_list_names_every_mechanism_of_the_library() -> None:
    told = run_json("list")
    listed = told["mechanisms"]
    assert [each["name"] for each in listed] == list(model_names())
    assert [each["name"] for each in told["practice"]] == list(practice_names())
    crank = next(each for each in listed if each["name"] == "slider_crank")
    assert crank["coordinates"] == ["theta", "s", "beta"]
    assert crank["independent"] == ["theta"]
    assert "Uchida" in crank["source"]
    shown = run("list")
    assert all(each["title"] in shown for each in listed)


def test_export_says_what_it_wrote() -> None:
    """Every file that is told is there, and the identity is that of the manifest."""
    told = run_json("export", "slider_crank", "--out", "out/x")
    exported = load_export(Path("out/x"))
    assert told["export_id"] == f"{exported.manifest.export_id:08x}"
    assert told["model_hash"] == exported.manifest.model_hash
    assert all(Path("out/x", name).is_file() for name in told["files"])
    assert told["cost"]["position"]["sqrt"] == 1
    assert told["real"] == "float32"


def test_export_takes_its_options_into_the_manifest() -> None:
    told = run_json(
        "export", "slider_crank", "--out", "x", "--precision", "float64", "--tunable", "l1,m2", "--independent", "s"
    )  # fmt: skip
    manifest = load_export(Path("x")).manifest
    assert manifest.real == told["real"] == "float64"
    assert told["tunable"] == ["l1", "m2"]
    position = next(function for function in manifest.functions if function.name == "position")
    assert [field.name for field in position.row_inputs] == ["s"]
    assert manifest.recalibrate is not None


def test_a_pose_chooses_the_branch() -> None:
    """A slider-crank with its piston to the left is another model, by the other root."""
    right = run_json("export", "slider_crank", "--out", "right")
    left = run_json("export", "slider_crank", "--out", "left", "--pose", "s=-0.127 m", "--pose", "beta=-58 deg")
    signs = [load_export(Path(folder)).manifest.branches[0]["sign"] for folder in ("right", "left")]
    assert signs[0] == -signs[1]
    assert right["model_hash"] != left["model_hash"]


def test_export_replaces_an_earlier_export() -> None:
    run("export", "slider_crank", "--out", "x")
    run("export", "four_bar", "--out", "x")
    assert load_export(Path("x")).manifest.name == "four_bar"
    assert not list(Path("x").glob("slider_crank*"))
    assert [path.name for path in Path().iterdir()] == ["x"]


def test_export_of_a_function_of_the_users() -> None:
    Path("mine.py").write_text(SYMBOLIC, encoding="utf-8")
    assert "square, float32" in run("export", "mine.py:model", "--out", "a").replace(": ", "")
    assert run_json("export", "mine:model", "--out", "b")["kind"] == "symbolic"
