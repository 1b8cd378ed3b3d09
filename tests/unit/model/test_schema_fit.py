"""What fits the schema of a mechanism file, against jsonschema, which shares no code with it."""

import copy
import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from exporter.model.schema import mechanism_schema
from exporter.model.schema_fit import fits_schema

LIBRARY = sorted((Path(__file__).parents[3] / "exporter" / "mechanisms").rglob("*.toml"))
VALUES: tuple[Any, ...] = (
    None,
    True,
    1,
    1.0,
    -2.5,
    "",
    "x",
    "two words\n",
    "y.z",
    [],
    ["x", "y"],
    ["1 m"] * 3,
    {},
    {"x": "1"},
)
"""Made for this project: what an entry is replaced by."""
SCHEMAS: tuple[tuple[dict[str, Any], tuple[Any, ...]], ...] = (
    ({"type": "string"}, ("a", 1, None)),
    ({"type": ["object", "array"]}, ({}, [], "a", True)),
    ({"type": "boolean"}, (True, 1, 0)),
    ({"const": 1}, (1, 1.0, True, "1", 2)),
    ({"enum": ["a", "b"]}, ("a", "c", 1, ["a"])),
    ({"pattern": "^a$"}, ("a", "a\n", "ba", 3)),
    ({"minItems": 1, "maxItems": 2}, ([], [1], [1, 2, 3], "abc", {})),
    ({"minProperties": 1}, ({}, {"a": 1}, [])),
    ({"required": ["a"]}, ({}, {"a": None}, [])),
    ({"propertyNames": {"pattern": "^a"}}, ({"a": 1}, {"b": 1}, ["b"])),
    (
        {"properties": {"a": {"type": "string"}}, "additionalProperties": False},
        ({}, {"a": "b"}, {"a": 1}, {"c": "b"}, []),
    ),
    ({"additionalProperties": {"type": "string"}}, ({"a": "b"}, {"a": 1})),
    ({"prefixItems": [{"const": "a"}], "items": {"const": "b"}}, ([], ["a"], ["a", "b"], ["b"], ["a", "a"])),
    ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, ({}, {"a": 1}, {"a": 1, "b": 1})),
    ({"if": {"const": "a"}, "else": {"const": "b"}}, ("a", "b", "c")),
    ({"$ref": "#/$defs/one", "$defs": {"one": {"const": "a"}}}, ("a", "b")),
)


@pytest.mark.parametrize(
    ("schema", "values"), SCHEMAS, ids=lambda each: json.dumps(each) if isinstance(each, dict) else ""
)
def test_every_keyword_means_what_it_means_to_jsonschema(schema: dict[str, Any], values: tuple[Any, ...]) -> None:
    """Some values fit, and some do not."""
    found = [fits_schema(value, schema) for value in values]
    assert found == [Draft202012Validator(schema).is_valid(value) for value in values]
    assert len(set(found)) == 2


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer"},
        {"oneOf": [{"const": 1}]},
        {"$ref": "#/$defs/none", "$defs": {}},
        {"if": {"not": {"const": 2}}},
    ],
    ids=str,
)
def test_a_keyword_that_is_not_known_is_left_to_jsonschema(schema: dict[str, Any]) -> None:
    """1 fits the first two, but nobody says so here."""
    assert not fits_schema(1, schema)


def test_every_file_of_the_library_fits_without_jsonschema() -> None:
    """Otherwise reading it would import the validator."""
    documents = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in LIBRARY}
    assert [name for name, document in documents.items() if not fits_schema(document, mechanism_schema())] == []
    assert len(documents) > 30


@pytest.mark.parametrize("name", ["slider_crank", "gough_stewart", "double_wishbone_front"])
def test_changed_files_fit_where_jsonschema_says_so(name: str) -> None:
    """Entries left out, renamed or replaced, anywhere: 150 of each file."""
    (path,) = (path for path in LIBRARY if path.stem == name)
    document, validator = tomllib.loads(path.read_text(encoding="utf-8")), Draft202012Validator(mechanism_schema())
    chosen, found = random.Random(name), []
    for _ in range(150):
        changed = copy.deepcopy(document)
        _change(changed, chosen)
        found.append((fits_schema(changed, mechanism_schema()), validator.is_valid(changed)))
    assert [pair for pair in found if pair[0] != pair[1]] == []
    assert len(set(found)) == 2


def _change(document: dict[str, Any], chosen: random.Random) -> None:
    """One entry of a table or list somewhere in the document."""
    at: Any = document
    while True:
        key = chosen.choice(sorted(at)) if isinstance(at, dict) else chosen.randrange(len(at))
        inner = at[key]
        if not (isinstance(inner, dict | list) and inner) or chosen.random() < 0.2:
            break
        at = inner
    how = chosen.randrange(3)
    if how == 0:
        at.pop(key)
    elif how == 1 and isinstance(at, dict):
        at[chosen.choice(["Other", "a b", "x{leg}", "name"])] = at.pop(key)
    else:
        at[key] = chosen.choice(VALUES)
