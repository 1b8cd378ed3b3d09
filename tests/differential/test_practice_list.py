"""The list of mechanisms of practice: what it must hold, and that each file is a right mechanism."""

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from continuation import Driven, assembled, corrected
from plain_mechanism import document_of, plain

from exporter.model.library import model_names, practice_names

DATA = Path(__file__).parents[1] / "data"
LISTED: list[dict[str, Any]] = tomllib.loads((DATA / "practice.toml").read_text(encoding="utf-8"))["mechanism"]
NAMES = [entry["name"] for entry in LISTED]


@cache
def text_of(name: str) -> str:
    """The file of a listed mechanism."""
    entry = LISTED[NAMES.index(name)]
    return (DATA / entry.get("file", f"practice/{name}.toml")).read_text(encoding="utf-8")


def test_the_list_has_sixty_mechanisms_most_of_them_in_space() -> None:
    """Sixty names, at least 35 spatial, none of the library."""
    assert len(NAMES) == len(set(NAMES)) == 60
    assert sum(not entry.get("planar", False) for entry in LISTED) >= 35
    assert not set(NAMES) & {*model_names(), *practice_names()}


def test_at_most_two_are_of_one_kind_and_twenty_are_robots_or_vehicles() -> None:
    """The list is wide: a kind that is solved counts twice at most."""
    assert max(Counter(entry["kind"] for entry in LISTED).values()) <= 2
    assert len({entry["machine"] for entry in LISTED if "machine" in entry}) >= 20


def test_every_file_is_listed() -> None:
    """No mechanism lies beside the list."""
    assert {path.stem for path in (DATA / "practice").glob("*.toml")} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_listed_mechanism_assembles_with_its_independent_coordinates(name: str) -> None:
    """Newton's method closes all loops at the pose, where the dependent coordinates have as many equations."""
    driven = assembled(plain(document_of(text_of(name))))
    assert driven is not None
    assert driven.rank == len(driven.free)


def test_a_coupled_coordinate_is_held_by_the_reference() -> None:
    """With its motors at 100 rad and 50 rad, the arm stands where its belts, of ratio 0.02, hold it."""
    driven = assembled(plain(document_of(text_of("scara_belt"))))
    assert driven is not None
    at = driven.plain.design()
    column = {name: k for k, name in enumerate(driven.plain.coordinates)}
    at[0, column["motor1"]], at[0, column["motor2"]] = 100.0, 50.0
    moved, _, _ = corrected(Driven(driven.plain, [], driven.rank), at, 12)
    assert moved[0, column["shoulder"]] == pytest.approx(2.0)
    assert moved[0, column["elbow"]] == pytest.approx(1.0 - 0.6 * 2.0)
