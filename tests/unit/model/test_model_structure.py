"""The quick check of a file's structure says of every document what the library for JSON Schemas says."""

import copy
import random
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from exporter.model.library import model_path
from exporter.model.schema import mechanism_schema
from exporter.model.structure import obeys

STRANGE: tuple[Any, ...] = (True, 3, 0.5, "", "a b", "revolute", [], ["1 m"], ["1 m", "0", "0", "0"], {}, {"x": 1})
MODELS = ("slider_crank", "gough_stewart", "excavator", "quarter_car", "spatial_four_bar")


def test_a_keyword_that_is_not_known_is_left_to_the_library() -> None:
    """Nothing of a schema is passed over, wherever it stands."""
    assert obeys({"a": {}}, {"properties": {"a": {"type": "object"}}})
    assert not obeys({"a": {}}, {"properties": {"a": {"uniqueItems": True}}})


@pytest.mark.parametrize("name", MODELS)
def test_mutants_of_a_file_are_judged_as_by_the_library(name: str) -> None:
    """Values replaced by others, keys taken away and added, anywhere in a file of the library; some obey, some not."""
    document = tomllib.loads(model_path(name).read_text(encoding="utf-8"))
    library, schema = Draft202012Validator(mechanism_schema()), mechanism_schema()
    judged = [(obeys(each, schema), library.is_valid(each)) for each in [document, *mutants(document, 60)]]
    assert [ours for ours, _ in judged] == [theirs for _, theirs in judged]
    assert judged[0] == (True, True)
    assert (False, False) in judged


def mutants(document: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """Copies of a document with one change each."""
    chance = random.Random(7)
    for _ in range(number):
        mutant = copy.deepcopy(document)
        table, key = chance.choice(list(places(mutant)))
        match chance.randrange(3):
            case 0:
                del table[key]
            case 1:
                table[key] = chance.choice(STRANGE)
            case _ if isinstance(table, dict):
                table[chance.choice(["other", "a b", "{leg}", "unit", "value"])] = chance.choice(STRANGE)
            case _:
                table.append(chance.choice(STRANGE))
        yield mutant


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every table or list inside, with each of its keys."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])
