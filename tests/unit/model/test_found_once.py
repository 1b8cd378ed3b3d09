"""What is kept per mechanism: found once per content and per what was asked, however it was asked."""

from dataclasses import replace

import pytest

from exporter.errors import ModelError
from exporter.model.complete import with_tunable
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.once import once_per_model
from exporter.model.toml.reader import read_mechanism


@pytest.fixture
def mechanism() -> Mechanism:
    return read_mechanism(model_path("four_bar"))


def test_it_is_found_once_per_content_and_question(mechanism: Mechanism) -> None:
    asked: list[tuple[str, ...]] = []

    @once_per_model
    def found(mechanism: Mechanism, what: str, *, who: str = "") -> int:
        asked.append((*mechanism.tunable_names(), what, who))
        return len(asked)

    again, tunable = read_mechanism(model_path("four_bar")), with_tunable(mechanism, ["l1"])
    assert [found(mechanism, "a"), found(again, "a", who="b"), found(mechanism, "c"), found(tunable, "a")] == [
        1,
        1,
        2,
        3,
    ]
    assert asked == [("a", ""), ("c", ""), ("l1", "a", "")]


def test_without_a_hash_it_is_found_anew(mechanism: Mechanism) -> None:
    found = once_per_model(lambda mechanism: object())  # noqa: ARG005 - only who asks counts
    assert found(mechanism) is found(mechanism)
    assert found(replace(mechanism, model_hash="")) is not found(replace(mechanism, model_hash=""))


def test_a_changed_mechanism_with_the_hash_of_another_is_another(mechanism: Mechanism) -> None:
    """As dataclasses.replace leaves it in a script."""
    found = once_per_model(lambda mechanism: mechanism.title)
    assert [found(mechanism), found(replace(mechanism, title="other"))] == [mechanism.title, "other"]


def test_an_error_is_not_kept(mechanism: Mechanism) -> None:
    calls: list[int] = []

    @once_per_model
    def refused(mechanism: Mechanism) -> None:
        calls.append(1)
        raise ModelError(mechanism.name)

    for _ in range(2):
        with pytest.raises(ModelError):
            refused(mechanism)
    assert len(calls) == 2
