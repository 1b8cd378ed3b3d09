"""The page on forces in joints: a reader gets what it says, and what reactions cost."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from exporter.functions.mechanism import dynamics
from exporter.functions.program import arithmetic
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.mechanism import ReactionOutput
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.cost import cost

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "reactions.md").read_text(encoding="utf-8")
ONE_PIN = {"slider_crank": "crank_pin", "four_bar": "cut"}


def test_a_reader_gets_what_the_page_says(load_data_module: Callable[[str], ModuleType], tmp_path: Path) -> None:
    reader = load_data_module("page_blocks")
    reader.Reader(tmp_path, "docs/reactions.md").read(reader.blocks_of(PAGE))


@pytest.mark.parametrize("name", ONE_PIN)
def test_the_page_counts_what_one_pin_and_all_joints_cost(name: str) -> None:
    mechanism = read_mechanism(model_path(name))

    def more(*joints: str) -> tuple[int, int]:
        """Multiplications and additions beyond those without reactions."""
        both = [(joint, part) for joint in joints for part in ("force", "torque")]
        wanted = {f"{part}_{joint}": ReactionOutput(joint, part) for joint, part in both}
        asked = completed(replace(mechanism, reactions=wanted))
        with_them, bare = (cost(arithmetic(dynamics, solved_mechanism(each))) for each in (asked, mechanism))
        return with_them.mul - bare.mul, with_them.add - bare.add

    row = re.search(rf"^\| `{name}` \| (\d+), (\d+) \| (\d+), (\d+) \|$", PAGE, re.MULTILINE)
    assert row is not None
    said = tuple(int(number) for number in row.groups())
    assert said == (*more(ONE_PIN[name]), *more(*(joint.name for joint in mechanism.joints)))
