"""`kinefix analyse` as a user meets it."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from exporter.cli import kinefix, main
from exporter.commands.tunable_costs import tunable_costs
from exporter.functions.program import program_of_mechanism
from exporter.model.complete import with_tunable
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.cost import cost

SVG = "{http://www.w3.org/2000/svg}"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(kinefix, ["analyse", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def six_bar() -> Any:
    return json.loads(run("stephenson_iii", "--json"))


def test_the_text_holds_what_the_json_holds(six_bar: Any) -> None:
    """Loops, choices, refusals, blocks and the recommendation."""
    text = run("stephenson_iii")
    plain = " ".join(text.split())
    for loop in six_bar["loops"]:
        assert f"{loop['joint']}  {loop['type']}  {' - '.join(loop['bodies'])}".split()[0] in text
        assert " - ".join(loop["bodies"]) in text
    for choice in six_bar["choices"]:
        assert choice["refusal"] in plain
    for block in six_bar["shown"]["blocks"]:
        assert f"{block['id']}  {block['kind']}, degree {block['degree']}" in text
    recommended = six_bar["recommended"]
    assert f"recommended: {', '.join(recommended['independent'])}: {recommended['reason']}" in text


def test_the_result_for_another_choice(six_bar: Any) -> None:
    """--independent needs neither pose nor range and judges as the ranking does; lines for the file are printed."""
    driven = json.loads(run("stephenson_iii", "--independent", "theta2", "--limit", "1", "--json"))
    (listed,) = (choice for choice in six_bar["choices"] if choice["independent"] == ["theta2"])
    for key in ("solvable", "degree", "operations", "singularities"):
        assert driven["shown"][key] == listed[key]
    text = run("stephenson_iii", "--independent", "theta2", "--limit", "1")
    assert 'independent = ["theta2"]' in text


def test_a_choice_that_cannot_be_solved_says_so_and_its_degree(tmp_path: Path) -> None:
    """Driven by its piston beyond what it reaches, the landing gear is one system of degree six, drawn in one box."""
    picture, model = tmp_path / "gear.svg", tmp_path / "gear.toml"
    text = model_path("landing_gear").read_text(encoding="utf-8")
    assert 'p = ["184 cm", "284 cm"]' in text
    model.write_text(text.replace('p = ["184 cm", "284 cm"]', 'p = ["1 m", "40 m"]'), encoding="utf-8")
    text = run(str(model), "--independent", "p", "--limit", "1", "--picture", str(picture))
    assert "does not follow from the design pose to p = 1" in " ".join(text.split())
    assert "loops upper_loop, lower_loop: degree 6" in text
    boxes = ET.parse(picture).findall(f".//{SVG}g[@class='joined']")
    assert len(boxes) == 1
    assert "degree 6" in [text.text for text in boxes[0].findall(f"{SVG}text")]


def test_the_diagram_has_a_box_per_block_and_an_arrow_per_need(tmp_path: Path) -> None:
    """Every arrow leads to the right: a block stands beyond what it needs."""
    picture = tmp_path / "order.svg"
    facts = json.loads(run("four_loops", "--limit", "1", "--picture", str(picture), "--json"))
    root = ET.parse(picture)
    blocks = facts["shown"]["blocks"]
    assert [each.get("data-id") for each in root.findall(f".//{SVG}g[@class='block']")] == [b["id"] for b in blocks]
    arrows = root.findall(f".//{SVG}path[@class='needs']")
    wanted = {(need, block["id"]) for block in blocks for need in block["needs"]}
    assert {(each.get("data-from"), each.get("data-to")) for each in arrows} == wanted
    for arrow in arrows:
        xs = [float(x) for x in re.findall(r"[MC ](-?[\d.]+) -?[\d.]+", arrow.get("d", ""))]
        assert xs[-1] > xs[0]


def test_the_same_analysis_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    texts = [run("four_bar", "--limit", "2", "--picture", str(path), "--json") for path in (first, second)]
    assert texts[0].replace("a.svg", "") == texts[1].replace("b.svg", "")
    assert first.read_bytes() == second.read_bytes()


def test_a_limit_is_named() -> None:
    """How many of how many choices were judged, and what to do."""
    text = run("parallel_robot", "--limit", "2")
    assert "choices of independent coordinates: 2 of 84" in text
    assert "--limit judges more" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("four_bar", "--independent", "alpha9"), '"alpha9" is not a coordinate'),
        (("four_bar", "--independent", "alpha1,alpha1"), '"alpha1" is named twice'),
        (("four_bar", "--picture", "order.png"), "is no .svg"),
        (("examples/linear_delta.py:model",), "symbolic model"),
        (("no_such_model",), "no_such_model"),
    ],
)
def test_wrong_use_is_one_sentence(arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and one line on stderr."""
    with pytest.raises(SystemExit) as caught:
        main(["analyse", *arguments])
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("name", ["l1", "l2"])
def test_the_cost_of_a_tunable_parameter_is_what_its_export_has(name: str) -> None:
    """Functions and recalibrate of the program that is exported with this parameter tunable, guards left out."""
    mechanism = with_tunable(read_mechanism(model_path("four_bar")), ())
    (found,) = (each for each in tunable_costs(mechanism) if each.name == name)
    program = program_of_mechanism(with_tunable(mechanism, (name,)), "float64", contract=False)
    exported = {function.name: cost(function) for function in program.functions}
    assert {each.function: each.after for each in found.functions} == {n: exported[n] for n in ("position", "dynamics")}
    assert program.recalibrate is not None


def test_a_length_that_only_scales_costs_nothing_at_run_time() -> None:
    """s = l1 cos + sqrt(l2^2 - (l1 sin)^2): l1 multiplies as the constant did; a mass is not in it at all."""
    mechanism = with_tunable(read_mechanism(model_path("slider_crank")), ())
    costs = {each.name: each for each in tunable_costs(mechanism)}
    position = next(each for each in costs["l1"].functions if each.function == "position")
    assert position.after == position.frozen
    assert next(each for each in costs["m3"].functions if each.function == "position").before == position.frozen
