"""The branch of a mechanism of many loops is that of its pose, or the pose is refused: never another one in silence."""

import re
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from exporter.errors import SeveralAssemblies
from exporter.kinematics.analysis.real_assemblies import real_assemblies
from exporter.kinematics.modes import modes_of
from exporter.kinematics.planar import assembly
from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.planar.triangular import triangular_form
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism


@pytest.fixture
def row(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], str]:
    """The text of four-bars in a row, as many as asked for, with a pose near the branch of positive roots."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[4] / "benchmarks"))
    sys.modules.pop("families", None)
    from families import FAMILIES

    return FAMILIES["four_bars"]


def posed(text: str, names: Collection[str], **others: float) -> Mechanism:
    """With the pose of these coordinates alone, and of the first; others are given."""
    pose = dict(re.findall(r'(\w+) = "(-?[\d.]+) rad"', text.partition("pose = {")[2].partition("}")[0]))
    kept = {name: value for name, value in pose.items() if name in (*names, "a0")} | others
    listed = ", ".join(f'{name} = "{value} rad"' for name, value in kept.items())
    return parse_mechanism(re.sub(r"pose = \{.*?\}", f"pose = {{ {listed} }}", text), "row")


def signs_of(mechanism: Mechanism) -> tuple[int, ...]:
    return tuple(block.sign for block in triangular_form(mechanism).blocks)


def test_a_pose_of_the_last_loop_chooses_all_roots_before_it(row: Callable[[int], str]) -> None:
    """A pose of seven loops tells the angles of the last alone: one of 128 modes has them."""
    mechanism = posed(row(7), ["a7", "b7"])
    chosen = triangular_form(mechanism)
    found = assembly.assembly_at(chosen, mechanism.pose).coordinates
    modes = [mode.coordinates for mode in assembly.assemblies(chosen, mechanism.pose) if mode.reachable]

    def gap(coordinates: dict[str, float]) -> float:
        pose = mechanism.pose
        return max(abs(mechanism.difference(name, coordinates[name], float(pose[name]))) for name in ("a7", "b7"))

    assert gap(found) == min(map(gap, modes))


@pytest.mark.parametrize("loops", [7, 12])
def test_where_few_combinations_are_followed_a_full_pose_is_enough(
    row: Callable[[int], str], monkeypatch: pytest.MonkeyPatch, loops: int
) -> None:
    """Four are followed; every loop is then told apart by its own angles."""
    mechanism = parse_mechanism(row(loops), "row")
    signs = signs_of(mechanism)
    monkeypatch.setattr(assembly, "MOST_TWO_ROOT_BLOCKS", 2)
    monkeypatch.setattr(assembly, "MOST_CANDIDATES", 4)
    assert signs_of(mechanism) == signs


def test_a_mode_that_was_left_behind_and_may_be_meant_is_a_refusal(
    row: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pose tells nothing of the first five loops, and four combinations of their roots are followed."""
    mechanism = posed(row(7), ["a7", "b7"])
    monkeypatch.setattr(assembly, "MOST_TWO_ROOT_BLOCKS", 2)
    monkeypatch.setattr(assembly, "MOST_CANDIDATES", 4)
    with pytest.raises(SeveralAssemblies, match=r"give a value near the wanted one for b1"):
        triangular_form(mechanism)


def test_one_angle_far_off_does_not_hide_the_others(row: Callable[[int], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A first loop that fits neither root clearly is refused, with all combinations tried and with few."""
    mechanism = posed(row(7), [f"{letter}{k}" for letter in "ab" for k in range(2, 8)], b1=-0.2, a1=-1.2)
    with pytest.raises(SeveralAssemblies):
        triangular_form(mechanism)
    monkeypatch.setattr(assembly, "MOST_TWO_ROOT_BLOCKS", 2)
    monkeypatch.setattr(assembly, "MOST_CANDIDATES", 4)
    with pytest.raises(SeveralAssemblies):
        triangular_form(mechanism)


def test_of_very_many_modes_none_is_counted_out(row: Callable[[int], str]) -> None:
    """Forty loops have 2^40 modes: they are not listed to find that they are too many."""
    solved = PlanarSolution(triangular_form(parse_mechanism(row(40), "row")))
    assert real_assemblies(solved) is None
    assert len(modes_of(solved, solved.mechanism.pose)) == 16
